"""The public statistics of deals: right counts of known games, each game once, and a true word on how odd they are."""

from __future__ import annotations

import random
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from math import comb, exp
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connections
from django.test import Client
from django.utils import translation

from games import models
from games.histories import records
from games.rules.cards import DECK
from games.statistics import chances, tallies
from games.statistics import page as statistics_page
from games.statistics import services as deal_statistics
from games.statistics.tasks import count_deals
from tests import factories
from tests.games.finished import played, stored
from tests.games.live_site import is_over, orm, play_until

# --- the maths --------------------------------------------------------------------------------------------------------


def test_the_chances_of_suit_lengths_are_those_of_the_books() -> None:
    found = chances.suit_lengths()
    assert sum(found) == pytest.approx(1)
    # In per cent, as tables for bridge players have them.
    known = {0: 1.279, 1: 8.006, 2: 20.587, 3: 28.633, 4: 23.861, 5: 12.469, 6: 4.156, 7: 0.882, 8: 0.117}
    for length, share in known.items():
        assert 100 * found[length] == pytest.approx(share, abs=0.001)
    assert found[13] == pytest.approx(1 / comb(52, 13))


def test_chi_square_is_what_one_gets_by_hand() -> None:
    # 30, 20, 25, 25 where 25 each are expected: (25 + 25 + 0 + 0) / 25 = 2 with three degrees of freedom.
    found = chances.fit([30, 20, 25, 25], [0.25] * 4)
    assert found is not None
    assert (found.statistic, found.freedom) == (pytest.approx(2.0), 3)
    assert found.chance == pytest.approx(0.5724067)
    # With two degrees of freedom the chance is exp(-x / 2): 10, 20, 30 where 20 each are expected is x = 10.
    found = chances.fit([10, 20, 30], [1 / 3] * 3)
    assert found is not None
    assert (found.statistic, found.freedom) == (pytest.approx(10.0), 2)
    assert found.chance == pytest.approx(exp(-5))


@pytest.mark.parametrize(
    ("statistic", "freedom", "chance"),
    [
        # As scipy.special.chdtrc has them: small and large, odd and even, near one and near nothing.
        (0.0, 1, 1.0),
        (1e-06, 1, 0.9992021155721779),
        (3.841458820694124, 1, 0.04999999999999989),
        (0.001, 2, 0.9995001249791693),
        (0.35, 3, 0.950366117368476),
        (11.345, 3, 0.009999384083287103),
        (700.0, 3, 2.0991308534204487e-151),
        (4.2, 8, 0.8386428488905466),
        (22.4, 13, 0.04946560545190643),
        (60.0, 13, 5.253479852705724e-08),
        (250.0, 13, 6.402551802736374e-46),
        (95.0, 100, 0.6225792918781736),
        (2549.0, 2549, 0.4962750471405716),
        (2900.0, 2601, 3.0909109976265e-05),
    ],
)
def test_the_chance_of_a_deviation_is_that_of_the_statistics_libraries(
    statistic: float, freedom: int, chance: float
) -> None:
    assert chances.chance_of(statistic, freedom) == pytest.approx(chance, rel=1e-11)


def test_thin_cells_are_put_together_and_too_few_counts_say_nothing() -> None:
    # Expected are 2, 3, 50, 44 and 1: the first two are one cell of 5, the last goes to the one before.
    found = chances.fit([0, 5, 50, 44, 1], [0.02, 0.03, 0.5, 0.44, 0.01])
    assert found is not None
    assert (found.statistic, found.freedom, found.chance) == (pytest.approx(0), 2, pytest.approx(1))
    assert chances.fit([1, 1, 1, 1], [0.25] * 4) is None
    assert chances.fit([0, 0], [0.5, 0.5]) is None


def test_a_fair_shuffle_is_seldom_odd_and_a_bad_one_is() -> None:
    rng = random.Random(5)
    fair, bad = Counter[int](), Counter[int]()
    for _ in range(4_000):
        hand = rng.sample(DECK, 13)
        fair[sum(card[1] == "S" for card in hand)] += 1
        bad[sum(card[1] == "S" for card in rng.sample([*DECK, *DECK[-6:]], 13))] += 1
    good, odd = (chances.fit([seen[n] for n in range(14)], chances.suit_lengths()) for seen in (fair, bad))
    assert good is not None
    assert odd is not None
    assert good.chance > 0.01
    assert odd.chance < 1e-6


