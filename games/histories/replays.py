"""A finished game as a list of steps for the replay page: after each entry of the log what lies where, and the words
it is told with. Pure.

A step holds only what differs from the step before it, so that a long game stays small; the page puts them together
again without knowing a rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, NotRequired, Required

from typing_extensions import TypedDict

from games.log.positions import Entry, Position, Step, Table, start, taken_over, walk
from games.rules.state import plain
from games.rules.view import Event as Heard
from games.rules.view import own_part, public_part, story
from games.shapes import Among, Amount, Count, Flag
from games.tables.told import Card, Choice, Direction, Hidden, Kept, Phase, Result, Row, Seat, WhyVoid

#: What of a view a replay shows as it is.
SHOWN = (
    *("phase", "deal", "attempt", "dealer", "direction", "asked", "answered", "blinds", "bids", "hand_counts"),
    *("tricks_taken", "points_taken", "broken", "kitty_count", "kitty_taker", "scores", "bags", "extra_deals"),
)
#: Kinds of an entry that answer a question, so that somebody has thought about them.
ANSWERS = ("pass", "skip", "blind", "bid", "exchange", "play", "moon", "finish")


# --- the shape --------------------------------------------------------------------------------------------------------


class Event(TypedDict, total=False):
    """Something that is told: every key that any event has. The table's own shapes say which event has which."""

    event: Required[str]
    seat: Required[Seat | None]
    by: Literal["timeout", "vote", "leave"]
    deal: Count
    attempt: Count
    dealer: Seat
    direction: Direction | None
    hand_counts: list[Count]
    kitty_count: Count
    phase: Phase
    cards: Hidden
    blind: Flag | None
    seats: list[Seat]
    gave: Hidden
    received: Hidden
    blinds: list[Flag | None]
    bid: Count
    card: Card
    leader: Seat
    count: Count
    choice: Choice
    score: Row
    kitty: list[Card]
    result: Result
    reason: WhyVoid
    seconds: Amount


class Lying(TypedDict):
    """The cards in the middle, and who takes them if that is known."""

    leader: Seat | None
    cards: list[Card]
    winner: Seat | None


class Given(TypedDict):
    """Cards that a seat has passed or exchanged, and to whom."""

    cards: list[Card]
    to: Seat | None


class Shown(TypedDict, total=False):
    """Everything of a position that the page shows. The number in a key is that of a seat."""

    phase: Phase
    deal: Count
    attempt: Count
    dealer: Seat | None
    direction: Direction | None
    asked: list[Seat]
    answered: list[Seat]
    blinds: list[Flag | None]
    bids: list[Count | None]
    hand_counts: list[Count]
    tricks_taken: list[Count]
    points_taken: list[int]
    broken: Flag
    kitty_count: Count
    kitty_taker: Seat | None
    scores: list[int]
    bags: list[int]
    extra_deals: Count
    kitty: list[Card]
    kitty_seen: Flag
    rows: Count
    stand_ins: list[Seat]
    hand0: list[Card]
    hand1: list[Card]
    hand2: list[Card]
    hand3: list[Card]
    hand4: list[Card]
    hand5: list[Card]
    hand6: list[Card]
    blinded0: Flag
    blinded1: Flag
    blinded2: Flag
    blinded3: Flag
    blinded4: Flag
    blinded5: Flag
    blinded6: Flag
    gave0: Hidden
    gave1: Hidden
    gave2: Hidden
    gave3: Hidden
    gave4: Hidden
    gave5: Hidden
    gave6: Hidden
    received0: Hidden
    received1: Hidden
    received2: Hidden
    received3: Hidden
    received4: Hidden
    received5: Hidden
    received6: Hidden


