"""A player written from games/tables/README.md alone, by somebody who has nothing else of this site: not a line of its
code, no rules of the games. Standard library and `websockets` only; a test sees to that.
"""

from __future__ import annotations

import json
import random
import time
import uuid
from contextlib import suppress
from http.client import HTTPConnection
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlsplit

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

VERSION = 1
PING_EVERY_S = 15.0
PATIENCE_S = 60.0
#: Refusals after which the same message may be sent again, with the same id.
PASSING = ("busy", "too_fast", "unavailable")
#: Closes after which coming back is of no use.
FINAL = (4400, 4401, 4404, 4426)


class Player:
    """A visitor with a cookie jar, at one table. `breaks_every`: cuts the line after so many answers, to come back."""

    def __init__(self, site: str, seed: str, *, breaks_every: int = 0) -> None:
        self.host = urlsplit(site).netloc
        self.site = site.rstrip("/")
        self.rng = random.Random(seed)
        self.breaks_every = breaks_every
        self.cookies = SimpleCookie()
        self.game = 0
        self.ply = -1  # held
        self.first_ply = -1  # of the first news ever, which tell no events
        self.view: dict[str, Any] = {}
        self.sheet: list[dict[str, Any]] = []
        self.events: list[dict[str, Any]] = []
        self.pending: dict[str, dict[str, Any]] = {}  # by id, until the table has decided
        self.send_again_at: dict[str, float] = {}
        self.answered = ""  # the question that was answered last
        self.answers = self.connections = 0

    # --- a seat -------------------------------------------------------------------------------------------------------

    def open_game(self, kind: str, timer: int = 0) -> None:
        """Play now: any page gives the token, the answer to the form leads to the table."""
        self._request("GET", "/")
        token = self.cookies["csrftoken"].value
        body = f"timer={timer}"
        status, place = self._request("POST", f"/play/{kind}/", body, token)
        if status != 302:
            raise RuntimeError(f"no game: {status}")
        self.game = int(place.split("/")[2])

    def _request(self, method: str, path: str, body: str = "", token: str = "") -> tuple[int, str]:
        headers = {"Cookie": self._cookie(), "Origin": self.site}
        if body:
            headers |= {"Content-Type": "application/x-www-form-urlencoded", "X-CSRFToken": token}
        line = HTTPConnection(self.host, timeout=PATIENCE_S)
        try:
            line.request(method, path, body or None, headers)
            response = line.getresponse()
            response.read()
        finally:
            line.close()
        for cookie in response.headers.get_all("Set-Cookie", []):
            self.cookies.load(cookie)
        return response.status, response.headers.get("Location", "")

    def _cookie(self) -> str:
        return "; ".join(f"{name}={morsel.value}" for name, morsel in self.cookies.items())

    # --- a game -------------------------------------------------------------------------------------------------------

    def play(self) -> dict[str, Any]:
        """Plays to the end of the game, over as many connections as it takes. Its result."""
        end = time.monotonic() + 10 * PATIENCE_S
        while self.view.get("phase") != "over":
            if time.monotonic() > end:
                raise TimeoutError("the game does not end")
            try:
                with self._connect() as line:
                    for message in self.pending.values():
                        line.send(json.dumps(message))
                    self._take_part(line)
            except ConnectionClosed as closed:
                code = closed.rcvd.code if closed.rcvd else 1006
                if code in FINAL:
                    raise
                time.sleep(3 if code == 4429 else 0.1)
        result: dict[str, Any] = self.view["result"]
        return result

    def _connect(self) -> ClientConnection:
        since = f"&since={self.ply}" if self.ply >= 0 else ""
        self.connections += 1
        return connect(
            f"ws://{self.host}/ws/game/{self.game}/?v={VERSION}{since}",
            origin=Origin(self.site),
            additional_headers={"Cookie": self._cookie()},
            open_timeout=PATIENCE_S,
        )

    def _take_part(self, line: ClientConnection) -> None:
        pinged_at = time.monotonic()
        while self.view.get("phase") != "over":
            now = time.monotonic()
            if now - pinged_at > PING_EVERY_S and self.ply >= 0:
                line.send(json.dumps({"type": "ping", "ply": self.ply}))
                pinged_at = now
            for name in [name for name, at in self.send_again_at.items() if at <= now]:
                del self.send_again_at[name]
                line.send(json.dumps(self.pending[name]))
            with suppress(TimeoutError):
                self._hear(json.loads(line.recv(timeout=0.5)), line)

    def _hear(self, message: dict[str, Any], line: ClientConnection) -> None:
        kind = message["type"]
        if kind == "news":
            self._news(message)
            ask = self.view["ask"]
            if ask is not None and ask["id"] != self.answered:
                self._answer(ask, line)
        elif kind == "ack":
            self.pending.pop(message["id"], None)
        elif kind == "refused" and message["id"] in self.pending:
            if message["code"] in PASSING:
                self.send_again_at[message["id"]] = time.monotonic() + 1
            elif message["code"] == "stale":
                del self.pending[message["id"]]
            else:
                raise RuntimeError(f"{self.pending[message['id']]} was refused: {message}")

    def _news(self, news: dict[str, Any]) -> None:
        if news["ply"] <= self.ply:
            return
        # What was told before the line broke may be told again; what comes after the ply held is new.
        self.events += [event for event in news["events"] if event["ply"] > self.ply]
        if self.first_ply < 0:
            self.first_ply = news["ply"]
        self.ply, self.view = news["ply"], news["view"]
        self.sheet = news.get("sheet", self.sheet)

    def _answer(self, ask: dict[str, Any], line: ClientConnection) -> None:
        name = str(uuid.uuid4())
        self.answered = ask["id"]
        self.pending[name] = {"type": "act", "id": name, "ask": ask["id"], "action": self._action(ask)}
        line.send(json.dumps(self.pending[name]))
        self.answers += 1
        if self.breaks_every and self.answers % self.breaks_every == 0:
            line.close()  # whether the answer has come through is known only after coming back
            raise ConnectionClosed(None, None)

    def _action(self, ask: dict[str, Any]) -> dict[str, Any]:
        phase = ask["phase"]
        if phase in ("pass", "exchange"):
            return {"kind": phase, "cards": self.rng.sample(ask["cards"], ask["count"])}
        if phase == "blind":
            return {"kind": "blind", "blind": False}
        if phase == "bid":
            return {"kind": "bid", "bid": self.rng.choice(ask["bids"][1:5])}
        if phase == "moon":
            return {"kind": "moon", "choice": self.rng.choice(sorted(ask["tables"]))}
        return {"kind": "play", "card": self.rng.choice(ask["cards"])}
