"""What people at a table say to each other and decide together, and those who only watch: over real sockets."""

from __future__ import annotations

import random
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client

from games import models
from games.log import live, services
from games.log.refusals import Rejected
from games.parties import codes
from games.rules import Action
from games.tables import phrases, rates, votes
from tests import factories
from tests.games.live_site import Browser, Clock, Closed, new_id, orm, play_until, sit

pytestmark = pytest.mark.usefixtures("site")


async def do(browser: Browser, kind: str, **keys: Any) -> dict[str, Any]:
    """Sends one message; the server's word on it."""
    name = new_id()
    await browser.send({"type": kind, "id": name, **keys})
    return await browser.word_on(name)


async def code(browser: Browser, kind: str, **keys: Any) -> str:
    """What a message is refused with."""
    reply = await do(browser, kind, **keys)
    assert reply["type"] == "refused", reply
    return str(reply["code"])


async def watchable(**more: Any) -> factories.Seated:
    """A game that anybody may watch."""
    game = await orm(factories.game, **more)
    await orm(models.Game.objects.filter(pk=game.id).update, may_watch=True)
    live.forget(game.id)
    return game


# --- phrases ----------------------------------------------------------------------------------------------------------


async def test_a_phrase_reaches_everybody_at_the_table_as_a_key_and_is_in_no_log() -> None:
    game = await watchable(humans=3, cpus=1)
    browsers = [*await sit(game), await Browser(game.id, None).open()]
    log = await orm(factories.log_of, game.id)
    assert (await do(browsers[1], "say", phrase="nice_play"))["type"] == "ack"
    for browser in browsers:
        if not await browser.has("said"):
            await browser.until("said")
        said = [frame for frame in browser.frames if frame["type"] == "said"]
        assert said == [{"type": "said", "seat": 1, "phrase": "nice_play"}]
    assert await orm(factories.log_of, game.id) == log


async def test_only_phrases_of_the_list_are_said() -> None:
    game = await orm(factories.game, 2, 2)
    first, other = await sit(game)
    assert await code(first, "say", phrase="you are a fool") == "unknown_phrase"
    assert not await other.has("said")


async def test_whoever_an_administrator_has_muted_is_heard_by_nobody_until_the_mute_runs_out(clock: Clock) -> None:
    game = await orm(factories.game, 2, 2)
    first, other = await sit(game)
    until = clock.at + timedelta(minutes=5)
    await orm(models.Mute.objects.create, user=game.users[0], until_at=until)
    assert await code(first, "say", phrase="hello") == "muted"
    assert not await other.has("said")
    clock.forward(301)
    assert (await do(first, "say", phrase="hello"))["type"] == "ack"
    await other.until("said", seat=0)


async def test_nobody_can_pester_a_table_with_phrases() -> None:
    game = await orm(factories.game, 2, 2)
    first, _ = await sit(game)
    replies = [await do(first, "say", phrase="hello") for _ in range(phrases.MOST_PHRASES + 2)]
    assert [reply["type"] for reply in replies] == ["ack"] * phrases.MOST_PHRASES + ["refused"] * 2
    assert replies[-1]["code"] == "too_chatty"


def test_phrases_may_be_said_again_with_time(monkeypatch: pytest.MonkeyPatch) -> None:
    at = 0.0
    monkeypatch.setattr(rates, "time", SimpleNamespace(monotonic=lambda: at))
    window = rates.Window(phrases.MOST_PHRASES, phrases.WITHIN_S)
    assert [window.take() for _ in range(phrases.MOST_PHRASES + 1)] == [True] * phrases.MOST_PHRASES + [False]
    at = phrases.WITHIN_S - 0.1
    assert not window.take()
    at = phrases.WITHIN_S
    assert window.take()


async def test_whoever_is_muted_is_not_heard_by_that_seat_in_any_tab_and_not_told_of_it() -> None:
    game = await orm(factories.game, 3, 1)
    browsers = await sit(game)
    second_tab = await Browser(game.id, game.users[0]).open()
    assert (await do(browsers[0], "mute", seat=2, on=True))["type"] == "ack"
    await second_tab.until("muted", seats=[2])
    await do(browsers[2], "say", phrase="hello")
    await browsers[1].until("said", seat=2)
    await do(browsers[1], "say", phrase="thanks")
    for browser in (browsers[0], second_tab):
        await browser.until("said", seat=1)
        assert [frame["seat"] for frame in browser.frames if frame["type"] == "said"] == [1]
    assert not await browsers[2].has("muted")
    # It lasts: in the next game, too, and after coming back.
    again = await Browser(game.id, game.users[0]).connect()
    assert again
    await do(browsers[0], "mute", seat=2, on=False)
    await do(browsers[2], "say", phrase="sorry")
    await browsers[0].until("said", seat=2, phrase="sorry")


