"""A view from JSON, for programs that ask a CPU player from outside. The inverse of `View.to_json`.

Everything a choice rests on is checked, so that whatever passes can be answered: types, ranges, seats that exist, cards
of the table's deck each in one place, and a question that fits its phase and hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

from games.rules import Refused, Result, Rules, View, in_order
from games.rules.state import PHASES, DealScore, Line, Trick
from games.rules.view import Ask

T = TypeVar("T")
Read = Callable[[Any], T]

LONGEST_TEXT = 100
LARGEST = 10**6


class BadView(Exception):
    """JSON that is no view. `code`: bad_view, unknown_card, or a refusal code of the options; `field` names it."""

    def __init__(self, field: str, code: str = "bad_view") -> None:
        super().__init__(code, field)
        self.code = code
        self.field = field

    def to_json(self) -> dict[str, str]:
        return {"code": self.code, "field": self.field}


def view_from_json(data: object, rules_for: Callable[[object, object, object], Rules]) -> View:
    """The view in a JSON object with exactly the fields of `View`. Raises BadView.

    `rules_for`: the rules of a table from kind, players and options; it may refuse them.
    """
    names = [entry.name for entry in fields(View)]
    source = _object(data, "view", names)
    if not isinstance(source["options"], Mapping):
        raise BadView("options")
    try:
        rules = rules_for(source["kind"], source["players"], source["options"])
    except Refused as refused:
        raise BadView(str(refused.details.get("field", "options"))[:LONGEST_TEXT], refused.code) from None
    readers = _readers(rules)
    values = {name: _at(name, readers[name], source[name]) for name in names if name in readers}
    view = View(kind=rules.kind, players=rules.players, options=rules.options.to_json(), **values)
    _check_places(view, rules)
    if view.ask is not None:
        _check_ask(view, rules)
    return view


def _at(name: str, read: Read[T], value: object) -> T:
    """The value as read; what is wrong inside it is put down to this field."""
    try:
        return read(value)
    except BadView as bad:
        raise BadView(name, bad.code) from None


# --- pieces ---------------------------------------------------------------------------------------------------------


def _object(value: object, name: str, keys: list[str]) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise BadView(name)
    for key in value:
        if key not in keys:
            raise BadView(str(key)[:LONGEST_TEXT])
    for key in keys:
        if key not in value:
            raise BadView(key)
    return value


def _whole(low: int, high: int = LARGEST) -> Read[int]:
    def read(value: Any) -> int:
        if type(value) is not int or not low <= value <= high:
            raise BadView("")
        return value

    return read


def _flag(value: Any) -> bool:
    if type(value) is not bool:
        raise BadView("")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise BadView("")
    return value


def _one_of(*allowed: str) -> Read[str]:
    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise BadView("")
        return value

    return read


def _maybe(read: Read[T]) -> Read[T | None]:
    return lambda value: None if value is None else read(value)


def _row(read: Read[T], *lengths: int) -> Read[tuple[T, ...]]:
    """A list; of one of these lengths, if any are given."""

    def row(value: Any) -> tuple[T, ...]:
        if not isinstance(value, list) or (lengths and len(value) not in lengths):
            raise BadView("")
        return tuple(read(item) for item in value)

    return row


def _card(rules: Rules) -> Read[str]:
    def read(value: Any) -> str:
        if not isinstance(value, str):
            raise BadView("")
        if value not in rules.deck:
            raise BadView("", "unknown_card")
        return value

    return read


def _set_of(card: Read[str]) -> Read[tuple[str, ...]]:
    """Different cards, put in deck order."""

    def read(value: Any) -> tuple[str, ...]:
        cards = _row(card)(value)
        if len(set(cards)) != len(cards):
            raise BadView("")
        return in_order(cards)

    return read


# --- fields ---------------------------------------------------------------------------------------------------------


def _readers(rules: Rules) -> dict[str, Read[Any]]:
    n, sides = rules.players, rules.sides
    card, seat, score, count = _card(rules), _whole(0, n - 1), _whole(-LARGEST), _whole(0)
    cards, scores = _set_of(card), _row(score, sides)

    def trick(value: Any) -> Trick:
        data = _object(value, "", ["leader", "cards", "winner"])
        return Trick(seat(data["leader"]), _row(card, n)(data["cards"]), seat(data["winner"]))

    def line(value: Any) -> Line:
        data = _object(value, "", ["side", "what", "amount", "seat"])
        side = _whole(0, sides - 1)(data["side"])
        return Line(side, _text(data["what"]), score(data["amount"]), _maybe(seat)(data["seat"]))

    def deal_score(value: Any) -> DealScore:
        data = _object(value, "", ["deal", "lines", "change", "scores", "bags"])
        bags = _row(count, 0, sides)(data["bags"])
        return DealScore(
            count(data["deal"]), _row(line)(data["lines"]), scores(data["change"]), scores(data["scores"]), bags
        )

    def ask(value: Any) -> Ask:
        data = _object(value, "", [entry.name for entry in fields(Ask)])
        barred, tables = data["barred"], data["tables"]
        if not isinstance(barred, Mapping) or not isinstance(tables, Mapping):
            raise BadView("")
        return Ask(
            id=_text(data["id"]),
            phase=_one_of(*PHASES)(data["phase"]),
            count=count(data["count"]),
            cards=cards(data["cards"]),
            barred={card(name): _text(why) for name, why in barred.items()},
            bids=_row(_whole(0, rules.hand_size))(data["bids"]),
            skip=_flag(data["skip"]),
            finish=_maybe(cards)(data["finish"]),
            tables={_one_of("add", "subtract")(name): _row(score, n)(table) for name, table in tables.items()},
        )

    def result(value: Any) -> Result:
        data = _object(value, "", ["placings", "scores", "reason"])
        return Result(_row(_whole(1, n), n)(data["placings"]), scores(data["scores"]), _text(data["reason"]))

    return {
        "seat": _maybe(seat),
        "ply": count,
        "phase": _one_of(*PHASES),
        "deal": _whole(1),
        "attempt": count,
        "dealer": _maybe(seat),
        "direction": _maybe(_one_of("left", "right", "across", "opponent", "hold")),
        "hand": _maybe(cards),
        "hand_counts": _row(_whole(0, rules.hand_size), n),
        "asked": _row(seat),
        "answered": _row(seat),
        "gave": _maybe(cards),
        "received": _maybe(cards),
        "skips_left": _row(_flag, 0, n),
        "blinds": _row(_maybe(_flag), 0, n),
        "bids": _row(_maybe(_whole(0, rules.hand_size)), n),
        "leader": _maybe(seat),
        "turn": _maybe(seat),
        "trick": _row(card, *range(n)),
        "tricks": _row(trick),
        "tricks_taken": _row(_whole(0, rules.hand_size), n),
        "points_taken": _row(count, n if rules.has_points else 0),
        "broken": _flag,
        "kitty_count": _whole(0, len(rules.deck)),
        "kitty_taker": _maybe(seat),
        "kitty": _maybe(cards),
        "finisher": _maybe(seat),
        "shown": _maybe(cards),
        "scores": scores,
        "bags": _row(count, len(rules.first_bags())),
        "extra_deals": count,
        "sheet": _row(deal_score),
        "ask": _maybe(ask),
        "result": _maybe(result),
    }


# --- what has to fit together ---------------------------------------------------------------------------------------


def _check_places(view: View, rules: Rules) -> None:
    """No card in two places, and numbers of cards that agree."""
    placed = [*(view.hand or ()), *view.trick, *(card for trick in view.tricks for card in trick.cards)]
    if len(set(placed)) != len(placed) or (view.kitty and set(view.kitty) & set(placed)):
        raise BadView("hand")
    if len(placed) + sum(view.hand_counts) - len(view.hand or ()) > len(rules.deck):
        raise BadView("hand_counts")
    if view.hand is not None and (view.seat is None or view.hand_counts[view.seat] != len(view.hand)):
        raise BadView("hand")
    if view.trick and view.leader is None:
        raise BadView("leader")
    if view.kitty is not None and len(view.kitty) != view.kitty_count:
        raise BadView("kitty")


def _check_ask(view: View, rules: Rules) -> None:
    """The question fits the phase, and its answers the hand."""
    ask = view.ask
    assert ask is not None
    hand = view.hand or ()
    if view.seat is None or ask.phase != view.phase or ask.phase in ("open", "deal", "over"):
        raise BadView("ask")
    if not set(ask.cards) <= set(hand) or not set(ask.finish or ()) <= set(hand):
        raise BadView("ask")
    if ask.finish is not None and ask.phase != "play":
        raise BadView("ask")
    gives = ask.count == rules.cards_given <= len(hand) and set(ask.cards) == set(hand)
    fits = {
        "pass": gives,
        "exchange": gives,
        "bid": ask.bids == tuple(range(rules.hand_size + 1)) and bool(hand) and view.dealer is not None,
        "play": bool(ask.cards) and view.leader is not None,
        "moon": set(ask.tables) == {"add", "subtract"},
    }
    if not fits.get(ask.phase, True) or ask.phase not in rules.phases:
        raise BadView("ask")
    if ask.phase == "play" and "bid" in rules.phases and None in view.bids:
        raise BadView("bids")