@pytest.mark.parametrize("language", ["en", "ja"])
def test_how_odd_something_is_is_said_in_a_sentence(language: str) -> None:
    with translation.override("en"):
        fits = chances.Fit(3.46, 1, 0.4321), chances.Fit(12, 7, 0.004), chances.Fit(12, 7, 0.000001)
        told = [statistics_page.verdict_of(fit) for fit in fits]
    assert [re.findall(r"[\d,]+ of [\d,]+", verdict.text) for verdict in told] == [
        ["43 of 100"],
        ["40 of 10,000"],
        ["1 of 10,000"],
    ]
    assert [verdict.tone for verdict in told] == ["good", "fair", "bad"]
    assert [verdict.figures for verdict in told] == [
        "χ² = 3.5, 1 degree of freedom, p = 0.43",
        "χ² = 12.0, 7 degrees of freedom, p = 0.004",
        "χ² = 12.0, 7 degrees of freedom, p = 1e-06",
    ]
    with translation.override(language):
        assert statistics_page.verdict_of(None).text


# --- counts of known games --------------------------------------------------------------------------------------------


def by_brute_force(record: records.Record) -> Counter[tallies.Key]:
    """The counts of the cards of a game, from nothing but its packs and who dealt."""
    found: Counter[tallies.Key] = Counter()
    dealer = record["log"][0]["data"]["dealer"]
    found["first_dealer", str(dealer)] += 1
    found["games", record["kind"]] += 1
    deal = 0
    for entry in record["log"]:
        if entry["kind"] == "skip":
            deal -= 1  # the same deal once more
        if entry["kind"] != "deal":
            continue
        deal += 1
        found["deals", record["kind"]] += 1
        at = (dealer + deal - 1) % 4
        for place in range(4):  # the first card of a pack goes to the dealer's left
            seat = (at + 1 + place) % 4
            hand = entry["data"]["pack"][place::4]
            for suit in "CDHS":
                found["length", str(sum(card[1] == suit for card in hand))] += 1
            if "QS" in hand:
                found["queen_seat", str(seat)] += 1
                found["queen_away", str((place + 1) % 4)] += 1
            if place == 0:
                found["one_length", str(sum(card[1] == "S" for card in hand))] += 1
    return found


CARDS = ("first_dealer", "games", "deals", "length", "queen_seat", "queen_away", "one_length")


@pytest.mark.parametrize(
    ("kind", "options"),
    [("hearts", {}), ("hearts", {"skip_right": "one_each"}), ("spades", {"blind_nil": "yes", "target": 250})],
)
def test_counts_of_a_game_are_those_of_its_packs(kind: str, options: dict[str, Any]) -> None:
    for seed in range(3):
        record = played(kind, 4, options, seed=seed)
        found = tallies.of_game(records.table_of(record), records.entries_of(record))
        assert {key: n for key, n in found.items() if key[0] in CARDS} == by_brute_force(record)
        deals = sum(n for (name, _), n in found.items() if name == "deals")
        assert sum(n for (name, _), n in found.items() if name == "length") == 16 * deals
        assert sum(n for (name, _), n in found.items() if name == "queen_seat") == deals


def test_points_and_nils_are_of_whoever_played_the_whole_deal() -> None:
    record = played("hearts", 4, seed=3, humans=(0, 1))
    found = tallies.of_game(records.table_of(record), records.entries_of(record))
    sheet = records.fold(record).state.sheet
    expected: Counter[tallies.Key] = Counter()
    for row in sheet:
        for seat in range(4):
            deal = [
                entry for entry in record["log"] if entry["seat"] == seat and entry["ask"].startswith(f"{row.deal}.")
            ]
            if seat > 1:
                expected["points", f"normal {row.change[seat]}"] += 1
            elif {entry["cause"] for entry in deal} == {"player"}:
                expected["points", f"people {row.change[seat]}"] += 1
    assert {key: n for key, n in found.items() if key[0] == "points"} == expected
    assert 0 < sum(n for (name, value), n in found.items() if value.startswith("people")) < 2 * len(sheet)
    jack = played("hearts", 4, {"jack_of_diamonds": "minus_ten"}, seed=3)
    counted = tallies.of_game(records.table_of(jack), records.entries_of(jack))
    assert not [key for key in counted if key[0] == "points"]


