"""Whether the deals of an exported game are what they have to be. One file, standard library only.

    python verify.py record.json

prints one line and ends with status 0 if every deal follows from the secret that was committed to (or, in a game
without one, from its game code); with 1 and a line for each fault if not; with 2 if the file cannot be read. The file
is JSON or the text notation, and may have many games: then there is a line for each. It needs neither the site nor the
rest of this project. What is computed is described at the top of `games/codes/deals.py` and in
`games/tables/README.md`; the site deals by these very functions.

It also goes through the log: every pass, bid and card is one that the rules of the table allow there, with the hands
that packs and passes gave, and the scores that are counted lead to the result of the game.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

SHUFFLE_VERSION = 1
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
RANDOM_CHARACTERS = 14
CODE_LENGTH = RANDOM_CHARACTERS + 2
LONGEST_TEXT = 200  # that is read as a code
MOST_NONCE_BYTES = 32
MOST_BYTES = 200_000_000  # of a file, which may have many games
RULES_VERSION = 1  # of the rules that are known here

CARDS = tuple(rank + suit for suit in "CDHS" for rank in "23456789TJQKA")

#: What the first character of a code names: kind, players and the options that decide the pack. Rows are only ever
#: added at the end, so that a code stays what it is.
TABLES: tuple[tuple[str, int, dict[str, str]], ...] = (
    ("hearts", 2, {}),
    ("hearts", 3, {"removed_three": "2D"}),
    ("hearts", 3, {"removed_three": "2C"}),
    ("hearts", 3, {"surplus": "kitty"}),
    ("hearts", 4, {}),
    ("hearts", 5, {}),
    ("hearts", 5, {"surplus": "kitty"}),
    ("hearts", 6, {"removed_six": "all_twos"}),
    ("hearts", 6, {"removed_six": "keep_hearts"}),
    ("hearts", 6, {"surplus": "kitty"}),
    ("hearts", 7, {}),
    ("hearts", 7, {"surplus": "kitty"}),
    ("spades", 4, {}),
)
#: The cards that are not in the pack of each of these tables; a rank alone is taken out in every suit.
REMOVED = ("3 5 7 9 J K", "2D", "2C", "", "", "2D 2C", "", "2", "2D 3D 3C 4C", "", "2D 3D 3C", "", "")

#: Fault: what it says. Numbers that follow a fault are put after its sentence.
FAULTS = {
    "bad_code": "the game code is not one",
    "wrong_table": "the game code is for another table",
    "no_commitment": "there is a secret or a nonce, but no commitment",
    "no_secret": "the secret is missing",
    "wrong_commitment": "the secret is not the one that was committed to",
    "wrong_nonces": "there is not one nonce a seat, or one is too long",
    "wrong_code": "the game code does not follow from secret and nonces",
    "wrong_dealer": "the first dealer does not follow from the code",
    "missing_pack": "a pack is missing: deal, attempt",
    "wrong_pack": "a pack does not follow from the code: deal, attempt",
    "other_rules": "it was played by rules of another version than those that are known here",
    "wrong_log": "the log cannot be true from this entry on: ply",
    "wrong_result": "the result is not the one that the log leads to",
}


class BadCode(ValueError):
    """A text is not a game code. `code` says why: bad_length, bad_character (`character`), bad_check, unknown_table."""

    def __init__(self, code: str, character: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.character = character


class Unreadable(ValueError):
    """A file is not an exported game; the message says why."""


# --- codes ------------------------------------------------------------------------------------------------------------


def read_text(text: str) -> tuple[str, int]:
    """A code that somebody typed: its 16 characters, and its table's row. Raises BadCode."""
    if len(text) > LONGEST_TEXT:
        raise BadCode("bad_length")
    plain = unicodedata.normalize("NFKC", text).upper()
    kept = [c for c in plain if not c.isspace() and unicodedata.category(c) != "Pd" and c not in "ー−"]
    read = "".join(kept).translate(str.maketrans("OIL", "011"))
    for character in read:
        if character not in ALPHABET:
            raise BadCode("bad_character", character)
    if len(read) != CODE_LENGTH:
        raise BadCode("bad_length")
    if check_character(read[:-1]) != read[-1]:
        raise BadCode("bad_check")
    place = ALPHABET.index(read[0])
    if place >= len(TABLES):
        raise BadCode("unknown_table")
    return read, place


def code_of(place: int, bits: int) -> str:
    """The 16 characters of a code, from the row of its table and its 70 bits."""
    digits = [bits >> shift & 31 for shift in range(5 * (RANDOM_CHARACTERS - 1), -1, -5)]
    body = ALPHABET[place] + "".join(ALPHABET[digit] for digit in digits)
    return body + check_character(body)


def check_character(body: str) -> str:
    """The last character of a code, from the others."""
    value = 0
    for character in body:
        value = _times_x(value) ^ ALPHABET.index(character)
    return ALPHABET[_times_x(value)]


