"""Where a game stands: a fold of its log and nothing else; who is asked, until when, and who holds each seat."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from games.kinds import rules_for
from games.log.positions import CPU_PATIENCE_S, Entry, Holder, Position, Table, advance, fold, is_cpu, start, walk
from games.log.services import said
from games.rules import Action, Refused
from tests.games.rules.play import TABLES, pack_of, random_game, random_rules

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def a_table(
    humans: int = 4, *, timer_s: int = 30, kind: str = "hearts", players: int = 4, scale: float = 1.0, **options: Any
) -> Table:
    holders = [
        Holder(seat + 1, "", f"p{seat}") if seat < humans else Holder(None, "normal", "") for seat in range(players)
    ]
    return Table(1, rules_for(kind, players, options), timer_s, tuple(holders), "", scale)


def entry(position: Position, action: Action, seconds: float, cause: str = "player") -> Entry:
    """The row that an action of the rules makes at a time."""
    asked = position.asks.get(-1 if action.seat is None else action.seat)
    cause = "dealer" if action.seat is None else cause
    ask = asked.id if asked else ""
    return Entry(position.ply + 1, action.seat, action.kind, ask, said(action), cause, None, at(seconds))


def note(position: Position, kind: str, seat: int | None, when: float, **data: Any) -> Entry:
    """A row that the rules do not judge."""
    return Entry(position.ply + 1, seat, kind, "", data, "dealer" if seat is None else "timeout", None, at(when))


def dealt(table: Table, dealer: int = 3) -> Position:
    """A game whose cards were dealt at noon, each seat a run of the deck."""
    rules = table.rules
    size = rules.hand_size
    hands = [rules.deck[seat * size : (seat + 1) * size] for seat in range(rules.players)]
    pack = pack_of(rules, dealer, hands, rules.deck[rules.players * size :])
    position = start(table)
    for action in (Action("open", dealer=dealer), Action("deal", pack=pack)):
        position = advance(table, position, entry(position, action, 0))
    return position


def default(table: Table, position: Position, seat: int, seconds: float, cause: str = "player") -> Position:
    """The position after a seat's default answer at a time."""
    action = table.rules.default_action(position.state, seat)
    return advance(table, position, entry(position, action, seconds, cause))


def due(position: Position) -> dict[int, float | None]:
    """Seconds after noon at which each open question runs out."""
    return {
        seat: None if asked.due_at is None else (asked.due_at - NOON).total_seconds()
        for seat, asked in position.asks.items()
    }


def random_log(table: Table, seed: str) -> list[Entry]:
    """A whole random game, with seats that change hands and outages in between."""
    rng = random.Random(seed)
    entries: list[Entry] = []
    position, second = start(table), 0.0

    def add(row: Entry) -> None:
        nonlocal position
        position = advance(table, position, row)
        entries.append(row)

    for _, action, _ in random_game(table.rules, rng):
        second += rng.random() * 20
        cause = rng.choice(("player", "cpu", "timeout"))
        add(entry(position, action, second, cause))
        seat = rng.randrange(table.rules.players)
        if rng.random() < 0.1:
            add(note(position, "back" if seat in position.stand_ins else "stand_in", seat, second))
        if rng.random() < 0.03:
            add(note(position, "outage", None, second, seconds=round(rng.random() * 100, 3)))
    return entries


@pytest.mark.parametrize(("kind", "players"), TABLES)
def test_a_fold_of_the_log_is_the_position_that_live_play_reached(kind: str, players: int) -> None:
    rng = random.Random(f"fold {kind} {players}")
    rules = random_rules(kind, players, rng)
    table = replace(a_table(players - 1, kind=kind, players=players), rules=rules)
    entries = random_log(table, f"log {kind} {players}")
    steps = walk(table, start(table), entries)
    assert steps[-1].after == fold(table, entries)
    # From any ply on, as a process does that knows an earlier position.
    for cut in rng.sample(range(len(entries)), 12):
        known = steps[cut].before
        assert fold(table, entries[cut:], known) == steps[-1].after
        assert fold(table, entries[:cut]) == known
    assert steps[-1].after.state.phase == "over"
    assert steps[-1].after.asks == {}
    assert steps[-1].after.deadline_at is None


def test_steps_join_without_a_gap() -> None:
    table = a_table()
    steps = walk(table, start(table), random_log(table, "steps"))
    assert all(a.after is b.before for a, b in pairwise(steps))
    assert [step.after.ply for step in steps] == [step.entry.ply for step in steps]


@pytest.mark.parametrize("ply", [1, 2, 4, 40])
def test_an_entry_out_of_order_is_never_applied(ply: int) -> None:
    table = a_table()
    position = dealt(table)
    row = entry(position, table.rules.default_action(position.state, 0), 1)
    with pytest.raises(ValueError, match="does not follow"):
        advance(table, position, Entry(ply, *[getattr(row, name) for name in row.__slots__[1:]]))


