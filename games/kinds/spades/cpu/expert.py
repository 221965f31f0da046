"""Spades for experts: every question answered by playing each answer out in deals that fit what was seen and heard.

Work is counted in playouts. Without a budget a clock stops the search as well, so that no answer is late on a slow or
busy machine; with one the answer is the same for the same view, generator and budget.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

import numpy as np

from games.cpu.kernel import CARD, PLACE, bits_of, generator
from games.cpu.memory import Memory
from games.kinds import rules_for
from games.kinds.spades.cpu import kernel as k
from games.kinds.spades.cpu import normal as spades
from games.kinds.spades.cpu.deals import Deals, Supply, deals_of
from games.kinds.spades.cpu.ending import ENDING, solve_cards
from games.kinds.spades.cpu.hands import nil_odds, tricks_of
from games.kinds.spades.cpu.kernel import Numbers, legal
from games.kinds.spades.cpu.policy import WEIGHED, weigh
from games.kinds.spades.cpu.search import judge, try_cards
from games.kinds.spades.cpu.table import table_of
from games.kinds.spades.cpu.tact import untactful
from games.kinds.spades.cpu.trial import BID, BLIND, GIFT, deal_blind, try_answers
from games.kinds.spades.cpu.value import Floats, point
from games.kinds.spades.cpu.weights import WEIGHTS
from games.kinds.spades.cpu.worlds import alike
from games.rules import Action, View, in_order
from games.rules.cards import STRENGTH

#: Playouts for a card, and for what comes before the first trick; and within how many seconds the last batch ends.
CARD_WORK, BID_WORK = 2500, 4000
CARD_STOP_S, BID_STOP_S = 0.016, 0.036
#: Deals at most, and in a batch; in one of those that are solved, which takes longer.
MOST_DEALS, BATCH, ENDING_BATCH = 800, 32, 8
#: A choice is given up when it is worse than the best by so many standard errors, after this many deals.
SURELY, EARLY = 2.6, 64
#: The same for bids and gifts, of which there is one a deal.
BID_SURELY, BID_EARLY = 3.5, 128
#: How many points the rules are off, about, in what they think of a card.
DOUBT = 6.0
#: A blind nil has to be worth so many points more than no nil: people defend better than the rules do.
BLIND_DOUBT = 50.0
#: Bids this far from the estimate of the hand are tried, and nil from these odds on.
BID_REACH = 3
NIL_ODDS = -2.5
#: Of so many cards two are given: the highest for a nil, else the lowest, a spade being so many ranks higher.
LIKELY_GIFTS, SPADE_GIFT = 8, 4
GIVEN = 2

#: Fills in the values of the choices that are still tried, in deals from one number to another.
Try = Callable[[int, int], None]


class Trial:
    """Choices, and what they came to in the deals played so far.

    `guesses` is what is thought of them before, and `doubt` how far that may be off, 0 if nothing is thought of them.
    """

    def __init__(self, number: int, deals: int, guesses: Floats | None = None, doubt: float = 0.0) -> None:
        self.values = np.zeros((deals, number))
        self.tried = np.ones(number, np.bool_)
        self.guesses = np.zeros(number) if guesses is None else guesses - guesses.mean()
        self.doubt = doubt
        self.means, self.errors = np.zeros(number), np.zeros(number)
        self.played = 0

    def run(
        self,
        play: Try,
        work: float,
        stop: float | None,
        surely: float = SURELY,
        early: int = EARLY,
        most: int = BATCH,
    ) -> None:
        """Plays batches of deals until one choice is left, the work is done or another batch might end after `stop`."""
        longest, now = 0.0, time.perf_counter()
        while self.played < len(self.values) and (self.played == 0 or work >= self.tried.sum()):
            batch = min(most, max(1, int(work / self.tried.sum())))
            last = min(self.played + batch, len(self.values))
            play(self.played, last)
            work -= (last - self.played) * int(self.tried.sum())
            self.played = last
            judge(self.values, self.tried, self.played, self.doubt, self.guesses, self.means, self.errors)
            if self.played >= early:
                self.tried &= self.means >= self.means.max() - surely * self.errors - 1e-12
            began, now = now, time.perf_counter()
            longest = max(longest, now - began)
            if self.tried.sum() == 1 or (stop is not None and now + longest > stop):
                break
        self.means[~self.tried] = -np.inf


def choose(view: View, rng: random.Random, budget: float | None = None) -> Action:
    """The answer to any question of Spades."""
    start = time.perf_counter()
    ask, seat = view.ask, view.seat
    assert ask is not None
    assert seat is not None
    seed = rng.getrandbits(62)
    if view.phase == "play" and len(ask.cards) == 1:
        return Action("play", seat, card=ask.cards[0])
    card_work, bid_work = (CARD_WORK, BID_WORK) if budget is None else (budget, budget)
    card_stop, bid_stop = (start + CARD_STOP_S, start + BID_STOP_S) if budget is None else (None, None)
    if view.phase == "blind":
        return Action("blind", seat, blind=choose_blind(view, seed, bid_work))
    known = deals_of(view)
    if known is None or (view.phase == "exchange" and ask.count != GIVEN):  # a view that no deal fits
        rules = rules_for(view.kind, view.players, view.options)
        return spades.choose(view, rules, Memory(view, rules), rng)
    if view.phase == "bid":
        return Action("bid", seat, bid=choose_bid(view, known, seed, bid_work, bid_stop))
    if view.phase == "exchange":
        return Action("exchange", seat, cards=choose_gift(view, known, seed, bid_work, bid_stop))
    return Action("play", seat, card=choose_card(view, known, seed, card_work, card_stop))


# --- play -----------------------------------------------------------------------------------------------------------


def choose_card(view: View, known: Deals, seed: int, work: float, stop: float | None) -> str:
    """The card with the highest value; where it hardly matters, none that a partner would wonder at."""
    assert view.ask is not None
    table, seat = known.table, known.me
    hand = bits_of(view.hand or ())
    cards = np.array(distinct(bits_of(view.ask.cards), k.between(hand, table)), np.int64)
    if len(cards) == 1:
        return CARD[int(cards[0])]
    deals = Supply(known, MOST_DEALS, seed)
    worth = point(table, seat % 2)
    trial = Trial(len(cards), MOST_DEALS, -costs_of(cards, hand, table) * worth, DOUBT * worth)

    def play(first: int, last: int) -> None:
        worlds = deals.up_to(last)
        if hand.bit_count() <= ENDING:
            solve_cards(worlds, table, cards, trial.tried, seat % 2, first, last, trial.values)
        else:
            try_cards(worlds, table, cards, trial.tried, seat % 2, first, last, WEIGHTS, trial.values)

    trial.run(play, work, stop, most=BATCH if hand.bit_count() > ENDING else ENDING_BATCH)
    means = trial.means
    means -= worth * untactful(cards, hand, table)
    return CARD[int(cards[means.argmax()])]


def costs_of(cards: Numbers, hand: int, table: Numbers) -> Floats:
    """What the rules think that each card costs, in points; in the middle for one they give no thought."""
    tried, costs = np.zeros(WEIGHED, np.int64), np.zeros(WEIGHED)
    number = weigh(hand, legal(hand, table), table, WEIGHTS, tried, costs)
    out = k.between(hand, table)
    found = np.full(len(cards), costs[:number].mean())
    for i, card in enumerate(cards):
        same = [costs[j] for j in range(number) if alike(int(tried[j]), int(card), out)]
        if same:
            found[i] = min(same)
    return found


def distinct(may: int, out: int) -> list[int]:
    """Of each run of cards that are the same to play, the lowest."""
    found: list[int] = []
    for suit in range(0, 64, 16):
        in_run = False
        for place in range(suit, suit + 13):
            if may >> place & 1:
                if not in_run:
                    found.append(place)
                in_run = True
            elif out >> place & 1:
                in_run = False
    return found


# --- before the first trick -----------------------------------------------------------------------------------------


def choose_bid(view: View, known: Deals, seed: int, work: float, stop: float | None) -> int:
    """The bid with the highest value."""
    assert view.ask is not None
    hand = bits_of(view.hand or ())
    middle = round(tricks_of(hand))
    near = range(max(1, middle - BID_REACH), max(1, middle + BID_REACH) + 1)
    bids = [bid for bid in view.ask.bids if bid in near or (bid == 0 and nil_odds(hand) > NIL_ODDS)]
    if not bids:
        bids = list(view.ask.bids)
    if len(bids) == 1:
        return bids[0]
    return bids[best_answer(known, BID, bids, seed, work, stop, BID_SURELY, BID_EARLY)]


def best_answer(
    known: Deals,
    what: int,
    answers: Sequence[int],
    seed: int,
    work: float,
    stop: float | None,
    surely: float = SURELY,
    early: int = EARLY,
) -> int:
    """The place of the answer with the highest value."""
    choices = np.array(answers, np.int64)
    deals = Supply(known, MOST_DEALS, seed)
    trial = Trial(len(choices), MOST_DEALS)

    def play(first: int, last: int) -> None:
        worlds = deals.up_to(last)
        try_answers(worlds, known.table, known.me, what, choices, trial.tried, first, last, WEIGHTS, trial.values)

    trial.run(play, work, stop, surely, early)
    return int(trial.means.argmax())


def choose_blind(view: View, seed: int, work: float) -> bool:
    """Whether a nil bid blind is worth more than the hand that is not seen yet.

    Of two partners only the one nearer to the dealer's left asks itself, since two blind nils at once are hopeless.
    """
    assert view.seat is not None
    first = ((view.dealer or 0) + 1) % 4
    if (view.seat - first) % 4 > 1:
        return False
    table, number = table_of(view), min(MOST_DEALS, max(8, int(work / 10)))
    worlds, rng = np.zeros((number, 4), np.int64), generator(seed)
    for hands in worlds:
        deal_blind(hands, rng)
    values, answers = np.zeros((number, 2)), np.arange(2)
    try_answers(worlds, table, view.seat, BLIND, answers, answers >= 0, 0, number, WEIGHTS, values)
    no, yes = values.mean(axis=0)
    return bool(yes > no + BLIND_DOUBT * point(table, view.seat % 2))


def choose_gift(view: View, known: Deals, seed: int, work: float, stop: float | None) -> tuple[str, ...]:
    """The two cards to give with the highest value, of those that are likeliest to be."""
    assert view.ask is not None
    nil = view.bids[known.me] == 0
    likely = sorted(view.ask.cards, key=lambda card: STRENGTH[card] + SPADE_GIFT * (card[1] == "S"), reverse=nil)
    cards = [1 << PLACE[card] for card in likely[:LIKELY_GIFTS]]
    pairs = [one | two for i, one in enumerate(cards) for two in cards[i + 1 :]]
    chosen = pairs[best_answer(known, GIFT, pairs, seed, work, stop)]
    return in_order(card for card in view.ask.cards if chosen >> PLACE[card] & 1)
