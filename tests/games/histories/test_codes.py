"""Playing from a game code, the same cards again, and how others did with them; nothing of a running game is told."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.models import User
from games import models, verify
from games.codes import deals
from games.histories import codes
from games.kinds import rules_for
from games.log import services
from tests import factories
from tests.games.finished import played, stored

pytestmark = pytest.mark.usefixtures("transactional_db")

CODE = "4000-0000-0000-000K"


def visitor(user: User | None = None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def look(typed: str, client: Client | None = None, **more: str) -> tuple[int, str]:
    answer = (client or visitor()).get(reverse("code"), {"code": typed, **more}, headers={"accept-language": "en"})
    return answer.status_code, answer.content.decode()


def latest() -> models.Game:
    game = models.Game.objects.latest("pk")
    assert isinstance(game, models.Game)
    return game


def packs(game: models.Game) -> list[list[str]]:
    return [entry.data["pack"] for entry in factories.log_of(game.pk) if entry.kind == "deal"]


def finished(seed: int = 5, users: Any = None, **fields: Any) -> models.Game:
    """A game of two people and two CPUs that is over."""
    record = played("hearts", 4, {"end_score": 50}, seed=seed, most_deals=9)
    return stored(record, users or [factories.user(), factories.user(), None, None], **fields)


# --- from a code ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "typed",
    [
        CODE,
        "4000 0000 0000 000k",
        "  400000000000000k  ",
        "４０００－００００－００００－０００Ｋ",
        "4OOO-oooo-0000-000K",
        "4000ー0000ー0000ー000Ｋ",
    ],
)
def test_a_code_is_read_however_it_was_typed_and_the_page_says_what_table_it_is(typed: str) -> None:
    status, text = look(typed)
    assert status == 200
    assert CODE in text
    assert "Hearts · 4 players · 52 cards" in text
    assert 'value="hearts-standard"' in text
    assert 'value="spades-standard"' not in text


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("4000-0000", "has 16 letters and digits"),
        ("4000-0000-0000-000U", "“U” is in no game code"),
        ("4000-0000-0000-000<", "“&lt;” is in no game code"),
        ("4000-0000-0000-000M", "compare them once more"),
        ("0" * 500, "has 16 letters and digits"),
        ("カード", "is in no game code"),
    ],
)
def test_what_is_no_code_is_answered_with_a_sentence_and_can_be_mended(typed: str, sentence: str) -> None:
    status, text = look(typed)
    assert status == 422
    assert sentence in text
    assert 'aria-invalid="true"' in text
    assert models.Game.objects.count() == 0


def test_without_a_code_the_page_asks_for_one() -> None:
    for typed in ("", "   "):
        status, text = look(typed)
        assert (status, 'name="code"' in text) == (200, True)


def test_a_code_of_a_table_that_is_not_there_yet_is_refused_politely() -> None:
    body = verify.ALPHABET[len(deals.tables())] + "0" * 14
    status, text = look(body + verify.check_character(body))
    assert (status, "not played here" in text) == (422, True)


@pytest.mark.parametrize("character", [table.character for table in deals.tables()])
def test_every_table_of_a_code_has_rules_that_fit_or_is_refused_politely(character: str) -> None:
    code = deals.read_code(verify.code_of(character, 12345))
    offers = codes.offers(code)
    status, text = look(code.text)
    assert status == (200 if offers else 422)
    assert "Traceback" not in text
    for offer in offers:
        assert code.fits(rules_for(code.kind, code.players, offer.options))
        assert code.players in offer.version.preset.players
    if (code.kind, code.players) in (("hearts", 4), ("spades", 4), ("hearts", 3), ("hearts", 5)):
        assert offers


def test_presets_as_they_are_come_before_those_that_take_the_pack_of_the_code() -> None:
    kitty = deals.read_code(verify.code_of("3", 1))  # three players, all 52 cards
    assert [offer.is_as_it_is for offer in codes.offers(kitty)] == sorted(
        (offer.is_as_it_is for offer in codes.offers(kitty)), reverse=True
    )
    assert "3 players · 52 cards" in look(kitty.text)[1]


def test_the_button_deals_exactly_these_cards_against_cpus_and_the_game_is_marked() -> None:
    client = visitor()
    answer = client.post(reverse("code"), {"code": "4000 0000 0000 000k", "preset": "hearts-short", "level": "expert"})
    game = latest()
    assert answer["Location"] == reverse("table", args=[game.pk])
    assert (game.code, game.cards, game.status, game.commitment) == (CODE, "given", "playing", "")
    assert packs(game) == [list(deals.shuffle(deals.read_code(CODE).seed, 1, 0))]
    assert game.preset_version is not None
    assert game.preset_version.preset.slug == "hearts-short"
    levels = list(models.Player.objects.filter(game=game).order_by("seat").values_list("cpu_level", flat=True))
    assert levels == ["", "expert", "expert", "expert"]


def test_a_double_click_is_one_game_and_a_game_with_new_cards_is_another() -> None:
    client = visitor()
    first = client.post(reverse("code"), {"code": CODE, "preset": "hearts-short"})["Location"]
    assert client.post(reverse("code"), {"code": CODE, "preset": "hearts-short"})["Location"] == first
    fresh = client.post(reverse("play", args=["hearts"]))["Location"]
    assert fresh != first
    assert latest().cards == "drawn"


def test_a_preset_that_does_not_fit_is_not_what_is_played() -> None:
    visitor().post(reverse("code"), {"code": CODE, "preset": "spades-standard", "level": "god", "timer": "-1"})
    game = latest()
    assert (game.kind, game.players, game.timer_s) == ("hearts", 4, 0)


def test_the_front_page_asks_for_a_code_in_both_languages() -> None:
    for language in ("en", "ja"):
        text = visitor().get("/", headers={"accept-language": language}).content.decode()
        assert f'action="{reverse("code")}"' in text


# --- the same cards again ---------------------------------------------------------------------------------------------


def test_a_player_plays_a_finished_game_again_in_his_seat_with_the_same_cards_and_rules() -> None:
    users = [factories.user(), factories.user(), None, None]
    old = finished(users=users)
    visitor(users[1]).post(reverse("again", args=[old.pk]))
    new = latest()
    assert new.pk != old.pk
    assert (new.code, new.cards, new.options, new.players) == (old.code, "given", old.options, 4)
    assert packs(new) == packs(old)[:1]
    assert models.Player.objects.get(game=new, user=users[1]).seat == 1
    assert models.Player.objects.filter(game=new, user__isnull=True).count() == 3


def test_somebody_who_only_saw_the_replay_plays_it_from_any_seat() -> None:
    old = finished()
    stranger = factories.user()
    visitor(stranger).post(reverse("again", args=[old.pk]), {"seat": "2"})
    assert models.Player.objects.get(game=latest(), user=stranger).seat == 2
    again = visitor()
    again.post(reverse("again", args=[old.pk]), {"seat": "9"})
    assert models.Player.objects.filter(game=latest(), user__isnull=False).get().seat == 0


def test_of_a_running_or_private_game_nothing_is_dealt_again_and_nothing_is_listed() -> None:
    solo, open_game, sealed = factories.game(1, 3), factories.open_game(2, 2), factories.game(2, 2)
    private = finished(is_private=True)
    stranger = factories.user()
    before = models.Game.objects.count()
    for game_id in (solo.id, open_game.id, sealed.id, private.pk, 10**9):
        for client in (visitor(stranger), visitor(solo.users[0]), visitor(sealed.users[0])):
            assert client.post(reverse("again", args=[game_id])).status_code == 404
            assert client.get(reverse("others", args=[game_id])).status_code == 404
    assert models.Game.objects.count() == before


def test_rules_that_are_gone_are_answered_with_a_sentence() -> None:
    old = finished()
    models.Game.objects.filter(pk=old.pk).update(options={"no_such_option": 1})
    stranger = factories.user()
    answer = visitor(stranger).post(reverse("again", args=[old.pk]))
    assert answer["Location"] == reverse("replay", args=[old.pk])
    assert models.Game.objects.count() == 1


# --- how others did ---------------------------------------------------------------------------------------------------


def test_how_others_did_has_finished_public_games_with_these_cards_and_rules_and_no_other() -> None:
    game = finished()
    same = [finished() for _ in range(2)]
    finished(is_private=True)
    finished(options={**game.options, "end_score": 60})
    finished(status="void", result=None)
    finished(seed=6)
    running = services.open_game(
        kind="hearts", seats=[factories.user(), "normal", "normal", "normal"], options=game.options, code=game.code
    )
    assert running.code == game.code
    tries, following = codes.tries(game, factories.user())
    assert ([other.id for other in tries], following) == ([same[1].pk, same[0].pk], None)
    result = same[0].result
    assert result is not None
    places = sorted((result["placings"][seat], seat, str(result["scores"][seat]).replace("-", "−")) for seat in (0, 1))
    assert [(person.place, person.seat, person.score) for person in tries[1].people] == places
    assert tries[1].cpus == 2


def test_a_running_game_finds_nothing_whatever_its_code() -> None:
    sealed = factories.game(2, 2)
    assert list(codes.same_cards(sealed.row)) == []


def test_the_list_goes_on_page_by_page_without_leaving_out_or_repeating_one() -> None:
    game = finished()
    wanted = [finished().pk for _ in range(7)][::-1]
    found: list[int] = []
    reader, before = factories.user(), None
    while True:
        tries, before = codes.tries(game, reader, before, most=3)
        found += [other.id for other in tries]
        if before is None:
            break
    assert found == wanted


def test_the_pages_name_who_played_with_points_and_place() -> None:
    users = [factories.user("akiko"), factories.user(), None, None]
    game, other = finished(users=users), finished(users=[factories.user("boris"), factories.user(), None, None])
    text = visitor(users[0]).get(reverse("others", args=[game.pk]), headers={"accept-language": "en"}).content.decode()
    for part in ("Akiko", "Boris", "this game", "you", game.code, f"?code={game.code}", f"/game/{other.pk}/replay/"):
        assert part in text
    replay = visitor().get(reverse("replay", args=[game.pk]), headers={"accept-language": "en"}).content.decode()
    assert "Boris" in replay
    assert reverse("again", args=[game.pk]) in replay
    lonely = finished(seed=7)
    text = visitor().get(reverse("others", args=[lonely.pk]), headers={"accept-language": "en"}).content.decode()
    assert "Nobody else has played these cards" in text


def test_the_list_is_found_by_the_index_of_codes() -> None:
    game = finished()
    like = {"kind": "hearts", "players": 4, "options": {}, "rules_version": 1, "status": "finished"}
    others = (models.Game(code=f"code-{number}", **like) for number in range(3_000))
    models.Game.objects.bulk_create(others)
    with connection.cursor() as cursor:
        cursor.execute("analyze games_game")
    plan = codes.same_cards(game)[:21].explain()
    assert "game_code" in plan, plan


def test_only_cards_that_were_drawn_count_as_drawn() -> None:
    drawn = [factories.game(1, 3), factories.game(2, 2), factories.game(0, 4)]
    given = factories.game(1, 3, code=CODE)
    assert {game.row.cards for game in drawn} == {"drawn"}
    assert given.row.cards == "given"