def test_a_nil_counts_as_made_if_its_bidder_took_no_trick() -> None:
    made = failed = 0
    for seed in range(8):
        record = played("spades", 4, {"blind_nil": "yes"}, seed=seed, humans=())
        found = tallies.of_game(records.table_of(record), records.entries_of(record))
        sheet = records.fold(record).state.sheet
        lines = [line.what for row in sheet for line in row.lines if line.seat is not None]
        assert found["nil", "normal made"] == sum(what in ("nil", "blind_nil") for what in lines)
        assert found["nil", "normal failed"] == sum(what.startswith("failed") for what in lines)
        made, failed = made + found["nil", "normal made"], failed + found["nil", "normal failed"]
    assert failed > 0


def test_other_tables_are_not_counted() -> None:
    record = played("hearts", 3)
    assert tallies.of_game(records.table_of(record), records.entries_of(record)) == {}


# --- each game once ---------------------------------------------------------------------------------------------------

GAMES = 3


@pytest.fixture
def some(transactional_db: None) -> Counter[tallies.Key]:
    """Finished games, and what they come to."""
    expected: Counter[tallies.Key] = Counter()
    for seed in range(GAMES):
        record = played("spades" if seed else "hearts", 4, seed=seed)
        stored(record, [factories.user(), factories.user(), None, None])
        expected.update(tallies.of_game(records.table_of(record), records.entries_of(record)))
    return expected


def test_every_game_is_counted_once_however_often_it_is_run(some: Counter[tallies.Key]) -> None:
    assert deal_statistics.rebuild() == GAMES
    assert deal_statistics.count() == GAMES
    assert deal_statistics.counts() == some
    count_deals()
    assert deal_statistics.counts() == some
    assert not models.Uncounted.objects.exists()


def test_a_run_that_was_broken_off_goes_on(some: Counter[tallies.Key], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deal_statistics, "BATCH", 1)
    deal_statistics.rebuild()
    assert deal_statistics.count(seconds=0.0) == 0
    real, looked = tallies.of_game, []

    def dies_in_the_second(*about: Any) -> Counter[tallies.Key]:
        looked.append(about)
        if len(looked) == 2:
            raise RuntimeError
        return real(*about)

    with monkeypatch.context() as patch:
        patch.setattr(tallies, "of_game", dies_in_the_second)
        with pytest.raises(RuntimeError):
            deal_statistics.count()
    assert models.Uncounted.objects.count() == GAMES - 1
    assert deal_statistics.count() == GAMES - 1
    assert deal_statistics.counts() == some


def test_several_workers_at_once_count_each_game_once(
    some: Counter[tallies.Key], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deal_statistics, "BATCH", 1)
    deal_statistics.rebuild()

    def work(_: int) -> int:
        try:
            return deal_statistics.count(20.0)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(work, range(4))) == GAMES
    assert deal_statistics.counts() == some


def test_counting_anew_comes_to_the_same(some: Counter[tallies.Key]) -> None:
    deal_statistics.rebuild()
    deal_statistics.count()
    models.Tally.objects.filter(name="queen_seat").update(count=7)
    out = StringIO()
    call_command("rebuild_statistics", stdout=out, stderr=StringIO())
    assert deal_statistics.counts() == some
    assert f"{GAMES} games" in out.getvalue()


def test_only_games_that_chance_has_dealt_and_that_are_over_are_counted(some: Counter[tallies.Key]) -> None:
    deal_statistics.rebuild()
    deal_statistics.count()
    others: list[dict[str, Any]] = [{"cards": "given"}, {"status": "void"}, {"status": "playing"}]
    for number, fields in enumerate(others):
        game = stored(played(seed=10 + number), [factories.user(), factories.user(), None, None], **fields)
        models.Uncounted.objects.create(game=game)
    first = models.Game.objects.order_by("pk")[0]
    fork = stored(played(seed=20), [factories.user(), factories.user(), None, None], forked_from=first)
    models.Uncounted.objects.create(game=fork)
    assert deal_statistics.count() == len(others) + 1
    assert deal_statistics.counts() == some
    assert deal_statistics.rebuild() == GAMES


