"""What a seat or a spectator may know: `view` of a state, and `story` of the events that led to it.

`view`, `ask` and `story` are the only way from a state to anything that leaves the server. A view is built from the
seat's own cards and what is public; nothing in it depends on a card the viewer has not seen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from games.rules.cards import in_order
from games.rules.engine import SIMULTANEOUS, Rules
from games.rules.refusals import Refused
from games.rules.state import Action, DealScore, Result, State, Trick, plain


@dataclass(frozen=True, slots=True)
class Ask:
    """The question a seat has to answer, and every answer to it.

    By phase: `pass`, `exchange`: `count` of `cards`; `skip`: may call off. `bid`: one of `bids`. `play`: one of
    `cards`; `barred` says of each other card of the hand why not; `finish` is the proof to show, None if the deal is
    not decided. `moon`: the scores of every seat under each choice in `tables`.
    """

    id: str
    phase: str
    count: int = 0
    cards: tuple[str, ...] = ()
    barred: dict[str, str] = field(default_factory=dict)
    bids: tuple[int, ...] = ()
    skip: bool = False
    finish: tuple[str, ...] | None = None
    tables: dict[str, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class View:
    """A game as one seat, or a spectator (`seat` None), may see it.

    Tuples have an entry per seat unless said otherwise.
    """

    kind: str
    players: int
    options: dict[str, str | int]
    seat: int | None
    ply: int
    phase: str
    deal: int
    attempt: int
    dealer: int | None  # None before it is drawn
    direction: str | None  # of the pass
    hand: tuple[str, ...] | None  # None: a spectator's, or withheld until every blind answer is in
    hand_counts: tuple[int, ...]
    asked: tuple[int, ...]  # seats that have yet to answer
    answered: tuple[int, ...]  # seats whose answer to the same question is in, unseen
    gave: tuple[str, ...] | None  # what this seat passed or exchanged in this deal
    received: tuple[str, ...] | None  # and got for it, once all have answered
    skips_left: tuple[bool, ...]  # may still call a deal off in this game
    blinds: tuple[bool | None, ...]  # empty until all have answered
    bids: tuple[int | None, ...]
    leader: int | None
    turn: int | None
    trick: tuple[str, ...]  # on the table, from the leader on
    tricks: tuple[Trick, ...]  # finished ones of this deal
    tricks_taken: tuple[int, ...]
    points_taken: tuple[int, ...]  # Hearts: in tricks only, whoever took the kitty
    broken: bool
    kitty_count: int
    kitty_taker: int | None
    kitty: tuple[str, ...] | None  # its cards: for the taker, and for all once the deal is scored
    finisher: int | None
    shown: tuple[str, ...] | None  # the hand that a finisher showed
    scores: tuple[int, ...]  # per side
    bags: tuple[int, ...]  # per side; empty in Hearts
    extra_deals: int
    sheet: tuple[DealScore, ...]
    ask: Ask | None
    result: Result | None

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = plain(self)
        return data


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, as one viewer is told of it. `data` has what the kind needs, with JSON values."""

    kind: str
    seat: int | None
    data: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        return {"event": self.kind, "seat": self.seat, **plain(self.data)}


def view(rules: Rules, state: State, seat: int | None) -> View:
    """The view of a seat, or of a spectator (None). Refused with `no_such_seat` for any other number."""
    return View(**public_part(rules, state), **own_part(rules, state, seat))


def own_part(rules: Rules, state: State, seat: int | None) -> dict[str, Any]:
    """The fields of a view that differ between viewers, by name."""
    _check_viewer(rules, seat)
    gave, received = _gave_and_received(rules, state, seat)
    scored = len(state.sheet) == state.deal
    kitty_seen = bool(state.kitty) and (scored or (seat is not None and seat == state.kitty_taker))
    return {
        "seat": seat,
        "hand": _hand(rules, state, seat),
        "gave": gave,
        "received": received,
        "kitty": state.kitty if kitty_seen else None,
        "ask": None if seat is None else ask(rules, state, seat),
    }


def public_part(rules: Rules, state: State) -> dict[str, Any]:
    """The fields of a view that are the same for every viewer, by name."""
    due = rules.due(state)
    together = state.phase in SIMULTANEOUS
    return {
        "kind": rules.kind,
        "players": rules.players,
        "options": rules.options.to_json(),
        "ply": state.ply,
        "phase": state.phase,
        "deal": state.deal,
        "attempt": state.attempt,
        "dealer": None if state.phase == "open" else state.dealer,
        "direction": rules.direction(state.deal),
        "hand_counts": tuple(len(hand) for hand in state.hands),
        "asked": due.seats,
        "answered": tuple(s for s in rules.asked_together(state) if s not in due.seats) if together else (),
        "skips_left": rules.skips_left(state),
        "blinds": () if state.phase == "blind" else state.blinds,
        "bids": state.bids,
        "leader": state.leader,
        "turn": state.turn,
        "trick": state.trick,
        "tricks": state.tricks,
        "tricks_taken": rules.tricks_of(state),
        "points_taken": rules.points_taken(state),
        "broken": state.broken,
        "kitty_count": len(state.kitty),
        "kitty_taker": state.kitty_taker,
        "finisher": state.finisher,
        "shown": _shown(rules, state),
        "scores": state.scores,
        "bags": state.bags,
        "extra_deals": state.extra_deals,
        "sheet": state.sheet,
        "result": rules.result(state),
    }


