"""Whether the deals of an exported game are what they have to be. One file, standard library only.

    python verify.py record.json

prints one line and ends with status 0 if every deal follows from the secret that was committed to (or, in a game
without one, from its game code); with 1 and a line for each fault if not; with 2 if the file cannot be read. It needs
neither the site nor the rest of this project. What is computed is described at the top of `games/deals.py` and in
`games/README.md`; the site deals by these very functions.

It also goes through the log: bids come in turn, one a seat, and cards are played from the hands that the packs and
passes gave, in turn, following suit; the right seat leads first.
Scores are not counted here.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import sys
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

SHUFFLE_VERSION = 1
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
RANDOM_CHARACTERS = 14
CODE_LENGTH = RANDOM_CHARACTERS + 2
LONGEST_TEXT = 200  # that is read as a code
MOST_NONCE_BYTES = 32
MOST_BYTES = 8_000_000  # of a file

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
    "wrong_log": "the log cannot be true from this entry on: ply",
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
                deck=None,
                code=record["code"],
                dealer=log[0]["data"]["dealer"],
                packs=packs_of(log),
                secret=None if record["secret"] is None else bytes.fromhex(record["secret"]),
                commitment_shown=record["commitment"],
                nonces=[bytes.fromhex(nonce) for nonce in record["nonces"]],
                others=others,
                dealer_code=dealer_code,
            )
            + Walk(record).faults()
        )
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, Unreadable):
            raise
        raise Unreadable("It is not an exported game: something is missing in it or of the wrong form.") from None


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
    """Goes through a log: who holds which cards, and whose turn it is."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self.kind: str = record["kind"]
        self.n: int = record["players"]
        self.options: Mapping[str, Any] = record["options"]
        self.log: Sequence[Mapping[str, Any]] = record["log"]
        self.hands: list[set[str]] = []
        self.given: dict[int, list[str]] = {}
        self.bids: dict[int, int] = {}
        self.blinds: dict[int, bool] = {}
        self.deal = 0
        self.dealer = 0
        self.called_off = False
        self.trick: list[str] = []
        self.turn: int | None = None  # None: whoever leads first
        self.is_done = True  # the deal
        self.is_void = False

    def faults(self) -> list[str]:
        """`wrong_log` with the first ply that cannot be; nothing if there is none."""
        for number, entry in enumerate(self.log, 1):
            if entry["ply"] != number or self.is_void or not self._fits(number, entry):
                return [f"wrong_log {number}"]
        return [] if self.is_done or self.is_void else [f"wrong_log {len(self.log)}"]

    def _fits(self, number: int, entry: Mapping[str, Any]) -> bool:
        kind, seat, data = entry["kind"], entry["seat"], entry["data"]
        if number == 1 or kind == "open":
            self.dealer = data["dealer"] - 1  # it moves on with every deal
            return number == 1 and kind == "open"
        if kind == "deal":
            return self._deal(data["pack"])
        if kind == "void":
            self.is_void = True
        if kind in ("void", "outage", "stand_in", "back", "moon"):
            return kind != "moon" or self.is_done
        if self.is_done or self.called_off or not 0 <= seat < self.n:
            return False
        if kind in ("pass", "exchange"):
            return self._give(kind, seat, data["cards"])
        if kind == "skip":
            self.called_off = True
            return self.turn is None
        if kind == "play":
            return self._play(seat, data["card"])
        if kind == "finish":
            self.is_done = True
            return not self.trick and seat == self._next()
        if self.kind != "spades" or self.turn is not None:
            return False
        return self._bid(seat, data["bid"]) if kind == "bid" else kind == "blind" and self._blind(seat, data["blind"])

    def _deal(self, pack: Sequence[str]) -> bool:
        if not (self.is_done or self.called_off) or not set(pack) <= set(CARDS):
            return False
        if not self.called_off:
            self.deal += 1
            self.dealer = (self.dealer + 1) % self.n
        size = 13 if self.n == 2 else len(pack) // self.n
        dealt = pack[: self.n * size]
        self.hands = [set(dealt[(seat - self.dealer - 1) % self.n :: self.n]) for seat in range(self.n)]
        self.given, self.bids, self.blinds, self.trick, self.turn = {}, {}, {}, [], None
        self.is_done = self.called_off = False
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
        passing = self.options.get("passing", "off")
        if passing != "rotate":
            return 1 if passing == "always_left" else 0
        steps = ROTATIONS[self.n]
        if self.options.get("hold_deal") == "skip":
            steps = steps[:-1]
        return steps[(self.deal - 1) % len(steps)]

    def _bid(self, seat: int, bid: int) -> bool:
        order = [(self.dealer + 1 + place) % self.n for place in range(self.n)]
        is_due = seat == next((other for other in order if other not in self.bids), None)
        if not is_due or len(self.blinds) == 1 or type(bid) is not int or not 0 <= bid <= 13:
            return False
        self.bids[seat] = bid
        return True

    def _blind(self, seat: int, blind: bool) -> bool:
        """Both of a side are asked whether they bid nil blind, before anybody bids."""
        if seat in self.blinds or self.bids or type(blind) is not bool:
            return False
        if self.blinds and (seat + 2) % 4 not in self.blinds:
            return False
        self.blinds[seat] = blind
        if len(self.blinds) == 2:
            self.bids = {other: 0 for other, is_blind in self.blinds.items() if is_blind}
        return True

    def _lone_blind(self) -> int | None:
        """Who has bid nil blind without the partner: the two exchange cards."""
        blind = [seat for seat, is_blind in self.blinds.items() if is_blind]
        return blind[0] if len(blind) == 1 else None

    def _next(self) -> int | None:
        """Whose turn it is to play; None before everybody has passed, bid and exchanged."""
        if self.turn is not None:
            return self.turn
        passing, exchanging = self.n if self._step() else 0, 0 if self._lone_blind() is None else 2
        if len(self.given) != (passing if self.kind == "hearts" else exchanging):
            return None
        if self.kind == "spades" and len(self.bids) != self.n:
            return None
        usual = "low_club" if self.kind == "hearts" else "dealer_left"
        if self.options.get("first_lead", usual) == "dealer_left":
            return (self.dealer + 1) % self.n
        return min(range(self.n), key=lambda seat: min(map(CARDS.index, self.hands[seat])))  # clubs are the first

    def _play(self, seat: int, card: str) -> bool:
        hand = self.hands[seat]
        if card not in hand or seat != self._next():
            return False
        if self.trick and card[1] != self.trick[0][1] and any(held[1] == self.trick[0][1] for held in hand):
            return False
        hand.remove(card)
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
            self.trick = []
            self.is_done = not any(self.hands)
        return True


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


def from_bytes(raw: bytes) -> dict[str, Any]:
    """The document in a file. Raises Unreadable."""
    try:
        record = json.loads(raw)
    except (ValueError, RecursionError):
        raise Unreadable("It is no JSON.") from None
    if not isinstance(record, dict) or record.get("format") != "moonshot-game" or record.get("version") != 1:
        raise Unreadable("It is not an exported game of version 1.")
    return record


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
        status, lines = answer(from_bytes(read_file(arguments[0])))
    except Unreadable as unreadable:
        sys.stderr.write(f"{unreadable}\n")
        return 2
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
