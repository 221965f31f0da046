"""Every write to a game. Humans, CPUs and the clock come through the same door; only the cause differs."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from channels.db import database_sync_to_async
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from accounts import limits
from accounts.acts import note_act
from accounts.models import User
from accounts.services import lock
from games.codes import deals
from games.hooks import game_finished, game_voided
from games.kinds import rules_for
from games.log import endings, live, logbook, openings, store, voids, wakeups
from games.log.models import Action as ActionRow
from games.log.models import Game, GameSecret, Player
from games.log.positions import MISSES_UNTIL_STAND_IN, Entry, Holder, Position, Step, Table, fold, is_cpu, walk
from games.log.refusals import Rejected
from games.presets.models import PresetVersion
from games.rules import RULES_VERSION, Action, Rules
from games.rules.state import plain

logger = logging.getLogger(__name__)

#: Times a move is tried again because somebody else moved in between.
ATTEMPTS = 5
#: Within so many seconds the same wish for a game is the same click.
ONE_CLICK_S = 5.0
#: Why a game may end without a result: all people at it wanted that, an administrator ended it, the site was down for
#: too long, nobody came back to it. One that somebody never came to ends as `absent` (`games.log.voids`).
VOID_REASONS = ("vote", "admin", "outage", "abandoned")
#: How late an answer may come that was sent in time, in seconds.
GRACE_S = 1.0


@dataclass(frozen=True, slots=True)
class Receipt:
    """A stored action: the ply it has in the log."""

    ply: int


@dataclass(frozen=True, slots=True)
class SharedCards:
    """Cards that everybody gets who plays this game: its code, and the commitment that was shown before."""

    code: str
    commitment: str


@dataclass(frozen=True, slots=True)
class Fork:
    """From where a game is played on: the game it was, the entries that are taken over, and whose cards those have.

    `spans` says it in order: up to which ply the cards are those of which game code.
    """

    origin: Game
    entries: tuple[Entry, ...]
    spans: list[dict[str, Any]]


# --- opening a game ---------------------------------------------------------------------------------------------------


def open_game(
    *,
    kind: str,
    seats: Sequence[User | str],
    options: dict[str, Any] | None = None,
    timer_s: int = 0,
    preset_version: PresetVersion | None = None,
    code: str | None = None,
    rematch_of: Game | None = None,
    party_id: int | None = None,
    may_watch: bool = False,
    is_private: bool = False,
    fork: Fork | None = None,
    shared: SharedCards | None = None,
) -> Game:
    """Opens a game. `seats` has a user or a CPU level for each seat; `code` starts from a game code.

    The cards of several humans, and of every party, are sealed: nobody knows the game code before the end. Such a game
    is dealt when every user's browser has given its nonce, see `games.log.openings`; any other one at once. Those of a
    daily deal (`shared`) are the same for everybody, whatever anybody adds, and sealed until its day is over. A `fork`
    goes on where the log of another game stood, with cards of its own from the next deal on.

    Raises Refused for bad options, BadCode for a code of another table.
    """
    rules = rules_for(kind, len(seats), options or {})
    humans = [holder for holder in seats if isinstance(holder, User)]
    is_solo = len(humans) == 1 and party_id is None
    is_drawn = code is None and fork is None and shared is None
    secret, chosen = None, None
    if shared is not None:
        chosen = deals.read_code(shared.code)
    elif code is not None:
        chosen = deals.read_code(code)
        if not chosen.fits(rules):
            raise deals.BadCode("other_table")
    elif is_solo:
        chosen = deals.new_code(rules)
    else:
        secret = deals.new_secret()
    now = timezone.now()
    with transaction.atomic():
        game = Game.objects.create(
            kind=kind,
            players=len(seats),
            options=rules.options.to_json(),
            preset_version=preset_version,
            party_id=party_id,
            may_watch=may_watch,
            is_private=is_private,
            rules_version=RULES_VERSION,
            timer_s=timer_s,
            status=Game.Status.OPEN,
            deadline_at=now + openings.wait(),
            code=chosen.text if chosen is not None and is_solo and fork is None and shared is None else "",
            cards=Game.Cards.DRAWN if is_drawn else Game.Cards.GIVEN,
            forked_from=None if fork is None else fork.origin,
            commitment=shared.commitment if shared else "" if secret is None else deals.commitment(secret),
            created_at=now,
            moved_at=now,
        )
        GameSecret.objects.create(game=game, code="" if chosen is None else chosen.text, secret=secret)
        Player.objects.bulk_create(
            Player(
                game=game,
                seat=seat,
                user=holder if isinstance(holder, User) else None,
                cpu_level="" if isinstance(holder, User) else holder,
                seen_at=now if isinstance(holder, User) else None,
            )
            for seat, holder in enumerate(seats)
        )
        if chosen is not None:
            table = replace(_table(game, rules, seats), is_daily=shared is not None)
            nonces = [""] * len(seats)
            entries = openings.entries(table, game, chosen, nonces) if fork is None else _going_on(table, chosen, fork)
            _wake(table, openings.write(table, game, entries))
        elif not humans:
            dealt = openings.deal_locked(game)
            _wake(dealt.table, dealt.steps)
        if rematch_of is not None:
            rematch_of.rematch = game
            rematch_of.save(update_fields=("rematch",))
    return game


def _wake(table: Table, steps: list[Step]) -> None:
    transaction.on_commit(lambda: wakeups.opened(table, steps[-1].after), robust=True)


@contextmanager
def opening_for(user: User) -> Iterator[None]:
    """While a user opens a game, in one transaction: a second request of his waits."""
    with transaction.atomic():
        lock(f"opening {user.pk}")
        yield


def just_opened(*, user: User, kind: str, timer_s: int, code: str | None = None) -> Game | None:
    """A game of this kind that the user has opened a moment ago and done nothing in: what a double click asks for.

    `code`: that it was opened from; None for cards that were drawn.
    """
    since = timezone.now() - timedelta(seconds=ONE_CLICK_S)
    cards = {"cards": Game.Cards.DRAWN} if code is None else {"cards": Game.Cards.GIVEN, "code": code}
    found = Game.objects.running_of(user).filter(kind=kind, timer_s=timer_s, created_at__gt=since, **cards)
    found = found.filter(forked_from=None)
    return found.exclude(action__cause=ActionRow.Cause.PLAYER).first()


def check_may_open(user: User) -> None:
    """Raises TooMany for somebody who opens games without end."""
    lately = timezone.now() - timedelta(days=1)
    running = Game.objects.running_of(user).filter(moved_at__gt=lately).count()
    if running >= settings.RUNNING_GAMES:
        raise limits.TooMany("running", 3_600)
    limits.count("games", user.pk, settings.GAMES_A_MINUTE)


def open_solo(*, user: User, version: PresetVersion, level: str = "normal", timer_s: int = 0) -> Game:
    """A game of one user against CPUs, by a preset at its usual number of players."""
    players = version.preset.players
    return open_game(
        kind=version.preset.kind,
        seats=[user, *[level] * ((4 if 4 in players else players[0]) - 1)],
        options=version.options,
        timer_s=timer_s,
        preset_version=version,
    )


def _going_on(table: Table, code: deals.GameCode, fork: Fork) -> list[Entry]:
    """The log that was taken over, as if it had been played in no time, and the next deal if that is due."""
    now = timezone.now()
    entries = [replace(entry, ply=ply, client_id=None, created_at=now) for ply, entry in enumerate(fork.entries, 1)]
    opened = {"commitment": "", "nonces": [""] * table.rules.players, "forks": fork.spans}
    entries[0] = replace(entries[0], data={"dealer": entries[0].data["dealer"], **opened})
    state = fold(table, entries).state
    if state.phase == "deal":
        deal, attempt, _ = table.rules.next_deal(state)
        pack = deals.shuffle(code.seed, deal, attempt, table.rules.deck)
        entries.append(Entry(len(entries) + 1, None, "deal", "", {"pack": list(pack)}, "dealer", None, now))
    return entries


def _table(game: Game, rules: Rules, seats: Sequence[User | str]) -> Table:
    holders = tuple(
        Holder(holder.pk, "", holder.display_name) if isinstance(holder, User) else Holder(None, holder, "")
        for holder in seats
    )
    return Table(game.pk, rules, game.timer_s, holders, game.code, settings.TIME_SCALE)


# --- the one door -----------------------------------------------------------------------------------------------------


async def submit_action(
    *, game_id: int, seat: int, ask: str, action: Action, cause: str, client_id: str | None = None
) -> Receipt:
    """Plays an answer for a seat, if `ask` is what the seat is asked. Raises Refused, Rejected or NoSuchGame.

    A `client_id` that the seat has used is acknowledged again for the same action, and `id_reused` for another.
    """
    for _ in range(ATTEMPTS):
        table, position = await live.position_of(game_id)
        asked = position.asks.get(seat)
        if asked is None or asked.id != ask:
            table, position = await live.refresh(game_id)
            asked = position.asks.get(seat)
        if asked is None or asked.id != ask:
            return await _answered_before(game_id, seat, ask, action, client_id)
        now = timezone.now()
        _check_cause(table, position, seat, cause, now)
        try:
            steps = await _steps(table, position, seat, ask, action, cause, client_id, now)
            if await _commit(table, position, steps):
                return Receipt(position.ply + 1)
        except store.ClientIdTaken:
            return await _answered_before(game_id, seat, ask, action, client_id)
        await live.refresh(game_id)
    raise Rejected("busy")


def _check_cause(table: Table, position: Position, seat: int, cause: str, now: datetime) -> None:
    """Raises Rejected unless the seat is in the hands that answer: it may have changed them since the question."""
    if cause == "player" and seat in position.stand_ins:
        raise Rejected("stood_in")
    if cause == "cpu" and not is_cpu(table, position, seat):
        raise Rejected("stale")  # its owner is back
    if cause == "timeout" and (is_cpu(table, position, seat) or not is_overdue(position, seat, now)):
        raise Rejected("stale")


def is_overdue(position: Position, seat: int, now: datetime) -> bool:
    """Whether the time for this seat's answer, grace included, is up."""
    asked = position.asks.get(seat)
    return asked is not None and asked.due_at is not None and asked.due_at + grace() <= now