async def test_whoever_was_muted_in_an_earlier_game_is_muted_from_the_start() -> None:
    game = await orm(factories.game, 2, 2)
    first, other = game.users[:2]
    assert first is not None
    assert other is not None
    await orm(models.Block.objects.create, user=first, other=other, kind="block")
    browser = await Browser(game.id, first).open()
    await browser.until("muted", seats=[1])


async def test_there_is_nobody_to_mute_in_a_cpus_seat_or_ones_own() -> None:
    game = await orm(factories.game, 2, 2)
    first, _ = await sit(game)
    for seat in (0, 2, 6):
        assert await code(first, "mute", seat=seat, on=True) == "nobody_there"


# --- watching ---------------------------------------------------------------------------------------------------------


async def test_n08_a_watcher_sees_the_table_and_no_hidden_card_and_can_do_nothing() -> None:
    game = await watchable(humans=4)
    players = await sit(game)
    watcher = await Browser(game.id, None).open()
    rng = random.Random(3)
    for _ in range(20):
        asked = next(browser for browser in players if browser.view["ask"])
        await asked.answer(rng)
        ply = (await live.refresh(game.id))[1].ply
        for browser in [*players, watcher]:
            await browser.reach(ply)
    assert watcher.held["seat"] is None
    assert watcher.view["hand"] is None
    assert watcher.view["ask"] is None
    assert watcher.view["hand_counts"] == players[0].view["hand_counts"]
    assert {"gave": watcher.view["gave"], "received": watcher.view["received"]} == {"gave": None, "received": None}
    action = {"kind": "play", "card": "QS"}
    assert await code(watcher, "act", ask="1.0.play.6", action=action) == "not_seated"
    for kind, keys in (
        ("back", {}),
        ("rematch", {}),
        ("leave", {}),
        ("say", {"phrase": "hello"}),
        ("mute", {"seat": 1, "on": True}),
        ("vote", {"about": "void", "target": None, "on": True}),
    ):
        assert await code(watcher, kind, **keys) == "not_seated"
    assert (await watcher.ping())["ply"] == watcher.ply


@pytest.mark.parametrize("signed_in", [True, False])
async def test_n02_a_table_that_is_not_to_be_watched_is_closed_to_everybody_else(signed_in: bool) -> None:
    game = await orm(factories.game, 4)
    stranger = await orm(factories.user) if signed_in else None
    browser = Browser(game.id, stranger)
    await browser.connect()
    assert await browser.closed() == (4404 if signed_in else 4401)


# --- leaving ----------------------------------------------------------------------------------------------------------


async def test_who_leaves_is_replaced_at_once_and_everybody_is_told_and_may_come_back() -> None:
    game = await orm(factories.game, 3, 1)
    browsers = await sit(game)
    assert (await do(browsers[1], "leave"))["type"] == "ack"
    news = await browsers[0].reach(3)
    assert news["events"] == [{"event": "stand_in", "seat": 1, "ply": 3, "by": "leave"}]
    assert news["seats"][1] == "stand_in"
    assert (await do(browsers[1], "back"))["type"] == "ack"
    assert (await browsers[0].reach(4))["seats"][1] == "online"


async def test_the_last_one_at_a_table_without_a_clock_cannot_leave_it_to_the_cpus() -> None:
    game = await orm(factories.game, 2, 2)
    first, other = await sit(game)
    await do(first, "leave")
    assert await code(other, "leave") == "nobody_left"
    solo = await orm(factories.game, 1, 3)
    assert await code((await sit(solo))[0], "leave") == "nobody_left"


async def test_with_a_clock_everybody_may_leave_and_the_game_ends_without_them() -> None:
    game = await orm(factories.game, 2, 2, timer_s=30)
    for browser in await sit(game):
        assert (await do(browser, "leave"))["type"] == "ack"
    assert (await live.refresh(game.id))[1].stand_ins == {0, 1}


# --- votes ------------------------------------------------------------------------------------------------------------


