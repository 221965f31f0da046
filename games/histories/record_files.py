"""Files with many games: JSON Lines, a record a line, or the text notation, a game after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import QuerySet

from accounts.models import User
from games.histories import records, selectors
from games.histories.records import BadRecord, notation
from games.histories.records.schema import MOST_BYTES, _
from games.log.models import Game, Player

CHUNK = 20
#: Lines of a file: more than as many bytes as are taken can have in games.
MOST_LINES = 2_000_000
_HEAD = b"[Format "


def all_games(user: User, form: str) -> Iterator[bytes]:
    """All games of a user that are over, the first one first, each as one part. `form`: jsonl or txt.

    Those whose cards others may still meet are left out until they may be told.
    """
    for game in games_of(user):
        if game.is_sealed:
            continue
        record = selectors.record_of(game)
        if form == "jsonl":
            yield records.to_bytes(record)
            continue
        try:
            yield f"{notation.to_text(record)}\n".encode()
        except BadRecord:
            yield f"% game {game.pk} cannot be written in this notation, only as JSON\n\n".encode()


def games_of(user: User) -> Iterator[Game]:
    """The games themselves, a few at a time; no cursor is open in between."""
    after = 0
    while True:
        chunk = list(seats_after(user, after).values_list("game_id", flat=True)[:CHUNK])
        if not chunk:
            return
        found = Game.objects.filter(pk__in=chunk, status__in=selectors.OVER)
        yield from found.select_related("preset_version__preset").order_by("pk")
        after = chunk[-1]


def has_any(user: User) -> bool:
    """Whether there is a game for such a file."""
    return seats_after(user, 0).exists()


def seats_after(user: User, game_id: int) -> QuerySet[Player]:
    """The seats of a user in games that are over, behind a game, in the order of their opening."""
    return Player.objects.filter(user=user, ended_at__isnull=False, game_id__gt=game_id).order_by("game_id")


# --- reading ----------------------------------------------------------------------------------------------------------


def lines_of(file: Any) -> Iterator[bytes]:
    """The lines of a file; one that is too long comes in parts, each of them too long for a game."""
    return iter(lambda: file.readline(MOST_BYTES + 1), b"")


def one_of(lines: Iterable[bytes], number: int | None) -> records.Record:
    """The record in a file of either form; of several, the one with this number, from 1 on. Raises BadRecord.

    Only one game at a time is held, however long the file.
    """
    count, found = 0, None
    for count, game in enumerate(_apart(lines), 1):
        if count == (number or 1):
            found = game
    if not count:
        raise BadRecord(_("There is no game in it."))
    if number is None and count > 1:
        raise BadRecord(_("There are %(count)s games in it: say which of them, by its number."), count=count)
    if found is None:
        raise BadRecord(_("There is no game of that number in it: they are %(count)s."), count=count)
    first, raw = found
    if raw.lstrip()[:1] == b"{":
        return records.from_bytes(raw)
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise BadRecord(_("It is no text in UTF-8.")) from None
    return notation.from_text(text, first)


def _apart(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """The games of a file, each with the number of its first line: JSON a line each, or texts from tag to tag."""
    held: list[bytes] = []
    first, size, is_begun = 1, 0, False
    for at, raw in enumerate(lines, 1):
        if at > MOST_LINES:
            raise BadRecord(_("It has more than %(most)s lines."), most=MOST_LINES)
        line = raw.removeprefix(b"\xef\xbb\xbf") if at == 1 else raw
        is_whole = line.startswith(b"{") and line.rstrip().endswith(b"}")
        if is_begun and (is_whole or line.startswith(_HEAD)):
            yield first, b"".join(held)
            held, first, size, is_begun = [], at, 0, False
        held.append(line)
        size += len(line)
        if size > MOST_BYTES:
            raise BadRecord(_("It is too large for a game."))
        is_begun = is_begun or (bool(line.strip()) and not line.startswith(b"%"))
        if is_whole:
            yield first, b"".join(held)
            held, first, size, is_begun = [], at + 1, 0, False
    if is_begun:
        yield first, b"".join(held)
