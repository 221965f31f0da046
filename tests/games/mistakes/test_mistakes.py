"""The three mistakes of a game: planted ones are found, right play has none, and nothing hidden is looked at."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from games import mistakes
from games.cpu.questions import Decision
from games.histories import records
from games.kinds.cpu import choose_action
from games.log.positions import Entry, Holder, Table
from games.mistakes.decisions import decisions_of
from games.mistakes.search import find, question_of
from games.mistakes.weighing import seed_of
from games.rules import Action, Refused, Rules, State, view
from tests.games.finished import played
from tests.games.histories.test_records import GAMES
from tests.games.rules.rig import dealt, table

AT = datetime(2026, 4, 1, 9, 0, tzinfo=UTC)
HOLD: dict[str, Any] = {"passing": "off", "first_lead": "dealer_left", "first_trick_points": "yes"}

Choose = Callable[[Rules, State, int], Action]


class Game:
    """A game that is written down as it is played; the answers of seat `me` are a player's, the others' a CPU's."""

    def __init__(self, rules: Rules, me: int = 0) -> None:
        self.rules, self.me = rules, me
        self.state, self.entries = rules.start(), list[Entry]()
        holders = [Holder(1, "", "") if seat == me else Holder(None, "normal", "") for seat in range(rules.players)]
        self.table = Table(7, rules, 0, tuple(holders), "")

    def do(self, action: Action, cause: str = "") -> None:
        said = {key: value for key, value in action.to_json().items() if key not in ("kind", "seat")}
        usual = "dealer" if action.seat is None else "player" if action.seat == self.me else "cpu"
        ask = "" if action.seat is None else self.rules.ask_id(self.state, action.seat) or ""
        number = len(self.entries) + 1
        self.entries.append(Entry(number, action.seat, action.kind, ask, said, cause or usual, None, AT))
        self.state = self.rules.apply(self.state, action)

    def deal(self, hands: dict[int, str], dealer: int) -> Game:
        """Opens the game with these hands; the rest of the deck fills them."""
        self.do(Action("open", dealer=dealer))
        wanted = dealt(self.rules, hands, dealer=dealer)
        order = [(dealer + 1 + i) % self.rules.players for i in range(self.rules.players)]
        size = self.rules.hand_size
        pack = tuple(wanted.hands[seat][row] for row in range(size) for seat in order)
        self.do(Action("deal", pack=(*pack, *wanted.kitty)))
        return self

    def play(self, cards: str) -> Game:
        for card in cards.split():
            self.do(Action("play", self.state.turn, card=card))
        return self

    def until(self, done: Callable[[State], bool], choose: Choose | None = None) -> Game:
        """Goes on until then; seats answer as experts, and `me` as `choose` does."""
        rng = random.Random(5)
        while not done(self.state):
            seat = self.rules.due(self.state).seats[0]
            if seat == self.me and choose is not None:
                self.do(choose(self.rules, self.state, seat))
            else:
                self.do(choose_action(view(self.rules, self.state, seat), "expert", rng, 2800))
        return self

    def mistakes(self, seed: int = 1) -> list[dict[str, Any]]:
        return find(self.table, self.entries, self.me, seed)


def scored(state: State) -> bool:
    return bool(state.sheet)


def plies(found: list[dict[str, Any]]) -> list[int]:
    return [mistake["ply"] for mistake in found]


# --- planted mistakes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_queen_of_spades_that_was_taken_without_need_is_among_the_three(seed: int) -> None:
    hands = {
        0: "2S 3S KS 4C 7C 9C 3D 6D 9D JD 2H 5H 8H",
        1: "9S TS 5C 8C TC 2D 5D 8D QD 3H 6H 9H JH",
        2: "QS 2C 6C JC QC 4D 7D TD KD 4H 7H TH QH",
    }
    game = Game(table("hearts", **HOLD)).deal(hands, dealer=0).play("9S QS 4S")
    game.play("KS").until(scored)
    planted = next(entry.ply for entry in game.entries if entry.data.get("card") == "KS")
    found = game.mistakes(seed)
    assert planted in plies(found)
    told = next(mistake for mistake in found if mistake["ply"] == planted)
    best, given = told["options"][:2]
    assert (told["phase"], given["card"]) == ("play", "KS")
    assert best["card"] in ("2S", "3S")
    assert set(best["same"]) == {"2S", "3S"}
    assert told["cost"] > 10
    assert told["cost"] > 10 * told["error"]
    assert (given["facts"]["queen"], best["facts"]["queen"]) == (1.0, 0.0)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_nil_that_was_bid_with_the_ace_of_spades_is_among_the_three(seed: int) -> None:
    hands = {0: "AS 4S 2C 5C 9C KC 3D 7D JD AD 2H 6H TH"}
    game = Game(table("spades")).deal(hands, dealer=1)
    while game.state.turn != 0:
        game.until(lambda state: state.turn == 0)
    game.do(Action("bid", 0, bid=0))
    planted = len(game.entries)
    found = game.until(scored).mistakes(seed)
    assert planted in plies(found)
    told = next(mistake for mistake in found if mistake["ply"] == planted)
    best, given = told["options"][:2]
    assert (told["phase"], given["bid"], given["facts"]["nil"]) == ("bid", 0, 0.0)
    assert best["bid"] in (2, 3, 4)
    assert told["cost"] > 60