class ReplayStep(TypedDict):
    """A step. `at` is in ms since 1970, `took` in ms; `own` has the events of each seat that hears others than all."""

    ply: Count
    place: list[Count]
    kind: str
    seat: Seat | None
    cause: Annotated[str, Among(("dealer", "player", "cpu", "timeout"))]
    at: Count
    table: Lying | None
    stop: Literal["deal", "trick", ""]
    took: NotRequired[Count]
    events: list[Event]
    own: NotRequired[dict[str, list[Event]]]
    gave: NotRequired[Given]
    blind: NotRequired[Flag]
    set: Shown


class Page(Kept):
    """All that the replay page needs. `game` is None for a record that somebody has opened: no game of this site."""

    game: int | None
    steps: list[ReplayStep]
    sheet: list[Row]
    result: Result | None
    void: str | None
    commitment: str | None
    forked: int


@dataclass(slots=True)
class _Place:
    """Where in the game a step is: deal, trick (0 before the first) and card of the trick, or step before it."""

    deal: int = 0
    trick: int = 0
    card: int = 0


def page(
    boot: Kept,
    table: Table,
    entries: Sequence[Entry],
    *,
    result: Result | None,
    commitment: str | None,
    game: int | None = None,
) -> Page:
    """All that the page needs. `boot` is what the page of the table knows before its socket opens."""
    state = table.rules.start()
    for entry in entries:
        if entry.action is not None:
            state = table.rules.apply(state, entry.action)
    return {
        "kind": boot["kind"],
        "traits": boot["traits"],
        "players": boot["players"],
        "seat": boot["seat"],
        "names": boot["names"],
        "cpu": boot["cpu"],
        "code": boot["code"],
        "options": boot["options"],
        "chips": boot["chips"],
        "sides": boot["sides"],
        "timer": boot["timer"],
        "score_sign": boot["score_sign"],
        "game": game,
        "steps": steps_of(table, entries),
        "sheet": plain(state.sheet),
        "result": result,
        "void": next((entry.data["reason"] for entry in entries[-1:] if entry.kind == "void"), None),
        "commitment": commitment,
        "forked": taken_over(entries),
    }


def steps_of(table: Table, entries: Sequence[Entry]) -> list[ReplayStep]:
    """The steps of a game that is over, as JSON. Raises Refused or ValueError where the log cannot be followed."""
    opened: dict[int, tuple[str, datetime]] = {}
    elsewhere = taken_over(entries)  # nobody has thought here about what was played at another table
    shown: dict[str, Any] = {}
    place = _Place()
    told = []
    for step in walk(table, start(table), entries):
        now = _shown(table, step.after)
        changed: Any = {key: value for key, value in now.items() if key not in shown or shown[key] != value}
        shown = now
        _move(place, step)
        took_ms = _took(step, opened) if step.entry.ply > elsewhere else None
        told.append(_told(table, step, place, took_ms, changed))
        _note_opened(step, opened)
    return told


def _told(table: Table, step: Step, place: _Place, took_ms: int | None, changed: Shown) -> ReplayStep:
    entry, after = step.entry, step.after
    data: Any = {  # a ReplayStep in the making; its keys keep their order
        "ply": entry.ply,
        "place": [place.deal, place.trick, place.card],
        "kind": entry.kind,
        "seat": entry.seat,
        "cause": entry.cause,
        "at": round(entry.created_at.timestamp() * 1000),
        "table": _on_the_table(step),
        "stop": _stop(step),
    }
    if took_ms is not None:
        data["took"] = took_ms
    action = entry.action
    if action is None:
        said = {key: value for key, value in entry.data.items() if key != "outage"}
        data["events"] = [{"event": entry.kind, "seat": entry.seat, **said}]
        return _whole(data, changed)
    public = [_json(event, entry.cause) for event in story(table.rules, step.before.state, action, after.state, None)]
    data["events"] = public
    own: dict[str, list[Event]] = {}
    for seat in range(table.rules.players):
        events = story(table.rules, step.before.state, action, after.state, seat)
        heard = [_json(event, entry.cause) for event in events if event.kind != "hand_shown"]
        if heard != public:
            own[str(seat)] = heard
    if own:
        data["own"] = own
    if entry.kind in ("pass", "exchange"):
        data["gave"] = {"cards": list(action.cards), "to": _receiver(table, step)}
    elif action.blind is not None:
        data["blind"] = action.blind
    return _whole(data, changed)


