"""The text notation of a game, read into the document that its JSON is, as far as it is checked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from games.verify.faults import Unreadable
from games.verify.walk import NOT_NAMED

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
