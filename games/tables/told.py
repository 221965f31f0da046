"""What a viewer is told of a game, as JSON: cards and seats, the score sheet, the view with its ask, every event.

`games.rules.view` makes views, asks and events as dataclasses, and the log's own entries add a few events; these are
their forms on the wire. Times and plies are whole numbers.
"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from games.kinds import NAMES
from games.kinds.traits import Traits
from games.rules import CODES, REASONS
from games.rules.engine import ANSWERS
from games.shapes import Among, Amount, Count, Flag, Text, between

Seat = Annotated[int, between(0, 6)]
Card = Annotated[str, Text(r"^[2-9TJQKA][CDHS]$")]
Suit = Annotated[str, Among("CDHS")]
Kind = Annotated[str, Among(NAMES)]
Phase = Annotated[str, Among(ANSWERS)]
Code = Annotated[str, Among(CODES)]
Reason = Annotated[str, Among(REASONS)]
#: Why a game ended without a result.
WhyVoid = Annotated[str, Among(("vote", "admin", "outage", "abandoned", "absent"))]
Direction = Literal["left", "right", "across", "opponent", "hold"]
Choice = Literal["add", "subtract"]
#: Cards, or None to those who may not see them.
Hidden = list[Card] | None


# --- the view ---------------------------------------------------------------------------------------------------------


class Line(TypedDict):
    """One line of a deal's score: how many points a side has got for what, and by whose doing."""

    side: Seat
    what: str
    amount: int
    seat: Seat | None


class Row(TypedDict):
    """A deal on the score sheet. `change`, `scores` and `bags` have one entry for each side."""

    deal: Count
    lines: list[Line]
    change: list[int]
    scores: list[int]
    bags: list[int]


class Result(TypedDict):
    """How a game ended: the place of each seat, the score of each side, and why it was over."""

    placings: list[Count]
    scores: list[int]
    reason: Reason


class Trick(TypedDict):
    """A finished trick, its cards in the order in which they were played."""

    leader: Seat
    cards: list[Card]
    winner: Seat


class Ask(TypedDict):
    """A question to a seat, with every answer to it; `games.rules.view.Ask` says what is for which phase."""

    id: str
    phase: Phase
    count: Count
    cards: list[Card]
    barred: dict[Card, Code]
    bids: list[Count]
    skip: Flag
    finish: Hidden
    tables: dict[Choice, list[int]]


class Public(TypedDict):
    """The part of a view that everybody is told alike."""

    kind: Kind
    players: Count
    ply: Count
    phase: Phase
    deal: Count
    attempt: Count
    dealer: Seat | None
    direction: Direction | None
    hand_counts: list[Count]
    asked: list[Seat]
    answered: list[Seat]
    skips_left: list[Flag]
    blinds: list[Flag | None]
    bids: list[Count | None]
    leader: Seat | None
    turn: Seat | None
    trick: list[Card]
    last_trick: Trick | None
    tricks_taken: list[Count]
    points_taken: list[int]
    broken: Flag
    kitty_count: Count
    kitty_taker: Seat | None
    finisher: Seat | None
    shown: Hidden
    scores: list[int]
    bags: list[int]
    extra_deals: Count
    result: Result | None


class Own(TypedDict):
    """The part of a view that one viewer alone is told."""

    seat: Seat | None
    hand: Hidden
    gave: Hidden
    received: Hidden
    kitty: Hidden
    ask: Ask | None


class View(Public, Own):
    """What one viewer knows: `games.rules.view.View` without options, sheet and tricks, and with the last trick."""


# --- events -----------------------------------------------------------------------------------------------------------


class Opened(TypedDict):
    """The dealer is drawn."""

    event: Literal["opened"]
    seat: None
    ply: Count
    dealer: Seat


class Dealt(TypedDict):
    """Cards were dealt."""

    event: Literal["dealt"]
    seat: None
    ply: Count
    deal: Count
    attempt: Count
    dealer: Seat
    direction: Direction | None
    hand: Hidden
    hand_counts: list[Count]
    kitty_count: Count


class CalledOff(TypedDict):
    """A seat has called the deal off."""

    event: Literal["called_off"]
    seat: Seat
    ply: Count
    deal: Count


