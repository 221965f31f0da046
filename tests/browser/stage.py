"""The table page on a stage: the real page, modules and rules, with the socket answered here instead of by a site.

A test says which position the page is to show, and sees what the page answers. No server and no database is needed, so
every phase, any number of players and a spectator's view can be shown at once.
"""

from __future__ import annotations

import json
import mimetypes
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.test import RequestFactory
from django.utils import translation
from django.views.i18n import JavaScriptCatalog
from playwright.sync_api import Browser, Page, Route, WebSocketRoute, expect

from games.kinds import rules_for
from games.kinds.words import traits_of
from games.presets.selectors import chips as chips_of
from games.rules import Action, Rules, State, story
from games.rules.state import plain
from games.rules.view import own_part, public_part
from games.tables.selectors import phrases_to_say

ORIGIN = "http://localhost"
LEFT_OUT = ("options", "tricks", "sheet")
PATIENCE_MS = 20_000

expect.set_options(timeout=PATIENCE_MS)


class Stage:
    """One page at one table. `seat` None watches."""

    def __init__(
        self,
        browser: Browser,
        kind: str,
        *,
        players: int = 4,
        seat: int | None = 0,
        options: Mapping[str, Any] | None = None,
        viewport: Any = None,
        language: str = "en",
        pace: float = 0,
        settings: Mapping[str, Any] | None = None,
        people: Sequence[int] = (),
        **context: Any,
    ) -> None:
        self.kind, self.seat, self.language, self.pace = kind, seat, language, pace
        self.rules: Rules = rules_for(kind, players, dict(options or {}))
        self.state: State = self.rules.start()
        self.people = {*people, *([] if seat is None else [seat])}
        self.seats = ["online" if other in self.people else "cpu" for other in range(players)]
        self.limit_s = 0
        self.void: str | None = None  # why the game has ended without a result
        self.received: list[dict[str, Any]] = []
        self.sockets: list[WebSocketRoute] = []
        self.past: list[dict[str, Any]] = []
        self.pages: dict[str, str] = {}
        self.faults: list[str] = []
        self.after_answer: Callable[[], None] = lambda: None
        shape: Any = viewport or {"width": 1280, "height": 800}
        context.setdefault("locale", {"en": "en-US", "ja": "ja-JP"}[language])
        self.context = browser.new_context(viewport=shape, **context)
        self.context.set_default_timeout(PATIENCE_MS)
        if settings:
            kept = "".join(
                f"{name!r}:{str(value).lower() if isinstance(value, bool) else repr(value)},"
                for name, value in settings.items()
            )
            self.context.add_init_script(f"localStorage.setItem('moonshot.settings', JSON.stringify({{{kept}}}))")
        self.page: Page = self.context.new_page()
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda said: self.faults.append(said.text) if said.type == "error" else None)
        self.page.route(f"{ORIGIN}/**", self._answer)
        self.page.route_web_socket(lambda url: "/ws/game/" in url, self._connected)
        self.page.route_web_socket(lambda url: "/ws/lobby/" in url, lambda socket: None)  # no party is open

    # --- the site ---

    def boot(self) -> dict[str, Any]:
        """What the page knows before its socket opens."""
        players, n = self.rules.players, iter(range(1, 9))
        with translation.override(self.language):
            chips = chips_of(self.kind, self.rules.options.to_json())
            phrases = phrases_to_say()
            traits = traits_of(self.rules)
        return {
            "game": 7,
            "kind": self.kind,
            "traits": traits,
            "players": players,
            "ws": "/ws/game/7/",
            "version": 1,
            "ply": 0,
            "seat": self.seat,
            "names": [f"Guest {4821 + seat}" if seat in self.people else f"CPU {next(n)}" for seat in range(players)],
            "cpu": [None if seat in self.people else "normal" for seat in range(players)],
            "humans": [seat in self.people for seat in range(players)],
            "players_at": "/player/",
            "accounts": [seat + 1 if seat in self.people else None for seat in range(players)],
            "report": "/game/7/report/",
            "record": "/game/7/record.json",
            "commitment": None,
            **phrases,
            "code": "H4-7K2M-9QXT-3WBD",
            "options": self.rules.options.to_json(),
            "chips": [{"label": chip.label, "title": chip.title} for chip in chips],
            "sides": [self.rules.side(seat) for seat in range(players)],
            "timer": self.limit_s,
            "score_sign": getattr(self.rules.options, "score_sign", "plus"),
            "home": "/",
            "guest": True,
            "pace": self.pace,
        }

    def html(self) -> str:
        """The page as the site would send it."""
        request = RequestFactory().get("/game/7/")
        with translation.override(self.language):
            return render_to_string("games/tables/table.html", {"boot": self.boot()}, request=request)

    def catalogue(self) -> str:
        """The texts of the page's scripts."""
        with translation.override(self.language):
            response: Any = JavaScriptCatalog.as_view()(RequestFactory().get("/i18n/js/"))
            return str(response.content.decode())

    def _answer(self, route: Route) -> None:
        path = route.request.url.removeprefix(ORIGIN).partition("?")[0]
        if path in self.pages:
            route.fulfill(body=self.pages[path], content_type="text/html; charset=utf-8")
        elif path == "/game/7/":
            route.fulfill(body=self.html(), content_type="text/html; charset=utf-8")
        elif path == "/i18n/js/":
            route.fulfill(body=self.catalogue(), content_type="text/javascript; charset=utf-8")
        elif path.startswith("/static/") and (found := finders.find(path.removeprefix("/static/"))):
            kind = mimetypes.guess_type(str(found))[0] or "application/octet-stream"
            route.fulfill(body=Path(str(found)).read_bytes(), content_type=kind)
        else:
            route.fulfill(status=204, body="")

    def _connected(self, socket: WebSocketRoute) -> None:
        self.sockets.append(socket)
        socket.on_message(self._heard)
        socket.send(self._frame(self.past))

    def _heard(self, frame: str | bytes) -> None:
        message = json.loads(frame)
        if message["type"] == "ping":
            return
        self.received.append(message)
        if message["type"] != "act":
            return
        self.say({"type": "ack", "id": message["id"], "ply": self.state.ply + 1})
        self.do(Action.from_json({**message["action"], "seat": self.seat}))
        self.after_answer()

    def _frame(self, events: Sequence[dict[str, Any]]) -> str:
        state, rules = self.state, self.rules
        public = {name: plain(value) for name, value in public_part(rules, state).items() if name not in LEFT_OUT}
        own = {name: plain(value) for name, value in own_part(rules, state, self.seat).items()}
        if self.void:
            public, own = {**public, "asked": [], "turn": None}, {**own, "ask": None}
        now = round(time.time() * 1000)
        asked = self.seat is not None and self.seat in rules.due(state).seats
        return json.dumps(
            {
                "type": "news",
                "ply": state.ply,
                "seat": self.seat,
                "events": list(events),
                "view": {**public, **own, "last_trick": plain(state.tricks[-1]) if state.tricks else None},
                "clock": {
                    "now": now,
                    "due": {str(self.seat): now + self.limit_s * 1000} if asked and self.limit_s else {},
                    "limit": self.limit_s,
                },
                "seats": self.seats,
                "sheet": plain(state.sheet),
            }
            | ({"void": self.void} if self.void else {})
        )

    def say(self, message: Mapping[str, Any]) -> None:
        """Sends a message to the page."""
        for socket in self.sockets[-1:]:
            socket.send(json.dumps(message))

    # --- the game ---

    def show(self, state: State, past: Sequence[dict[str, Any]] = ()) -> Page:
        """Opens the page, or opens it again, at a position."""
        self.state, self.past = state, list(past)
        self.page.goto(f"{ORIGIN}/game/7/")
        self.page.wait_for_selector("#table[data-phase]:not([data-phase=''])")
        return self.page

    def do(self, *actions: Action) -> None:
        """Things happen at the table, and the page is told."""
        for action in actions:
            before, self.state = self.state, self.rules.apply(self.state, action)
            events = [event.to_json() for event in story(self.rules, before, action, self.state, self.seat)]
            self.past.extend({**event, "ply": self.state.ply} for event in events)
            if self.sockets:
                self.sockets[-1].send(self._frame([{**event, "ply": self.state.ply} for event in events]))

    def close(self) -> None:
        self.context.close()