def grace() -> timedelta:
    """What is added to every deadline before it counts as missed."""
    return timedelta(seconds=GRACE_S / settings.TIME_SCALE)


async def _answered_before(game_id: int, seat: int, ask: str, action: Action, client_id: str | None) -> Receipt:
    """The question is no longer asked: a repeat of what was stored is acknowledged, all else is stale."""
    entry = await store.entry_by_client_id(game_id, seat, client_id) if client_id else None
    if entry is None:
        raise Rejected("stale")
    if (entry.ask, entry.action) != (ask, action):
        raise Rejected("id_reused")
    return Receipt(entry.ply)


async def _steps(
    table: Table,
    position: Position,
    seat: int,
    ask: str,
    action: Action,
    cause: str,
    client_id: str | None,
    now: datetime,
) -> list[Step]:
    """The answer and what follows from it at once: a stand-in after missed turns, the next deal.

    Of a player who never came there may be no answer, but the end of the game.
    """
    is_last_miss = cause == "timeout" and position.misses[seat] + 1 >= MISSES_UNTIL_STAND_IN
    if is_last_miss and await voids.ends_for(table, position, seat):
        return walk(table, position, [voids.entry_for(position, seat, cause, now)])
    ply = position.ply + 1
    entries = [Entry(ply, seat, action.kind, ask, said(action), cause, client_id, now)]
    steps = walk(table, position, entries)
    after = steps[-1].after
    if cause == "timeout" and not table.is_solo and after.misses[seat] >= MISSES_UNTIL_STAND_IN:
        steps += walk(table, after, [Entry(after.ply + 1, seat, "stand_in", "", {}, "timeout", None, now)])
        after = steps[-1].after
    if after.state.phase == "deal":
        code = deals.read_code(await store.seed_of(table.game_id))
        deal, attempt, _ = table.rules.next_deal(after.state)
        pack = deals.shuffle(code.seed, deal, attempt, table.rules.deck)
        steps += walk(table, after, [Entry(after.ply + 1, None, "deal", "", {"pack": list(pack)}, "dealer", None, now)])
    return steps


