"""A Hearts player after a public recipe, to measure against: UCT in sampled deals, with perfect information in each.

Per decision: worlds dealt evenly among those that fit voids and known cards; in each the same number of simulations of
multi-player UCT, touching cards merged; the values of a move are averaged over the worlds. A simulation is worth to
each seat its share of the points it did not take, a moon everything to the shooter and nothing to the others. Play-outs
lead and follow at random, throw the queen of spades or else a heart, and now and then any card. Cards to pass are
chosen one after another in the same way. Scores of the game are not looked at.
"""

from __future__ import annotations

import math
import random

import numpy as np

from games.cpu.kernel import CARD, Generator, any_of, bits_of, chance, compiled, count, generator, lowest
from games.cpu.kernel import PLACE as PLACE_OF
from games.cpu.sampling import Weights, deal
from games.kinds import rules_for
from games.kinds.hearts.cpu.expert_deals import HIDDEN, hand_over, lay_out, others_pass, scratch
from games.kinds.hearts.cpu.expert_engine import (
    DECK,
    HAND,
    HEART_BITS,
    LED,
    NOBODY,
    PENALTY,
    PLAYED,
    PLAYERS,
    POSITION_SIZE,
    QUEEN,
    QUEEN_BIT,
    SIZE,
    TAKEN,
    TRICK,
    TURN,
    Floats,
    Numbers,
    decided,
    lane,
    legal,
    play,
    points_of,
    shooter_of,
)
from games.kinds.hearts.cpu.expert_policy import distinct
from games.kinds.hearts.cpu.expert_view import away_of, opener_of, see
from games.rules import Action, View

WORLDS, SIMULATIONS = 30, 333
EXPLORATION, NOISE = 0.4, 0.1
HEART_THROWN = 0.8
#: Columns of a node: the card that leads to it, first child, next sibling, visits, cards untried, seat on turn.
PLACE, CHILD, NEXT, VISITS, UNTRIED, MOVER = range(6)


@compiled("int64(int64[::1], int64[::1], uint64[::1])", inline=True, lean=True)
def playout_card(table: Numbers, position: Numbers, rng: Generator) -> int:
    cards = legal(table, position)
    if position[SIZE] and not cards & lane(position[LED]) and chance(rng) >= NOISE:
        if cards & QUEEN_BIT:
            return QUEEN
        if cards & HEART_BITS and chance(rng) < HEART_THROWN:
            return any_of(rng, cards & HEART_BITS)
    return any_of(rng, cards)


@compiled("void(int64[::1], int64[::1], float64[::1], uint64[::1])", inline=True, lean=True)
def finish(table: Numbers, position: Numbers, reward: Floats, rng: Generator) -> None:
    """Plays out, and what it is worth to each seat, 0 to 1."""
    while position[SIZE] or not decided(table, position):
        play(table, position, playout_card(table, position, rng))
    shooter = shooter_of(table, position)
    all_points = points_of(table[PENALTY])
    for seat in range(table[PLAYERS]):
        if shooter != NOBODY:
            reward[seat] = 1.0 if seat == shooter else 0.0
        else:
            reward[seat] = 1.0 - points_of(position[TAKEN + seat]) / all_points


@compiled(
    f"void(int64[::1], int64[::1], {HIDDEN}, int64, int64, int64, int64, float64[::1], int64[:, ::1], float64[::1],"
    " int64[::1], float64[::1], int64[:, ::1], uint64[::1])",
    lean=True,
)
def search(
    table: Numbers,
    start: Numbers,
    hidden_cards: Numbers,
    allowed: Numbers,
    room: Numbers,
    known: Numbers,
    slack: Numbers,
    weights: Weights,
    swaps: int,
    seat: int,
    kitty_taker: int,
    worlds: int,
    simulations: int,
    values: Floats,
    nodes: Numbers,
    sums: Floats,
    path: Numbers,
    reward: Floats,
    room_to_work: Numbers,
    rng: Generator,
) -> None:
    """Adds to `values`, by place, the mean worth of each card in each world."""
    hands, holder, work = room_to_work[0], room_to_work[1], room_to_work[2]
    root, position = room_to_work[3], room_to_work[4]
    for _ in range(worlds):
        deal(hidden_cards, allowed, room, known, slack, weights, swaps, rng, hands, holder, work)
        lay_out(table, start, hands, root, seat, kitty_taker)
        used = 1
        nodes[0, CHILD], nodes[0, VISITS], nodes[0, MOVER] = -1, 0, seat
        nodes[0, UNTRIED] = distinct(
            legal(table, root), root[TRICK] | table[DECK] & ~(root[PLAYED] | root[HAND + seat])
        )
        for _ in range(simulations):
            for k in range(POSITION_SIZE):
                position[k] = root[k]
            node, depth = 0, 1
            path[0] = 0
            while nodes[node, UNTRIED] == 0 and nodes[node, CHILD] >= 0:
                best, best_value = -1, -1.0
                log = math.log(nodes[node, VISITS])
                child = nodes[node, CHILD]
                while child >= 0:
                    visits = nodes[child, VISITS]
                    value = sums[child] / visits + EXPLORATION * math.sqrt(log / visits)
                    if value > best_value:
                        best, best_value = child, value
                    child = nodes[child, NEXT]
                node = best
                play(table, position, nodes[node, PLACE])
                path[depth] = node
                depth += 1
            if nodes[node, UNTRIED]:
                place = any_of(rng, nodes[node, UNTRIED])
                nodes[node, UNTRIED] &= ~(1 << place)
                play(table, position, place)
                child = used
                used += 1
                nodes[child, PLACE], nodes[child, VISITS], nodes[child, CHILD] = place, 0, -1
                nodes[child, NEXT], nodes[node, CHILD] = nodes[node, CHILD], child
                sums[child] = 0.0
                nodes[child, UNTRIED] = 0
                if position[SIZE] or not decided(table, position):
                    mover = position[TURN]
                    nodes[child, MOVER] = mover
                    out = table[DECK] & ~(position[PLAYED] | position[HAND + mover])
                    nodes[child, UNTRIED] = distinct(legal(table, position), out | position[TRICK])
                path[depth] = child
                depth += 1
            finish(table, position, reward, rng)
            for i in range(depth):
                nodes[path[i], VISITS] += 1
                if i:
                    sums[path[i]] += reward[nodes[path[i - 1], MOVER]]
        child = nodes[0, CHILD]
        while child >= 0:
            values[nodes[child, PLACE]] += sums[child] / nodes[child, VISITS]
            child = nodes[child, NEXT]