SHOOTER = {
    0: "5S 6S 7S 2C 3C 4C 5C 6C 7C 8C 9C TC 2D",
    1: "AS KS QS AH KH QH JH TH 8H AC KC QC JC",
    2: "8S 9S TS JS 6D 7D 8D 9D TD JD QD KD AD",
    3: "2S 3S 4S 2H 3H 4H 5H 6H 7H 9H 3D 4D 5D",
}
#: Seat 1 takes the queen and ten hearts, then leads its last one; seat 3 has the nine and the seven left.
EIGHT_TRICKS = "AS 8S 2S 5S KS 9S 3S 6S QS TS 4S 7S AH 6D 2H 3C KH 7D 3H 4C QH 8D 4H 5C JH 9D 5H 6C TH TD 6H 7C 8H JD"


@pytest.mark.parametrize("moon", ["add", "subtract", "choose"])
def test_a_moon_that_could_have_been_stopped_for_a_trick_is_among_the_three(moon: str) -> None:
    rules = table("hearts", passing="off", first_lead="dealer_left", hearts_broken_by="any_point", moon=moon)
    game = Game(rules, me=3).deal(SHOOTER, dealer=0).play(EIGHT_TRICKS).play("7H")
    planted = len(game.entries)
    game.until(scored)
    assert any(line.what == "moon" for line in game.state.sheet[0].lines)
    for seed in (1, 2, 3):
        found = game.mistakes(seed)
        told = next(mistake for mistake in found if mistake["ply"] == planted)
        assert (told["options"][0]["card"], told["options"][1]["card"]) == ("9H", "7H")
        assert told["cost"] > 1.5


def test_the_better_payment_for_the_own_moon_is_found_without_any_doubt() -> None:
    rules = table("hearts", passing="off", first_lead="dealer_left", hearts_broken_by="any_point", moon="choose")
    game = Game(rules, me=1).deal(SHOOTER, dealer=0).play(EIGHT_TRICKS).play("7H")
    game.until(lambda state: state.phase == "moon")
    game.do(Action("moon", 1, choice="subtract"))
    scores = [mistake for mistake in game.mistakes() if mistake["phase"] == "moon"]
    game.entries[-1] = Entry(**{**columns(game.entries[-1]), "data": {"choice": "add"}})
    others = [mistake for mistake in game.mistakes() if mistake["phase"] == "moon"]
    assert len(scores) + len(others) <= 1  # at most one of the two can be worse
    assert all(mistake["error"] == 0.0 for mistake in (*scores, *others))


def columns(entry: Entry) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in Entry.__slots__}


# --- right play -------------------------------------------------------------------------------------------------------


def best_of(rules: Rules, state: State, seat: int, seed: int) -> Action:
    """The answer with the highest worth in many deals of their own."""
    seen = view(rules, state, seat)
    ask = seen.ask
    assert ask is not None
    if ask.finish is not None:
        return Action("finish", seat, cards=ask.finish)
    first = choose_action(seen, "expert", random.Random(seed), 20_000)
    question = question_of(Decision(state.ply, seen, first))
    if question is None or len(question.options) < 2:
        return first
    variants = [(option, False) for option in range(len(question.options))]
    worlds = 2_400 if len(variants) < 15 else 480
    worth = question.play(variants, worlds, seed_of(seed, state.ply))[:, :, 0].mean(axis=0)
    best = question.options[int(worth.argmax())].action
    return first if worth.max() - worth[question.chosen] < 0.2 * question.unit else best


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_deal_in_which_no_answer_made_a_difference_has_no_mistake(seed: int) -> None:
    clubs = "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC"
    game = Game(table("hearts", **HOLD)).deal({0: clubs}, dealer=1)
    rng = random.Random(seed)
    game.until(scored, lambda rules, state, seat: Action("play", seat, card=rng.choice(rules.legal_cards(state))))
    assert len(list(decisions_of(game.table, game.entries, 0))) > 5
    assert game.mistakes(seed) == []


@pytest.mark.parametrize(("kind", "number"), [("hearts", 1), ("hearts", 2), ("spades", 1), ("spades", 2)])
def test_a_deal_in_which_every_answer_was_the_best_has_no_mistake(kind: str, number: int) -> None:
    game = Game(table(kind, **(HOLD if kind == "hearts" else {})))
    rng = random.Random(number)
    pack = tuple(rng.sample(game.rules.deck, 52))
    game.do(Action("open", dealer=number))
    game.do(Action("deal", pack=pack))
    game.until(scored, lambda rules, state, seat: best_of(rules, state, seat, 3))
    for seed in (1, 2):
        assert game.mistakes(seed) == []


def test_where_nothing_was_to_be_decided_there_is_no_mistake() -> None:
    game = Game(table("hearts", **HOLD)).deal({}, dealer=1)
    assert game.mistakes() == []
    rng = random.Random(1)
    game.until(scored, lambda rules, state, seat: choose_action(view(rules, state, seat), "beginner", rng))
    game.entries = [Entry(**{**columns(entry), "cause": "timeout"}) for entry in game.entries]
    assert game.mistakes() == []