async def absent(game: factories.Seated, clock: Clock, *, seat: int, seconds: float) -> None:
    """A user who was last heard of so long ago, while the others are here."""
    for other, user in enumerate(game.users):
        if user is not None:
            at = clock.at if other != seat else clock.at - timedelta(seconds=seconds)
            await orm(models.Player.objects.filter(game_id=game.id, seat=other).update, seen_at=at)


async def vote(game: factories.Seated, seat: int, about: str, target: int | None, on: bool = True) -> list[Any]:
    found = await votes.vote(game_id=game.id, seat=seat, about=about, target=target, on=on)
    return [tally.to_json() for tally in found]


async def test_the_majority_of_those_present_may_give_an_absent_players_seat_to_a_cpu(clock: Clock) -> None:
    game = await orm(factories.game, 4)
    await absent(game, clock, seat=2, seconds=121)
    assert await vote(game, 0, "stand_in", 2) == [{"about": "stand_in", "target": 2, "seats": [0], "needed": 2}]
    assert (await live.refresh(game.id))[1].stand_ins == frozenset()
    await vote(game, 3, "stand_in", 2)
    assert (await live.refresh(game.id))[1].stand_ins == {2}
    entry = (await orm(factories.log_of, game.id))[-1]
    assert (entry.kind, entry.seat, entry.data) == ("stand_in", 2, {"by": "vote"})


async def test_nobody_is_voted_off_who_is_there_or_is_not_asked_or_has_a_clock(clock: Clock) -> None:
    game = await orm(factories.game, 4)
    await absent(game, clock, seat=2, seconds=119)
    for target in (2, 1, 0, None, 6):
        with pytest.raises(Rejected, match="no_vote"):
            await vote(game, 0, "stand_in", target)
    await absent(game, clock, seat=2, seconds=121)
    await play_until(game.id, lambda position: 2 not in position.asks and position.state.phase == "play")
    with pytest.raises(Rejected, match="no_vote"):
        await vote(game, 0, "stand_in", 2)
    timed = await orm(factories.game, 4, timer_s=30)
    await absent(timed, clock, seat=2, seconds=121)
    with pytest.raises(Rejected, match="no_vote"):
        await vote(timed, 0, "stand_in", 2)
    solo = await orm(factories.game, 1, 3)
    with pytest.raises(Rejected, match="no_vote"):
        await vote(solo, 0, "void", None)


async def test_who_is_heard_of_again_has_outvoted_the_others(clock: Clock) -> None:
    game = await orm(factories.game, 4)
    await absent(game, clock, seat=2, seconds=121)
    await vote(game, 0, "stand_in", 2)
    clock.forward(1)
    await orm(models.Player.objects.filter(game_id=game.id, seat=2).update, seen_at=clock.at)
    assert await votes.tallies(game.id) == []


async def test_a_vote_can_be_taken_back_and_counts_once_however_often_it_is_given(clock: Clock) -> None:
    game = await orm(factories.game, 4)
    for _ in range(3):
        standing = await vote(game, 1, "void", None)
    assert standing == [{"about": "void", "target": None, "seats": [1], "needed": 4}]
    assert await vote(game, 1, "void", None, on=False) == []


async def test_a_game_is_void_when_all_who_play_themselves_want_it() -> None:
    game = await orm(factories.game, 3, 1)
    browsers = await sit(game)
    await services.stand_in(game_id=game.id, seat=1)
    assert (await do(browsers[0], "vote", about="void", target=None, on=True))["type"] == "ack"
    told = await browsers[2].until("votes")
    assert told["votes"] == [{"about": "void", "target": None, "seats": [0], "needed": 2}]
    assert await code(browsers[1], "vote", about="void", target=None, on=True) == "stood_in"
    late = await Browser(game.id, game.users[2]).open()
    assert (await late.until("votes"))["votes"] == told["votes"]
    await do(browsers[2], "vote", about="void", target=None, on=True)
    ply = (await live.refresh(game.id))[1].ply
    for browser in browsers:
        news = await browser.reach(ply)
        assert news["void"] == "vote"
        assert news["view"]["ask"] is None
    assert (await orm(lambda: game.row)).status == "void"
    with pytest.raises(Rejected, match="stale"):
        await vote(game, 0, "void", None)