def test_an_entry_that_the_rules_refuse_is_never_applied() -> None:
    table = a_table()
    position = dealt(table)
    theirs = tuple(position.state.hands[1][:3])
    with pytest.raises(Refused) as refused:
        advance(table, position, entry(position, Action("pass", 0, cards=theirs), 1))
    assert refused.value.code == "not_in_hand"


# --- time -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("timer_s", "doubled"), [(30, 60), (60, 120)])
def test_a_turn_has_the_time_of_the_table_and_twice_that_where_cards_are_chosen(timer_s: int, doubled: int) -> None:
    table = a_table(timer_s=timer_s)
    limits = {phase: table.limit_s(phase) for phase in ("play", "pass", "bid", "blind", "exchange", "moon")}
    assert limits == {
        "play": timer_s,
        "pass": doubled,
        "bid": doubled,
        "blind": doubled,
        "exchange": doubled,
        "moon": 15,
    }


def test_a_table_without_a_timer_asks_for_ever() -> None:
    table = a_table(timer_s=0)
    assert {table.limit_s(phase) for phase in ("play", "pass", "moon")} == {None}
    assert set(due(dealt(table)).values()) == {None}
    assert dealt(table).deadline_at is None


def test_questions_of_play_and_pass_open_with_their_time() -> None:
    table = a_table()
    position = dealt(table)
    assert due(position) == dict.fromkeys(range(4), 60)
    for seat in range(4):
        position = default(table, position, seat, 10 + seat)
    # The pass was complete at 13 s; whoever holds the opening card has a turn of play.
    assert list(due(position).values()) == [13 + 30]


def test_a_question_keeps_its_time_while_others_answer_the_same_one() -> None:
    table = a_table()
    position = dealt(table)
    asked = position.asks
    for seat, second in ((2, 10), (0, 25), (3, 59)):
        position = default(table, position, seat, second)
        assert position.asks == {other: asked[other] for other in position.asks}
    assert due(position) == {1: 60}


def test_moon_is_fifteen_seconds_whatever_the_timer() -> None:
    # Seat 0 has every high card and no pass is due, so it takes all and is asked how the moon is scored.
    table = a_table(timer_s=60, moon="choose", passing="off", first_lead="dealer_left")
    rules = table.rules
    ranked = sorted(rules.deck, key=lambda card: "AKQJT98765432".index(card[0]))
    pack = pack_of(rules, 3, [ranked[:13], ranked[13:26], ranked[26:39], ranked[39:]])
    position = start(table)
    for action in (Action("open", dealer=3), Action("deal", pack=pack)):
        position = advance(table, position, entry(position, action, 0))
    second = 0.0
    while position.state.phase == "play":
        second += 1
        seat = min(position.asks)
        cards = rules.legal_cards(position.state)
        # Its own winners from the top; the others follow as they must.
        card = max(cards, key=lambda card: "23456789TJQKA".index(card[0])) if seat == 0 else cards[0]
        position = advance(table, position, entry(position, Action("play", seat, card=card), second))
    assert position.state.phase == "moon"
    assert due(position) == {0: second + 15}


def test_the_time_scale_divides_every_duration() -> None:
    table = a_table(3, scale=10)
    assert table.limit_s("play") == 3
    assert table.limit_s("moon") == 1.5
    assert due(dealt(table)) == {0: 6, 1: 6, 2: 6, 3: CPU_PATIENCE_S / 10}


@pytest.mark.parametrize("timer_s", [0, 30])
def test_c03_a_cpus_question_always_runs_out_so_that_a_lost_task_is_found(timer_s: int) -> None:
    table = a_table(1, timer_s=timer_s)
    position = dealt(table)
    assert {seat: due(position)[seat] for seat in (1, 2, 3)} == dict.fromkeys((1, 2, 3), CPU_PATIENCE_S)
    assert position.deadline_at == at(CPU_PATIENCE_S)


def test_the_deadline_is_the_first_question_to_run_out() -> None:
    table = a_table(2)
    position = dealt(table)
    assert position.deadline_at == at(CPU_PATIENCE_S)
    for seat in (2, 3):
        position = default(table, position, seat, 1, "cpu")
    assert position.deadline_at == at(60)


# --- seats that change hands ------------------------------------------------------------------------------------------


def test_a_stand_in_has_a_cpus_time_and_its_owner_a_full_turn_when_back() -> None:
    table = a_table()
    position = dealt(table)
    stood = advance(table, position, note(position, "stand_in", 1, 40))
    assert is_cpu(table, stood, 1)
    assert due(stood) == {0: 60, 1: 40 + CPU_PATIENCE_S, 2: 60, 3: 60}
    assert stood.asks[1].id == position.asks[1].id
    back = advance(table, stood, note(stood, "back", 1, 42))
    assert not is_cpu(table, back, 1)
    assert due(back) == {0: 60, 1: 42 + 60, 2: 60, 3: 60}