# --- what it looks at -------------------------------------------------------------------------------------------------


def test_the_same_log_and_seed_give_the_same_mistakes() -> None:
    record = played("hearts", 4, seed=6, humans=[0], most_deals=1)
    table, entries = records.table_of(record), records.entries_of(record)
    heard: list[float] = []
    found = find(table, entries, 0, 5, heard.append)
    assert found == find(table, entries, 0, 5)
    assert 0 < len(found) <= mistakes.MOST
    assert (heard[0], heard[-1], heard == sorted(heard)) == (0.0, 1.0, True)


@pytest.mark.parametrize(("kind", "number"), [("hearts", 8), ("spades", 2)])
def test_other_hidden_hands_change_nothing(kind: str, number: int) -> None:
    rng = random.Random(number)
    game = Game(table(kind, **(HOLD if kind == "hearts" else {})))
    game.do(Action("open", dealer=2))
    game.do(Action("deal", pack=tuple(rng.sample(game.rules.deck, 52))))
    careless = random.Random(4)
    game.until(
        lambda state: len(state.tricks) == 6,
        lambda rules, state, seat: choose_action(view(rules, state, seat), "beginner", careless),
    )
    last = max(decision.ply for decision in decisions_of(game.table, game.entries, 0))
    entries = game.entries[:last]
    found = find(game.table, entries, 0, 1)
    assert found
    tried = 0
    for one, two in hidden_pairs(game, rng):
        other = swapped(entries, one, two)
        try:
            same = views(game.table, other) == views(game.table, entries)
        except Refused:
            continue
        if same:
            assert find(game.table, other, 0, 1) == found
            tried += 1
        if tried == 4:
            return
    raise AssertionError("no other hands fit")


def hidden_pairs(game: Game, rng: random.Random) -> list[tuple[str, str]]:
    """Cards of one suit that two of the other seats still hold, and could as well hold the other way round."""
    hands = game.state.hands
    pairs = [
        (one, two)
        for a in (1, 2, 3)
        for b in range(a + 1, 4)
        for one in hands[a]
        for two in hands[b]
        if one[1] == two[1]
    ]
    return rng.sample(pairs, len(pairs))


def swapped(entries: list[Entry], one: str, two: str) -> list[Entry]:
    change = {one: two, two: one}
    pack = [change.get(card, card) for card in entries[1].data["pack"]]
    return [entries[0], Entry(**{**columns(entries[1]), "data": {"pack": pack}}), *entries[2:]]


def views(table: Table, entries: list[Entry]) -> list[Any]:
    return [decision.view for decision in decisions_of(table, entries, 0)]


def test_only_the_answers_of_the_player_himself_are_looked_at() -> None:
    record = played("hearts", 4, {"end_score": 60}, seed=11)
    table, entries = records.table_of(record), records.entries_of(record)
    looked = {decision.ply for decision in decisions_of(table, entries, 0)}
    assert looked
    assert all((entry.cause, entry.seat) == ("player", 0) for entry in entries if entry.ply in looked)
    begun: Any = {**record, "forks": [{"ply": sorted(looked)[9], "code": record["code"]}]}
    own = {decision.ply for decision in decisions_of(table, records.entries_of(begun), 0)}
    assert own == set(sorted(looked)[10:])  # what another table played is nobody's mistake here


@pytest.mark.parametrize(("kind", "players", "options"), GAMES, ids=[f"{game[0]}{game[1]}" for game in GAMES])
def test_every_kind_of_game_can_be_looked_at(kind: str, players: int, options: dict[str, Any]) -> None:
    record = played(kind, players, options, seed=2, most_deals=1, humans=range(players))
    table, entries = records.table_of(record), records.entries_of(record)
    for seat in (0, players - 1):
        found = find(table, entries, seat, 1)
        assert len(found) <= mistakes.MOST
        assert found or kind == "spades"  # at random nobody plays well, but a side that is set anyway loses no more
        for mistake in found:
            entry = entries[mistake["ply"] - 1]
            given = mistake["options"][1]
            said = entry.data.get("card")
            assert entry.seat == seat
            assert (
                said in given["same"]
                if said
                else all(given[key] == value for key, value in entry.data.items() if key != "cards")
            )
            assert mistake["cost"] == given["worse"] > 0
            assert mistake["options"][0]["worse"] == 0


def test_blind_nils_and_exchanges_are_weighed_too() -> None:
    seen = set()
    for seed in (1, 2, 3):
        record = played("spades", 4, {"blind_nil": "yes"}, seed=seed, most_deals=6, humans=range(4))
        for seat in range(4):
            for decision in decisions_of(records.table_of(record), records.entries_of(record), seat):
                question = question_of(decision)
                assert question is not None
                if decision.view.phase not in seen:
                    seen.add(decision.view.phase)
                    told = question.play([(0, False), (question.chosen, False)], 192, 3)
                    assert told.shape == (192, 2, 1 + len(question.facts))
    assert seen == {"blind", "bid", "exchange", "play"}