def _whole(data: Any, changed: Shown) -> ReplayStep:
    step: ReplayStep = data | {"set": changed}
    return step


def _json(event: Heard, cause: str) -> Event:
    data: Any = event.to_json()
    data.pop("hand", None)  # it is in the step
    if cause == "timeout" and event.kind in ("played", "answered", "bid", "moon_chosen"):
        data["by"] = "timeout"
    told: Event = data
    return told


def _receiver(table: Table, step: Step) -> int | None:
    rules, state = table.rules, step.before.state
    return next((seat for seat in range(rules.players) if rules.giver(state, seat) == step.entry.seat), None)


def _shown(table: Table, position: Position) -> dict[str, Any]:
    """Everything of a position that the page shows."""
    rules, state = table.rules, position.state
    public = public_part(rules, state)
    shown = {name: plain(public[name]) for name in SHOWN}
    for seat in range(rules.players):
        own = own_part(rules, state, seat)
        shown[f"hand{seat}"] = list(state.hands[seat])
        shown[f"blinded{seat}"] = own["hand"] is None
        shown[f"gave{seat}"] = plain(own["gave"])
        shown[f"received{seat}"] = plain(own["received"])
    over = state.phase == "over" or bool(position.void)
    return {
        **shown,
        "asked": [] if over else plain(public["asked"]),
        "kitty": plain(state.kitty),
        "kitty_seen": bool(state.kitty) and len(state.sheet) == state.deal,
        "rows": len(state.sheet),
        "stand_ins": sorted(position.stand_ins),
    }


def _on_the_table(step: Step) -> Lying | None:
    """The cards in the middle: a trick that has just been taken still lies there."""
    before, after = step.before.state, step.after.state
    if step.entry.kind == "play" and len(after.tricks) > len(before.tricks):
        trick = after.tricks[-1]
        return {"leader": trick.leader, "cards": list(trick.cards), "winner": trick.winner}
    if step.entry.kind == "play" and not after.trick:  # the deal is over, its last trick with it
        cards, leader = (*before.trick, step.entry.data["card"]), before.leader
        return {"leader": leader, "cards": list(cards), "winner": None}
    if after.trick:
        return {"leader": after.leader, "cards": list(after.trick), "winner": None}
    return None


def _stop(step: Step) -> Literal["deal", "trick", ""]:
    """What begins or ends here: a `deal` with its pack, a `trick` with its last card, or nothing."""
    if step.entry.kind == "deal":
        return "deal"
    return "trick" if step.entry.kind == "play" and len(step.after.state.trick) == 0 else ""


def _move(place: _Place, step: Step) -> None:
    state = step.after.state
    if step.entry.kind == "deal" and state.deal != place.deal:
        place.deal, place.trick, place.card = state.deal, 0, 0
    elif step.entry.kind == "play":
        if not step.before.state.trick:
            place.trick, place.card = place.trick + 1, 0
        place.card += 1
    elif place.trick == 0:
        place.card += 1


def _took(step: Step, opened: dict[int, tuple[str, datetime]]) -> int | None:
    """How long the seat took for its answer, in ms: since its question was asked."""
    entry = step.entry
    if entry.seat is None or entry.kind not in ANSWERS or entry.seat not in opened:
        return None
    return max(0, round((entry.created_at - opened[entry.seat][1]).total_seconds() * 1000))


def _note_opened(step: Step, opened: dict[int, tuple[str, datetime]]) -> None:
    for seat, asked in step.after.asks.items():
        if seat not in opened or opened[seat][0] != asked.id:
            opened[seat] = (asked.id, step.entry.created_at)
