"""The writes to a party: who sits, and what the next game is played with. `games.parties.games` begins it.

Each call holds the party's row, so that two who want the last seat are one after the other. Whatever changes who plays,
or by which rules, raises the revision: agreement to a rematch is for one revision.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from hashlib import sha256

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from games.cpu import LEVELS
from games.kinds import options_for
from games.log import wakeups
from games.log.models import Game
from games.parties import codes, seating
from games.parties.models import Party, PartyMember
from games.parties.selectors import agreement_of, last_seen, latest_game, sitting_at
from games.people.models import Block
from games.presets.models import PresetVersion

LARGE = seating.LARGE
#: Limits for a turn, in seconds; 0 is none.
TIMERS = (0, 30, 60)
#: Open parties that one user may be the host of.
MOST_OPEN = 5

#: Why a party does not accept something.
CODES = (
    "closed",
    "full",
    "seat_taken",
    "sent_away",
    "blocked",
    "running",
    "not_host",
    "not_sitting",
    "changed",
    "first_game",
    "not_first_game",
    "confirm",
    "too_few_seats",
    "bad_settings",
    "too_many",
)


class PartyRefused(Exception):
    """A party did not accept something. `code` is one of `CODES`."""

    def __init__(self, code: str) -> None:
        if code not in CODES:
            raise ValueError(f"not a code: {code}")
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Settings:
    """What the next game is played with, and who may see it."""

    options: dict[str, str | int] = field(default_factory=dict)
    players: int | None = None  # None: as many as sit
    timer_s: int = 0
    cpu_level: str = "normal"
    may_watch: bool = True
    is_listed: bool = False

    @property
    def mark(self) -> str:
        """Tells settings from others, so that nobody overwrites what he has not seen."""
        return sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]


# --- making one, sitting down, leaving --------------------------------------------------------------------------------


def open_party(*, host: User, version: PresetVersion, is_listed: bool = False, timer_s: int = 0) -> Party:
    """Makes a party that plays by a preset, with its host on the first seat. Raises PartyRefused."""
    preset = version.preset
    if timer_s not in TIMERS:
        raise PartyRefused("bad_settings")
    # A preset for one number is played by that number, unless the host says otherwise.
    numbers = preset.players if len(seating.numbers(preset.kind)) > 1 else []
    with transaction.atomic():
        User.objects.select_for_update().get(pk=host.pk)  # two forms sent at once are counted one after the other
        if Party.objects.filter(host=host, is_closed=False).count() >= MOST_OPEN:
            raise PartyRefused("too_many")
        party = Party.objects.create(
            code=codes.draw(),
            host=host,
            preset_version=version,
            options=options_for(preset.kind, version.options).differences(),
            players=numbers[0] if len(numbers) == 1 else None,
            is_listed=is_listed,
            timer_s=timer_s,
        )
        PartyMember.objects.create(party=party, user=host, seat=0)
        tell(party)
    return party


def sit(*, party_id: int, user: User, seat: int | None = None) -> int:
    """Sits down, on the first free seat unless one is named; who sits already changes to it. The seat.

    Asked twice, from two tabs, it is one seat. Raises PartyRefused.
    """
    with held(party_id) as party:
        member = PartyMember.objects.filter(party=party, user=user).first()
        if member is not None and member.seat is None:
            raise PartyRefused("sent_away")
        if member is not None and (seat is None or seat == member.seat):
            return int(member.seat or 0)
        _check_between_games(party)
        if member is None:
            _check_not_blocked(party, user)
        others = [other for other in sitting_at(party) if other.user_id != user.pk]
        if member is None and len(others) >= seating.capacity(party.kind, party.players):
            raise PartyRefused("full")
        taken = [int(other.seat or 0) for other in others]
        wanted = seating.lowest_free(taken) if seat is None else seat
        if wanted in taken:
            raise PartyRefused("seat_taken")
        if not 0 <= wanted < seating.players_for(party.kind, len(others) + 1, party.players):
            raise PartyRefused("seat_taken")
        now = timezone.now()
        PartyMember.objects.update_or_create(party=party, user=user, defaults={"seat": wanted, "seen_at": now})
        _changed(party)
    return wanted


def check_room(status: str, sitting: int, capacity: int) -> None:
    """Whether a newcomer could sit down, before one is made a guest for it. Raises PartyRefused."""
    if status in ("closed", "playing"):
        raise PartyRefused("closed" if status == "closed" else "running")
    if sitting >= capacity:
        raise PartyRefused("full")


def leave(*, party_id: int, user: User) -> None:
    """Gets up and goes. A host hands over to whoever sits longest; the last one closes the party."""
    with held(party_id) as party:
        member = PartyMember.objects.filter(party=party, user=user, seat__isnull=False).first()
        if member is not None:
            _remove(party, [member])


def send_away(*, party_id: int, host: User, member_id: int) -> None:
    """The host sends somebody away, between games; he cannot come back to this party. Raises PartyRefused."""
    with held(party_id) as party:
        check_host(party, host)
        _check_between_games(party)
        member = PartyMember.objects.filter(party=party, pk=member_id).exclude(user=host).first()
        if member is None:
            raise PartyRefused("not_sitting")
        if member.seat is not None:
            member.seat, member.ready_for = None, 0
            member.save(update_fields=("seat", "ready_for"))
            _close_up(party)
            _changed(party)


def shuffle(*, party_id: int, host: User, rng: random.Random | None = None) -> None:
    """The host has the seats drawn by lot. Raises PartyRefused."""
    with held(party_id) as party:
        check_host(party, host)
        _check_between_games(party)
        members = sitting_at(party)
        seats = list(range(seating.players_for(party.kind, len(members), party.players)))
        (rng or random.SystemRandom()).shuffle(seats)
        _seat(members, seats[: len(members)])
        _changed(party)


# --- what the next game is played with --------------------------------------------------------------------------------


def change(*, party_id: int, host: User, seen: str, settings: Settings) -> None:
    """The host changes the settings that he has seen, by their mark; whoever had agreed is asked anew.

    Raises PartyRefused; Refused where the options do not go together.
    """
    with held(party_id) as party:
        check_host(party, host)
        _check_between_games(party)
        was_listed, before = party.is_listed, settings_of(party)
        if seen != before.mark:
            raise PartyRefused("changed")
        _check_settings(party, settings)
        party.options = options_for(party.kind, settings.options).differences()
        party.players = settings.players if len(seating.numbers(party.kind)) > 1 else None
        party.timer_s, party.cpu_level = settings.timer_s, settings.cpu_level
        party.may_watch, party.is_listed = settings.may_watch, settings.is_listed
        if settings_of(party) != before:
            _close_up(party)
            _changed(party, was_listed=was_listed)


def settings_of(party: Party) -> Settings:
    """The settings of the next game."""
    return Settings(party.options, party.players, party.timer_s, party.cpu_level, party.may_watch, party.is_listed)


def _check_settings(party: Party, settings: Settings) -> None:
    if settings.timer_s not in TIMERS or settings.cpu_level not in LEVELS:
        raise PartyRefused("bad_settings")
    options = options_for(party.kind, settings.options)
    _check_choices(party, options.to_json())
    sitting = len(sitting_at(party))
    if settings.players is not None:
        options.check_players(settings.players)
    if sitting > seating.capacity(party.kind, settings.players):
        raise PartyRefused("too_few_seats")
    options.check_players(seating.players_for(party.kind, sitting, settings.players))


def _check_choices(party: Party, options: dict[str, str | int]) -> None:
    """What a preset does not leave open stays as the preset has it."""
    version = party.preset_version
    if version.choices is None:
        return
    for name, value in options_for(party.kind, version.options).to_json().items():
        if options[name] != value and options[name] not in version.choices.get(name, ()):
            raise PartyRefused("bad_settings")


# --- who is there -----------------------------------------------------------------------------------------------------


def note_seen(*, party_id: int, user_id: int, at: datetime) -> None:
    """Somebody who sits at a party was heard of. That is no act: a party is not kept open by a forgotten tab."""
    PartyMember.objects.filter(party_id=party_id, user_id=user_id, seat__isnull=False).update(seen_at=at)


def remove_unseen(*, party_id: int, unseen_since: datetime) -> None:
    """Takes the seats of those who were not seen since, if somebody else is there to wait for them."""
    with held(party_id) as party:
        game = latest_game(party)
        if game is not None and game.is_running:
            return
        members = sitting_at(party)
        seen = last_seen(members, game)
        gone = [member for member in members if seen[member.user_id] < unseen_since]
        if gone and len(gone) < len(members):
            _remove(party, gone)


def close_idle(*, party_id: int, idle_since: datetime) -> None:
    """Closes a party at which nobody was seen, and nothing done, since."""
    with held(party_id) as party:
        game = latest_game(party)
        if game is not None and (game.is_running or game.moved_at >= idle_since):
            return
        members = sitting_at(party)
        if party.touched_at < idle_since and all(at < idle_since for at in last_seen(members, game).values()):
            _close(party)


# --- what the calls share ---------------------------------------------------------------------------------------------


@contextmanager
def held(party_id: int) -> Iterator[Party]:
    """The party with its row locked, in a transaction. Raises PartyRefused if it is closed."""
    with transaction.atomic():
        # Without a join to the host: where he changes while this waits for the row, the join would find none.
        rows = Party.objects.select_for_update(of=("self",)).select_related("preset_version__preset")
        party = rows.get(pk=party_id)
        if party.is_closed:
            raise PartyRefused("closed")
        yield party


def member_of(party: Party, user: User) -> PartyMember:
    member = PartyMember.objects.filter(party=party, user=user, seat__isnull=False).first()
    if member is None:
        raise PartyRefused("not_sitting")
    return member


def check_host(party: Party, user: User) -> None:
    if party.host_id != user.pk:
        raise PartyRefused("not_host")


def _check_between_games(party: Party) -> None:
    if Game.objects.running().filter(party=party).exists():
        raise PartyRefused("running")


def _check_not_blocked(party: Party, user: User) -> None:
    if Block.objects.filter(user_id=party.host_id, other=user, kind=Block.Kind.BLOCK).exists():
        raise PartyRefused("blocked")


def _remove(party: Party, members: list[PartyMember]) -> None:
    """Takes some from their seats; the party goes on with the others, or is closed."""
    gone = [member.pk for member in members]
    PartyMember.objects.filter(pk__in=gone).delete()
    heir = PartyMember.objects.filter(party=party, seat__isnull=False).order_by("joined_at", "pk").first()
    if heir is None:
        _close(party)
        return
    if party.host_id in [member.user_id for member in members]:
        party.host_id = heir.user_id
        party.save(update_fields=("host",))
    _close_up(party)
    _changed(party)


def _close(party: Party) -> None:
    party.is_closed = True
    party.save(update_fields=("is_closed",))
    PartyMember.objects.filter(party=party, seat__isnull=False).delete()
    touch(party)
    tell(party)


def _close_up(party: Party) -> None:
    """Moves seats together where the table has become smaller."""
    members = sitting_at(party)
    seats = [int(member.seat or 0) for member in members]
    _seat(members, seating.closed_up(seats, seating.players_for(party.kind, len(members), party.players)))


def _seat(members: Sequence[PartyMember], seats: Sequence[int]) -> None:
    for member, seat in zip(members, seats, strict=True):
        member.seat = seat
    PartyMember.objects.bulk_update(members, ("seat",))


def _changed(party: Party, *, was_listed: bool = False) -> None:
    """Something about the next game has changed: nobody has agreed to it yet."""
    party.revision += 1
    party.save()
    touch(party)
    tell(party, was_listed=was_listed)


def touch(party: Party) -> None:
    party.touched_at = timezone.now()
    party.save(update_fields=("touched_at",))


def tell(party: Party, *, was_listed: bool = False) -> None:
    """After the commit, whoever looks at the party, at the list, or at the table of its latest game hears of it."""
    party_id, shown = party.pk, party.is_listed or was_listed
    game = latest_game(party)

    def wake() -> None:
        wakeups.party_soon(party_id, listed=shown)
        if game is not None and not game.is_running:
            wakeups.agreement_soon(game.pk, agreement_of(game))

    transaction.on_commit(wake, robust=True)
