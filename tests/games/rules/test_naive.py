"""The worked examples of the rules text, E1 to E32, played on the naive engine."""

import random
from functools import cache

import pytest

from tests.games.rules.naive import DECK, HAND_SIZE, Naive

FREE = {"passing": "off", "first_lead": "dealer_left"}  # no pass, and the dealer's left leads what it likes


def cards(text):
    return text.split()


def run(ranks, suit):
    """run("AKQ", "S") -> AS KS QS"""
    return [rank + suit for rank in ranks]


def sit_down(kind, players, options, scores=None, bags=None, dealer=None):
    """A game before its next deal. With `scores`, one deal has been scored so; `dealer` is that of the next deal."""
    game = Naive(kind, players, options)
    dealer = players - 1 if dealer is None else dealer
    game.apply({"kind": "open", "dealer": dealer if scores is None else (dealer - 1) % players})
    if scores is not None:
        write_line(game, scores, bags)
    return game


def write_line(game, scores, bags=None):
    """Put a finished deal on the score sheet."""
    bags = (bags or [0, 0]) if game.kind == "spades" else []
    game.sheet.append({"scores": list(scores), "bags": bags, "log_length": len(game.log)})


def deal(game, hands, kitty=()):
    """Deal these cards, seat 0 first; what is missing is filled up with the cards left, in deck order."""
    size = HAND_SIZE[game.players]
    hands = [list(hand) for hand in hands] + [[] for _ in range(game.players - len(hands))]
    named = [card for hand in hands for card in hand] + list(kitty)
    assert len(set(named)) == len(named)
    rest = [card for card in game.deck if card not in named]
    for hand in hands:
        while len(hand) < size:
            hand.append(rest.pop(0))
    kitty = list(kitty) + rest
    first = game.dealer + 1
    in_turn = [hands[(first + i) % game.players][i // game.players] for i in range(size * game.players)]
    game.apply({"kind": "deal", "pack": in_turn + kitty})


def play(game, text):
    for card in cards(text):
        game.apply({"kind": "play", "seat": game.asked()[0], "card": card})


def play_as_listed(game, hands):
    """Each seat plays its cards in the order in which `hands` lists them."""
    hands = [list(hand) for hand in hands]
    while game.phase == "play":
        seat = game.asked()[0]
        game.apply({"kind": "play", "seat": seat, "card": hands[seat].pop(0)})


def play_by_default(game):
    while game.phase == "play":
        game.apply(game.default(game.asked()[0]))


def playable(game):
    return [action["card"] for action in game.legal(game.asked()[0]) if action["kind"] == "play"]


def kinds(game):
    return {action["kind"] for seat in game.asked() for action in game.legal(seat)}


# ---- Hearts ----------------------------------------------------------------------------------------------------

# Seat 0 takes every trick: all hearts, the queen of spades, the jack of diamonds.
SWEEP = [
    run("AKQJT98765432", "S"),
    cards("2D") + run("AKQJT9", "H") + run("3456", "D") + cards("2C 3C"),
    cards("4C") + run("8765432", "H") + cards("5C 6C 7C 8C 9C"),
    cards("TC JC QC KC AC JD 7D 8D 9D TD QD KD AD"),
]
# Seat 0 takes every trick but the last, in which seat 1 takes the jack of diamonds.
SWEEP_WITHOUT_JACK = [
    run("AKQJT9876543", "S") + cards("2D"),
    cards("2S") + run("AKQJT987654", "H") + cards("JD"),
    run("23456789TJQKA", "C"),
    cards("3D 2H 3H 4D 5D 6D 7D 8D 9D QD KD AD TD"),
]


def shoot(hands, options, scores=None):
    """Play one of the two deals above to its scoring, or to the question to the shooter."""
    game = sit_down("hearts", 4, {**FREE, **options}, scores)
    deal(game, hands)
    play_as_listed(game, hands)
    return game


def test_e1_five_players():
    game = sit_down("hearts", 5, {"passing": "off"})
    assert len(game.deck) == 50
    deal(game, [])
    assert [len(hand) for hand in game.hands] == [10] * 5
    assert playable(game) == ["3C"]
    play_by_default(game)
    assert sum(game.scores) in (26, 4 * 26)


def test_e2_kitty_with_the_lowest_club():
    game = sit_down("hearts", 3, {"passing": "off", "surplus": "kitty"})
    deal(game, [[], cards("3C"), []], kitty=["2C"])
    assert game.leader == 1
    assert playable(game) == ["3C"]
    play(game, "3C")
    while len(game._full_tricks()) < 1:
        game.apply(game.default(game.asked()[0]))
    winner = game.leader
    assert [seat for seat in range(3) if "2C" in game._taken()[seat]] == [winner]


@pytest.mark.parametrize(("first_winner", "scores"), [(0, [0, 26, 26, 26, 26]), (1, [25, 1, 0, 0, 0])])
def test_e3_only_the_taker_of_the_kitty_can_shoot(first_winner, scores):
    game = sit_down("hearts", 5, {**FREE, "surplus": "kitty", "first_trick_points": "yes"})
    hands = [run("AKQJT98765", "S")]
    if first_winner == 1:
        hands = [cards("3C") + run("AKQJT9876", "S"), cards("AC 2S")]
    deal(game, hands, kitty=cards("9H 2C"))
    if first_winner == 1:
        assert playable(game) == hands[0][:1] + cards("6S 7S 8S 9S TS JS QS KS AS")
        play(game, "3C AC")
        while len(game._full_tricks()) < 1:
            seat = game.asked()[0]
            safe = [card for card in playable(game) if card[1] != "H"]
            game.apply({"kind": "play", "seat": seat, "card": (safe or playable(game))[0]})
        assert game.leader == 1
        play(game, "2S")
    play_by_default(game)
    assert game.scores == scores


@pytest.mark.parametrize(
    ("options", "hands", "scores"),
    [
        pytest.param({}, SWEEP_WITHOUT_JACK, [0, 16, 26, 26], id="E4"),
        pytest.param({}, SWEEP, [-10, 26, 26, 26], id="E5"),
        pytest.param({"jack_in_moon": "required"}, SWEEP_WITHOUT_JACK, [26, -10, 0, 0], id="E6"),
        pytest.param({"jack_in_moon": "required"}, SWEEP, [-10, 26, 26, 26], id="E7 add"),
        pytest.param({"jack_in_moon": "required", "moon": "subtract"}, SWEEP, [-36, 0, 0, 0], id="E7"),
        pytest.param({"moon": "subtract"}, SWEEP, [-36, 0, 0, 0], id="E30 shooter"),
        pytest.param({"moon": "subtract"}, SWEEP_WITHOUT_JACK, [-26, -10, 0, 0], id="E30 another"),
        pytest.param({"moon": "off"}, SWEEP, [16, 0, 0, 0], id="moon off"),
    ],
)
def test_moon_and_jack(options, hands, scores):
    assert shoot(hands, {"jack_of_diamonds": "minus_ten", **options}).scores == scores


def test_e8_six_players_without_twos():
    game = sit_down("hearts", 6, FREE)
    assert not [card for card in game.deck if card[0] == "2"]
    assert len(game.deck) == 48
    deal(game, [run("AKQJT987", "S")])
    play_by_default(game)
    assert game.scores == [0, 26, 26, 26, 26, 26]


def test_e9_exceed_is_not_reach():
    assert sit_down("hearts", 4, {"end_test": "exceed"}, [100, 20, 30, 58]).result() is None
    assert sit_down("hearts", 4, {"end_test": "exceed"}, [101, 20, 30, 58]).result()["reason"] == "target"
    assert sit_down("hearts", 4, {}, [100, 20, 30, 58]).result()["reason"] == "target"


def test_e10_tie_plays_on():
    game = sit_down("hearts", 4, {}, [40, 40, 70, 101], dealer=3)
    assert (game.phase, game.deal_number, game.dealer, game.direction) == ("deal", 2, 3, "right")
    assert game.result() is None


def test_e11_shared():
    game = sit_down("hearts", 4, {"end_score": 50, "tie_for_first": "shared"}, [20, 20, 30, 52])
    assert game.phase == "over"
    assert game.result() == {"placings": [1, 1, 3, 4], "scores": [20, 20, 30, 52], "reason": "target"}


def test_e12_point_cards_on_trick_one():
    game = sit_down("hearts", 4, {"passing": "off"})
    deal(game, [cards("2C"), run("23456789TJQK", "H") + cards("2D")])
    assert game.leader == 0
    play(game, "2C")
    assert playable(game) == ["2D"]
    assert game.barred(1) == dict.fromkeys(run("23456789TJQK", "H"), "no_points_first_trick")


def test_e13_hearts_and_queen_on_lead():
    game = sit_down("hearts", 4, FREE)
    deal(game, [run("23456789TJQK", "H") + cards("QS")])
    assert playable(game) == ["QS"]
    assert set(game.barred(0).values()) == {"hearts_not_broken"}


@pytest.mark.parametrize(("broken_by", "may_lead"), [("heart", False), ("queen", True), ("any_point", True)])
def test_e14_queen_discarded(broken_by, may_lead):
    hand = run("23456789TJQK", "D") + cards("QS")
    game = sit_down("hearts", 4, {**FREE, "hearts_broken_by": broken_by, "first_trick_points": "yes"})
    deal(game, [cards("AC 2H"), hand, cards("2C"), cards("3C")])
    play(game, "AC QS 2C 3C")
    assert game.leader == 0
    assert game.broken is may_lead
    assert ("2H" in playable(game)) is may_lead


def test_e15_sixteen_points_are_no_moon():
    hands = [
        cards("AS KS QS 2C JS TS 9S 8S 7S 3C 4C 5C 6C"),
        cards("2S 3S 4S AC AH KH QH JH TH 9H 8H 7H 6H"),
        cards("5S 2H 3H KC 7C 8C 2D 3D 4D 5D 6D 7D 8D"),
        cards("6S 4H 9D QC 5H 9C TC JC TD JD QD KD AD"),
    ]
    game = shoot(hands, {})
    assert game.scores == [16, 10, 0, 0]


def test_e16_tie_only_among_the_lowest():
    assert sit_down("hearts", 4, {}, [106, 45, 45, 20]).result()["placings"] == [4, 2, 2, 1]


def test_e17_moon_on_eighty():
    game = shoot(SWEEP, {}, [80, 75, 20, 30])
    assert game.scores == [80, 101, 46, 56]
    assert game.result()["placings"] == [3, 4, 1, 2]
    assert shoot(SWEEP, {}, [80, 20, 30, 40]).result() is None


def test_e18_below_nought():
    assert shoot(SWEEP, {"moon": "subtract"}, [5, 20, 30, 40]).scores == [-21, 20, 30, 40]


@pytest.mark.parametrize(
    ("scores", "tie", "choice", "after"),
    [
        pytest.param([60, 80, 34, 50], "shared", "subtract", [34, 80, 34, 50], id="E27"),
        pytest.param([60, 80, 34, 50], "play_on", "add", [60, 106, 60, 76], id="E27 play_on"),
        pytest.param([70, 75, 20, 30], "shared", "subtract", [44, 75, 20, 30], id="E28"),
        pytest.param([20, 80, 34, 50], "shared", "add", [20, 106, 60, 76], id="alone in first"),
    ],
)
def test_moon_choice_of_the_clock(scores, tie, choice, after):
    game = shoot(SWEEP, {"moon": "choose", "end_test": "exceed", "tie_for_first": tie}, scores)
    assert game.phase == "moon"
    assert game.asked() == [0]
    assert [action["choice"] for action in game.legal(0)] == ["add", "subtract"]
    assert game.default(0) == {"kind": "moon", "seat": 0, "choice": choice}
    game.apply(game.default(0))
    assert game.scores == after


def test_e29_extra_deals_are_counted_anew():
    game = sit_down("hearts", 4, {}, [40, 40, 70, 101])
    for _ in range(4):
        write_line(game, [40, 40, 70, 101])
    write_line(game, [45, 45, 75, 92])
    assert game.phase == "deal"
    for _ in range(5):
        write_line(game, [46, 46, 76, 102])
        assert game.result() is None
    write_line(game, [47, 47, 77, 111])
    assert game.result() == {"placings": [1, 1, 3, 4], "scores": [47, 47, 77, 111], "reason": "deal_cap"}


@pytest.mark.parametrize(("kitty", "offered"), [("KH 2C", False), ("3C 2C", True)])
def test_e32_finish(kitty, offered):
    game = sit_down("hearts", 5, {**FREE, "surplus": "kitty", "first_trick_points": "yes"})
    others = [cards("2S 3S 4S 2H 3H 4H"), cards("5H 6H 7H"), cards("8H 9H TH"), cards("JH QH AH")]
    deal(game, [run("AKQJT98765", "S"), *others], kitty=cards(kitty))
    while len(game._full_tricks()) < 9:
        assert game.phase == "play"
        seat = game.asked()[0]
        hearts = [card for card in playable(game) if card[1] == "H"]
        game.apply({"kind": "play", "seat": seat, "card": (hearts or playable(game))[0]})
    assert not [card for hand in game.hands for card in hand if card[1] == "H" or card == "QS"]
    assert ({"kind": "finish", "seat": 0} in game.legal(0)) is offered
    if offered:
        game.apply({"kind": "finish", "seat": 0})
        assert game.phase == "deal"
        assert game.scores == [0, 26, 26, 26, 26]


def test_sixtieth_deal_ends_the_game():
    game = sit_down("hearts", 4, {})
    for _ in range(59):
        write_line(game, [1, 2, 3, 4])
    assert game.phase == "deal"
    assert game.deal_number == 60
    write_line(game, [1, 2, 3, 4])
    assert game.result()["reason"] == "deal_cap"


def test_deal_called_off():
    game = sit_down("hearts", 4, {"skip_right": "one_each"})
    deal(game, [])
    game.apply(game.default(2))
    assert kinds(game) == {"pass", "skip"}
    assert game.asked() == [0, 1, 3]
    game.apply({"kind": "skip", "seat": 1})
    assert (game.phase, game.attempt, game.deal_number, game.dealer, game.direction) == ("deal", 1, 1, 3, "left")
    deal(game, [])
    assert kinds(game) == {"pass"}
    assert game.asked() == [0, 1, 2, 3]


def test_pass_to_the_left_in_any_order():
    game = sit_down("hearts", 4, {})
    deal(game, [])
    given = {}
    for seat in (2, 0, 3, 1):
        before = game.hands
        given[seat] = game.default(seat)["cards"]
        game.apply(game.default(seat))
        assert (game.hands == before) is (seat != 1)
    assert all(set(given[seat]) <= set(game.hands[(seat + 1) % 4]) for seat in range(4))


# ---- Spades ----------------------------------------------------------------------------------------------------


def bid(game, bids):
    while game.phase == "bid":
        seat = game.asked()[0]
        game.apply({"kind": "bid", "seat": seat, "bid": bids[seat]})


@cache
def shuffled(seed):
    pack = list(DECK)
    random.Random(seed).shuffle(pack)
    return pack


@cache
def tricks_won(seed):
    """Tricks won per seat when this pack is dealt and played by default (the bids make no difference to that)."""
    game = sit_down("spades", 4, {})
    game.apply({"kind": "deal", "pack": shuffled(seed)})
    bid(game, [1, 1, 1, 1])
    won = [0, 0, 0, 0]
    while game.phase == "play":
        if len(game._full_tricks()) == sum(won) + 1:
            won[game.leader] += 1
        last_card = len(game._said("play")) == 51
        trick = game._current_trick()
        action = game.default(game.asked()[0])
        if last_card:
            won[game._winner([*trick, (action["seat"], action["card"])])] += 1
        game.apply(action)
    return won


def spades_deal(bids, wanted, scores=(0, 0), bags=(0, 0), options=None):
    """Play, by default and with these bids, the first pack for which `wanted` holds for the tricks won per seat."""
    seed = next(seed for seed in range(1000) if wanted(tricks_won(seed)))
    game = sit_down("spades", 4, options or {}, list(scores), list(bags))
    game.apply({"kind": "deal", "pack": shuffled(seed)})
    bid(game, bids)
    play_by_default(game)
    return game


def test_e19_bags():
    game = spades_deal([2, 1, 3, 1], lambda won: won[0] + won[2] == 7)
    assert game.scores[0] == 52
    assert game.bags[0] == 2


def test_e20_failed_nil_does_not_help():
    game = sit_down("spades", 4, {}, dealer=0)
    deal(game, [cards("AS 3D 3H"), run("KQJT98765432", "S") + cards("2D"), cards("AD 2H"), cards("4D")])
    bid(game, [0, 1, 2, 1])
    play(game, "2D AD 4D 3D QC")  # seat 1 ruffs, and leads a spade to the bare ace
    play_by_default(game)
    assert game.scores[0] == -100 - 20 + 1
    assert game.bags[0] == 1


def test_e21_ten_bags():
    game = spades_deal([2, 1, 1, 1], lambda won: won[0] + won[2] == 6, scores=(99, 0), bags=(9, 0))
    assert game.scores[0] == 99 + 33 - 100
    assert game.bags[0] == 2


def test_e22_two_tens_in_one_deal():
    game = sit_down("spades", 4, {}, [0, 0], [9, 0], dealer=1)
    deal(game, [cards("3H"), cards("2S 4H"), run("AKQJT9876543", "S") + cards("2H"), cards("AH KH")])
    bid(game, [0, 1, 1, 1])
    play(game, "2H AH 3H 4H")
    play_by_default(game)
    assert game.scores[0] == -79
    assert game.bags[0] == 0


def test_e23_higher_or_another():
    game = sit_down("spades", 4, {}, [510, 530])
    assert game.result() == {"placings": [2, 1, 2, 1], "scores": [510, 530], "reason": "target"}
    game = sit_down("spades", 4, {}, [510, 510])
    assert game.result() is None
    assert game.phase == "deal"


def test_e24_floor():
    game = spades_deal([3, 1, 2, 1], lambda won: won[0] + won[2] < 5, scores=(-150, 0))
    assert game.scores[0] == -200
    assert game.result()["reason"] == "floor"
    game = spades_deal([3, 1, 2, 1], lambda won: won[0] + won[2] < 5, scores=(-150, 0), options={"floor": "no"})
    assert game.scores[0] == -200
    assert game.result() is None


def test_e25_blind_nil_is_asked_first():
    game = sit_down("spades", 4, {"blind_nil": "yes"}, [0, -100], dealer=3)
    deal(game, [])
    assert game.phase == "blind"
    assert game.asked() == [1, 3]
    game.apply({"kind": "blind", "seat": 3, "blind": True})
    game.apply({"kind": "blind", "seat": 1, "blind": False})
    bidders = []
    while game.phase == "bid":
        bidders += game.asked()
        game.apply({"kind": "bid", "seat": game.asked()[0], "bid": 3})
    assert bidders == [0, 1, 2]
    assert game.phase == "exchange"
    assert game.asked() == [1, 3]
    before = game.hands
    swapped = {seat: game.default(seat)["cards"] for seat in (3, 1)}
    for seat in (3, 1):
        assert game.hands == before
        game.apply(game.default(seat))
    assert set(swapped[1]) <= set(game.hands[3])
    assert set(swapped[3]) <= set(game.hands[1])
    assert game.phase == "play"


def test_blind_nil_is_not_asked_under_a_hundred_behind():
    game = sit_down("spades", 4, {"blind_nil": "yes"}, [0, -99])
    deal(game, [])
    assert game.phase == "bid"


def test_e26_the_total_counts():
    game = spades_deal([1, 1, 1, 1], lambda won: won[0] + won[2] == 5, scores=(495, 0))
    assert game.scores[0] == 518
    assert game.result()["placings"] == [1, 2, 1, 2]


def test_e31_extra_deal_below_the_target():
    game = sit_down("spades", 4, {}, [510, 510])
    write_line(game, [480, 460])
    assert game.result() is None
    assert game.phase == "deal"


def test_spades_not_broken():
    game = sit_down("spades", 4, {})
    deal(game, [run("AKQJ", "S")])
    bid(game, [1, 1, 1, 1])
    assert game.barred(0) == dict.fromkeys(run("JQKA", "S"), "spades_not_broken")
    assert kinds(game) == {"play"}


def test_spades_finish():
    game = sit_down("spades", 4, {})
    deal(game, [run("AKQJT98765432", "S")])
    bid(game, [5, 0, 0, 1])
    assert game.legal(0)[-1] == {"kind": "finish", "seat": 0, "cards": run("23456789TJQKA", "S")}
    game.apply(game.legal(0)[-1])
    assert game.scores == [50 + 8 + 100, 100 - 10]
    assert game.bags == [8, 0]
