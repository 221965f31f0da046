"""Hearts: which card to play. Each card that may be played gets a cost in points; the cheapest is played.

A cost is a weighted sum of a few named things. The weights were fitted by least squares to sampled deals played out
after each card, apart for leading, following and discarding, because the same thing weighs differently in each;
matches in the arena tell whether a change helps.
"""

from __future__ import annotations

import random

from games.cpu.memory import JACK, QUEEN, Memory
from games.kinds.hearts.cpu.moons import MOON, choose_moon, moon_pass, shoot, shoots, threat_in
from games.kinds.hearts.cpu.passing import choose_pass
from games.rules import Action, Rules, View
from games.rules.cards import STRENGTH

Weights = dict[str, float]

#: `win`: the chance to take the trick. `points`, `hearts`, `queen`, `queen_caught`: that chance times the points on the
#: table, the hearts that later seats add, the queen thrown by a void seat, the queen falling under the king or ace.
#: `guards`: change of the danger around the queen of spades. `share`: of the lower cards among those out. `lowest`,
#: `lowest_left`: the same of the lowest own card of the suit, before and after. `left`: own cards left in the suit.
LEAD: Weights = {
    "win": 0.7,
    "points": 0.7,
    "hearts": 0.7,
    "queen": 0.95,
    "queen_caught": 1.0,
    "guards": 0.44,
    "lowest": -1.4,
    "left": 0.13,
    "master": 1.3,  # nobody else holds the suit, so nobody can take the lead
    "smoke": -0.8,  # a spade under the queen that another seat holds, with no king or ace at risk
    "smoke_guarded": -1.95,  # the same with one at risk but well guarded
    "smoke_risky": -0.25,
}
FOLLOW: Weights = {
    "win": 0.45,
    "points": 1.2,
    "hearts": 1.2,
    "queen": 1.65,
    "queen_caught": 1.25,
    "guards": 0.76,
    "rank": -0.54,
    "lowest_left": 1.7,
    "guard_spent": 2.6,  # a spade that guards the own queen
    "queen_gone": -2.3,
}
DISCARD: Weights = {
    "queen_gone": -3.25,
    "share": -1.15,
    "lowest": -1.45,
    "lowest_left": 1.5,
    "left": 0.11,
    "out": -0.07,  # cards of the suit that are out
    "guards": 0.24,
}

#: How often a seat that can play over or under the best card plays over: with points in the trick, as the last seat
#: without points, in an early round of a suit, else.
WILLING = (0.03, 0.85, 0.5, 0.15)

#: Of the cost of a moon, what one defender counts as its own business, since others may stop it too; and what giving
#: up a stopper costs, as a share of the moon.
DEFENCE = 0.5
STOPPER = 0.15
#: How likely a threatening seat that plays later takes a trick that this seat does not.
IT_TAKES = 0.6

#: What a point is worth, given to the best placed of the others, or to a seat that it may bring to the final score.
RIVAL = 0.1
END = 0.3

#: A lone queen of spades is caught this often, a lone ace or king catches her this often.
QUEEN_CAUGHT = 0.75
TOP_CATCHES = 0.4

#: How likely the own jack of diamonds wins its trick, by the number of higher diamonds out, and more with low diamonds
#: beside it; how likely another seat's jack is caught by each higher diamond held, two at most.
JACK_MINE = (0.9, 0.5, 0.3, 0.1)
JACK_COVER = 0.1
JACK_CAUGHT = 0.12
#: How likely a later seat with the jack has to play it under a higher diamond.
JACK_FALLS = 0.5


def choose(view: View, rules: Rules, memory: Memory, rng: random.Random) -> Action:
    """The answer to any question of Hearts. Only who counts cards thinks of the moon."""
    ask = view.ask
    assert ask is not None
    if view.phase == "moon":
        return Action("moon", view.seat, choice=choose_moon(view, rules))
    if view.phase == "pass":
        planned = moon_pass(ask.cards, ask.count, memory) if memory.counting and view.options["moon"] != "off" else None
        return Action("pass", view.seat, cards=planned or choose_pass(view, memory))
    if memory.counting and shoots(view, memory):
        return Action("play", view.seat, card=shoot(view, memory))
    play = Play(view, rules, memory)
    return Action("play", view.seat, card=min(ask.cards, key=play.cost))