def test_a_stand_in_of_a_seat_that_is_not_asked_moves_no_clock() -> None:
    table = a_table()
    position = default(table, dealt(table), 1, 5)
    stood = advance(table, position, note(position, "stand_in", 1, 40))
    assert stood.asks == position.asks
    assert is_cpu(table, stood, 1)


def test_a_stand_in_stays_until_its_owner_is_back() -> None:
    table = a_table()
    position = dealt(table)
    position = advance(table, position, note(position, "stand_in", 0, 1))
    for seat in range(4):
        position = default(table, position, seat, 2, "cpu" if seat == 0 else "player")
    while len(position.state.tricks) < 3:
        position = default(table, position, min(position.asks), 3)
    assert position.stand_ins == {0}


def test_notes_leave_cards_and_turns_as_they_are() -> None:
    table = a_table()
    position = dealt(table)
    for kind, seat, data in (("stand_in", 2, {}), ("back", 2, {}), ("outage", None, {"seconds": 7.5})):
        noted = advance(table, position, note(position, kind, seat, 1, **data))
        assert noted.state is position.state
        assert noted.ply == position.ply + 1
        position = noted


def test_nothing_is_asked_and_nothing_follows_after_the_end_without_a_result() -> None:
    table = a_table()
    position = dealt(table)
    ended = advance(table, position, note(position, "void", None, 1, reason="vote"))
    assert (ended.asks, ended.deadline_at, ended.void, ended.is_over) == ({}, None, "vote", True)
    assert ended.state is position.state
    with pytest.raises(ValueError, match="without a result"):
        advance(table, ended, note(ended, "back", 1, 2))


def test_turns_missed_in_a_row_are_counted_and_an_own_answer_ends_the_row() -> None:
    table = a_table(passing="off")
    position = dealt(table)
    seen = []
    for cause in ("timeout", "timeout", "cpu", "timeout", "player", "timeout"):
        seat = 0
        while seat not in position.asks:
            position = default(table, position, min(position.asks), 1)
        position = default(table, position, seat, 2, cause)
        seen.append(position.misses[seat])
    # A stand-in's answer says nothing about its owner.
    assert seen == [1, 2, 2, 3, 0, 1]
    assert position.misses[1:] == (0, 0, 0)
    back = advance(table, position, note(position, "back", 0, 3))
    assert back.misses[0] == 0


def test_one_human_among_cpus_is_solo_and_two_are_not() -> None:
    assert a_table(1).is_solo
    assert not a_table(2).is_solo
    assert not a_table(4).is_solo


# --- outages ----------------------------------------------------------------------------------------------------------


def test_c12_an_outage_is_given_back_to_every_human_and_to_no_cpu() -> None:
    table = a_table(2)
    position = dealt(table)
    longer = advance(table, position, note(position, "outage", None, 20, seconds=12.25))
    assert due(longer) == {0: 72.25, 1: 72.25, 2: CPU_PATIENCE_S, 3: CPU_PATIENCE_S}
    # Twice in one turn, twice given back; and the time stays given when others answer.
    again = advance(table, longer, note(longer, "outage", None, 30, seconds=1))
    assert due(again)[0] == 73.25
    assert due(default(table, again, 1, 31))[0] == 73.25


def test_an_outage_gives_no_time_to_a_stand_in_nor_where_there_is_no_limit() -> None:
    table = a_table()
    position = dealt(table)
    position = advance(table, position, note(position, "stand_in", 3, 1))
    position = advance(table, position, note(position, "outage", None, 20, seconds=9))
    assert due(position) == {0: 69, 1: 69, 2: 69, 3: 1 + CPU_PATIENCE_S}
    free = a_table(timer_s=0)
    position = dealt(free)
    assert due(advance(free, position, note(position, "outage", None, 2, seconds=9))) == due(position)


@pytest.mark.parametrize(("when", "seconds", "left"), [(20, 19, 59), (20, 3_600, 60), (50, 45, 55), (200, 190, 50)])
def test_an_outage_gives_back_at_most_a_full_turn(when: float, seconds: float, left: float) -> None:
    # A question that opened while the clocks stood, or after they stood, has not lost all of that time.
    table = a_table()
    position = dealt(table)
    position = advance(table, position, note(position, "outage", None, when, seconds=seconds))
    assert due(position) == dict.fromkeys(range(4), when + left)


def test_an_unknown_kind_of_entry_is_passed_over() -> None:
    # A later version may note things that an older process has not heard of, during a rolling restart.
    table = a_table()
    position = dealt(table)
    noted = advance(table, position, note(position, "something", 0, 1))
    assert (noted.state, noted.asks, noted.ply) == (position.state, position.asks, position.ply + 1)


@pytest.mark.parametrize("user_id", [None, 0, 99])
def test_r05_a_user_without_a_seat_has_none(user_id: int | None) -> None:
    # None above all: it must not be taken for the "user" of a CPU's seat.
    assert a_table(2).seat_of(user_id) is None
    assert [a_table(2).seat_of(number) for number in (1, 2)] == [0, 1]