def said(action: Action) -> dict[str, Any]:
    """What an action says beside kind and seat: the `data` column."""
    return {key: value for key, value in action.to_json().items() if key not in ("kind", "seat")}


async def _commit(table: Table, position: Position, steps: list[Step]) -> bool:
    """Stores steps if nobody moved meanwhile, and tells whoever has to know."""
    after = steps[-1].after
    entries = [step.entry for step in steps]
    if after.is_over:
        stored = await database_sync_to_async(_finish)(table, position.ply, entries, after)
    else:
        stored = await store.commit(table.game_id, position.ply, entries, after)
    if stored:
        live.moved_on(table, steps)
        try:
            await wakeups.moved(table, position, after)
        except Exception:  # a stored move is never an error; the sweep and the browsers' pings find it
            logger.exception("no wake-up for game %s", table.game_id)
    return stored


def _finish(table: Table, old_ply: int, entries: list[Entry], position: Position) -> bool:
    """The last entries of a game and its result, if any, in one transaction with whatever listens to its end."""
    with transaction.atomic():
        game = Game.objects.select_for_update(no_key=True).get(pk=table.game_id)
        if game.ply != old_ply or game.status != Game.Status.PLAYING:
            return False
        logbook.add(game, entries)
        logbook.derive(game, position)
        game.status = Game.Status.VOID if position.void else Game.Status.FINISHED
        game.result = None if position.void else plain(table.rules.result(position.state))
        game.code = endings.code_to_show(game)
        game.moved_at = timezone.now()
        game.save()
        endings.note_end(game, entries[-1].created_at)
        (game_voided if position.void else game_finished).send(Game, game=game)
    return True


