"""Changes to a record, each of one sort at a place that is drawn: what somebody may do who wants another game to have
been played. All give None where the record has no such place.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

from games import verify
from games.kinds import options_for

#: A record, or what somebody has made of one.
Record = Any
#: Entries of the site that say nothing about the cards: they may be anywhere.
BESIDE = ("stand_in", "back", "outage")


def _entries(record: Record, *kinds: str) -> list[dict[str, Any]]:
    return [entry for entry in record["log"] if entry["kind"] in kinds]


def _number(record: Record) -> None:
    for ply, entry in enumerate(record["log"], 1):
        entry["ply"] = ply


def another_card(record: Record, rng: random.Random) -> None:
    said = rng.choice(_entries(record, "play"))["data"]
    said["card"] = rng.choice([card for card in verify.CARDS if card != said["card"]])


def another_card_given(record: Record, rng: random.Random) -> None:
    cards = rng.choice(_entries(record, "pass", "exchange"))["data"]["cards"]
    cards[0] = rng.choice([card for card in verify.CARDS if card not in cards])


def own_cards_in_another_order(record: Record, rng: random.Random) -> None:
    one = rng.choice(_entries(record, "play"))
    other = rng.choice([entry for entry in _entries(record, "play") if 0 < entry["ply"] - one["ply"] < 52])
    if one["seat"] == other["seat"]:
        one["data"], other["data"] = other["data"], one["data"]


def another_seat(record: Record, rng: random.Random) -> None:
    entry = rng.choice(_entries(record, "play", "bid", "pass"))
    entry["seat"] = (entry["seat"] + rng.randrange(1, record["players"])) % record["players"]


def another_bid(record: Record, rng: random.Random) -> None:
    said = rng.choice(_entries(record, "bid"))["data"]
    said["bid"] = (said["bid"] + rng.randrange(1, 14)) % 14


def another_blind(record: Record, rng: random.Random) -> None:
    said = rng.choice(_entries(record, "blind"))["data"]
    said["blind"] = not said["blind"]


def another_moon(record: Record, rng: random.Random) -> None:
    said = rng.choice(_entries(record, "moon"))["data"]
    said["choice"] = {"add": "subtract", "subtract": "add"}[said["choice"]]


def another_rest(record: Record, rng: random.Random) -> None:
    said = rng.choice(_entries(record, "finish"))["data"]
    said["cards"] = said.get("cards", ["2C", "3C"])[1:]


def the_rest_laid_down(record: Record, rng: random.Random) -> None:
    log = record["log"]
    begin = rng.choice(_entries(record, "play"))["ply"] - 1
    end = next((place for place in range(begin, len(log)) if log[place]["kind"] == "deal"), len(log))
    log[begin:end] = [log[begin] | {"kind": "finish", "data": {}}]
    _number(record)


def left_out(record: Record, rng: random.Random) -> None:
    place = rng.randrange(1, len(record["log"]))
    if record["log"][place]["kind"] not in BESIDE:
        record["log"].pop(place)
        _number(record)


def twice(record: Record, rng: random.Random) -> None:
    place = rng.randrange(1, len(record["log"]))
    if record["log"][place]["kind"] not in BESIDE:
        record["log"].insert(place, copy.deepcopy(record["log"][place]))
        _number(record)


def another_order(record: Record, rng: random.Random) -> None:
    log, place = record["log"], rng.randrange(1, len(record["log"]) - 1)
    if not {log[place]["kind"], log[place + 1]["kind"]} & {*BESIDE, "pass", "exchange", "blind"}:
        log[place], log[place + 1] = log[place + 1], log[place]
        _number(record)


def the_last_deals_cut_off(record: Record, rng: random.Random) -> None:
    dealt = rng.choice(_entries(record, "deal")[1:])
    record["log"] = record["log"][: dealt["ply"] - 1]


def broken_off(record: Record, rng: random.Random) -> None:
    place = rng.randrange(2, len(record["log"]))
    void = {"seat": None, "kind": "void", "ask": "", "data": {"reason": "vote"}, "cause": "dealer"}
    record["log"] = [*record["log"][:place], record["log"][place] | void]


def another_place(record: Record, rng: random.Random) -> None:
    places = record["result"]["placings"]
    places[0] = places[0] % record["players"] + 1


def another_score(record: Record, rng: random.Random) -> None:
    scores = record["result"]["scores"]
    scores[rng.randrange(len(scores))] += rng.choice([-10, -1, 1, 10])


def another_option(record: Record, rng: random.Random) -> None:
    option = rng.choice(options_for(record["kind"], {}).declared())
    known: list[Any] = [value.value for value in option.values] or [option.low, option.high]
    record["options"][option.name] = rng.choice(known)


WAYS: tuple[Callable[[Record, random.Random], None], ...] = (
    *(another_card, another_card_given, own_cards_in_another_order, another_seat, another_bid, another_blind),
    *(another_moon, another_rest, the_rest_laid_down, left_out, twice, another_order, the_last_deals_cut_off),
    *(broken_off, another_place, another_score, another_option),
)
#: After these a game could never have been played so, whatever it was.
NEVER = (another_bid, another_moon, another_rest, the_last_deals_cut_off, another_place, another_score)


def tampered_with(record: Record, way: Callable[[Record, random.Random], None], rng: random.Random) -> Record | None:
    """The record, changed; None where it has no place for that, or is as it was."""
    other = copy.deepcopy(record)
    try:
        way(other, rng)
    except (IndexError, TypeError):  # no such entry, or no result
        return None
    return None if other == record else other