async def test_n06_a_void_game_shows_nobody_the_cards_that_were_hidden() -> None:
    game = await watchable(humans=4)
    await services.submit_action(
        game_id=game.id,
        seat=0,
        ask="1.0.pass.0",
        action=Action("pass", 0, cards=tuple((await live.refresh(game.id))[1].state.hands[0][:3])),
        cause="player",
    )
    await services.void_game(game_id=game.id, reason="admin")
    watcher = await Browser(game.id, None).open()
    assert watcher.held["void"] == "admin"
    assert watcher.view["hand"] is None
    second = await Browser(game.id, game.users[1]).open()
    hands = (await live.refresh(game.id))[1].state.hands
    assert second.view["hand"] == list(hands[1])
    assert second.view["received"] is None


async def test_nobody_there_no_such_game() -> None:
    browser = Browser(999_999, await orm(factories.user))
    with pytest.raises(Closed):
        await browser.open()


async def test_a_vote_that_only_one_player_was_not_for_is_carried_when_he_leaves() -> None:
    game = await orm(factories.game, 3, 1)
    browsers = await sit(game)
    for browser in browsers[:2]:
        await do(browser, "vote", about="void", target=None, on=True)
    left = await do(browsers[2], "leave")
    assert (await browsers[0].reach(left["ply"] + 1))["void"] == "vote"


async def test_a_vote_that_only_an_absent_player_was_not_for_is_carried_with_his_stand_in(clock: Clock) -> None:
    game = await orm(factories.game, 3, 1)
    await absent(game, clock, seat=1, seconds=121)
    for seat in (0, 2):
        await vote(game, seat, "void", None)
    await vote(game, 0, "stand_in", 1)
    await vote(game, 2, "stand_in", 1)
    assert (await orm(lambda: game.row)).status == "void"


async def test_two_last_votes_at_the_same_moment_are_both_taken() -> None:
    game = await orm(factories.game, 2, 2)
    for browser in await sit(game):
        await browser.send({"type": "vote", "id": "v", "about": "void", "target": None, "on": True})
    replies = [await browser.word_on("v") for browser in Browser.opened]
    assert [reply["type"] for reply in replies] == ["ack", "ack"]
    assert (await orm(lambda: game.row)).status == "void"


async def test_how_the_votes_stand_is_told_anew_when_a_seat_changes_hands() -> None:
    game = await orm(factories.game, 4)
    browsers = await sit(game)
    await do(browsers[0], "vote", about="void", target=None, on=True)
    await do(browsers[3], "leave")
    assert await browsers[1].until("votes", votes=[{"about": "void", "target": None, "seats": [0], "needed": 3}])
    await do(browsers[3], "back")
    assert await browsers[1].until("votes", votes=[{"about": "void", "target": None, "seats": [0], "needed": 4}])


# --- games of private parties -----------------------------------------------------------------------------------------


async def private_game(humans: int = 2) -> tuple[factories.Seated, str]:
    """A running game of a party that is found by its link or code alone, and that code."""
    game = await watchable(humans=humans, cpus=4 - humans)

    def make_private() -> str:
        assert game.users[0] is not None
        version = models.PresetVersion.objects.filter(preset__kind="hearts").earliest("pk")
        party = models.Party.objects.create(code=codes.draw(), host=game.users[0], preset_version=version)
        models.Game.objects.filter(pk=game.id).update(party=party, is_private=True)
        return str(party.code)

    code = await orm(make_private)
    live.forget(game.id)
    return game, code


async def closed_with(game_id: int, query: str) -> int:
    spy = Browser(game_id, None)
    await spy.connect(query=query)
    found = await spy.closed()
    assert spy.frames == []
    return found


async def test_a_private_partys_game_is_watched_by_those_alone_who_know_its_code() -> None:
    game, party = await private_game()
    for query in ("?v=1", "?v=1&party=", "?v=1&party=ABCDEF"):
        assert await closed_with(game.id, query) == 4401
    friend = Browser(game.id, None)
    await friend.connect(query=f"?v=1&party={party}")
    assert (await friend.until("news"))["seat"] is None
    client = Client()
    assert (await orm(client.get, f"/game/{game.id}/")).status_code == 404
    assert (await orm(client.get, f"/game/{game.id}/rules/")).status_code == 404
    for path in ("", "rules/"):
        assert (await orm(client.get, f"/game/{game.id}/{path}?party={party}")).status_code == 200


async def test_a_private_partys_finished_game_is_shown_to_its_players_only() -> None:
    game, party = await private_game()
    await services.void_game(game_id=game.id, reason="admin")
    assert await closed_with(game.id, f"?v=1&party={party}") == 4401
    assert (await orm(Client().get, f"/game/{game.id}/?party={party}")).status_code == 404
    assert (await Browser(game.id, game.users[0]).open()).held["void"] == "admin"