# --- seats that change hands, time given back -------------------------------------------------------------------------


async def stand_in(*, game_id: int, seat: int, by: str | None = None) -> None:
    """A CPU takes the seat of an absent user until its owner is back. Nothing happens where it has it already.

    `by`: "vote" where the others wanted it; None where the user was not heard of.
    """
    await _note(game_id, seat, "stand_in", "timeout", {} if by is None else {"by": by})


async def leave(*, game_id: int, seat: int, client_id: str) -> Receipt:
    """A player goes and says so: a CPU takes the seat at once, and nobody has to wait.

    Rejected with `nobody_left` where no other person would be left and no clock runs: such a game waits for him.
    """
    table, position = await live.refresh(game_id)
    others = [
        other
        for other, holder in enumerate(table.holders)
        if other != seat and holder.user_id is not None and other not in position.stand_ins
    ]
    if table.is_solo or (not others and not table.timer_s):
        raise Rejected("nobody_left")
    return await _note(game_id, seat, "stand_in", "player", {"by": "leave"}, client_id)


async def back(*, game_id: int, seat: int, client_id: str) -> Receipt:
    """The owner of a seat takes it back from a stand-in."""
    return await _note(game_id, seat, "back", "player", {}, client_id)


async def void_game(*, game_id: int, reason: str) -> Receipt:
    """Ends a running game without a result. `reason` is one of VOID_REASONS. A move in between is stored before it.

    Raises Rejected `stale` where the game has ended already.
    """
    if reason not in VOID_REASONS:
        raise ValueError(f"no reason for a void: {reason}")
    return await _note(game_id, None, "void", "dealer", {"reason": reason})