@compiled(
    f"void(int64[::1], int64, int64, {HIDDEN}, int64, int64, int64, int64, int64, float64[::1], float64[::1],"
    " int64[:, ::1], uint64[::1], float64[:, ::1], int64[:, ::1])",
    lean=True,
)
def search_pass(
    table: Numbers,
    hand: int,
    chosen: int,
    hidden_cards: Numbers,
    allowed: Numbers,
    room: Numbers,
    known: Numbers,
    slack: Numbers,
    weights: Weights,
    swaps: int,
    seat: int,
    opener: int,
    away: int,
    worlds: int,
    simulations: int,
    values: Floats,
    reward: Floats,
    room_to_work: Numbers,
    rng: Generator,
    pass_costs: Floats,
    pass_cards: Numbers,
) -> None:
    """Adds to `values` the worth of giving each card beside those `chosen`; the rest of the three is drawn by lot."""
    hands, holder, work = room_to_work[0], room_to_work[1], room_to_work[2]
    position, before, given, visits = room_to_work[3], room_to_work[4], room_to_work[5], room_to_work[6]
    for _ in range(worlds):
        deal(hidden_cards, allowed, room, known, slack, weights, swaps, rng, hands, holder, work)
        others_pass(table, hand, hands, seat, before, given, pass_costs, pass_cards)
        for place in range(64):
            visits[place] = 0
        totals = reward
        for place in range(8, 72):
            totals[place] = 0.0
        for n in range(simulations):
            best, best_value = -1, -1.0
            left = hand & ~chosen
            while left:
                place = lowest(left)
                left &= left - 1
                if visits[place] == 0:
                    best = place
                    break
                value = totals[8 + place] / visits[place] + EXPLORATION * math.sqrt(math.log(n) / visits[place])
                if value > best_value:
                    best, best_value = place, value
            mine = chosen | (1 << best)
            while count(mine) < 3:
                mine |= 1 << any_of(rng, hand & ~mine)
            given[seat] = mine
            hand_over(table, before, given, hands[table[PLAYERS] - 1], position, away, opener)
            finish(table, position, reward, rng)
            visits[best] += 1
            totals[8 + best] += reward[seat]
        left = hand & ~chosen
        while left:
            place = lowest(left)
            left &= left - 1
            values[place] += totals[8 + place] / max(1, visits[place])


def choose(view: View, rng: random.Random, worlds: int = WORLDS, simulations: int = SIMULATIONS) -> Action:
    """The answer to a question of Hearts."""
    ask = view.ask
    assert ask is not None
    assert view.seat is not None
    if ask.phase == "moon":
        return Action("moon", view.seat, choice="add")
    if ask.phase == "play" and len(ask.cards) == 1:
        return Action("play", view.seat, card=ask.cards[0])
    seen = see(view, rules_for(view.kind, view.players, view.options), guessing=False)
    assert seen is not None
    h, lot = seen.hidden, generator(rng.getrandbits(60))
    reward = np.zeros(80)
    if ask.phase == "play":
        values, nodes, sums = (
            np.full(64, -1.0),
            np.zeros((simulations + 2, 6), dtype=np.int64),
            np.zeros(simulations + 2),
        )
        values[[PLACE_OF[card] for card in ask.cards]] = 0.0
        path = np.zeros(64, dtype=np.int64)
        search(
            seen.table, seen.position,
            h.cards, h.allowed, h.room, h.known, h.slack, h.weights, h.swaps,
            view.seat, seen.kitty_taker, worlds, simulations,
            values, nodes, sums, path, reward, scratch(), lot,
        )  # fmt: skip
        return Action("play", view.seat, card=CARD[int(values.argmax())])
    hand, chosen = bits_of(ask.cards), 0
    opener, away = opener_of(view), away_of(view)
    for _ in range(ask.count):
        values = np.full(64, -1.0)
        for card in range(64):
            values[card] = 0.0 if (hand & ~chosen) >> card & 1 else -1.0
        search_pass(
            seen.table, hand, chosen,
            h.cards, h.allowed, h.room, h.known, h.slack, h.weights, h.swaps,
            view.seat, opener, away, worlds, simulations,
            values, reward, scratch(), lot, np.zeros((4, 4)), np.zeros((4, 4), dtype=np.int64),
        )  # fmt: skip
        chosen |= 1 << int(values.argmax())
    return Action("pass", view.seat, cards=tuple(CARD[place] for place in range(64) if chosen >> place & 1))