def test_a_game_whose_log_cannot_be_followed_holds_up_nobody(some: Counter[tallies.Key]) -> None:
    broken = stored(played(seed=9), [factories.user(), factories.user(), None, None])
    models.Game.objects.filter(pk=broken.pk).update(options={"end_score": -1})
    deal_statistics.rebuild()
    assert deal_statistics.count() == GAMES + 1
    assert deal_statistics.counts() == some


async def test_a_game_that_ends_is_counted_and_one_that_runs_is_not(site: None) -> None:
    seated = await orm(factories.game, 2, 2, options=factories.SHORT)
    running = await orm(factories.game, 2, 2)
    await play_until(seated.id, is_over)
    await play_until(running.id, lambda position: position.ply > 40)
    assert await orm(lambda: list(models.Uncounted.objects.values_list("game_id", flat=True))) == [seated.id]
    await orm(count_deals)
    found = await orm(deal_statistics.counts)
    table, entries = await orm(factories.table_of, seated.id), await orm(factories.log_of, seated.id)
    assert found == tallies.of_game(table, entries)


# --- the page ---------------------------------------------------------------------------------------------------------


def page(language: str = "en") -> str:
    answer = Client(headers={"accept-language": language}).get("/statistics/")
    assert answer.status_code == 200
    return str(answer.content.decode())


def counted(deals: int) -> None:
    """Counts as of many deals, without the games."""
    rng = random.Random(3)
    found: Counter[tallies.Key] = Counter()
    for number in range(deals):
        cards = rng.sample(DECK, 52)
        found["deals", "hearts" if number % 2 else "spades"] += 1
        for seat in range(4):
            hand = cards[seat::4]
            for suit in "CDHS":
                found["length", str(sum(card[1] == suit for card in hand))] += 1
            if "QS" in hand:
                found["queen_seat", str(seat)] += 1
                found["queen_away", str((seat + number) % 4)] += 1
        found["one_length", str(sum(card[1] == "S" for card in cards[::4]))] += 1
        found["first_dealer", str(rng.randrange(4))] += 1
        found["games", "hearts"] += 1
        for who in ("people", "normal", "expert"):
            found["points", f"{who} {rng.choice((0, 3, 5, 13, 26))}"] += 1
            found["nil", f"{who} {rng.choice(('made', 'made', 'failed'))}"] += 1
    models.Tally.objects.bulk_create(models.Tally(name=n, value=v, count=c) for (n, v), c in found.items())


@pytest.mark.usefixtures("transactional_db")
@pytest.mark.parametrize("language", ["en", "ja"])
def test_with_few_deals_the_page_says_nothing(language: str) -> None:
    counted(statistics_page.FEWEST_DEALS - 1)
    text = page(language)
    assert "<svg xmlns" not in text
    assert str(statistics_page.FEWEST_DEALS - 1) not in text


@pytest.mark.usefixtures("transactional_db")
@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_page_shows_charts_with_tables_and_no_person(language: str) -> None:
    counted(600)
    text = page(language)
    assert text.count('class="chart-svg"') == 5
    assert text.count("<details>") == 5
    assert "600" in text
    if language == "en":
        assert len(re.findall(r"is to be expected at [\d,]+ of", text)) == 4
        # Of people nothing is shown while they are so few.
        assert "CPU: normal" in text
        assert "Human players" not in re.sub(r"<p>.*?</p>", "", text)


@pytest.mark.usefixtures("transactional_db")
def test_people_are_shown_once_enough_of_them_have_played() -> None:
    counted(600)
    for seed in range(3):
        stored(played(seed=seed, most_deals=0), [factories.user(), factories.user(), None, None], status="finished")
    text = page()
    assert ">Human players<" in text


@pytest.mark.usefixtures("transactional_db")
def test_no_level_is_shown_with_few_deals() -> None:
    counted(600)
    models.Tally.objects.filter(value__startswith="expert").delete()
    assert "CPU: expert" not in page()
