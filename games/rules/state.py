"""What a game is made of: actions that were done, and the state they lead to. Plain frozen data with one JSON form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from games.rules.cards import ORDER
from games.rules.refusals import Refused, echoed

#: Kinds of action, and the JSON key of what each says beside `kind` and `seat`. The dealer's have no seat.
ACTION_KEYS: dict[str, str | None] = {
    "open": "dealer",
    "deal": "pack",
    "skip": None,
    "pass": "cards",
    "blind": "blind",
    "bid": "bid",
    "exchange": "cards",
    "play": "card",
    "moon": "choice",
    "finish": "cards",
}
DEALERS_ACTIONS = ("open", "deal")

#: Phases of a game. `open` and `deal` ask the dealer, `over` asks nobody, the others ask seats.
PHASES = ("open", "deal", "pass", "blind", "bid", "exchange", "play", "moon", "over")

#: Why a game ended. The rules give the first three; the site closes a game with the others.
REASONS = ("target", "floor", "deal_cap", "abandoned", "void")

_ATOMS = frozenset((str, int, bool, float, type(None)))
_names: dict[type[Any], tuple[str, ...]] = {}


@dataclass(frozen=True, slots=True)
class Action:
    """An entry of the log. Only the attributes that its kind has in `ACTION_KEYS` are set.

    `seat` is None for the dealer. `pack` is in dealing order; `cards` are those passed, exchanged or shown.
    """

    kind: str
    seat: int | None = None
    card: str | None = None
    cards: tuple[str, ...] = ()
    pack: tuple[str, ...] = ()
    bid: int | None = None
    blind: bool | None = None
    choice: str | None = None
    dealer: int | None = None

    def to_json(self) -> dict[str, object]:
        data: dict[str, object] = {"kind": self.kind}
        if self.seat is not None:
            data["seat"] = self.seat
        key = ACTION_KEYS[self.kind]
        if key is not None and not (self.kind == "finish" and not self.cards):
            value = getattr(self, key)
            data[key] = list(value) if isinstance(value, tuple) else value
        return data

    @classmethod
    def from_json(cls, data: object) -> Action:
        """An action from a JSON object with exactly the keys of its kind. Refused: `bad_action`, `unknown_card`.

        `finish` may leave out `cards`. Whether the action is legal is not looked at here.
        """
        if not isinstance(data, Mapping):
            raise Refused("bad_action", field="action")
        kind = data.get("kind")
        if not isinstance(kind, str) or kind not in ACTION_KEYS:
            raise Refused("bad_action", field="kind")
        key = ACTION_KEYS[kind]
        expected = {"kind"} | ({"seat"} if kind not in DEALERS_ACTIONS else set()) | ({key} if key else set())
        for name in data:
            if name not in expected:
                raise Refused("bad_action", field=echoed(name))
        values: dict[str, Any] = {}
        for name in sorted(expected - {"kind"}):
            if name in data:
                values[name] = _value(name, data[name])
            elif not (kind == "finish" and name == "cards"):
                raise Refused("bad_action", field=name)
        return cls(kind, **values)


def _value(key: str, value: Any) -> Any:
    if key in ("seat", "bid", "dealer"):
        fits = type(value) is int
    elif key == "blind":
        fits = type(value) is bool
    elif key == "choice":
        fits = value in ("add", "subtract")
    elif key == "card":
        fits = isinstance(value, str)
        if fits and value not in ORDER:
            raise Refused("unknown_card", field=key)
    else:
        fits = isinstance(value, list | tuple) and all(isinstance(card, str) for card in value)
        if fits:
            if not all(card in ORDER for card in value):
                raise Refused("unknown_card", field=key)
            return tuple(value)
    if not fits:
        raise Refused("bad_action", field=key)
    return value


@dataclass(frozen=True, slots=True)
class Trick:
    """A finished trick: `cards` in the order played, the first by `leader`; `winner` took it."""

    leader: int
    cards: tuple[str, ...]
    winner: int


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a deal's score: `amount` for `side`, and of what. `seat` where it is one player's doing."""

    side: int
    what: str
    amount: int
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class DealScore:
    """A row of the score sheet. Per side: `change` (the sum of its lines), then the running `scores` and `bags`."""

    deal: int
    lines: tuple[Line, ...]
    change: tuple[int, ...]
    scores: tuple[int, ...]
    bags: tuple[int, ...]