def _times_x(value: int) -> int:
    """A product in GF(32): one shift, reduced by x^5 + x^2 + 1."""
    return value << 1 ^ (0b100101 if value & 16 else 0)


def deck_of(place: int) -> tuple[str, ...]:
    """The cards of a row of TABLES, in deck order."""
    removed = REMOVED[place].split()
    return tuple(card for card in CARDS if card not in removed and card[0] not in removed)


# --- shuffle ----------------------------------------------------------------------------------------------------------


def stream(seed: bytes, label: str) -> Iterator[int]:
    """The bytes of a labelled stream, without end."""
    block = 0
    while True:
        yield from hmac.digest(seed, f"{label}|{block}".encode(), "sha256")
        block += 1


def below(n: int, source: Iterator[int]) -> int:
    """A number from 0 to n - 1, all equally likely; takes four bytes, or more where some are thrown away."""
    limit = 2**32 - 2**32 % n
    while True:
        word = int.from_bytes(bytes(next(source) for _ in range(4)), "big")
        if word < limit:
            return word % n


def shuffle(seed: bytes, deal: int, attempt: int, deck: Sequence[str] = CARDS) -> tuple[str, ...]:
    """The pack of a deal, in dealing order: version 1 of the shuffle."""
    source = stream(seed, f"moonshot-{SHUFFLE_VERSION}|pack|{deal}|{attempt}")
    pack = list(deck)
    for i in range(len(pack) - 1, 0, -1):
        j = below(i + 1, source)
        pack[i], pack[j] = pack[j], pack[i]
    return tuple(pack)


def first_dealer(seed: bytes, players: int) -> int:
    """The seat that deals first, drawn by lot."""
    return below(players, stream(seed, f"moonshot-{SHUFFLE_VERSION}|dealer"))


# --- secrets ----------------------------------------------------------------------------------------------------------


def commitment(secret: bytes) -> str:
    """What is shown of a secret before the game: its SHA-256 in hex."""
    return hashlib.sha256(secret).hexdigest()


def sealed_bits(secret: bytes, nonces: Sequence[bytes]) -> int:
    """The 70 bits of the code of a verifiable game. `nonces` has one entry a seat, empty where a seat gave none."""
    message = f"moonshot-{SHUFFLE_VERSION}|nonces|" + "|".join(nonce.hex() for nonce in nonces)
    digest = hmac.digest(secret, message.encode(), "sha256")
    return int.from_bytes(digest, "big") >> 256 - 5 * RANDOM_CHARACTERS


# --- the check --------------------------------------------------------------------------------------------------------


def check_deals(
    *,
    kind: str,
    players: int,
    deck: Sequence[str] | None,
    code: str,
    dealer: int,
    packs: Mapping[tuple[int, int], Sequence[str]],
    secret: bytes | None,
    commitment_shown: str | None,
    nonces: Sequence[bytes],
    others: Mapping[tuple[int, int], str] | None = None,
    dealer_code: str | None = None,
) -> list[str]:
    """What does not hold of a finished game's deals, as faults; empty if all is as it should be.

    `packs` maps (deal, attempt) to the pack in dealing order, for every deal and attempt from the first on. A game
    with a commitment needs the secret and the nonces. `deck`: that of the table's rules, where it is known. Of a game
    that was played on from another one, `others` has the code of that one for each of its packs, `dealer_code` the
    first such code.
    """
    faults = []
    try:
        read, place = read_text(code)
    except BadCode:
        return ["bad_code"]
    if TABLES[place][:2] != (kind, players) or (deck is not None and tuple(deck) != deck_of(place)):
        return ["wrong_table"]
    if commitment_shown is None and (secret is not None or any(nonces)):
        faults.append("no_commitment")
    if commitment_shown is not None:
        if secret is None:
            return ["no_secret"]
        if commitment(secret) != commitment_shown:
            faults.append("wrong_commitment")
        if len(nonces) != players or any(len(nonce) > MOST_NONCE_BYTES for nonce in nonces):
            faults.append("wrong_nonces")
        elif code_of(place, sealed_bits(secret, nonces)) != read:
            faults.append("wrong_code")
    seeds = {code: read[:-1].encode()}
    for other in {*(others or {}).values(), dealer_code or code}:
        try:
            read, row = read_text(other)
        except BadCode:
            return ["bad_code"]
        if deck_of(row) != deck_of(place) or TABLES[row][:2] != (kind, players):
            return ["wrong_table"]
        seeds[other] = read[:-1].encode()
    if first_dealer(seeds[dealer_code or code], players) != dealer:
        faults.append("wrong_dealer")
    faults += [f"missing_pack {deal} {attempt}" for deal, attempt in _gaps(packs)]
    for (deal, attempt), pack in sorted(packs.items()):
        seed = seeds[(others or {}).get((deal, attempt), code)]
        if shuffle(seed, deal, attempt, deck_of(place)) != tuple(pack):
            faults.append(f"wrong_pack {deal} {attempt}")
    return faults


