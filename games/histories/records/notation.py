"""A record as plain text: tags as in Portable Bridge Notation, then deals, passes, bids and tricks, a line each.

`games/tables/README.md` describes the notation. It carries everything: the JSON that is read from it is the JSON that
was written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from games.histories.records import FORMAT, VERSION, Record, checked
from games.histories.records.schema import MOST_BYTES, MOST_ENTRIES, BadRecord, Data, _
from games.rules.lines import strict_json

LONGEST_LINE = 2_000
CAUSES = {"": "player", "c": "cpu", "t": "timeout"}
LETTERS = {cause: letter for letter, cause in CAUSES.items()}
#: The word of a line to the kind of its answers and the key of what they say.
WORDS = {
    "pass": ("pass", "cards"),
    "skip": ("skip", ""),
    "blind": ("blind", "blind"),
    "bid": ("bid", "bid"),
    "exchange": ("exchange", "cards"),
    "trick": ("play", "card"),
    "moon": ("moon", "choice"),
    "finish": ("finish", "cards"),
}
WORD_OF = {kind: word for word, (kind, _key) in WORDS.items()}

_TAG = re.compile(r"\[([A-Z][A-Za-z]*)((?: [^\n]*)?)\]")
_DEALER = re.compile(r"(open|deal)(?: ([0-9]{1,4})\.([0-9]{1,4}))? ([+-][0-9]{1,15}): ([^\n]+)")
_ANSWERS = re.compile(r"([a-z]+)(?: ([0-9]{1,3}))?: ([^\n]+)")
_ANSWER = re.compile(r"([0-6])=([^+\s]*)([+-][0-9]{1,15})([ct]?)")
_OTHER = re.compile(r"! ([a-z_]{1,16}) ([0-6-]) ([a-z]{1,8}) ([+-][0-9]{1,15}) (\{[^\n]*\})")


class _Asks:
    """The names of the questions, from the entries so far: the deal, the attempt and the cards played."""

    def __init__(self, players: int) -> None:
        self.players = players
        self.first = self.deal = self.attempt = self.plays = 0
        self.called_off = False

    def of(self, kind: str, seat: int | None) -> str:
        """The question that an entry answers."""
        if seat is None or kind not in WORD_OF:
            return ""
        n = self.trick if kind in ("play", "finish") else 0
        if kind == "bid":
            n = (seat - self.first - self.deal) % self.players + 1  # the dealer is first + deal - 1
        phase = {"skip": "pass", "finish": "play"}.get(kind, kind)
        return f"{self.deal}.{self.attempt}.{phase}.{n}"

    @property
    def trick(self) -> int:
        """The trick that the next card belongs to."""
        return self.plays // self.players + 1

    def note(self, kind: str, data: Mapping[str, Any]) -> None:
        """One more entry."""
        if kind == "open":
            self.first = data.get("dealer", 0)
        elif kind == "skip":
            self.called_off = True
        elif kind == "play":
            self.plays += 1
        elif kind == "deal":
            self.deal, self.attempt = (self.deal, self.attempt + 1) if self.called_off else (self.deal + 1, 0)
            self.called_off, self.plays = False, 0


# --- writing ----------------------------------------------------------------------------------------------------------


def to_text(record: Record) -> str:
    """A record as text. Raises BadRecord for one that the notation cannot carry, which no game of the site is."""
    text = "".join(f"{line}\n" for line in (*_tags(record), *_body(record)))
    if from_text(text) != record:
        raise BadRecord(_("The text notation cannot carry this game."))
    return text


def _tags(record: Record) -> Iterator[str]:
    def tag(name: str, *values: object) -> str:
        return f"[{' '.join([name, *(json.dumps(value, ensure_ascii=False) for value in values)])}]"

    yield tag("Format", FORMAT, VERSION)
    yield tag("Kind", record["kind"])
    yield tag("Players", record["players"])
    yield tag("Rules", record["rules_version"])
    for name, value in sorted(record["options"].items()):
        yield tag("Option", name, value)
    if record["preset"] is not None:
        yield tag("Preset", record["preset"]["slug"], record["preset"]["version"])
    yield tag("Timer", record["timer_s"])
    for seat in record["seats"]:
        yield tag("Seat", seat["name"], seat["cpu"])
    yield tag("Code", record["code"])
    if record["commitment"] is not None:
        yield tag("Commitment", record["commitment"])
    if record["secret"] is not None:
        yield tag("Secret", record["secret"])
    yield tag("Nonces", *record["nonces"])
    for span in record.get("forks", ()):
        yield tag("Fork", span["ply"], span["code"])
    yield tag("Start", record["log"][0]["at"] if record["log"] else 0)
    if record["result"] is not None:
        yield tag("Places", *record["result"]["placings"])
        yield tag("Scores", *record["result"]["scores"])
        yield tag("End", record["result"]["reason"])
    yield ""


def _body(record: Record) -> Iterator[str]:
    asks = _Asks(record["players"])
    at = record["log"][0]["at"] if record["log"] else 0
    heading, answers = "", list[str]()
    for entry in record["log"]:
        kind, data, took = entry["kind"], entry["data"], f"{entry['at'] - at:+d}"
        at = entry["at"]
        word = WORD_OF.get(kind, "") if entry["cause"] in LETTERS else ""
        begun = f"{word} {asks.trick}" if word in ("trick", "finish") else word
        if answers and begun != heading:
            yield f"{heading}: {' '.join(answers)}"
            answers = []
        heading = begun
        if word:
            answers.append(f"{entry['seat']}={_said(kind, data)}{took}{LETTERS[entry['cause']]}")
        elif kind == "open":
            yield f"open {took}: {data.get('dealer')}"
        elif kind != "deal":
            seat = "-" if entry["seat"] is None else entry["seat"]
            said = json.dumps(data, sort_keys=True, separators=(",", ":"))
            yield f"! {kind} {seat} {entry['cause']} {took} {said}"
        asks.note(kind, data)
        if kind == "deal":
            yield ""
            yield f"deal {asks.deal}.{asks.attempt} {took}: {' '.join(data.get('pack', ()))}"
    if answers:
        yield f"{heading}: {' '.join(answers)}"


def _said(kind: str, data: Data) -> str:
    if "cards" in data:
        return ",".join(data["cards"]) or "-"
    if kind == "blind":
        return "yes" if data.get("blind") else "no"
    return str(next(iter(data.values()), ""))


# --- reading ----------------------------------------------------------------------------------------------------------


def from_text(text: str, first: int = 1) -> Record:
    """The record that a text is of. Raises BadRecord with one sentence: the line, and what is wrong there.

    `first` is the number of its first line, if it is part of a file.
    """
    if len(text) > MOST_BYTES:
        raise BadRecord(_("It is too large for a game."))
    reader = _Reader()
    for number, line in enumerate(text.removesuffix("\n").split("\n"), first):
        try:
            if len(line) > LONGEST_LINE:
                raise BadRecord(_("it has more than %(most)s characters"), most=LONGEST_LINE)
            reader.read(line.removesuffix("\r"))
        except BadRecord as bad:
            raise BadRecord(_("Line %(line)s: %(what)s."), line=number, what=bad) from None
    return checked(reader.record())


class _Reader:
    def __init__(self) -> None:
        self.tags: dict[str, list[Any]] = {}
        self.options: dict[str, Any] = {}
        self.seats: list[dict[str, Any]] = []
        self.forks: list[dict[str, Any]] = []
        self.log: list[dict[str, Any]] = []
        self.asks: _Asks | None = None
        self.at = 0

    def read(self, line: str) -> None:
        if not line or line.startswith("%"):
            return
        if line.startswith("["):
            self._tag(line)
        elif found := _DEALER.fullmatch(line):
            self._dealer(*found.groups())
        elif found := _OTHER.fullmatch(line):
            kind, seat, cause, took, data = found.groups()
            self._entry(kind, None if seat == "-" else int(seat), _json(data), cause, took)
        elif found := _ANSWERS.fullmatch(line):
            self._answers(*found.groups())
        else:
            raise BadRecord(_("it is neither a tag, nor answers, nor a deal"))

    def _tag(self, line: str) -> None:
        found = _TAG.fullmatch(line)
        if found is None or self.log:
            raise BadRecord(_("a tag is [Name value] and stands before the deals"))
        name, values = found[1], _values(found[2])
        if name == "Option" and len(values) == 2 and isinstance(values[0], str) and values[0] not in self.options:
            self.options[values[0]] = values[1]
        elif name == "Seat" and len(values) == 2:
            self.seats.append({"name": values[0], "cpu": values[1]})
        elif name == "Fork" and len(values) == 2:
            self.forks.append({"ply": values[0], "code": values[1]})
        elif name in _SINGLE and name not in self.tags and (_SINGLE[name] in (None, len(values))):
            self.tags[name] = values
        else:
            raise BadRecord(
                _("the tag %(tag)s is not known, is there twice, or has not its number of values"), tag=name
            )

    def _dealer(self, kind: str, deal: str | None, attempt: str | None, took: str, said: str) -> None:
        if kind == "open":
            if deal is not None or re.fullmatch("[0-6]", said) is None:
                raise BadRecord(_("open has the seat of the dealer, 0 to 6"))
            self._entry("open", None, {"dealer": int(said)}, "dealer", took)
            return
        self._entry("deal", None, {"pack": said.split(" ")}, "dealer", took)
        assert self.asks is not None
        if (deal, attempt) != (str(self.asks.deal), str(self.asks.attempt)):
            raise BadRecord(_("this is deal %(deal)s"), deal=f"{self.asks.deal}.{self.asks.attempt}")

    def _answers(self, word: str, number: str | None, said: str) -> None:
        if word not in WORDS:
            raise BadRecord(_("%(word)s is not known"), word=word)
        for token in said.split(" "):
            found = _ANSWER.fullmatch(token)
            if found is None:
                raise BadRecord(_("%(token)s is not seat=answer+time"), token=ascii(token)[:40])
            if self.asks is not None and number != (str(self.asks.trick) if word in ("trick", "finish") else None):
                raise BadRecord(_("that is not the number of the trick"))
            seat, value, took, letter = found.groups()
            kind, key = WORDS[word]
            self._entry(kind, int(seat), _data(kind, key, value), CAUSES[letter], took)

    def _entry(self, kind: str, seat: int | None, data: dict[str, Any], cause: str, took: str) -> None:
        if self.asks is None:
            players, begun = self.tags.get("Players"), self.tags.get("Start")
            if not players or not begun or type(players[0]) is not int or type(begun[0]) is not int:
                raise BadRecord(_("the tags Players and Start have to come first"))
            if not 2 <= players[0] <= 7:
                raise BadRecord(_("players are 2 to 7"))
            self.asks, self.at = _Asks(players[0]), begun[0]
        if len(self.log) == MOST_ENTRIES:
            raise BadRecord(_("a game has at most %(most)s entries"), most=MOST_ENTRIES)
        self.at += int(took)
        ask = self.asks.of(kind, seat)
        ply = len(self.log) + 1
        row = {"ply": ply, "seat": seat, "kind": kind, "ask": ask, "data": data, "cause": cause, "at": self.at}
        self.log.append(row)
        self.asks.note(kind, data)

    def record(self) -> dict[str, Any]:
        """The document, not yet checked. Raises BadRecord if a tag is missing."""
        tags = self.tags
        for name in ("Format", "Kind", "Players", "Rules", "Timer", "Code", "Nonces", "Start"):
            if name not in tags:
                raise BadRecord(_("The tag %(tag)s is missing."), tag=name)
        ended = [name in tags for name in ("Places", "Scores", "End")]
        if any(ended) and not all(ended):
            raise BadRecord(_("Of the tags Places, Scores and End there are all or none."))
        preset = tags.get("Preset")
        return {
            "format": tags["Format"][0],
            "version": tags["Format"][1],
            "kind": tags["Kind"][0],
            "players": tags["Players"][0],
            "options": self.options,
            "rules_version": tags["Rules"][0],
            "preset": None if preset is None else {"slug": preset[0], "version": preset[1]},
            "timer_s": tags["Timer"][0],
            "seats": self.seats,
            "code": tags["Code"][0],
            "commitment": tags["Commitment"][0] if "Commitment" in tags else None,
            "secret": tags["Secret"][0] if "Secret" in tags else None,
            "nonces": tags["Nonces"],
            **({"forks": self.forks} if self.forks else {}),
            "log": self.log,
            "result": {"placings": tags["Places"], "scores": tags["Scores"], "reason": tags["End"][0]}
            if all(ended)
            else None,
        }


#: Tags that stand there once, and how many values they have; None: any number.
_SINGLE: dict[str, int | None] = {
    "Format": 2,
    "Kind": 1,
    "Players": 1,
    "Rules": 1,
    "Preset": 2,
    "Timer": 1,
    "Code": 1,
    "Commitment": 1,
    "Secret": 1,
    "Nonces": None,
    "Start": 1,
    "Places": None,
    "Scores": None,
    "End": 1,
}
_DECODER = json.JSONDecoder()


def _values(text: str) -> list[Any]:
    """The values of a tag: JSON texts, numbers or null, each after one space."""
    values, at = [], 0
    while at < len(text):
        try:
            value, at = _DECODER.raw_decode(text, at + 1)
        except (ValueError, RecursionError):
            raise BadRecord(_("a value of a tag is a text in quotes, a number or null")) from None
        if isinstance(value, dict | list | float | bool) or (at < len(text) and text[at] != " "):
            raise BadRecord(_("a value of a tag is a text in quotes, a number or null"))
        values.append(value)
    return values


def _json(text: str) -> dict[str, Any]:
    try:
        read = strict_json(text)
    except (ValueError, RecursionError):
        raise BadRecord(_("what it says is no JSON")) from None
    assert isinstance(read, dict)  # it began with a brace
    return read


def _data(kind: str, key: str, value: str) -> dict[str, Any]:
    """What an answer says."""
    if kind == "skip" or (kind == "finish" and not value):
        if value:
            raise BadRecord(_("skip says nothing else"))
        return {}
    if key == "cards":
        return {"cards": [] if value == "-" else value.split(",")}
    if kind == "blind":
        if value not in ("yes", "no"):
            raise BadRecord(_("blind is yes or no"))
        return {"blind": value == "yes"}
    if kind == "bid":
        if re.fullmatch("[0-9]{1,2}", value) is None:
            raise BadRecord(_("a bid is a number"))
        return {"bid": int(value)}
    return {key: value}
