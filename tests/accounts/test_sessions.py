"""Sockets end with the session that they were opened with, in whatever process that is ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from channels.testing import WebsocketCommunicator
from django.contrib.sessions.backends.db import SessionStore

from accounts import sessions
from accounts.models import SessionEnd, User
from accounts.sessions import Sockets, sockets
from config.asgi import application
from games.tables.pokes import pokes
from tests.accounts.people import PASSWORD, Visitor, member
from tests.games.conftest import site, transactional_db  # noqa: F401 - fixtures
from tests.games.live_site import PATIENCE_S, Browser, Closed, eventually


def orm(function: Any) -> Any:
    """Pages and the ORM are for threads."""
    return sync_to_async(function, thread_sensitive=True)


@pytest.fixture(autouse=True)
async def _clean(site: None) -> AsyncIterator[None]:  # noqa: F811
    yield
    for model in (SessionEnd, EmailAddress, UserSession):
        await model.objects.all().adelete()


class Tab(Browser):
    """A table opened with the session of a visitor's browser."""

    session_key = ""

    async def connect(self, since: int | None = None, query: str = "") -> bool:
        headers = [(b"origin", self.origin), (b"host", b"localhost")]
        headers.append((b"cookie", f"sessionid={self.session_key}".encode()))
        self.line = WebsocketCommunicator(application, f"/ws/game/{self.game_id}/?v=1", headers)
        Browser.opened.append(self)
        return bool((await self.line.connect(timeout=PATIENCE_S))[0])

    async def is_shut(self) -> bool:
        """Whether the server has closed it for want of a session; takes what has come."""
        while self.waiting():
            try:
                await self.next()
            except Closed:
                return True
        return False


async def sit_down(visitor: Visitor, game: int) -> Tab:
    tab = Tab(game, None)
    tab.session_key = str(visitor.session_key)
    await tab.open()
    return tab


async def test_signing_out_closes_the_tables_of_that_session_and_no_other() -> None:
    visitor, elsewhere = await orm(member)(), Visitor()
    game = await orm(visitor.play)()
    await orm(elsewhere.log_in)("rosalind@example.org")
    here, there = await sit_down(visitor, game), await sit_down(elsewhere, game)
    await orm(visitor.log_out)()
    assert await here.closed() == 4401
    assert not await there.is_shut()


async def test_signing_out_elsewhere_closes_the_tables_there() -> None:
    visitor, elsewhere = await orm(member)(), Visitor()
    game = await orm(visitor.play)()
    await orm(elsewhere.log_in)("rosalind@example.org")
    here, there = await sit_down(visitor, game), await sit_down(elsewhere, game)
    await orm(visitor.post)("/account/sessions/")
    assert await there.closed() == 4401
    assert not await here.is_shut()


async def test_a_new_password_closes_tables_elsewhere_and_keeps_those_here() -> None:
    visitor, elsewhere = await orm(member)(), Visitor()
    game = await orm(visitor.play)()
    await orm(elsewhere.log_in)("rosalind@example.org")
    here, there = await sit_down(visitor, game), await sit_down(elsewhere, game)
    fields = {"oldpassword": PASSWORD, "password1": "another long walk", "password2": "another long walk"}
    await orm(visitor.post)("/account/password/change/", **fields)
    assert await there.closed() == 4401
    assert not await here.is_shut()
    await orm(visitor.log_out)()
    assert await here.closed() == 4401


@pytest.mark.parametrize("way", ["sign_up", "log_in"])
async def test_a_guests_open_table_stays_open_as_he_becomes_a_member_and_ends_with_the_members_session(
    way: str,
) -> None:
    if way == "log_in":
        await orm(member)()
    visitor = Visitor()
    game = await orm(visitor.play)()
    table = await sit_down(visitor, game)
    enter: Any = visitor.log_in if way == "log_in" else visitor.sign_up
    await orm(enter)("rosalind@example.org" if way == "log_in" else "Rosalind")
    again = await sit_down(visitor, game)
    assert again.view["seat"] == table.view["seat"] == 0
    ply = table.ply
    await table.answer()
    await asyncio.gather(table.reach(ply + 1), again.reach(ply + 1))
    await orm(visitor.log_out)()
    assert await table.closed() == await again.closed() == 4401


async def test_a_deleted_account_closes_all_its_tables() -> None:
    visitor = await orm(member)()
    game = await orm(visitor.play)()
    table = await sit_down(visitor, game)
    await orm(visitor.confirm)()
    await orm(visitor.post)("/account/close/", sure="on")
    assert await table.closed() == 4401


async def test_a_session_that_ends_while_redis_is_deaf_closes_its_sockets_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    visitor = await orm(member)()
    game = await orm(visitor.play)()
    table = await sit_down(visitor, game)
    monkeypatch.setattr(sessions, "_poke", lambda: None)
    await orm(visitor.log_out)()
    assert not await table.is_shut()
    assert await table.closed() == 4401


async def test_no_session_key_passes_through_redis_or_the_table_of_ends() -> None:
    visitor = await orm(member)()
    game = await orm(visitor.play)()
    await sit_down(visitor, game)
    key = visitor.session_key
    layer: Any = get_channel_layer()
    sent: list[Any] = []
    group_send = layer.group_send

    async def note(group: str, message: Any) -> None:
        sent.append((group, message))
        await group_send(group, message)

    layer.group_send = note
    try:
        await orm(visitor.log_out)()
    finally:
        layer.group_send = group_send
    assert [each for each in sent if each[0] == sessions.GROUP] == [(sessions.GROUP, {"type": "session.ended"})]
    assert str(key) not in str(sent)
    assert key not in [end.session async for end in SessionEnd.objects.all()]


async def test_a_process_without_sockets_asks_nothing_and_leaves_the_group() -> None:
    visitor = await orm(member)()
    table = await sit_down(visitor, await orm(visitor.play)())
    assert sessions.GROUP in pokes.groups
    await table.close()
    await eventually(lambda: sessions.GROUP not in pokes.groups)
    assert not sockets.open


async def test_an_end_is_told_to_each_process_once() -> None:
    closed: list[str] = []

    async def close(name: str) -> None:
        closed.append(name)

    here, there = Sockets(), Sockets()
    for name, process in (("here", here), ("there", there)):
        process.opened("key", lambda name=name: close(name))  # type: ignore[misc]
    await orm(sessions.end)("key")
    for _ in range(2):
        await asyncio.gather(here.look(), there.look())
    assert sorted(closed) == ["here", "there"]


async def test_ends_are_forgotten_after_a_day() -> None:
    await orm(sessions.end)("old")
    await SessionEnd.objects.aupdate(at=(await SessionEnd.objects.aget()).at - sessions.KEEP)
    await orm(sessions.end)("new")
    assert [end.session async for end in SessionEnd.objects.all()] == [sessions.digest("new")]


async def test_nobody_gets_in_with_a_key_that_is_over() -> None:
    visitor = await orm(member)()
    key = visitor.session_key
    await orm(visitor.log_out)()
    assert not await orm(SessionStore().exists)(key)
    assert await User.objects.acount() == 1
