"""The players that the arena can seat, by name.

`beginner`, `normal`, `expert`: the levels; `expert@2000`: with a budget of so much work. `random`; `rule`: a short
rule player without memory of the moon; `pimc`: UCT in sampled deals (`pimc_uct`), and `pimc@30x333` with so many
worlds and simulations; these two play Hearts only. `package:level`: a level of another copy of the package, such as a
version frozen earlier: anything on the path that has a `choose_action`.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable

from games.cpu import LEVELS
from games.kinds import rules_for
from games.kinds.cpu import choose_action
from games.rules import Action, View
from games.rules.cards import STRENGTH
from tests.bench import pimc_uct

#: Answers a view.
Player = Callable[[View, random.Random], Action]
#: Players that know one kind only.
HEARTS_ONLY = ("rule", "pimc")


def player_of(name: str) -> Player:
    """The player of that name; ends the program if there is none."""
    known: dict[str, Player] = {"random": at_random, "rule": by_rule, "pimc": pimc_uct.choose}
    if name in known:
        return known[name]
    package, _, level = name.rpartition(":")
    level, _, work = level.partition("@")
    try:
        if level == "pimc" and not package:
            worlds, simulations = (int(number) for number in work.split("x"))
            return lambda seen, rng: pimc_uct.choose(seen, rng, worlds, simulations)
        choose = importlib.import_module(package).choose_action if package else choose_action
        budget = float(work) if work else None
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise SystemExit(f"no player {name}: {error}") from None
    if not package and level not in LEVELS:
        raise SystemExit(f"no player {name}: one of {', '.join((*LEVELS, *known))}, level@work or package:level")
    return lambda seen, rng: choose(seen, level, rng, budget)


def at_random(seen: View, rng: random.Random) -> Action:
    """Any answer; only bids are those of a sane player, since wild ones would decide every deal."""
    ask = seen.ask
    assert ask is not None
    if ask.phase in ("pass", "exchange"):
        return Action(ask.phase, seen.seat, cards=tuple(rng.sample(ask.cards, ask.count)))
    if ask.phase == "bid":
        return Action("bid", seen.seat, bid=rng.choice((2, 3, 3, 4)))
    if ask.phase == "blind":
        return Action("blind", seen.seat, blind=False)
    if ask.phase == "moon":
        return Action("moon", seen.seat, choice=rng.choice(("add", "subtract")))
    return Action("play", seen.seat, card=rng.choice(ask.cards))


# --- Hearts by rule -------------------------------------------------------------------------------------------------


def by_rule(seen: View, rng: random.Random) -> Action:
    """Hearts as a careful person plays it who does not think of the moon: duck high, lead low, throw what is dear."""
    ask = seen.ask
    assert ask is not None
    if ask.phase == "moon":
        return Action("moon", seen.seat, choice="add")
    if ask.phase == "pass":
        return Action("pass", seen.seat, cards=tuple(sorted(ask.cards, key=dear(ask.cards), reverse=True)[:3]))
    if not seen.trick:
        return Action("play", seen.seat, card=rule_lead(seen, ask.cards))
    best = seen.trick[rules_for("hearts", seen.players).winner(0, seen.trick)]
    if ask.cards[0][1] != best[1]:
        return Action("play", seen.seat, card=max(ask.cards, key=dear(ask.cards)))
    return Action("play", seen.seat, card=rule_follow(seen, ask.cards, best))


def dear(hand: tuple[str, ...]) -> Callable[[str], float]:
    """How much one would like to be rid of a card."""
    length = {suit: sum(card[1] == suit for card in hand) for suit in "CDHS"}

    def worth(card: str) -> float:
        if card == "QS":
            return 40.0 if length["S"] < 5 else 0.0
        if card in ("KS", "AS"):
            return 30.0 if length["S"] < 5 else 0.0
        if card[1] == "S":
            return -10.0
        return STRENGTH[card] + (2.0 if card[1] == "H" else 0.0) - length[card[1]]

    return worth


def rule_lead(seen: View, cards: tuple[str, ...]) -> str:
    """A low spade to drive out the queen, else the lowest card, from a short suit."""
    hand = seen.hand or ()
    gone = any("QS" in trick.cards for trick in seen.tricks)
    low = [card for card in cards if card[1] == "S" and STRENGTH[card] < 10]
    if low and not gone and not {"QS", "KS", "AS"} & set(hand):
        return low[-1]
    safe = [card for card in cards if card not in ("QS", "KS", "AS")] or list(cards)
    return min(safe, key=lambda card: (STRENGTH[card], sum(other[1] == card[1] for other in hand)))


def rule_follow(seen: View, cards: tuple[str, ...], best: str) -> str:
    """The highest card that does not win; the highest of all where nothing is at stake; else the lowest."""
    under = [card for card in cards if STRENGTH[card] < STRENGTH[best]]
    if "QS" in under:
        return "QS"
    last = len(seen.trick) == seen.players - 1
    points = any(card[1] == "H" or card == "QS" for card in seen.trick)
    calm = [card for card in cards if card != "QS"] or list(cards)
    if not seen.tricks or (last and not points):
        return calm[-1]
    if under:
        return under[-1]
    return calm[-1] if last else calm[0]
