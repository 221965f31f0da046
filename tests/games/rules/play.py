"""What several tests of the rules share: random tables, packs, answers and whole games, all from a given generator."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from games.kinds import KINDS, rules_for
from games.rules import Action, Option, Refused, Rules, State, in_order
from games.rules.cards import BY_RANK
from games.rules.state import DEALERS_ACTIONS

#: A ply as it was played: the state before, what was done, the state after.
Ply = tuple[State, Action, State]

#: How an asked seat chooses its answer.
Choose = Callable[[Rules, State, int, random.Random], Action]

#: Every kind at every number of players.
TABLES: tuple[tuple[str, int], ...] = tuple(
    (kind, players) for kind, known in KINDS.items() for players in known.options.PLAYERS
)

SIMULTANEOUS = ("pass", "blind", "exchange")
MOST_DEALS = 60


def samples(option: Option) -> tuple[str | int, ...]:
    """Values to try: every one of a choice; both ends, the default and one between of a whole number."""
    if option.type == "choice":
        return tuple(allowed.value for allowed in option.values)
    return tuple(sorted({option.low, (option.low + int(option.default)) // 2, int(option.default), option.high}))


def allows(option: Option, value: object) -> bool:
    """Whether the declaration accepts the value."""
    try:
        option.check(value)
    except Refused:
        return False
    return True


def random_options(kind: str, players: int, rng: random.Random) -> dict[str, str | int]:
    """A random combination that the table accepts, with a value for every option; most final scores are low."""
    while True:
        data: dict[str, str | int] = {}
        for option in KINDS[kind].options.declared():
            if option.type == "choice":
                data[option.name] = rng.choice(option.values).value
            else:
                short = option.low + (option.high - option.low) // 10
                data[option.name] = rng.randint(option.low, short if rng.random() < 0.9 else option.high)
        try:
            rules_for(kind, players, data)
        except Refused:  # a combination that is refused: draw again
            continue
        return data


def random_rules(kind: str, players: int, rng: random.Random, **fixed: str | int) -> Rules:
    """Rules with random options, but for those given; the given ones have to go together."""
    while True:
        try:
            return rules_for(kind, players, {**random_options(kind, players, rng), **fixed})
        except Refused:
            continue


def pack_of(rules: Rules, dealer: int, hands: Sequence[Sequence[str]], kitty: Sequence[str] = ()) -> tuple[str, ...]:
    """The pack from which this dealer deals these full hands, by seat, and leaves this kitty."""
    first = dealer + 1
    rounds = range(rules.hand_size)
    return (*(hands[(first + i) % rules.players][place] for place in rounds for i in range(rules.players)), *kitty)


def shuffled(rules: Rules, rng: random.Random) -> tuple[str, ...]:
    """A random pack."""
    return tuple(rng.sample(rules.deck, len(rules.deck)))


def top_hand_pack(rules: Rules, rng: random.Random, dealer: int, seat: int) -> tuple[str, ...]:
    """A pack that gives one seat the highest cards of every suit: played without a pass it takes every trick."""
    by_rank = sorted(rules.deck, key=BY_RANK.__getitem__, reverse=True)
    top, rest = by_rank[: rules.hand_size], by_rank[rules.hand_size :]
    rng.shuffle(top)
    rng.shuffle(rest)
    hands = []
    for other in range(rules.players):
        hands.append(top if other == seat else rest[: rules.hand_size])
        rest = rest if other == seat else rest[rules.hand_size :]
    return pack_of(rules, dealer, hands, rest)


def dealers_action(rules: Rules, state: State, rng: random.Random, top_hands: float = 0.15) -> Action:
    """What the dealer does: draw the first dealer, or deal; some packs make one seat take everything."""
    if state.phase == "open":
        return Action("open", dealer=rng.randrange(rules.players))
    if rng.random() < top_hands:
        dealer = rules.next_deal(state)[2]
        return Action("deal", pack=top_hand_pack(rules, rng, dealer, rng.randrange(rules.players)))
    return Action("deal", pack=shuffled(rules, rng))


def answer_at_random(rules: Rules, state: State, seat: int, rng: random.Random) -> Action:
    """A legal answer. Sometimes calls a deal off, finishes when it may about every other time, mostly bids low."""
    phase = state.phase
    if phase in ("pass", "exchange"):
        if phase == "pass" and rules.may_skip(state, seat) and rng.random() < 0.1:
            return Action("skip", seat)
        return Action(phase, seat, cards=tuple(rng.sample(state.hands[seat], rules.cards_given)))
    if phase == "bid" and rng.random() < 0.9:  # bids that are mostly made, so that games reach a target
        return Action("bid", seat, bid=rng.choice((1, 2, 2, 3)))
    actions = rules.legal_actions(state, seat)
    if actions[-1].kind == "finish" and rng.random() < 0.5:
        return actions[-1]
    return rng.choice(actions)


def answer_by_default(rules: Rules, state: State, seat: int, rng: random.Random) -> Action:
    """What the clock plays."""
    return rules.default_action(state, seat)


def random_game(
    rules: Rules, rng: random.Random, choose: Choose = answer_at_random, *, top_hands: float = 0.15
) -> Iterator[Ply]:
    """A whole game, ply by ply. Asked together, seats answer in random order. Fails if the game goes on too long."""
    state = rules.start()
    while state.phase != "over":
        assert len(state.sheet) < MOST_DEALS, "a game has to end with its sixtieth deal"
        if state.phase in DEALERS_ACTIONS:
            action = dealers_action(rules, state, rng, top_hands)
        else:
            action = choose(rules, state, rng.choice(rules.due(state).seats), rng)
        after = rules.apply(state, action)
        yield state, action, after
        state = after


def winner_of(cards: Sequence[str], leader: int, trump: str | None) -> int:
    """Who takes a full trick, worked out apart from the engine."""
    suit = trump if trump and any(card[1] == trump for card in cards) else cards[0][1]
    best = max((card for card in cards if card[1] == suit), key=lambda card: "23456789TJQKA".index(card[0]))
    return (leader + cards.index(best)) % len(cards)


def hauls(rules: Rules, state: State) -> list[set[str]]:
    """What each seat has taken in this deal, with the kitty for the winner of trick one; apart from the engine."""
    taken: list[set[str]] = [set() for _ in range(rules.players)]
    for number, trick in enumerate(state.tricks):
        winner = winner_of(trick.cards, trick.leader, rules.trump)
        taken[winner].update(trick.cards, state.kitty if number == 0 else ())
    return taken


def ordered(action: Action) -> Action:
    """The action as legal lists have it: with its cards in deck order."""
    if action.kind not in ("pass", "exchange", "finish"):
        return action
    return Action(action.kind, action.seat, cards=in_order(action.cards))
