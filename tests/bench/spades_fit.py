"""Fits the weights of the Spades rules to deals that they play out themselves, and prints the rows of `spades_weights`.

Run: python -m tests.bench.spades_fit [rounds] [deals]

Each round plays deals by the rules, some cards at random. At some of the plays every card worth a thought is tried in
sampled deals and played out; what it comes to, against the mean of the cards, is what the weights are fitted to, for
each aim and each place in the trick. Then the new rules play the old ones: pairs of the same deal from both sides.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from games.cpu.kernel import ALL, Generator, any_of, chance, compiled, count, generator
from games.kinds.spades.cpu import kernel as k
from games.kinds.spades.cpu import policy
from games.kinds.spades.cpu.kernel import ONE, Numbers
from games.kinds.spades.cpu.trial import bid_on, deal_blind
from games.kinds.spades.cpu.value import Floats
from games.kinds.spades.cpu.weights import WEIGHTS
from games.kinds.spades.cpu.worlds import Hands, count_ways, sample

ROWS, DEALS_A_PLAY, SHARE, ASTRAY, NOISE = 400_000, 50, 0.15, 0.08, 0.05
DUEL, RIDGE, FEWEST = 20_000, 3.0, 150
BAG = 10.0


@compiled("void(uint64[::1], int64[::1], int64[::1])")
def new_deal(rng: Generator, hands: Numbers, deal: Numbers) -> None:
    """A deal with its bids."""
    deal_blind(hands, rng)
    deal[:] = 0
    deal[k.BIDS : k.BIDS + 4] = -1
    deal[k.PENALTY], deal[k.TARGET], deal[k.FLOOR] = 1, 500, 1
    bid_on(hands, deal)


@compiled("float64(int64[::1], int64, int64[::1])")
def points(deal: Numbers, side: int, scratch: Numbers) -> float:
    """By how much the side is ahead after the deal, with a tenth of the penalty for each bag."""
    k.score(deal, side, scratch)
    own = scratch[0] - BAG * scratch[1]
    k.score(deal, 1 - side, scratch)
    return own - (scratch[0] - BAG * scratch[1])


@compiled("int64(uint64[::1], int64, float64[::1], float64[:, ::1], int64[:, ::1])")
def collect(rng: Generator, deals: int, weights: Floats, rows: Floats, about: Hands) -> int:
    """Fills in the things about each card tried and what it came to, and (play, aim, place); returns how many."""
    hands, deal, scratch = np.zeros(4, np.int64), np.zeros(k.SIZE, np.int64), np.zeros(2, np.int64)
    after, table, start = np.zeros(4, np.int64), np.zeros(k.SIZE, np.int64), np.zeros(k.SIZE, np.int64)
    worlds, likely, ways = np.zeros((DEALS_A_PLAY, 4), np.int64), np.ones(DEALS_A_PLAY), np.zeros((5, 14, 14))
    others, sizes, room = np.zeros(3, np.int64), np.zeros(4, np.int64), np.zeros(3, np.int64)
    known, played, heard, cards = (
        np.zeros(4, np.int64),
        np.zeros(4, np.int64),
        np.zeros(4, np.int64),
        np.zeros(52, np.int64),
    )
    unit, own = np.zeros(len(weights)), np.zeros(1, np.uint64)
    tried, again, costs = np.zeros(16, np.int64), np.zeros(16, np.int64), np.zeros(16)
    row, play = 0, 0
    for _ in range(deals):
        new_deal(rng, hands, deal)
        start[:] = deal
        played[:] = 0
        number = 0
        while True:
            seat = (deal[k.LEADER] + deal[k.PLAYED]) & 3
            hand = hands[seat]
            if hand == 0:
                break
            may = k.legal(hand, deal)
            if may & (may - 1) and count(hand) > 1 and chance(rng) < SHARE and row < len(rows) - 16:
                aim, place = policy.aim_of(deal, seat, count(hand)), policy.place_of(may, deal)
                for i in range(3):
                    others[i] = (seat + 1 + i) & 3
                    room[i] = count(hands[others[i]])
                hidden = ALL & ~(hand | deal[k.SEEN])
                for suit in range(4):
                    sizes[suit] = count(k.in_suit(hidden, suit))
                known[:] = 0
                known[seat] = hand
                heard[:] = deal[k.BIDS : k.BIDS + 4]
                heard[seat] = -1
                voids = deal[k.VOIDS : k.VOIDS + 4].copy()
                count_ways(sizes, room, voids, others, ways)
                sample(
                    worlds, likely, hidden, sizes, room, known, played, heard, others,
                    voids, ways, start, cards[:number], seat, weights, rng,
                )  # fmt: skip
                found = policy.weigh(hand, may, deal, weights, tried, costs)
                for thing in range(policy.THINGS):
                    unit[:] = 0.0
                    unit[thing :: policy.THINGS] = 1.0
                    policy.weigh(hand, may, deal, unit, tried, costs)
                    for i in range(found):
                        rows[row + i, thing] = costs[i]
                for i in range(found):
                    total = 0.0
                    for world in range(DEALS_A_PLAY):
                        after[:] = worlds[world]
                        table[:] = deal
                        own[0] = np.uint64(0x9E3779B97F4A7C15) * np.uint64(world + 1)
                        k.put(after, table, tried[i])
                        policy.play_out(after, table, NOISE, weights, own, again, costs)
                        total += likely[world] * points(table, seat & 1, scratch)
                    rows[row + i, policy.THINGS] = total / likely.sum()
                    about[row + i, 0], about[row + i, 1], about[row + i, 2] = play, aim, place
                row += found
                play += 1
            card = (
                any_of(rng, may) if chance(rng) < ASTRAY else policy.rule_card(hand, may, deal, weights, tried, costs)
            )
            played[seat] |= ONE << card
            cards[number] = card
            number += 1
            k.put(hands, deal, card)
    return row


@compiled("void(uint64[::1], float64[::1], float64[::1], float64[::1])")
def duel(rng: Generator, new: Floats, old: Floats, better: Floats) -> None:
    """By how many points the new rules are better, in each pair of a deal played from both sides."""
    hands, deal, scratch = np.zeros(4, np.int64), np.zeros(k.SIZE, np.int64), np.zeros(2, np.int64)
    after, table = np.zeros(4, np.int64), np.zeros(k.SIZE, np.int64)
    tried, costs = np.zeros(16, np.int64), np.zeros(16)
    for pair in range(len(better)):
        new_deal(rng, hands, deal)
        for side in range(2):
            after[:] = hands
            table[:] = deal
            while True:
                seat = (table[k.LEADER] + table[k.PLAYED]) & 3
                if after[seat] == 0:
                    break
                rules = new if seat & 1 == side else old
                may = k.legal(after[seat], table)
                k.put(after, table, policy.rule_card(after[seat], may, table, rules, tried, costs))
            better[pair] += 0.5 * points(table, side, scratch)


def fit(rows: Any, about: Any, before: Any) -> Any:
    """New weights; those before where too few plays were tried."""
    plays, number = about[:, 0], np.bincount(about[:, 0])
    against = rows - np.stack([np.bincount(plays, weights=column) / number for column in rows.T], axis=1)[plays]
    weights = before.reshape(policy.AIMS, policy.PLACES, policy.THINGS).copy()
    for aim in range(policy.AIMS):
        for place in range(policy.PLACES):
            chosen = (about[:, 1] == aim) & (about[:, 2] == place)
            if chosen.sum() < FEWEST:
                continue
            things, costs = against[chosen, : policy.THINGS], -against[chosen, policy.THINGS]
            share = 1.0 / np.maximum(1.0, number[plays[chosen]] - 1.0)
            square = things.T @ (things * share[:, None]) + RIDGE * np.eye(policy.THINGS)
            weights[aim, place] = np.linalg.solve(square, things.T @ (costs * share))
    return weights.ravel()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.spades_fit", description="Fits the rules of Spades.")
    parser.add_argument("rounds", type=int, nargs="?", default=3)
    parser.add_argument("deals", type=int, nargs="?", default=5000)
    args = parser.parse_args()
    weights = WEIGHTS
    for number in range(args.rounds):
        rng = generator(number)
        rows, about = np.zeros((ROWS, policy.THINGS + 1)), np.zeros((ROWS, 3), np.int64)
        filled = collect(rng, args.deals, weights, rows, about)
        new = fit(rows[:filled], about[:filled], weights)
        better = np.zeros(DUEL)
        duel(rng, new, weights, better)
        half = 1.96 * better.std() / np.sqrt(DUEL)
        print(f"round {number}: {filled} cards, better by {better.mean():+.2f} ± {half:.2f} points a deal", flush=True)
        weights = new
    for row in weights.reshape(-1, policy.THINGS):
        print("    " + " ".join(f"{weight:.1f}," for weight in row))


if __name__ == "__main__":
    main()