def ask(rules: Rules, state: State, seat: int) -> Ask | None:
    """What this seat is asked, with every answer; None if it is not asked."""
    name = rules.ask_id(state, seat)
    if name is None:
        return None
    phase, hand = state.phase, state.hands[seat]
    if phase in ("pass", "exchange"):
        skip = phase == "pass" and rules.may_skip(state, seat)
        return Ask(name, phase, count=rules.cards_given, cards=hand, skip=skip)
    if phase == "bid":
        return Ask(name, phase, bids=tuple(rules.bids))
    if phase == "play":
        barred: dict[str, str] = {}
        cards = tuple(rules.legal_cards(state, barred))
        finish = rules.finish(state)
        return Ask(name, phase, cards=cards, barred=barred, finish=None if finish is None else finish.cards)
    if phase == "moon":
        tables = {choice: rules.score(state, choice).scores for choice in ("add", "subtract")}
        return Ask(name, phase, tables=tables)
    return Ask(name, phase)


def _check_viewer(rules: Rules, seat: int | None) -> None:
    if seat is not None and not 0 <= seat < rules.players:  # a negative one would show the hand of another seat
        raise Refused("no_such_seat")


def _hand(rules: Rules, state: State, seat: int | None) -> tuple[str, ...] | None:
    if seat is None or (state.phase == "blind" and seat in rules.asked_together(state)):
        return None
    return state.hands[seat]


def _shown(rules: Rules, state: State) -> tuple[str, ...] | None:
    if state.finisher is None or not rules.finish_shows_hand:
        return None
    return state.hands[state.finisher]


def _gave_and_received(
    rules: Rules, state: State, seat: int | None
) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    """What the seat gave, and what it got unless somebody still has to give."""
    if seat is None or state.given[seat] is None:
        return None, None
    if state.phase in ("pass", "exchange"):
        return state.given[seat], None
    return state.given[seat], state.given[rules.giver(state, seat)]


# --- the story ------------------------------------------------------------------------------------------------------


def story(rules: Rules, before: State, action: Action, after: State, seat: int | None) -> tuple[Event, ...]:
    """The events between two states, in order, as a seat or a spectator (None) is told of them.

    `after` is `rules.apply(before, action)`. An answer to a simultaneous question is told without its content until
    all are in.
    """
    _check_viewer(rules, seat)
    events = list(_deed(rules, before, action, after, seat))
    if len(after.sheet) > len(before.sheet):
        score = after.sheet[-1]
        events.append(Event("deal_scored", None, {"score": score, "kitty": after.kitty}))
    elif after.phase == "moon" and before.phase != "moon":
        events.append(Event("moon_shot", after.turn, {}))
    result = rules.result(after)
    if result is not None:
        events.append(Event("game_over", None, {"result": result}))
    return tuple(events)


def _deed(rules: Rules, before: State, action: Action, after: State, viewer: int | None) -> list[Event]:
    kind, seat = action.kind, action.seat
    if kind == "open":
        return [Event("opened", None, {"dealer": after.dealer})]
    if kind == "deal":
        return _dealt(rules, after, viewer)
    if kind == "skip":
        return [Event("called_off", seat, {"deal": before.deal})]
    if kind in ("pass", "exchange"):
        return _given(rules, before, action, after, viewer)
    if kind == "blind":
        return _blind(rules, before, action, after, viewer)
    if kind == "bid":
        return [Event("bid", seat, {"bid": action.bid})]
    if kind == "play":
        return _played(before, action, after, viewer)
    if kind == "moon":
        return [Event("moon_chosen", seat, {"choice": action.choice})]
    return [Event("finished", seat, {"cards": action.cards})]


def _dealt(rules: Rules, after: State, viewer: int | None) -> list[Event]:
    data = {
        "deal": after.deal,
        "attempt": after.attempt,
        "dealer": after.dealer,
        "direction": rules.direction(after.deal),
        "hand": _hand(rules, after, viewer),
        "hand_counts": [len(hand) for hand in after.hands],
        "kitty_count": len(after.kitty),
    }
    return [Event("dealt", None, data)]


def _given(rules: Rules, before: State, action: Action, after: State, viewer: int | None) -> list[Event]:
    own = viewer is not None and viewer == action.seat
    told = {"phase": before.phase, "cards": in_order(action.cards) if own else None}
    events = [Event("answered", action.seat, told)]
    if after.phase != before.phase:
        gave, received = _gave_and_received(rules, after, viewer)
        data = {
            "phase": before.phase,
            "direction": rules.direction(before.deal),
            "seats": rules.asked_together(before),
            "gave": gave,
            "received": received,
        }
        events.append(Event("handed_over", None, data))
    return events


def _blind(rules: Rules, before: State, action: Action, after: State, viewer: int | None) -> list[Event]:
    own = viewer is not None and viewer == action.seat
    events = [Event("answered", action.seat, {"phase": "blind", "blind": action.blind if own else None})]
    if after.phase != "blind":
        events.append(Event("blind_shown", None, {"blinds": after.blinds}))
        if viewer in rules.asked_together(before):
            events.append(Event("hand_shown", viewer, {"hand": _hand(rules, after, viewer)}))
    return events


def _played(before: State, action: Action, after: State, viewer: int | None) -> list[Event]:
    events = [Event("played", action.seat, {"card": action.card})]
    if after.broken and not before.broken:
        events.append(Event("broken", action.seat, {"card": action.card}))
    if len(after.tricks) > len(before.tricks):
        trick = after.tricks[-1]
        events.append(Event("trick_taken", trick.winner, {"cards": trick.cards, "leader": trick.leader}))
        if after.kitty_taker is not None and before.kitty_taker is None:
            seen = after.kitty if viewer is not None and viewer == after.kitty_taker else None
            events.append(Event("kitty_taken", after.kitty_taker, {"count": len(after.kitty), "cards": seen}))
    return events