def close_game(*, game_id: int, reason: str, by: User, note: str = "") -> Receipt:
    """As `void_game`, by an administrator: for code without an event loop, and for a game whose log cannot be read.

    Who did it and what he wrote is noted in the same transaction. Raises NoSuchGame, and Rejected as `void_game` does.
    Moves are committed by compare-and-swap on the ply of this row: one on its way is before this entry, or stale.
    """
    if reason not in VOID_REASONS:
        raise ValueError(f"no reason for a void: {reason}")
    with transaction.atomic():
        game = Game.objects.select_for_update(no_key=True).filter(pk=game_id).first()
        if game is None:
            raise live.NoSuchGame(game_id)
        if not game.is_running:
            raise Rejected("stale")
        if game.status == Game.Status.OPEN:  # so that its log is like any other
            openings.deal_locked(game)
        entry = Entry(game.ply + 1, None, "void", "", {"reason": reason}, "dealer", None, timezone.now())
        logbook.add(game, [entry])
        game.ply, game.asks, game.deadline_at = entry.ply, {}, None
        game.status = Game.Status.VOID
        game.code = endings.code_to_show(game)
        game.claimed_until, game.claims, game.moved_at = None, 0, entry.created_at
        game.save()
        endings.note_end(game, entry.created_at)
        game_voided.send(Game, game=game)
        note_act(by, game, " ".join(part for part in (gettext("Closed without a result."), note) if part))
        transaction.on_commit(lambda: wakeups.ended(game_id, entry.ply), robust=True)
    return Receipt(entry.ply)


async def _note(
    game_id: int, seat: int | None, kind: str, cause: str, data: dict[str, Any], client_id: str | None = None
) -> Receipt:
    """Adds an entry that the rules do not judge."""
    for _ in range(ATTEMPTS):
        table, position = await live.refresh(game_id)
        if position.is_over:
            raise Rejected("stale")
        if position.is_open and kind != "void":
            raise Rejected("opening")
        if position.is_open:  # so that its log is like any other
            await openings.deal(game_id=game_id, due_only=False)
            continue
        if (kind == "stand_in" and seat in position.stand_ins) or (kind == "back" and seat not in position.stand_ins):
            return Receipt(position.ply)
        now = timezone.now()
        entry = Entry(position.ply + 1, seat, kind, "", data, cause, client_id, now)
        if kind == "stand_in" and seat is not None and await voids.ends_for(table, position, seat):
            entry = replace(voids.entry_for(position, seat, cause, now), client_id=client_id)
        try:
            if await _commit(table, position, walk(table, position, [entry])):
                return Receipt(entry.ply)
        except store.ClientIdTaken:
            raise Rejected("id_reused") from None
    raise Rejected("busy")


# --- after the end ----------------------------------------------------------------------------------------------------


async def rematch(*, game_id: int, seat: int) -> tuple[Receipt, int]:
    """The same table once more, with new cards: starts at once against CPUs. Asked twice, it is one game.

    Where the game that is over ended, and the id of the new one.
    """
    table, position = await live.refresh(game_id)
    if position.state.phase != "over" or not table.is_solo or table.is_daily:
        raise Rejected("no_rematch")
    opened = await database_sync_to_async(_open_rematch)(game_id)
    await wakeups.rematch(game_id, opened)
    return Receipt(position.ply), opened


def _open_rematch(game_id: int) -> int:
    with transaction.atomic():
        game = Game.objects.select_for_update(no_key=True).get(pk=game_id)
        if game.rematch_id is not None:
            return int(game.rematch_id)
        players = Player.objects.filter(game=game).select_related("user").order_by("seat")
        following = open_game(
            kind=game.kind,
            seats=[player.user or player.cpu_level for player in players],
            options=game.options,
            timer_s=game.timer_s,
            preset_version=game.preset_version,
            rematch_of=game,
        )
    return int(following.pk)