class Play:
    """One decision: what each card that may be played would cost."""

    def __init__(self, view: View, rules: Rules, memory: Memory) -> None:
        self.view, self.memory = view, memory
        self.barred = not view.tricks and view.options["first_trick_points"] == "no"
        self.points = {card: 1.0 for card in rules.deck if card[1] == "H"} | {"QS": 13.0}
        self.jack = view.options["jack_of_diamonds"] == "minus_ten"
        if self.jack:
            self.points["JD"] = -10.0
        self.on_table = sum(self.points.get(card, 0.0) for card in view.trick)
        if not view.tricks and memory.hidden:
            unseen = [card for card in rules.deck if STRENGTH[card] in memory.out[card[1]]]
            self.on_table += sum(self.points.get(card, 0.0) for card in unseen) * memory.hidden / len(unseen)
        self.queen_out = min(1.0, sum(memory.holds(seat, "QS") for seat in memory.others))
        self.guards = self.queen_danger(memory.mine["S"], self.queen_out)
        self.penalty = frozenset(card for card in rules.deck if card[1] == "H" or card == "QS")
        self.threat = threat_in(view, memory, self.penalty) if memory.counting else None

    def cost(self, card: str) -> float:
        memory = self.memory
        if memory.best is None:
            things, weights = self.lead(card), LEAD
        elif card[1] == memory.led:
            things, weights = self.follow(card), FOLLOW
        else:
            things, weights = self.discard(card), DISCARD
        cost = sum(weights[name] * value for name, value in things.items()) + self.jack_cost(card)
        if memory.winner is not None and "win" not in things:
            cost += self.points.get(card, 0.0) * self.reluctance(memory.winner)
        if self.threat:
            cost += self.moon_cost(card, things.get("win", 0.0))
        return cost

    def reluctance(self, seat: int) -> float:
        """What it costs to give a point to this seat, for the sake of the places at the end of the game.

        The nearest rival for a place is the best to hit. A seat about to end the game is not, unless that wins it.
        """
        view = self.view
        if not self.memory.counting:
            return 0.0
        scores = [score + points for score, points in zip(view.scores, view.points_taken, strict=True)]
        own = scores[self.memory.me]
        others = [score for other, score in enumerate(scores) if other != self.memory.me]
        near_end = scores[seat] + 13 >= int(view.options["end_score"])
        if near_end:
            return -END if own < min(others) else END
        return -RIVAL if scores[seat] == min(others) and max(view.scores) else 0.0

    def moon_cost(self, card: str, win: float) -> float:
        """What the moon of the threatening seat may still cost after this card."""
        memory, threat = self.memory, self.threat
        assert threat is not None
        here = sum(c in self.penalty for c in (*self.view.trick, card))
        after = threat.chance(here)
        goes_on = 1.0  # if this seat does not take the trick: no point in it, or the threatening seat takes it
        if here and memory.winner != threat.seat:
            goes_on = IT_TAKES if threat.seat in memory.later else 0.0
        left = (1.0 - win) * goes_on
        if not here and memory.best is not None:  # a clean trick stops nobody; to a lead others will add points
            left += win
        stopper = card[1] == "H" and not win and memory.out["H"] and STRENGTH[card] > memory.out["H"][-1]
        return MOON * after * (DEFENCE * left + (STOPPER if stopper else 0.0))

    # --- what there is to weigh -------------------------------------------------------------------------------------

    def lead(self, card: str) -> Weights:
        memory, suit, strength = self.memory, card[1], STRENGTH[card]
        things = self.winning(card)
        mine = memory.mine[suit]
        things["guards"] = self.guards_after(card) - self.guards
        things["lowest"] = memory.share(suit, mine[0])
        things["left"] = len(mine) - 1
        things["master"] = not memory.out[suit]
        if suit == "S" and strength < QUEEN and self.queen_out:
            tops = sum(s > QUEEN for s in mine)
            name = "smoke" if not tops else "smoke_guarded" if len(mine) - tops > 2 else "smoke_risky"
            things[name] = self.queen_out
        return things

    def follow(self, card: str) -> Weights:
        memory, suit, strength = self.memory, card[1], STRENGTH[card]
        mine = memory.mine[suit]
        rest = mine[1:] if strength == mine[0] else mine
        wins = memory.best is not None and strength > STRENGTH[memory.best]
        things = self.winning(card) if wins else {}
        things["guards"] = self.guards_after(card) - self.guards
        things["rank"] = strength / 12
        things["lowest_left"] = memory.share(suit, rest[0]) if len(mine) > 1 else 0.0
        things["guard_spent"] = suit == "S" and QUEEN in mine and strength != QUEEN
        things["queen_gone"] = card == "QS" and not wins
        return things

    def discard(self, card: str) -> Weights:
        memory, suit, strength = self.memory, card[1], STRENGTH[card]
        mine = memory.mine[suit]
        rest = mine[1:] if strength == mine[0] else mine
        return {
            "queen_gone": card == "QS",
            "share": memory.share(suit, strength),
            "lowest": memory.share(suit, mine[0]),
            "lowest_left": memory.share(suit, rest[0]) if len(mine) > 1 else 0.0,
            "left": len(mine) - 1,
            "out": len(memory.out[suit]),
            "guards": self.guards_after(card) - self.guards,
        }

    def winning(self, card: str) -> Weights:
        """What taking the trick with this card, which is the best so far, would bring."""
        memory, suit, strength = self.memory, card[1], STRENGTH[card]
        points = self.on_table + self.points.get(card, 0.0)
        win, hearts, queen, caught, jack = 1.0, 0.0, 0.0, 0.0, 0.0
        for seat in memory.later:
            win *= 1.0 - memory.over(seat, suit, strength, self.willing(suit, strength, points, seat))
            void = memory.void(seat, suit)
            if suit == "H":
                hearts += 1.0 - void
            elif suit == "S" and strength > QUEEN:
                caught += 13.0 * memory.holds(seat, "QS")
            elif suit == "D" and self.jack and strength > JACK:
                jack -= 10.0 * JACK_FALLS * memory.holds(seat, "JD")
            if void and not self.barred:
                thrown = memory.holds(seat, "QS") if suit != "S" else 0.0
                queen += 13.0 * void * thrown
                if suit != "H":
                    hearts += void * (1.0 - thrown) * (1.0 - memory.void(seat, "H"))
        return {
            "win": win,
            "points": win * (points + jack),
            "hearts": win * hearts,
            "queen": win * queen,
            "queen_caught": win * caught,
        }

    def willing(self, suit: str, strength: int, points: float, seat: int) -> float:
        """How likely a later seat plays over this card though it holds a lower one."""
        memory = self.memory
        if points > 0 or suit == "H":
            return WILLING[0]
        if points < 0:  # the jack of diamonds is to be had
            return WILLING[1]
        if suit == "S" and self.queen_out and strength < QUEEN:
            return WILLING[3]
        if seat == memory.later[-1]:
            return WILLING[1]
        early = len(memory.out[suit]) > 2 * len(memory.others)
        return WILLING[2] if early else WILLING[3]

    # --- the queen of spades and the jack of diamonds ---------------------------------------------------------------

    def guards_after(self, card: str) -> float:
        """`guards` once the card is played."""
        if card[1] != "S":
            return self.guards
        rest = [s for s in self.memory.mine["S"] if s != STRENGTH[card]]
        return self.queen_danger(rest, 0.0 if card == "QS" else self.queen_out)

    def queen_danger(self, mine: list[int], queen_out: float) -> float:
        """Points at risk with these spades: of being caught with the queen, or of catching her with the ace or king."""
        followers = self.memory.followers("S")
        rounds = len(self.memory.out["S"]) / followers if followers else 0.0
        if QUEEN in mine:
            return 13.0 * QUEEN_CAUGHT * _exposed(len(mine) - 1, rounds)
        tops = sum(strength > QUEEN for strength in mine)
        return 13.0 * queen_out * TOP_CATCHES * tops * _exposed(len(mine) - tops, rounds)

    def jack_cost(self, card: str) -> float:
        """What the card takes from the chance to win the jack of diamonds later."""
        if not self.jack or card[1] != "D":
            return 0.0
        mine, out = self.memory.mine["D"], self.memory.out["D"]
        rest = [s for s in mine if s != STRENGTH[card]]
        return 10.0 * (_jack_chance(mine, out) - _jack_chance(rest, out))


def _jack_chance(mine: list[int], out: list[int]) -> float:
    """How likely these diamonds will win the jack of diamonds."""
    if JACK in mine:
        higher = sum(s > JACK for s in out)
        return JACK_MINE[higher] + JACK_COVER * (len(mine) > higher + 1)
    return JACK_CAUGHT * min(2, sum(s > JACK for s in mine)) if JACK in out else 0.0


def _exposed(guards: int, rounds: float) -> float:
    """How much of the danger is left with so many other cards of the suit, when it is led so many more times."""
    return float(max(0.0, 1.0 - guards / (rounds + 1.0)) ** 1.3)
