"""Who is on a board and in which order, now and in a season, however many people there are."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts import members
from accounts.models import User
from games.models import PresetVersion
from ladder.boards import selectors
from ladder.models import Ladder, RankedGame, Rating, SeasonRating
from ladder.rating import services
from ladder.rating.services import NotRanked, enter
from ladder.rating.standing import Season, season_of
from tests import factories
from tests.ladder import crowd
from tests.ladder.finished import ladder

pytestmark = pytest.mark.django_db


def ranks(rows: Any) -> list[tuple[int | None, str]]:
    return [(row.rank, row.name) for row in rows]


def test_the_board_lists_who_has_thirty_games_and_one_of_late() -> None:
    users = crowd.people(5)
    now = timezone.now()
    crowd.ratings(ladder(), users[:1], [1400], games=30)
    crowd.ratings(ladder(), users[1:2], [1900], games=29)
    crowd.ratings(ladder(), users[2:3], [1900], at=now - timedelta(days=30, minutes=1))
    crowd.ratings(ladder(), users[3:4], [1500], at=now - timedelta(days=29))
    crowd.ratings(ladder("spades"), users[4:], [1800])
    board = selectors.board(ladder())
    assert ranks(board.rows) == [(1, "Crowd 3"), (2, "Crowd 0")]
    assert board.total == 2


def test_guests_are_on_no_board_since_no_game_of_theirs_can_be_ranked() -> None:
    game = factories.game(humans=4).row
    User.objects.filter(player__game=game, player__seat__lt=3).update(is_guest=False)
    with pytest.raises(NotRanked):
        enter(game=game, ladder=ladder())
    assert not RankedGame.objects.exists()
    User.objects.filter(player__game=game).update(is_guest=False)
    enter(game=game, ladder=ladder())


def test_closed_accounts_are_on_boards_under_their_new_name() -> None:
    gone, here = crowd.people(2)
    crowd.ratings(ladder(), [gone, here], [1700, 1600])
    crowd.season(ladder(), "2026-Q3", [gone, here], [1700, 1600])
    members.close_account(user=gone)
    for season in (None, Season(2026, 3)):
        rows = selectors.board(ladder(), season=season).rows
        assert [row.user_id for row in rows] == [gone.pk, here.pk]
        assert rows[0].name.startswith("Former player ")
        assert selectors.board(ladder(), season=season, search="Crowd 0").rows == ()


def test_equal_ratings_share_a_rank_on_every_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selectors, "PAGE", 3)
    users = crowd.people(7)
    crowd.ratings(ladder(), users, [1800, 1700, "1600.01", "1600.01", "1600.01", "1600.00", 1500])
    first, second, third = (selectors.board(ladder(), page=number) for number in (1, 2, 3))
    assert [row.rank for row in first.rows] == [1, 2, 3]
    assert [row.rank for row in second.rows] == [3, 3, 6]
    assert [row.rank for row in third.rows] == [7]
    assert first.pages == 3
    assert selectors.board(ladder(), page=99).page == 3
    assert selectors.board(ladder(), page=-1).page == 1
    assert [selectors.row_of(user, ladder()).rank for user in users] == [1, 2, 3, 3, 3, 6, 7]


def test_a_season_is_ranked_by_the_ratings_it_was_closed_with() -> None:
    users = crowd.people(4)
    crowd.ratings(ladder(), users, [1500] * 4)
    crowd.season(ladder(), "2026-Q3", users, [1510, 1530, 1520, 1900], games=20)
    SeasonRating.objects.filter(user=users[3]).update(games=19)
    board = selectors.board(ladder(), season=Season(2026, 3), viewer=users[3])
    assert ranks(board.rows) == [(1, "Crowd 1"), (2, "Crowd 2"), (3, "Crowd 0")]
    assert board.own is not None
    assert (board.own.rank, board.own.missing) == (None, 1)


def test_few_games_in_a_season_put_no_question_mark_on_a_settled_rating() -> None:
    settled, new = crowd.people(2)
    crowd.ratings(ladder(), [settled], [1600], games=60)
    crowd.ratings(ladder(), [new], [1550], games=4)
    crowd.season(ladder(), "2026-Q3", [settled, new], [1590, 1540], games=3)
    rows = selectors.board(ladder(), season=Season(2026, 3), search="crowd").rows
    assert [(row.shown, row.missing) for row in rows] == [("1590", 17), ("1540?", 17)]


def test_the_seasons_to_choose_from_go_back_to_the_first_with_somebody_in_it() -> None:
    now = season_of(timezone.now())
    assert selectors.seasons_of(ladder()) == [now]
    crowd.season(ladder(), str(now.before.before), crowd.people(1), [1500])
    assert selectors.seasons_of(ladder()) == [now, now.before, now.before.before]


def test_the_own_row_says_where_one_stands_or_what_is_missing() -> None:
    users = crowd.people(3)
    crowd.ratings(ladder(), users[:2], [1700, 1600])
    crowd.ratings(ladder(), users[2:], [1650], games=12)
    own = selectors.board(ladder(), viewer=users[1]).own
    assert own is not None
    assert (own.rank, own.missing, own.shown) == (2, 0, "1600")
    own = selectors.board(ladder(), viewer=users[2]).own
    assert own is not None
    assert (own.rank, own.missing, own.shown) == (None, 18, "1650")
    Rating.objects.filter(user=users[0]).update(last_game_at=timezone.now() - timedelta(days=40))
    idle = selectors.board(ladder(), viewer=users[0]).own
    assert idle is not None
    assert (idle.rank, idle.missing) == (None, 0)
    (new,) = crowd.people(1, "New")
    unrated = selectors.board(ladder(), viewer=new).own
    assert unrated is not None
    assert (unrated.rank, unrated.missing, unrated.shown) == (None, 30, "1500?")


def test_a_search_finds_part_of_a_name_with_its_rank_on_the_whole_board() -> None:
    users = crowd.people(4)
    crowd.ratings(ladder(), users, [1800, 1700, 1600, 1500])
    others = crowd.people(1, "みかん")
    crowd.ratings(ladder(), others, [1900], games=3)
    assert ranks(selectors.board(ladder(), search="crowd 2").rows) == [(3, "Crowd 2")]
    (found,) = selectors.board(ladder(), search=" みか ").rows
    assert (found.rank, found.missing, found.shown) == (None, 27, "1900?")
    assert selectors.board(ladder(), search="Ｃｒｏｗｄ　２").rows[0].name == "Crowd 2", "full width is the same name"
    assert selectors.board(ladder(), search="50%").rows == (), "signs of the database are signs of a name"
    assert selectors.board(ladder(), search="x" * 10_000).rows == ()
    assert len(selectors.board(ladder(), search="\0").rows) == 4


def test_a_search_with_many_matches_names_some_and_says_that_there_are_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selectors, "FOUND", 2)
    crowd.ratings(ladder(), crowd.people(3), [1800, 1700, 1600])
    board = selectors.board(ladder(), search="crowd")
    assert ranks(board.rows) == [(1, "Crowd 0"), (2, "Crowd 1")]
    assert board.is_more


# --- many people ------------------------------------------------------------------------------------------------------


@pytest.fixture
def many() -> list[User]:
    """Twenty thousand people on a ladder and in a season; a third of them on the board."""
    users = crowd.people(20_000)
    values = [str(Decimal(1000) + Decimal(each * 7 % 100_000) / 100) for each in range(len(users))]
    crowd.ratings(ladder(), users, values)
    crowd.season(ladder(), "2026-Q3", users, values)
    Rating.objects.filter(user__in=users[::3]).update(games=5)
    Rating.objects.filter(user__in=users[1::3]).update(last_game_at=timezone.now() - timedelta(days=60))
    crowd.analyse(User, Rating, SeasonRating)
    return users


def plan_of(rows: Any) -> str:
    return str(rows.explain(analyze=False))


def test_a_page_of_a_large_board_is_read_from_an_index_in_few_queries(
    many: list[User], django_assert_max_num_queries: Any
) -> None:
    board_ladder, season = ladder(), Season(2026, 3)
    for chosen, index in ((None, "rating_board"), (season, "season_board")):
        rows = selectors.listed(board_ladder, chosen)
        ordered = rows.order_by("-rating", "user_id")
        assert f"Index Only Scan using {index}" in plan_of(ordered.values_list("user_id", flat=True)[5000:5050])
        assert index in plan_of(ordered.filter(rating__gt=Decimal(1900)).values("rating"))
        with django_assert_max_num_queries(8):
            board = selectors.board(board_ladder, season=chosen, page=3, viewer=many[2])
        assert len(board.rows) == 50
        assert board.own is not None
        assert board.own.rank is not None
        with django_assert_max_num_queries(9):
            selectors.board(board_ladder, season=chosen, search="19", viewer=many[2])


def test_ranks_deep_in_a_large_board_are_those_of_a_plain_sort(many: list[User]) -> None:
    values = sorted(selectors.listed(ladder()).values_list("rating", flat=True), reverse=True)
    for page in (1, 2, 60, 133):
        for row in selectors.board(ladder(), page=page).rows:
            assert row.rank == values.index(row.rating) + 1


# --- pages ------------------------------------------------------------------------------------------------------------


def text_of(path: str, client: Client | None = None) -> str:
    """A page without its markup; each run of space is one."""
    answer = (client or Client()).get(path)
    assert answer.status_code == 200, path
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


@pytest.mark.parametrize("language", ["en", "ja"])
def test_all_ladders_stand_on_one_page_in_each_language(language: str) -> None:
    crowd.ratings(ladder(), crowd.people(7), [1700 - each for each in range(7)])
    ladder("spades")
    answer = Client().get(f"/{language}/ladder/")
    page = answer.content.decode()
    assert f'<html lang="{language}">' in page
    assert "/ladder/hearts-ranked/" in page
    assert "/ladder/spades-ranked/" in page
    assert "Crowd 4" in page
    assert "Crowd 5" not in page, "the first five"
    assert Client().get("/ladder/", headers={"accept-language": language}).headers["Location"] == f"/{language}/ladder/"


def test_a_board_marks_the_reader_and_leads_to_his_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selectors, "PAGE", 10)
    users = crowd.people(25)
    crowd.ratings(ladder(), users, [2000 - each for each in range(25)])
    client = client_of(users[12])
    page = client.get("/en/ladder/hearts-ranked/").content.decode()
    assert 'class="own"' not in page
    assert "You are number 13." in page
    assert 'href="?page=2#own"' in page
    second = client.get("/en/ladder/hearts-ranked/?page=2").content.decode()
    assert second.count('class="own" id="own"') == 1
    assert 'rel="prev"' in second
    assert 'rel="next"' in second
    assert "Page 2 of 3" in second
    assert 'rel="next"' not in client.get("/en/ladder/hearts-ranked/?page=3").content.decode()


def test_whoever_is_not_listed_is_told_why() -> None:
    few, idle, new = crowd.people(3)
    crowd.ratings(ladder(), [few], [1550], games=7)
    crowd.ratings(ladder(), [idle], [1650], at=timezone.now() - timedelta(days=31))
    assert "7 of 30 rated games" in text_of("/en/ladder/hearts-ranked/", client_of(few))
    assert "You have not played ranked for 30 days." in text_of("/en/ladder/hearts-ranked/", client_of(idle))
    assert "0 of 30 rated games" in text_of("/en/ladder/hearts-ranked/", client_of(new))
    assert "rated games With so many" not in text_of("/en/ladder/hearts-ranked/")
    assert "Nobody is listed yet." in text_of("/en/ladder/hearts-ranked/")


def test_a_provisional_rating_has_its_question_mark_on_the_board() -> None:
    crowd.ratings(ladder(), crowd.people(1), [1500], games=9)
    assert "1500?" in text_of("/en/ladder/hearts-ranked/?q=crowd")


def test_a_season_is_chosen_by_its_name_and_an_unknown_one_is_not_found() -> None:
    season = season_of(timezone.now()).before
    crowd.season(ladder(), str(season), crowd.people(2), [1610, 1590])
    page = text_of(f"/en/ladder/hearts-ranked/?season={season}")
    assert "Closing rating" in page
    assert "1610" in page
    for wrong in (str(season.before), "2026-Q5", "2026", "9999-Q4", "0000-Q1", "x" * 5_000):
        assert Client().get("/en/ladder/hearts-ranked/", {"season": wrong}).status_code == 404
    assert Client().get("/en/ladder/nothing/").status_code == 404


@pytest.mark.parametrize("page", ["0", "-1", "x", "9" * 40, "２", ""])
def test_a_page_that_is_none_is_the_nearest_one(page: str) -> None:
    crowd.ratings(ladder(), crowd.people(1), [1500])
    assert "Crowd 0" in text_of(f"/en/ladder/hearts-ranked/?page={page}")


def test_names_and_searches_are_text_and_no_markup() -> None:
    (user,) = crowd.people(1, "<b>Bold</b>")
    crowd.ratings(ladder(), [user], [1600])
    page = Client().get("/en/ladder/hearts-ranked/", {"q": '"><script>'}).content.decode()
    assert "<script>alert" not in page
    assert 'value="&quot;&gt;&lt;script&gt;"' in page
    page = Client().get("/en/ladder/hearts-ranked/").content.decode()
    assert "&lt;b&gt;Bold" in page
    assert "<b>Bold" not in page


def test_a_board_says_to_which_rules_its_ladder_was_moved() -> None:
    board_ladder, by = ladder(), crowd.people(1, "Admin")[0]
    old = board_ladder.preset_version
    new = PresetVersion.objects.create(preset=old.preset, number=old.number + 1, options=old.options, ranked_players=4)
    assert "Changes of the rules" not in text_of("/en/ladder/hearts-ranked/")
    services.move_ladder(ladder=board_ladder, version=new, by=by)
    page = text_of("/en/ladder/hearts-ranked/")
    assert f"version {old.number}, to" in page
    assert f"version {new.number}" in page
    assert "Admin" not in page


def test_a_table_has_a_caption_and_names_its_rows_and_columns() -> None:
    crowd.ratings(ladder(), crowd.people(2), [1600, 1500])
    page = Client().get("/en/ladder/hearts-ranked/").content.decode()
    (table,) = re.findall(r"<table.*?</table>", page, re.DOTALL)
    assert "<caption" in table
    assert len(re.findall(r'<th scope="col"', table)) == 5
    assert len(re.findall(r'<th scope="row"', table)) == 2
    assert len(re.findall(r"<h1", page)) == 1


def test_the_front_page_has_the_top_of_each_open_ladder() -> None:
    crowd.ratings(ladder(), crowd.people(6), [1700 - each for each in range(6)])
    Ladder.objects.create(
        slug="closed", kind="spades", preset_version=ladder("spades").preset_version, is_open=False, timer_s=60
    )
    page = Client().get("/").content.decode()
    assert "Crowd 4" in page
    assert "Crowd 5" not in page
    assert "/ladder/spades-ranked/" in page
    assert "/ladder/closed/" not in page


def test_pages_of_boards_cost_the_same_however_many_people_there_are(django_assert_max_num_queries: Any) -> None:
    users = crowd.people(120)
    crowd.ratings(ladder(), users, [2000 - each for each in range(120)])
    client = client_of(users[70])
    for path in ("/en/ladder/hearts-ranked/", "/en/ladder/hearts-ranked/?page=2", "/en/ladder/hearts-ranked/?q=crowd"):
        with django_assert_max_num_queries(12):
            assert client.get(path).status_code == 200
