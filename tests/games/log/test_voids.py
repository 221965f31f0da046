"""Games that are closed without a result: nobody is asked any more, everybody is told, no move slips in after it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from jsonschema import Draft202012Validator

from games import models
from games.hooks import game_finished, game_voided
from games.log import live, services
from games.log.positions import Position
from games.log.refusals import Rejected
from games.tables import protocol
from tests import factories
from tests.games.live_site import Browser, orm, play, play_until


def reached(ply: int) -> Callable[[Position], bool]:
    return lambda position: position.ply >= ply


async def void(game_id: int, reason: str = "admin", **more: Any) -> services.Receipt:
    """Closes a game as an administrator does."""
    by = more.pop("by", None) or await orm(factories.user)
    return await orm(services.close_game, game_id=game_id, reason=reason, by=by, **more)


async def test_a_void_game_is_over_for_everybody_and_keeps_its_log(site: None) -> None:
    game = await orm(factories.game, 2, 2, timer_s=30)
    await play(game.id, 0)
    before = await orm(factories.log_of, game.id)
    receipt = await void(game.id)
    row = await orm(lambda: game.row)
    assert (row.status, row.asks, row.deadline_at, row.ply) == ("void", {}, None, receipt.ply)
    assert row.result is None
    assert row.code != "", "where the cards came from may be known now"
    log = await orm(factories.log_of, game.id)
    assert log[:-1] == before
    assert (log[-1].kind, log[-1].seat, log[-1].cause, log[-1].data) == ("void", None, "dealer", {"reason": "admin"})
    position = (await live.refresh(game.id))[1]
    assert (position.is_over, position.void, position.asks) == (True, "admin", {})
    with pytest.raises(Rejected, match="stale"):
        await void(game.id)
    with pytest.raises(Rejected, match="stale"):
        await services.stand_in(game_id=game.id, seat=1)
    with pytest.raises(live.NoSuchGame):
        await void(game.id + 1)
    assert game.users[0] is not None
    assert not await orm(models.Game.objects.running_of(game.users[0]).exists)


@pytest.mark.parametrize("kind", ["hearts", "spades"])
async def test_every_moment_of_a_game_can_be_the_last(site: None, kind: str) -> None:
    options = {"blind_nil": "yes"} if kind == "spades" else {"moon": "choose", "skip_right": "one_each"}
    for number in (0, 1, 3, 6, 9, 40, 60):
        game = await orm(factories.game, 4, kind=kind, options=options)
        position = await play_until(game.id, reached(number + 2), rng=random.Random(number))
        await void(game.id, "outage")
        browser = await Browser(game.id, game.users[0]).open()
        assert browser.view["ask"] is None
        assert (browser.held["void"], browser.view["asked"], browser.view["turn"]) == ("outage", [], None)
        assert browser.view["result"] is None
        assert browser.view["scores"] == list(position.state.scores)
        Draft202012Validator(protocol.schemas()["news"]).validate(browser.held)
        await browser.close()


async def test_open_sockets_are_told_at_once_and_moves_are_stale(site: None) -> None:
    game = await orm(factories.game, 2, 2)
    browsers = [await Browser(game.id, user).open() for user in game.users[:2]]
    ask = browsers[0].view["ask"]["id"]
    receipt = await void(game.id, "vote")
    for browser in browsers:
        await browser.reach(receipt.ply)
        told = browser.news[-1]
        assert told["events"] == [{"event": "void", "seat": None, "ply": receipt.ply, "reason": "vote"}]
        Draft202012Validator(protocol.schemas()["news"]).validate(told)
        assert (told["view"]["ask"], told["clock"]["due"]) == (None, {})
    refused = await browsers[0].act({"kind": "pass", "cards": browsers[0].view["hand"][:3]}, ask=ask)
    assert (refused["type"], refused["code"]) == ("refused", "stale")


async def test_a_game_that_cannot_be_read_any_more_can_be_closed_all_the_same(site: None) -> None:
    game = await orm(factories.game, 4)
    await orm(models.Game.objects.filter(pk=game.id).update, options={"end_score": "broken"})
    await void(game.id)
    row = await orm(lambda: game.row)
    assert (row.status, row.result, row.asks) == ("void", None, {})


async def test_whoever_listens_is_told_in_the_same_transaction_and_the_finish_is_not(site: None) -> None:
    heard: list[tuple[str, Any]] = []

    def on_void(sender: object, game: models.Game, **more: object) -> None:
        heard.append(("void", game.status))

    def on_finish(sender: object, **more: object) -> None:
        heard.append(("finished", None))

    def fail(sender: object, **more: object) -> None:
        raise RuntimeError("no")

    game = await orm(factories.game, 4)
    game_voided.connect(fail)
    try:
        with pytest.raises(RuntimeError):
            await void(game.id)
    finally:
        game_voided.disconnect(fail)
    assert (await orm(lambda: game.row)).status == "playing"
    assert await orm(factories.kinds_of, game.id) == ["open", "deal"]
    game_voided.connect(on_void)
    game_finished.connect(on_finish)
    try:
        await void(game.id, "vote")
    finally:
        game_voided.disconnect(on_void)
        game_finished.disconnect(on_finish)
    assert heard == [("void", "void")]


async def test_an_administrator_who_closes_a_game_is_noted_with_it(site: None) -> None:
    game = await orm(factories.game, 4)
    admin = await orm(factories.user, "root", is_staff=True)
    await void(game.id, by=admin)
    entry = await orm(LogEntry.objects.get)
    assert (entry.user_id, entry.object_id, entry.object_repr) == (admin.pk, str(game.id), f"game {game.id}")
    other = await orm(factories.game, 4)
    await services.void_game(game_id=other.id, reason="vote")
    with pytest.raises(Rejected, match="stale"):
        await void(other.id, by=admin)
    assert await orm(LogEntry.objects.count) == 1
    with pytest.raises(ValueError, match="no reason"):
        await void(other.id, "boredom")


async def test_a_move_at_the_same_moment_is_before_the_end_or_stale(site: None) -> None:
    outcomes = set()
    for number in range(20):
        game = await orm(factories.game, 4)
        table, position = await live.refresh(game.id)
        action = factories.answer(table, position, 0)

        async def move(game_id: int = game.id, ask: str = position.asks[0].id, action: Any = action) -> str:
            try:
                await services.submit_action(game_id=game_id, seat=0, ask=ask, action=action, cause="player")
            except Rejected as rejected:
                return rejected.code
            return "stored"

        async def close(game_id: int = game.id, pause: float = number % 5 / 1_000) -> services.Receipt:
            await asyncio.sleep(pause)
            return await void(game_id)

        outcome, _ = await asyncio.gather(move(), close())
        kinds = await orm(factories.kinds_of, game.id)
        assert kinds == ["open", "deal", *(["pass"] if outcome == "stored" else []), "void"]
        assert outcome in ("stored", "stale")
        assert [entry.ply for entry in await orm(factories.log_of, game.id)] == list(range(1, len(kinds) + 1))
        outcomes.add(outcome)
    assert "stored" in outcomes


async def test_no_clock_and_no_cpu_touches_a_void_game(site: None) -> None:
    game = await orm(factories.game, 1, 3, timer_s=30)
    await void(game.id)
    ply = (await orm(lambda: game.row)).ply
    for seat in range(4):
        with pytest.raises(Rejected, match="stale"):
            await services.submit_action(
                game_id=game.id, seat=seat, ask="1.0.pass.0", action=factories.Action("skip", seat), cause="cpu"
            )
    assert (await orm(lambda: game.row)).ply == ply
