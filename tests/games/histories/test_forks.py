"""Playing on from a moment of a game that is over: the log that is taken over, and the game that goes on from it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest
from django.test import Client, override_settings

from accounts.models import User
from games import models, verify
from games.codes import deals
from games.histories import checks as history_checks
from games.histories import forks, records
from games.histories import selectors as histories
from games.histories.records import notation
from games.kinds import rules_for
from games.kinds.checks import checks
from games.log import positions, services
from games.log.positions import Entry, fold, taken_over
from tests import factories
from tests.games.finished import played, stored
from tests.games.histories.test_records import GAMES

#: A code of another table.
SPADES = deals.new_code(rules_for("spades", 4, {})).text

pytestmark = pytest.mark.usefixtures("transactional_db")


@pytest.fixture(scope="module")
def record() -> records.Record:
    return played("hearts", 4, {"end_score": 120}, seed=11)


@pytest.fixture
def origin(record: records.Record) -> models.Game:
    return stored(record, [factories.user(), factories.user(), None, None])


def visitor(user: User | None = None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def fork(origin: models.Game, ply: int, *, user: User | None = None, seat: int = 0, **more: Any) -> models.Game:
    chosen = {"level": "beginner", "timer_s": 0, **more}
    return forks.play_on(user=user or factories.user(), origin=origin, ply=ply, seat=seat, **chosen)


def moments(entries: Sequence[Entry], rules: Any) -> list[int]:
    """Plies of one moment of each sort: before the first deal, in the middle of passes, bids, tricks, at an end."""
    state = rules.start()
    found: dict[tuple[str, bool, bool], int] = {}
    for entry in entries:
        if entry.action is None:
            continue
        state = rules.apply(state, entry.action)
        halfway = len(state.trick) > 0 or any(given is not None for given in state.given)
        found.setdefault((state.phase, halfway, state.deal > 1), entry.ply)
    return [ply for (phase, _, _), ply in found.items() if phase != "over"]


def play_out(game: models.Game) -> models.Game:
    """Plays a game to its end as the clock would, its user's answers being a player's; stored all at once."""
    table, position = factories.table_of(game.pk), factories.position_of(game.pk)
    code = deals.read_code(models.GameSecret.objects.get(game=game).code)
    ply, at = position.ply, models.Action.objects.filter(game=game).latest("ply").created_at
    entries: list[Entry] = []
    while not position.is_over:
        state = position.state
        if state.phase == "deal":
            deal, attempt, _ = table.rules.next_deal(state)
            pack = list(deals.shuffle(code.seed, deal, attempt, table.rules.deck))
            entry = Entry(position.ply + 1, None, "deal", "", {"pack": pack}, "dealer", None, at)
        else:
            seat = factories.asked_seat(position)
            action = factories.answer(table, position, seat)
            cause = "player" if table.holders[seat].user_id else "cpu"
            ask = position.asks[seat].id
            entry = Entry(position.ply + 1, seat, action.kind, ask, services.said(action), cause, None, at)
        entries.append(entry)
        position = positions.advance(table, position, entry)
    assert services._finish(table, ply, entries, position)
    return models.Game.objects.get(pk=game.pk)


# --- what is taken over -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "players", "options"), GAMES, ids=[f"{game[0]}{game[1]}" for game in GAMES])
def test_a_game_of_every_kind_goes_on_from_every_sort_of_moment(
    kind: str, players: int, options: dict[str, Any]
) -> None:
    record = played(kind, players, options, seed=2, most_deals=3)
    origin = stored(record, [factories.user(), factories.user(), *[None] * (players - 2)])
    entries, rules = records.entries_of(record), records.table_of(record).rules
    for number, ply in enumerate(moments(entries, rules)):
        seat = number % players
        game = fork(origin, ply, seat=seat)
        kept = [entry for entry in entries if entry.ply <= ply and entry.action is not None]
        log = factories.log_of(game.pk)
        assert taken_over(log) == len(kept)
        told = [(entry.kind, entry.seat, entry.ask, entry.cause) for entry in log[: len(kept)]]
        assert told == [(entry.kind, entry.seat, entry.ask, entry.cause) for entry in kept]
        position = factories.position_of(game.pk)
        there = fold(records.table_of(record), entries[:ply]).state
        if there.phase == "deal":  # new cards, at once
            assert log[-1].kind == "deal"
            assert len(log) == len(kept) + 1
        else:
            assert position.state == there
        assert set(position.asks) == set(rules.due(position.state).seats)
        assert (game.forked_from, game.code, game.commitment) == (origin, "", "")
        holders = models.Player.objects.filter(game=game).order_by("seat")
        assert [holder.user_id is not None for holder in holders] == [other == seat for other in range(players)]


def test_passes_that_were_given_already_stay_and_the_others_are_asked(origin: models.Game) -> None:
    entries = factories.log_of(origin.pk)
    second = [entry.ply for entry in entries if entry.kind == "pass"][1]
    done = {entry.seat for entry in entries[:second] if entry.kind == "pass"}
    game = fork(origin, second, seat=min(set(range(4)) - done), timer_s=30)
    position = factories.position_of(game.pk)
    assert set(position.asks) == set(range(4)) - done
    own = position.asks[min(set(range(4)) - done)]
    assert own.due_at is not None
    # As long as any pass: what passed at the other table does not count.
    assert (own.due_at - game.created_at).total_seconds() == pytest.approx(60, abs=0.1)


def test_stand_ins_and_missed_turns_stay_at_the_other_table(origin: models.Game) -> None:
    entries = factories.log_of(origin.pk)
    assert any(entry.kind == "stand_in" for entry in entries)
    game = fork(origin, len(entries) - 1, seat=0)
    assert {entry.kind for entry in factories.log_of(game.pk)} <= {"open", "deal", "pass", "play", "finish", "moon"}
    assert factories.position_of(game.pk).stand_ins == frozenset()


def test_the_current_deal_keeps_its_hands_and_later_ones_have_new_cards(origin: models.Game) -> None:
    packs = {entry.ply: entry.data["pack"] for entry in factories.log_of(origin.pk) if entry.kind == "deal"}
    first, second = sorted(packs)[:2]
    game = play_out(fork(origin, second - 3))
    own = [entry.data["pack"] for entry in factories.log_of(game.pk) if entry.kind == "deal"]
    assert own[0] == packs[first]
    assert own[1] != packs[second]
    assert play_out(fork(origin, second - 3)).pk != game.pk


# --- what comes of it -------------------------------------------------------------------------------------------------


def test_a_fork_and_a_fork_of_it_can_be_followed_checked_and_written_as_text(origin: models.Game) -> None:
    plies = [entry.ply for entry in factories.log_of(origin.pk) if entry.kind == "deal"]
    one = play_out(fork(origin, plies[1] + 5))
    dealt = [entry.ply for entry in factories.log_of(one.pk) if entry.kind == "deal"]
    assert len(dealt) > 2
    two = play_out(fork(one, dealt[2] + 5))
    early = play_out(fork(one, plies[0] + 5))
    for game, spans in ((one, 1), (two, 2), (early, 1)):
        assert (game.code, history_checks.faults_of(game)) == ("", [])
        read = histories.record_of(game)
        assert records.from_bytes(records.to_bytes(read)) == read
        assert notation.from_text(notation.to_text(read)) == read
        assert (len(read["forks"]), verify.check_record(read, checks())) == (spans, [])
        assert positions.taken_over(records.entries_of(read)) == read["forks"][-1]["ply"]
    status, (line,) = verify.answer(histories.record_of(two), checks())
    assert status == 0
    assert "It was played on from another game. 3 packs follow from the code of that one" in line
    assert histories.record_of(early)["forks"][0]["code"] == origin.code


def test_cards_of_a_fork_that_were_changed_are_found_in_both_parts(origin: models.Game) -> None:
    plies = [entry.ply for entry in factories.log_of(origin.pk) if entry.kind == "deal"]
    read = histories.record_of(play_out(fork(origin, plies[1] + 5)))
    for deal in (1, 3):
        bad = json.loads(json.dumps(read))
        pack = [entry for entry in bad["log"] if entry["kind"] == "deal"][deal - 1]["data"]["pack"]
        pack[0], pack[1] = pack[1], pack[0]
        assert f"wrong_pack {deal} 0" in verify.check_record(bad, checks())
    bad = json.loads(json.dumps(read))
    for code, faults in (
        ("4000-0000-0000-000K", {"wrong_pack 1 0"}),
        ("4000", {"bad_code"}),
        (SPADES, {"wrong_table"}),
    ):
        bad["forks"][0]["code"] = code
        assert faults <= set(verify.check_record(bad, checks()))


@pytest.mark.parametrize("forked", [[{"ply": 0, "code": "A"}], [{"ply": 9, "code": "A"}, {"ply": 9, "code": "A"}], 7])
def test_spans_that_cannot_be_are_refused_with_a_sentence(record: records.Record, forked: Any) -> None:
    with pytest.raises(records.BadRecord, match="forks"):
        records.checked({**record, "forks": forked})


def test_the_replay_of_a_fork_says_where_it_comes_from_and_counts_no_time_of_the_other_table(
    origin: models.Game,
) -> None:
    user = factories.user()
    game = play_out(fork(origin, 30, user=user))
    text = visitor(user).get(f"/game/{game.pk}/replay/").content.decode()
    length = taken_over(factories.log_of(game.pk))
    assert f'href="/game/{origin.pk}/replay/?ply=' in text
    assert f'href="#ply={length}"' in text
    found = re.search(r'<script id="replay" type="application/json">(.*?)</script>', text, re.S)
    assert found is not None
    steps = json.loads(found[1])["steps"]
    assert not any("took" in step for step in steps[:length])
    assert any("took" in step for step in steps[length:])
    models.Game.objects.filter(pk=origin.pk).update(is_private=True)
    assert f"/game/{origin.pk}/" not in visitor(user).get(f"/game/{game.pk}/replay/").content.decode()


def test_a_fork_is_rated_nowhere_and_the_same_game_is_not_offered_for_a_new_one(origin: models.Game) -> None:
    user = factories.user()
    game = fork(origin, 2, user=user)
    assert services.just_opened(user=user, kind="hearts", timer_s=0) is None
    assert models.Game.objects.filter(forked_from=None, player__user=user).count() == 0
    assert not hasattr(models.Game.objects.get(pk=game.pk), "rankedgame")


# --- the form ---------------------------------------------------------------------------------------------------------


def post(client: Client, origin: models.Game, **fields: Any) -> Any:
    return client.post(f"/game/{origin.pk}/play-on/", {"ply": 20, "seat": 1, **fields})


def test_the_form_leads_to_the_table_and_a_second_click_to_the_same(origin: models.Game) -> None:
    client = visitor()  # becomes a guest
    answers = [post(client, origin, level="expert", timer="30") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [302, 302]
    assert answers[0]["Location"] == answers[1]["Location"]
    game = models.Game.objects.get(forked_from=origin)
    assert client.get(answers[0]["Location"]).status_code == 200
    assert game.timer_s == 30
    assert set(game.player_set.exclude(seat=1).values_list("cpu_level", flat=True)) == {"expert"}
    assert post(client, origin, seat=2)["Location"] != answers[0]["Location"]


def test_whoever_may_not_see_the_game_cannot_play_it_on(origin: models.Game) -> None:
    models.Game.objects.filter(pk=origin.pk).update(is_private=True)
    owner = models.Player.objects.get(game=origin, seat=0).user
    assert post(visitor(), origin).status_code == 404
    assert post(visitor(factories.user()), origin).status_code == 404
    assert post(visitor(owner), origin).status_code == 302
    assert models.Game.objects.get(forked_from=origin).is_private
    running = factories.game(2, 2)
    assert post(visitor(running.users[0]), running.row).status_code == 404
    assert visitor(owner).get(f"/game/{origin.pk}/play-on/").status_code == 405


@pytest.mark.parametrize("fields", [{"ply": "0"}, {"ply": "x"}, {"ply": "999999"}, {"seat": "4"}, {"seat": "-1"}])
def test_a_moment_or_seat_that_is_none_is_refused(origin: models.Game, fields: dict[str, str]) -> None:
    assert post(visitor(factories.user()), origin, **fields).status_code == 400
    assert not models.Game.objects.filter(forked_from=origin).exists()


def test_after_the_end_there_is_nothing_to_play_and_a_sentence_says_so(origin: models.Game) -> None:
    client = visitor(factories.user())
    answer = client.post(f"/game/{origin.pk}/play-on/", {"ply": origin.ply, "seat": 0}, follow=True)
    assert "The game is over at this moment" in answer.content.decode()
    models.Game.objects.filter(pk=origin.pk).update(rules_version=99)
    answer = client.post(f"/game/{origin.pk}/play-on/", {"ply": 5, "seat": 0}, follow=True)
    assert "cannot be played on" in answer.content.decode()


def test_a_game_whose_cards_others_may_still_meet_is_not_played_on_and_no_code_is_told(origin: models.Game) -> None:
    """As a game of a daily deal is before its day ends."""
    models.Game.objects.filter(pk=origin.pk).update(code="")
    secret = models.GameSecret.objects.get(game=origin).code
    owner = models.Player.objects.get(game=origin, seat=0).user
    client = visitor(owner)
    answer = client.post(f"/game/{origin.pk}/play-on/", {"ply": 20, "seat": 0}, follow=True)
    assert "Others may still meet these cards today" in answer.content.decode()
    assert secret not in answer.content.decode()
    assert 'id="play-on"' not in client.get(f"/game/{origin.pk}/replay/").content.decode()
    assert not models.Game.objects.filter(forked_from=origin).exists()


def test_the_limits_of_open_games_hold_for_forks(origin: models.Game) -> None:
    client = visitor(factories.user())
    with override_settings(RUNNING_GAMES=1):
        assert post(client, origin).status_code == 302
        assert post(client, origin, seat=3).status_code == 429