def _gaps(packs: Mapping[tuple[int, int], Sequence[str]]) -> list[tuple[int, int]]:
    """Packs that must have been dealt and are not among those given: an earlier deal, an earlier attempt."""
    last = max((deal for deal, _ in packs), default=1)
    needed = {(deal, 0) for deal in range(1, last + 1)} | {
        (deal, earlier) for deal, attempt in packs for earlier in range(attempt)
    }
    return sorted(needed - set(packs))


def check_record(record: Mapping[str, Any]) -> list[str]:
    """The faults of an exported game. Raises Unreadable if it is none."""
    try:
        log = record["log"]
        others, dealer_code = others_of(record)
        return (
            check_deals(
                kind=record["kind"],
                players=record["players"],
                deck=deck_of(_row_of(record["kind"], record["players"], record["options"])),
                code=record["code"],
                dealer=log[0]["data"]["dealer"],
                packs=packs_of(log),
                secret=None if record["secret"] is None else _unhex(record["secret"]),
                commitment_shown=record["commitment"],
                nonces=[_unhex(nonce) for nonce in record["nonces"]],
                others=others,
                dealer_code=dealer_code,
            )
            + Walk(record).faults()
        )
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, Unreadable):
            raise
        raise Unreadable("It is not an exported game: something is missing in it or of the wrong form.") from None


def _unhex(text: str) -> bytes:
    """Bytes in the one form in which they are written."""
    found = bytes.fromhex(text)
    if found.hex() != text:
        raise ValueError(text)
    return found


def _row_of(kind: str, players: int, options: Mapping[str, Any]) -> int:
    """The row of TABLES of a table with these options."""
    which = {3: "removed_three", 6: "removed_six"}.get(players, "")
    named = {which: str(options.get(which, {3: "2D", 6: "all_twos"}[players]))} if which else {}
    is_kitty = options.get("surplus") == "kitty" and players in (3, 5, 6, 7)
    return TABLES.index((kind, players, {"surplus": "kitty"} if is_kitty else named))


def packs_of(log: Sequence[Mapping[str, Any]]) -> dict[tuple[int, int], Sequence[str]]:
    """The packs of a log by deal and attempt."""
    packs: dict[tuple[int, int], Sequence[str]] = {}
    deal, attempt, called_off = 0, 0, False
    for entry in log:
        if entry["kind"] == "skip":
            called_off = True
        elif entry["kind"] == "deal":
            deal, attempt = (deal, attempt + 1) if called_off else (deal + 1, 0)
            packs[deal, attempt] = entry["data"]["pack"]
            called_off = False
    return packs


def others_of(record: Mapping[str, Any]) -> tuple[dict[tuple[int, int], str], str | None]:
    """Of a game that was played on from another one: the packs that are not its own, each with the code that dealt it,
    and the code that drew the first dealer. Nothing and None for any other game.
    """
    spans = record.get("forks") or []
    others, codes = {}, iter(spans)
    span = next(codes, None)
    for number, key in zip(*_deals_of(record["log"]), strict=True):
        while span is not None and number > span["ply"]:
            span = next(codes, None)
        if span is not None:
            others[key] = str(span["code"])
    return others, str(spans[0]["code"]) if spans else None


def _deals_of(log: Sequence[Mapping[str, Any]]) -> tuple[list[int], list[tuple[int, int]]]:
    """The plies at which packs were dealt, and deal and attempt of each."""
    return [entry["ply"] for entry in log if entry["kind"] == "deal"], list(packs_of(log))


# --- the log ----------------------------------------------------------------------------------------------------------

ROTATIONS = {2: (1, 0), 3: (1, -1, 0), 4: (1, -1, 2, 0), 5: (1, -1, 0), 6: (1, -1, 3, 0), 7: (1, -1, 0)}