class Answered(TypedDict):
    """A seat has answered a simultaneous question: what, it alone is told."""

    event: Literal["answered"]
    seat: Seat
    ply: Count
    phase: Literal["pass", "exchange", "blind"]
    cards: NotRequired[Hidden]
    blind: NotRequired[Flag | None]
    by: NotRequired[Literal["timeout"]]


class HandedOver(TypedDict):
    """Cards that were passed or exchanged change hands."""

    event: Literal["handed_over"]
    seat: None
    ply: Count
    phase: Literal["pass", "exchange"]
    direction: Direction | None
    seats: list[Seat]
    gave: Hidden
    received: Hidden


class BlindShown(TypedDict):
    """Who bids blind, once all have said so."""

    event: Literal["blind_shown"]
    seat: None
    ply: Count
    blinds: list[Flag | None]


class HandShown(TypedDict):
    """The viewer sees the own hand, which was withheld until now."""

    event: Literal["hand_shown"]
    seat: Seat
    ply: Count
    hand: list[Card]


class Bid(TypedDict):
    """A seat has bid."""

    event: Literal["bid"]
    seat: Seat
    ply: Count
    bid: Count
    by: NotRequired[Literal["timeout"]]


class Played(TypedDict):
    """A seat has played a card."""

    event: Literal["played"]
    seat: Seat
    ply: Count
    card: Card
    by: NotRequired[Literal["timeout"]]


class Broken(TypedDict):
    """A card has broken the suit that could not be led."""

    event: Literal["broken"]
    seat: Seat
    ply: Count
    card: Card


class TrickTaken(TypedDict):
    """A seat takes a trick."""

    event: Literal["trick_taken"]
    seat: Seat
    ply: Count
    cards: list[Card]
    leader: Seat


class KittyTaken(TypedDict):
    """A seat takes the kitty with the first trick."""

    event: Literal["kitty_taken"]
    seat: Seat
    ply: Count
    count: Count
    cards: Hidden


class Finished(TypedDict):
    """A seat has laid down the rest of a deal that is decided."""

    event: Literal["finished"]
    seat: Seat
    ply: Count
    cards: list[Card]


class MoonShot(TypedDict):
    """A seat has shot the moon, and chooses what it counts as."""

    event: Literal["moon_shot"]
    seat: Seat
    ply: Count


class MoonChosen(TypedDict):
    """The seat has chosen."""

    event: Literal["moon_chosen"]
    seat: Seat
    ply: Count
    choice: Choice
    by: NotRequired[Literal["timeout"]]


class DealScored(TypedDict):
    """A deal is over and scored."""

    event: Literal["deal_scored"]
    seat: None
    ply: Count
    score: Row
    kitty: list[Card]


class GameOver(TypedDict):
    """The game is over."""

    event: Literal["game_over"]
    seat: None
    ply: Count
    result: Result


class StandIn(TypedDict):
    """A CPU has a seat from now on."""

    event: Literal["stand_in"]
    seat: Seat
    ply: Count
    by: NotRequired[Literal["vote", "leave"]]


class Back(TypedDict):
    """The owner of a seat has it again."""

    event: Literal["back"]
    seat: Seat
    ply: Count


class Void(TypedDict):
    """The game has ended without a result."""

    event: Literal["void"]
    seat: Seat | None
    ply: Count
    reason: WhyVoid


class Outage(TypedDict):
    """The site was down, and the time is given back."""

    event: Literal["outage"]
    seat: None
    ply: Count
    seconds: Amount


#: Every event: those of the rules, then those of the site.
Event = (
    Opened
    | Dealt
    | CalledOff
    | Answered
    | HandedOver
    | BlindShown
    | HandShown
    | Bid
    | Played
    | Broken
    | TrickTaken
    | KittyTaken
    | Finished
    | MoonShot
    | MoonChosen
    | DealScored
    | GameOver
    | StandIn
    | Back
    | Void
    | Outage
)


# --- pages ------------------------------------------------------------------------------------------------------------


class Chip(TypedDict):
    """A few words about one rule of a table, and the sentence behind them."""

    label: str
    title: str


class Kept(TypedDict):
    """What the pages of a table and of a replay know from the start. `timer` is in seconds; lists go by seat."""

    kind: str
    traits: Traits
    players: int
    seat: int | None
    names: list[str]
    cpu: list[str | None]
    code: str | None
    options: dict[str, str | int]
    chips: list[Chip]
    sides: list[int]
    timer: int
    score_sign: str | int