@dataclass(frozen=True)
class State:
    """A game at one moment, for every kind. Change it by `Rules.apply` only.

    Tuples with an entry per seat: `hands` (each in deck order), `given`, `skipped`, `blinds`, `bids`. Per side:
    `scores`, `bags`. In phase `deal` everything still shows the last deal; `Rules.next_deal` tells of the one that is
    due.
    """

    ply: int = 0  # actions applied
    phase: str = "open"
    deal: int = 1
    attempt: int = 0  # 1 after this deal was called off
    dealer: int = 0
    hands: tuple[tuple[str, ...], ...] = ()
    kitty: tuple[str, ...] = ()
    kitty_taker: int | None = None
    given: tuple[tuple[str, ...] | None, ...] = ()  # passed or exchanged in this deal; None: not yet
    skipped: tuple[bool, ...] = ()  # the right to call a deal off is spent
    blinds: tuple[bool | None, ...] = ()  # None: not asked, or not answered
    bids: tuple[int | None, ...] = ()
    turn: int | None = None  # who bids, plays or chooses
    leader: int | None = None  # of the trick on the table
    trick: tuple[str, ...] = ()
    tricks: tuple[Trick, ...] = ()  # of this deal
    broken: bool = False
    finisher: int | None = None  # who ended the deal early
    scores: tuple[int, ...] = ()
    bags: tuple[int, ...] = ()
    extra_deals: int = 0  # begun in a row because of a tie for first
    sheet: tuple[DealScore, ...] = ()
    reason: str | None = None  # of the end

    @property
    def mover(self) -> int:
        """The seat on turn, in a phase in which one is."""
        assert self.turn is not None
        return self.turn

    def to_json(self) -> dict[str, object]:
        """Everything, hidden cards too: for tests, tools and bug reports, never for a player."""
        return {entry.name: plain(getattr(self, entry.name)) for entry in fields(self)}


def plain(value: Any) -> Any:
    """A value as JSON has it: tuples as lists, dataclasses as objects."""
    kind = type(value)
    if kind in _ATOMS:
        return value
    if kind is tuple:
        return [item if type(item) in _ATOMS else plain(item) for item in value]
    if kind is dict:
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(kind, "__dataclass_fields__"):
        return {name: plain(getattr(value, name)) for name in _names_of(kind)}
    return value


def _names_of(kind: type[Any]) -> tuple[str, ...]:
    """The fields of a dataclass. Asked for with every message, and slow to find."""
    if kind not in _names:
        _names[kind] = tuple(entry.name for entry in fields(kind))
    return _names[kind]


def state_from_json(data: Mapping[str, Any]) -> State:
    """The inverse of `State.to_json`, for data that this program wrote."""
    values = {name: _tuples(value) for name, value in data.items()}
    values["tricks"] = tuple(Trick(**_each(trick)) for trick in data["tricks"])
    values["sheet"] = tuple(
        DealScore(**_each(row) | {"lines": tuple(Line(**line) for line in row["lines"])}) for row in data["sheet"]
    )
    return State(**values)


def _each(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _tuples(value) for name, value in data.items()}


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


def evolve(state: State, **changes: Any) -> State:
    """A copy of the state with some fields changed; several times faster than `dataclasses.replace`."""
    new = object.__new__(State)
    values = new.__dict__
    values.update(state.__dict__)
    values.update(changes)
    return new


@dataclass(frozen=True, slots=True)
class Due:
    """Who has to act: the dealer (`open`, `deal`), these seats, or nobody (`over`)."""

    phase: str
    seats: tuple[int, ...] = ()

    @property
    def dealer(self) -> bool:
        return self.phase in DEALERS_ACTIONS


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended.

    `placings` per seat (1 is first, a tie shares the place), `scores` per side, and the `reason`.
    """

    placings: tuple[int, ...]
    scores: tuple[int, ...]
    reason: str