class Walk:
    """Goes through a log: who holds which cards, whose turn it is, what may be played, and what it comes to."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self.kind: str = record["kind"]
        self.n: int = record["players"]
        self.options: Mapping[str, Any] = record["options"]
        self.log: Sequence[Mapping[str, Any]] = record["log"]
        self.stated: Mapping[str, Any] | None = record["result"]
        self.is_known = record["rules_version"] == RULES_VERSION
        self.count = Count(self.kind, self.n, self.options)
        self.hands: list[set[str]] = []
        self.given: dict[int, list[str]] = {}
        self.bids: dict[int, int] = {}
        self.blinds: dict[int, bool] = {}
        self.deal = 0
        self.attempt = 0
        self.dealer = 0
        self.called_off = False
        self.callers: set[int] = set()  # of deals: once a game each
        self.trick: list[str] = []
        self.won: list[list[str]] = []  # the cards that each seat has taken
        self.tricks: list[int] = []
        self.kitty: Sequence[str] = ()
        self.is_broken = False
        self.turn: int | None = None  # None: whoever leads first
        self.chooser: int | None = None  # who has shot the moon and has to say what it brings
        self.is_done = True  # the deal
        self.is_void = False

    def faults(self) -> list[str]:
        """`wrong_log` with the first ply that cannot be, or `wrong_result`; nothing if all is as it has to be."""
        if not self.is_known:
            return ["other_rules"]
        for number, entry in enumerate(self.log, 1):
            is_over = self.is_void or self.count.reason is not None
            if entry["ply"] != number or is_over or not self._fits(number, entry):
                return [f"wrong_log {number}"]
        if not self.is_void and self.count.reason is None:
            return [f"wrong_log {len(self.log)}"]
        return [] if self.stated == (None if self.is_void else self.count.result()) else ["wrong_result"]

    def _fits(self, number: int, entry: Mapping[str, Any]) -> bool:
        kind, seat, data = entry["kind"], entry["seat"], entry["data"]
        if number == 1 or kind == "open":
            self.dealer = data["dealer"] - 1  # it moves on with every deal
            return number == 1 and kind == "open"
        if kind == "deal":
            return self._deal(data["pack"])
        if kind == "void":
            self.is_void = True
        if kind in ("void", "outage", "stand_in", "back"):
            return True
        if kind == "moon":
            return self._moon(seat, data["choice"])
        if self.is_done or self.called_off or not 0 <= seat < self.n or not self._answers(entry):
            return False
        if kind in ("pass", "exchange"):
            return self._give(kind, seat, data["cards"])
        if kind == "skip":
            return self._skip(seat)
        if kind == "play":
            return self._play(seat, data["card"])
        if kind == "finish":
            return self._finish(seat, data.get("cards", ()))
        if self.kind != "spades" or self.turn is not None:
            return False
        return self._bid(seat, data["bid"]) if kind == "bid" else kind == "blind" and self._blind(seat, data["blind"])

    def _answers(self, entry: Mapping[str, Any]) -> bool:
        """Whether an entry is for the question that is asked. Not every line of the text notation names one."""
        phase = {"skip": "pass", "finish": "play"}.get(entry["kind"], entry["kind"])
        number = (entry["seat"] - self.dealer - 1) % self.n + 1 if phase == "bid" else 0
        asked = f"{self.deal}.{self.attempt}.{phase}.{sum(self.tricks) + 1 if phase == 'play' else number}"
        return entry["ask"] is NOT_NAMED or bool(entry["ask"] == asked)

    def _option(self, name: str, usual: Any) -> Any:
        return self.options.get(name, usual)

    # --- before the first trick ---

    def _deal(self, pack: Sequence[str]) -> bool:
        if not (self.is_done or self.called_off) or self.chooser is not None or not set(pack) <= set(CARDS):
            return False
        self.attempt = self.attempt + 1 if self.called_off else 0
        if not self.called_off:
            self.deal += 1
            self.dealer = (self.dealer + 1) % self.n
        size = 13 if self.n == 2 else len(pack) // self.n
        dealt, self.kitty = pack[: self.n * size], pack[self.n * size :]
        self.hands = [set(dealt[(seat - self.dealer - 1) % self.n :: self.n]) for seat in range(self.n)]
        self.given, self.bids, self.blinds, self.trick, self.turn = {}, {}, {}, [], None
        self.won, self.tricks = [[] for _ in range(self.n)], [0] * self.n
        self.is_done = self.called_off = self.is_broken = False
        return True

    def _skip(self, seat: int) -> bool:
        """Calls the deal off, before the own pass."""
        may = self._option("skip_right", "none") == "one_each" and self._step() != 0 and self.attempt == 0
        if not may or seat in self.callers or seat in self.given or len(self.given) == self.n:
            return False
        self.callers.add(seat)
        self.called_off = True
        return True

    def _give(self, kind: str, seat: int, cards: Sequence[str]) -> bool:
        step = 2 if kind == "exchange" else self._step()
        own = self.hands[seat]
        if not step or seat in self.given or self.turn is not None or not own.issuperset(cards):
            return False
        if len(cards) != len(set(cards)) or len(cards) != (2 if kind == "exchange" else 3):
            return False
        if kind == "exchange" and (len(self.bids) < self.n or self._lone_blind() not in (seat, (seat + 2) % 4)):
            return False
        self.given[seat] = list(cards)
        others = [(seat + 2) % 4] if kind == "exchange" else range(self.n)
        if all(other in self.given for other in others):
            for giver in {seat, *others}:
                self.hands[giver] -= set(self.given[giver])
            for giver in {seat, *others}:
                self.hands[(giver + step) % self.n] |= set(self.given[giver])
        return True

    def _step(self) -> int:
        """How many seats to the left cards are passed in this deal; 0: not at all."""
        passing = "off" if self.kind != "hearts" else self._option("passing", "rotate")
        if passing != "rotate":
            return 1 if passing == "always_left" else 0
        steps = ROTATIONS[self.n]
        if self._option("hold_deal", "play") == "skip":
            steps = steps[:-1]
        return steps[(self.deal - 1) % len(steps)]

    def _bid(self, seat: int, bid: int) -> bool:
        order = [(self.dealer + 1 + place) % self.n for place in range(self.n)]
        is_due = seat == next((other for other in order if other not in self.bids), None)
        if not is_due or len(self.blinds) != len(self._behind()) or type(bid) is not int or not 0 <= bid <= 13:
            return False
        self.bids[seat] = bid
        return True

    def _behind(self) -> tuple[int, ...]:
        """Who is asked whether to bid nil blind: both seats of a side that is far behind, before anybody bids."""
        gap = self.count.scores[0] - self.count.scores[1]
        if self._option("blind_nil", "no") == "no" or abs(gap) < BLIND_GAP:
            return ()
        return (1, 3) if gap > 0 else (0, 2)

    def _blind(self, seat: int, blind: bool) -> bool:
        if seat not in self._behind() or seat in self.blinds or type(blind) is not bool:
            return False
        self.blinds[seat] = blind
        if len(self.blinds) == 2:
            self.bids = {other: 0 for other, is_blind in self.blinds.items() if is_blind}
        return True

    def _lone_blind(self) -> int | None:
        """Who has bid nil blind without the partner: the two exchange cards."""
        blind = [seat for seat, is_blind in self.blinds.items() if is_blind]
        return blind[0] if len(blind) == 1 else None

    # --- play ---

    def _next(self) -> int | None:
        """Whose turn it is to play; None before everybody has passed, bid and exchanged."""
        if self.turn is not None:
            return self.turn
        passing, exchanging = self.n if self._step() else 0, 0 if self._lone_blind() is None else 2
        if len(self.given) != (passing if self.kind == "hearts" else exchanging):
            return None
        if self.kind == "spades" and len(self.bids) != self.n:
            return None
        if not self._is_low_club_led():
            return (self.dealer + 1) % self.n
        return min(range(self.n), key=lambda seat: min(map(CARDS.index, self.hands[seat])))  # clubs are the first

    def _is_low_club_led(self) -> bool:
        usual = "low_club" if self.kind == "hearts" else "dealer_left"
        return bool(self._option("first_lead", usual) != "dealer_left")

    def _may(self, seat: int) -> set[str]:
        """The cards that a seat may play: its hand after what the rules bar, each rule left out that would bar all."""
        cards = self.hands[seat]
        is_first = not any(self.tricks)
        if self.trick:
            cards = _kept(cards, lambda card: card[1] == self.trick[0][1])
        elif is_first and self._is_low_club_led():
            cards = {min(cards, key=CARDS.index)}
        suit = "H" if self.kind == "hearts" else "S"
        is_held_back = self.kind == "hearts" and self._option("heart_discard", "free") == "after_break"
        if not self.is_broken and (is_held_back or not self.trick):
            cards = _kept(cards, lambda card: card[1] != suit)
        if self.kind == "hearts" and is_first and self._option("first_trick_points", "no") == "no":
            cards = _kept(cards, lambda card: not points_of(card))
        return cards

    def _breaks(self, card: str) -> bool:
        if self.kind == "spades":
            return card[1] == "S"
        by = self._option("hearts_broken_by", "heart")
        if card[1] == "H":
            return bool(by != "queen" or not self.trick)  # led before from a hand of hearts alone
        return bool(card == "QS" and by != "heart")

    def _play(self, seat: int, card: str) -> bool:
        if seat != self._next() or card not in self._may(seat):
            return False
        self.hands[seat].remove(card)
        self.is_broken = self.is_broken or self._breaks(card)
        self.trick.append(card)
        self.turn = (seat + 1) % self.n
        if len(self.trick) == self.n:
            trump = "S" if self.kind == "spades" else None
            ranks = [
                (
                    held[1] == trump,
                    held[1] == self.trick[0][1],
                    CARDS.index(held) if held[1] in (trump, self.trick[0][1]) else -1,
                )
                for held in self.trick
            ]
            self.turn = (self.turn + ranks.index(max(ranks))) % self.n  # after the last card it is the leader's again
            if not any(self.tricks):
                self.won[self.turn] += self.kitty
            self.won[self.turn] += self.trick
            self.tricks[self.turn] += 1
            self.trick = []
            if not any(self.hands):
                self._end()
        return True

    def _finish(self, seat: int, cards: Sequence[str]) -> bool:
        """The rest is laid down: nothing can change any more what the deal brings."""
        if self.trick or seat != self._next():
            return False
        hand = self.hands[seat]
        if self.kind == "hearts":
            if cards or any(self.count.matters(card) for held in self.hands for card in held):
                return False
            if any(map(self.count.matters, self.kitty)):
                return False
        elif sorted(cards) != sorted(hand) or not self._takes_the_rest(seat):
            return False
        else:
            self.tricks[seat] += len(hand)
        self._end()
        return True

    def _takes_the_rest(self, seat: int) -> bool:
        """Whether every card of a hand is the highest of its suit, and none can be ruffed."""
        hand = self.hands[seat]
        for other in (held for place, held in enumerate(self.hands) if place != seat):
            if any(mine[1] == card[1] and CARDS.index(mine) < CARDS.index(card) for mine in hand for card in other):
                return False
            lengths = {suit: sum(card[1] == suit for card in other) for suit in "CDHS"}
            if lengths["S"] and any(lengths[suit] < sum(card[1] == suit for card in hand) for suit in "CDH"):
                return False
        return True

    # --- what it comes to ---

    def _end(self) -> None:
        self.is_done = True
        if self.kind == "spades":
            self.count.spades(self.bids, self.blinds, self.tricks)
            return
        shooter = self.count.shooter(self.won)
        if shooter is not None and self._option("moon", "add") == "choose":
            self.chooser = shooter
        else:
            self.count.hearts(self.won, self._option("moon", "add"))

    def _moon(self, seat: int, choice: str) -> bool:
        if seat is None or seat != self.chooser or choice not in ("add", "subtract"):
            return False
        self.chooser = None
        self.count.hearts(self.won, choice)
        return True


def _kept(cards: set[str], is_kept: Callable[[str], bool]) -> set[str]:
    """What a rule leaves of the cards: all of them if it would leave nothing."""
    return set(filter(is_kept, cards)) or cards


# --- scores -----------------------------------------------------------------------------------------------------------

MOON = 26
JACK = 10  # taken off
EXTRA_DEALS = 5  # while the first place is shared
DEALS = 60  # of any game
NIL, BLIND_NIL = 100, 200
BLIND_GAP = 100
BAGS, BAG_PENALTY = 10, 100
FLOOR = -200


def points_of(card: str) -> int:
    """What a card costs its taker in Hearts, but for the jack."""
    return 13 if card == "QS" else int(card[1] == "H")


class Count:
    """The scores of a game, deal by deal, and how it ends. `reason` is None until then."""

    def __init__(self, kind: str, players: int, options: Mapping[str, Any]) -> None:
        self.kind, self.n, self.options = kind, players, options
        self.scores = [0] * (2 if kind == "spades" else players)
        self.bags = [0, 0]
        self.deals = self.extra = 0
        self.reason: str | None = None

    def result(self) -> dict[str, Any]:
        """As a record has it."""
        sign = -1 if self.kind == "spades" else 1  # in Hearts the lowest score is the first
        places = [1 + sum(sign * other < sign * own for other in self.scores) for own in self.scores]
        seats = [places[seat % len(places)] for seat in range(self.n)]
        return {"placings": seats, "scores": self.scores, "reason": self.reason}

    # --- Hearts ---

    def matters(self, card: str) -> bool:
        """Whether a card changes what a deal brings."""
        return points_of(card) > 0 or (card == "JD" and self._has_jack)

    @property
    def _has_jack(self) -> bool:
        return bool(self.options.get("jack_of_diamonds", "off") == "minus_ten")

    def shooter(self, won: Sequence[Sequence[str]]) -> int | None:
        """Who has taken every card that the moon needs; None also where there is no moon."""
        needs_jack = self.options.get("jack_in_moon", "no") == "required"
        needed = [seat for seat, cards in enumerate(won) for card in cards if points_of(card)]
        needed += [seat for seat, cards in enumerate(won) if needs_jack and "JD" in cards]
        all_cards = {card for cards in won for card in cards}
        is_whole = "QS" in all_cards and (not needs_jack or "JD" in all_cards)
        is_off = self.options.get("moon", "add") == "off"
        return None if is_off or not is_whole or len(set(needed)) != 1 else needed[0]

    def hearts(self, won: Sequence[Sequence[str]], moon: str) -> None:
        """One more deal. `moon`: what one brings, `add` or `subtract`."""
        shooter = self.shooter(won)
        for seat, cards in enumerate(won):
            if shooter is None:
                self.scores[seat] += sum(map(points_of, cards))
            elif moon == "add":
                self.scores[seat] += 0 if seat == shooter else MOON
            elif seat == shooter:
                self.scores[seat] -= MOON
            if self._has_jack and "JD" in cards:
                self.scores[seat] -= JACK
        self.deals += 1
        highest, limit = max(self.scores), self.options.get("end_score", 100)
        is_there = highest > limit if self.options.get("end_test", "reach") == "exceed" else highest >= limit
        is_clear = self.scores.count(min(self.scores)) == 1
        if is_there and (is_clear or self.options.get("tie_for_first", "play_on") == "shared"):
            self.reason = "target"
        elif self.deals >= DEALS or (is_there and self.extra == EXTRA_DEALS):
            self.reason = "deal_cap"
        self.extra = self.extra + 1 if is_there else 0

    # --- Spades ---

    def spades(self, bids: Mapping[int, int], blinds: Mapping[int, bool], tricks: Sequence[int]) -> None:
        """One more deal."""
        for side in (0, 1):
            seats = (side, side + 2)
            contract = sum(bids[seat] for seat in seats)
            counted = sum(tricks[seat] for seat in seats if bids[seat])
            is_made = counted >= contract
            self.scores[side] += 10 * contract if is_made else -10 * contract
            bags = counted - contract if is_made and contract else 0
            for seat in (seat for seat in seats if not bids[seat]):
                worth = BLIND_NIL if blinds.get(seat) else NIL
                self.scores[side] += -worth if tricks[seat] else worth
                bags += tricks[seat]
            self.scores[side] += bags
            self.bags[side] += bags
            if self.options.get("bag_penalty", "yes") == "yes":
                penalties, self.bags[side] = divmod(self.bags[side], BAGS)
                self.scores[side] -= BAG_PENALTY * penalties
        self.deals += 1
        is_low = self.options.get("floor", "yes") == "yes" and min(self.scores) <= FLOOR
        is_there = max(self.scores) >= self.options.get("target", 500)
        if (is_low or is_there) and self.scores[0] != self.scores[1]:
            self.reason = "floor" if is_low else "target"
        elif self.deals >= DEALS:
            self.reason = "deal_cap"


# --- the text notation ------------------------------------------------------------------------------------------------

NOT_NAMED = object()
#: The word of a line, and the key of what its answers say.
WORDS = {
    "pass": "cards",
    "skip": "",
    "blind": "blind",
    "bid": "bid",
    "exchange": "cards",
    "trick": "card",
    "moon": "choice",
    "finish": "cards",
}
_TAG = re.compile(r"\[([A-Z][A-Za-z]*)((?: .*)?)\]")
_OPEN = re.compile(r"open [+-][0-9]+: ([0-6])")
_DEAL = re.compile(r"deal ([0-9]+\.[0-9]+) [+-][0-9]+: (.+)")
_OTHER = re.compile(r"! ([a-z_]+) ([0-6-]) [a-z]+ [+-][0-9]+ (\{.*\})")
_SAID = re.compile(r"([a-z]+)(?: ([0-9]+))?: (.+)")
_ANSWER = re.compile(r"([0-6])=([^+\s]*)[+-][0-9]+[ct]?")


def from_text(text: str) -> dict[str, Any]:
    """The document that a text is of, but for what is not checked: times, names, causes. Raises Unreadable."""
    tags: dict[str, list[Any]] = {}
    options: dict[str, Any] = {}
    forks: list[dict[str, Any]] = []
    log: list[dict[str, Any]] = []
    at = ""  # deal and attempt
    for number, line in enumerate(text.splitlines(), 1):
        try:
            if line.startswith("["):
                name, values = _tag(line)
                if name == "Option":
                    options[values[0]] = values[1]
                elif name == "Fork":
                    forks.append({"ply": values[0], "code": values[1]})
                elif name != "Seat" and tags.setdefault(name, values) is not values:
                    raise ValueError
            elif line and not line.startswith("%"):
                at = line.split()[1] if line.startswith("deal ") else at
                log += [row | {"ply": len(log) + place} for place, row in enumerate(_rows(line, at), 1)]
        except (ValueError, TypeError, IndexError, KeyError, RecursionError):
            raise Unreadable(f"Line {number} is none of an exported game.") from None
    try:
        places, scores, end = (tags.get(name) for name in ("Places", "Scores", "End"))
        return {
            "format": tags["Format"][0],
            "version": tags["Format"][1],
            "kind": tags["Kind"][0],
            "players": tags["Players"][0],
            "options": options,
            "rules_version": tags["Rules"][0],
            "code": tags["Code"][0],
            "commitment": tags.get("Commitment", [None])[0],
            "secret": tags.get("Secret", [None])[0],
            "nonces": tags["Nonces"],
            "forks": forks,
            "log": log,
            "result": {"placings": places, "scores": scores, "reason": end[0]} if end else None,
        }
    except (KeyError, IndexError) as missing:
        raise Unreadable(f"The tag {missing.args[0]} is missing.") from None


def _tag(line: str) -> tuple[str, list[Any]]:
    found = _TAG.fullmatch(line)
    if found is None:
        raise ValueError(line)
    values, at, decoder = [], 0, json.JSONDecoder()
    while at < len(found[2]):
        value, at = decoder.raw_decode(found[2], at + 1)
        values.append(value)
    return found[1], values


def _rows(line: str, at: str) -> Iterator[dict[str, Any]]:
    """The entries of a line. `at`: deal and attempt, as the text has them."""
    if found := _OPEN.fullmatch(line):
        yield {"seat": None, "kind": "open", "ask": "", "data": {"dealer": int(found[1])}}
    elif found := _DEAL.fullmatch(line):
        yield {"seat": None, "kind": "deal", "ask": "", "data": {"pack": found[2].split(" ")}}
    elif found := _OTHER.fullmatch(line):
        seat = None if found[2] == "-" else int(found[2])
        yield {"seat": seat, "kind": found[1], "ask": NOT_NAMED, "data": json.loads(found[3])}
    elif (found := _SAID.fullmatch(line)) and found[1] in WORDS:
        word, number, said = found.groups()
        for answer in said.split(" "):
            given = _ANSWER.fullmatch(answer)
            if given is None:
                raise ValueError(answer)
            yield {
                "seat": int(given[1]),
                "kind": "play" if word == "trick" else word,
                "ask": f"{at}.play.{number}" if number else NOT_NAMED,
                "data": _data(WORDS[word], given[2]),
            }
    else:
        raise ValueError(line)


def _data(key: str, said: str) -> dict[str, Any]:
    if not said or not key:
        return {}
    value: Any = said
    if key == "cards":
        value = [] if said == "-" else said.split(",")
    elif key in ("blind", "bid"):
        value = {"yes": True, "no": False}[said] if key == "blind" else int(said)
    return {key: value}


# --- the command ------------------------------------------------------------------------------------------------------


def sentence(fault: str) -> str:
    """A fault in words."""
    name, *numbers = fault.split()
    return " ".join([FAULTS[name], *numbers])


def read_file(name: str) -> bytes:
    """A file, or the standard input for "-". Raises Unreadable."""
    try:
        if name == "-":
            raw = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with open(name, "rb") as file:  # noqa: PTH123 - nothing but the bare language
                raw = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise Unreadable(f"{name} cannot be read: {error.strerror}.") from None
    if len(raw) > MOST_BYTES:
        raise Unreadable("It is too large for an exported game.")
    return raw


def games_of(raw: bytes) -> list[bytes]:
    """The games of a file, JSON a line each or texts from tag to tag; a file with one is that file."""
    raw = raw.removeprefix(b"\xef\xbb\xbf")
    if raw.lstrip().startswith(b"{"):
        lines = [line for line in raw.splitlines() if line.strip()]
        is_a_line_each = all(line.startswith(b"{") and line.rstrip().endswith(b"}") for line in lines)
        return lines if is_a_line_each else [raw]
    begins = [found.start() for found in re.finditer(rb"^\[Format ", raw, re.MULTILINE)]
    edges = [0, *begins[1:], len(raw)]
    return [raw[begin:end] for begin, end in pairwise(edges)]


def from_bytes(raw: bytes) -> dict[str, Any]:
    """The document in a file of one game, JSON or text. Raises Unreadable."""
    try:
        text = raw.decode()
        is_json = text.lstrip().startswith("{")
        record = json.loads(text, object_pairs_hook=_once) if is_json else from_text(text)
    except UnicodeDecodeError:
        raise Unreadable("It is no text in UTF-8.") from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, Unreadable):
            raise
        raise Unreadable("It is no JSON, or has a key twice.") from None
    if not isinstance(record, dict) or record.get("format") != "moonshot-game" or record.get("version") != 1:
        raise Unreadable("It is not an exported game of version 1.")
    return record


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; of a key that is there twice readers do not agree which counts."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key twice")
    return found


def answer(record: Mapping[str, Any], more: Sequence[str] = ()) -> tuple[int, list[str]]:
    """The exit status and the lines to print. `more`: sentences about faults that were found elsewhere."""
    lines = [*map(sentence, check_record(record)), *more]
    if lines:
        return 1, [f"WRONG: {line}." for line in lines]
    others, first = others_of(record)
    count = len(packs_of(record["log"])) - len(others)
    basis = "its game code" if record["commitment"] is None else "the secret that was committed to, and the nonces"
    line = f"{_count(count)} from {basis}"
    if first is not None:
        codes = ", ".join(dict.fromkeys(str(span["code"]) for span in record["forks"]))
        line = f"It was played on from another game. {_count(len(others))} from the code of that one ({codes}), {line}"
    return 0, [f"OK: {line}."]


def _count(packs: int) -> str:
    return f"{packs} {'pack follows' if packs == 1 else 'packs follow'}"


def main(arguments: Sequence[str]) -> int:
    """The command: one file, or - for the standard input."""
    if len(arguments) != 1:
        sys.stderr.write("usage: verify.py FILE (an exported game; - is the standard input)\n")
        return 2
    try:
        games = games_of(read_file(arguments[0]))
    except Unreadable as unreadable:
        sys.stderr.write(f"{unreadable}\n")
        return 2
    return max([_told(raw, f"Game {number}: " if len(games) > 1 else "") for number, raw in enumerate(games, 1)])


def _told(raw: bytes, head: str) -> int:
    """Says what is found of a game. Returns the exit status."""
    try:
        status, lines = answer(from_bytes(raw))
    except Unreadable as unreadable:
        sys.stderr.write(f"{head}{unreadable}\n")
        return 2
    sys.stdout.write("".join(f"{head}{line}\n" for line in lines))
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
