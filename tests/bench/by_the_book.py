"""Live tables as the guides of Channels and Django show them: the peer that tests/bench/tables.py measures beside us.

One consumer and one channel a socket, a group for each table, and the ORM in `database_sync_to_async`: a transaction
locks the game's row, adds an action and updates the game; then the group is told, and each consumer sends its news.

Everything else is as kind to it as can be, so that only the ways of the data differ: rules, messages and their bytes
are the site's, no rate limit and no repeated ids are looked at, the state is kept in the process instead of being read
again, a group message carries a number only, and the connection to the database is kept (by_the_book_settings.py).
"""

from __future__ import annotations

import os
from typing import Any

from channels.auth import AuthMiddlewareStack
from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.bench.by_the_book_settings")
http = get_asgi_application()

from django.db import transaction  # noqa: E402 - needs the apps to be loaded
from django.urls import path  # noqa: E402
from django.utils import timezone  # noqa: E402

from games.codes import deals  # noqa: E402
from games.kinds import rules_for  # noqa: E402
from games.log.positions import Entry, Holder, Step, Table, start, walk  # noqa: E402
from games.log.refusals import Rejected  # noqa: E402
from games.log.services import said  # noqa: E402
from games.log.store import asks_json  # noqa: E402
from games.models import Action, Game, GameSecret, Player  # noqa: E402
from games.rules import Action as Answer  # noqa: E402
from games.rules import Refused  # noqa: E402
from games.tables import protocol  # noqa: E402
from games.tables.rooms import now_ms  # noqa: E402

#: Each game at hand, with the steps of its last move.
TABLES: dict[int, tuple[Table, list[Step]]] = {}


class TableConsumer(AsyncJsonWebsocketConsumer):
    """One browser at one table."""

    async def connect(self) -> None:
        self.game_id: int = self.scope["url_route"]["kwargs"]["game_id"]
        self.group = f"game.{self.game_id}"
        self.seat = await self._take_seat()
        if self.seat is None:
            await self.close(protocol.CLOSE_NO_GAME)
            return
        await self.channel_layer.group_add(self.group, self.channel_name)
        await self.accept()
        await self.send_json(self._news(whole=True))

    async def disconnect(self, code: int) -> None:
        await self.channel_layer.group_discard(self.group, self.channel_name)

    async def receive_json(self, content: dict[str, Any], **kwargs: object) -> None:
        try:
            ply = await self._play(content["ask"], content["action"], content["id"])
        except (Refused, Rejected) as refused:
            await self.send_json(protocol.refused(content["id"], refused.to_json()))
            return
        await self.send_json(protocol.ack(content["id"], ply))
        await self.channel_layer.group_send(self.group, {"type": "table.moved", "ply": ply})

    async def table_moved(self, event: dict[str, Any]) -> None:
        """Somebody at the table has moved."""
        await self.send_json(self._news(whole=False))

    @classmethod
    async def encode_json(cls, content: Any) -> str:
        """As the site does: the same bytes."""
        return protocol.text(content)

    def _news(self, *, whole: bool) -> protocol.News:
        table, steps = TABLES[self.game_id]
        after = steps[-1].after
        return protocol.news(
            table, steps, after, self.seat, whole=whole, now_ms=now_ms(), seats=["online"] * table.rules.players
        )

    @database_sync_to_async
    def _take_seat(self) -> int | None:
        """The seat of this browser's user; reads the game if nobody has been here yet."""
        player = Player.objects.filter(game_id=self.game_id, user=self.scope["user"]).first()
        if player is not None and self.game_id not in TABLES:
            game = Game.objects.get(pk=self.game_id)
            holders = Player.objects.filter(game=game).select_related("user").order_by("seat")
            table = Table(
                game.pk,
                rules_for(game.kind, game.players, game.options),
                game.timer_s,
                tuple(Holder(holder.user_id, holder.cpu_level, str(holder.user)) for holder in holders),
                game.code,
            )
            log = Action.objects.filter(game=game).order_by("ply")
            columns = ("ply", "seat", "kind", "ask", "data", "cause", "client_id", "created_at")
            entries = [Entry(*row) for row in log.values_list(*columns)]
            TABLES[self.game_id] = (table, walk(table, start(table), entries)[-1:])
        return None if player is None else player.seat

    @database_sync_to_async
    def _play(self, ask: str, answer: dict[str, Any], name: str) -> int:
        """Stores an answer and what follows from it; returns its place in the log."""
        assert self.seat is not None
        action = Answer.from_json({**answer, "seat": self.seat})
        with transaction.atomic():
            game = Game.objects.select_for_update().get(pk=self.game_id)
            table, steps = TABLES[self.game_id]
            position = steps[-1].after
            asked = position.asks.get(self.seat)
            if game.ply != position.ply or asked is None or asked.id != ask:
                raise Rejected("stale")
            now = timezone.now()
            entry = Entry(game.ply + 1, self.seat, action.kind, ask, said(action), "player", name, now)
            steps = walk(table, position, [entry])
            after = steps[-1].after
            if after.state.phase == "deal":
                code = deals.read_code(GameSecret.objects.get(game=game).code)
                deal, attempt, _ = table.rules.next_deal(after.state)
                pack = deals.shuffle(code.seed, deal, attempt, table.rules.deck)
                dealt = Entry(after.ply + 1, None, "deal", "", {"pack": list(pack)}, "dealer", None, now)
                steps += walk(table, after, [dealt])
                after = steps[-1].after
            for step in steps:
                Action.objects.create(
                    game=game,
                    ply=step.entry.ply,
                    seat=step.entry.seat,
                    kind=step.entry.kind,
                    ask=step.entry.ask,
                    data=step.entry.data,
                    cause=step.entry.cause,
                    client_id=step.entry.client_id,
                    created_at=step.entry.created_at,
                )
            game.ply, game.asks, game.deadline_at = after.ply, asks_json(after), after.deadline_at
            game.moved_at = now
            if after.state.phase == "over":
                game.status = Game.Status.FINISHED
            game.save(update_fields=("ply", "asks", "deadline_at", "moved_at", "status"))
        TABLES[self.game_id] = (table, steps)
        return entry.ply


application = ProtocolTypeRouter(
    {
        "http": http,
        "websocket": AllowedHostsOriginValidator(
            AuthMiddlewareStack(URLRouter([path("ws/game/<int:game_id>/", TableConsumer.as_asgi())]))
        ),
    }
)
