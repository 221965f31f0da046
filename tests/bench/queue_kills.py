"""Players queue for ranked games while parts of the site are killed at random; then it is counted who sat where.

A site of its own, as `make play` runs it, with every duration divided by SCALE. Each player is a socket that joins when
it may, mostly says that it is there, sometimes declines, sometimes does not answer, and comes back when its line
breaks. Games are ended without a result soon after they began, so that their players queue again. In the end everybody
leaves without a word.

What must not happen: somebody in two ranked games at once, a table with the same user twice or too few users, a ticket
beside a running ranked game for longer than a moment, a ticket that is left in the end. Ends with status 1 if it did.

Run: python -m tests.bench.queue_kills [players [seconds [scale [file for the site's log]]]]
"""

from __future__ import annotations

import asyncio
import json
import random
import shlex
import subprocess
import sys
import time
from collections import Counter, defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin

from tests.bench.kills import TRACE, leader_of, site
from tests.site_run import Run

VICTIMS = ("config.web", "worker@%h", "worker2@%h", "clock@%h", "beat")
KILL_EVERY_S = (2.0, 5.0)
GAME_S = 2.0
READY, DECLINES = 0.9, 0.96

#: Makes members who may queue; prints their sessions.
MAKE = """
import json, secrets
from django.test import Client
from accounts.models import User
from games.models import Game, Player
sessions = []
for number in range(%d):
    user = User.objects.create(username=secrets.token_hex(8), display_name=f"Player {number}", name_key=f"p{number}x")
    for _ in range(3):
        game = Game.objects.create(kind="hearts", players=4, options={}, rules_version=1, status="finished")
        Player.objects.create(game=game, seat=0, user=user)
    client = Client()
    client.force_login(user)
    sessions.append(client.cookies["sessionid"].value)
print("sessions", json.dumps(sessions))
"""
END_GAMES = """
update games_game set status = 'void', asks = '{}', deadline_at = null, moved_at = clock_timestamp()
where status in ('open', 'playing') and created_at < clock_timestamp() - make_interval(secs => %s)
  and id in (select game_id from ladder_rankedgame)
"""
TABLES = """
select r.game_id, g.created_at, case when g.status = 'void' then g.moved_at end, array_agg(p.user_id)
from ladder_rankedgame r join games_game g on g.id = r.game_id join games_player p on p.game_id = g.id
where p.user_id is not null group by 1, 2, 3 order by 1
"""
STUCK = """
select count(*) from ladder_ticket t join games_player p on p.user_id = t.user_id
join ladder_rankedgame r on r.game_id = p.game_id join games_game g on g.id = r.game_id
where g.status in ('open', 'playing')
"""


class Player:
    """One socket's user."""

    def __init__(self, run: Run, session: str, seed: int) -> None:
        self.run, self.session, self.random = run, session, random.Random(seed)
        self.seated, self.lines = 0, 0
        self.refusals: Counter[str] = Counter()

    async def play(self) -> None:
        """Queues again and again, whatever happens to the line."""
        while True:
            with suppress(OSError, WebSocketException, TimeoutError):
                site = f"localhost:{self.run.port}"
                async with connect(
                    f"ws://{site}/ws/queue/",
                    origin=Origin(f"http://{site}"),
                    additional_headers={"Cookie": f"sessionid={self.session}"},
                    open_timeout=5,
                ) as line:
                    self.lines += 1
                    async for frame in line:
                        answer = self.answer(json.loads(frame))
                        if answer is not None:
                            await line.send(json.dumps(answer))
            await asyncio.sleep(self.random.uniform(0.2, 0.8))

    def answer(self, message: dict[str, Any]) -> dict[str, Any] | None:
        if message["type"] == "queue" and message["ticket"]:
            return {"type": "ping"}
        if message["type"] == "queue" and message["bar"] is None:
            return {
                "type": "join",
                "ladder": self.random.choice(("hearts", "spades")),
                "cpu": self.random.random() < 0.5,
            }
        if message["type"] == "check" and not message["is_ready"] and not message["ready"]:
            drawn = self.random.random()
            return {"type": "ready"} if drawn < READY else {"type": "decline"} if drawn < DECLINES else None
        if message["type"] == "check" and not message["is_ready"]:
            return {"type": "ready"} if self.random.random() < READY else None
        if message["type"] == "seated":
            self.seated += 1
        elif message["type"] == "refused":
            self.refusals[message["code"]] += 1
        return None


def make_players(run: Run, count: int) -> list[Player]:
    lines = (run.folder / ".data/environment").read_text().splitlines()
    variables = dict(shlex.split(line)[0].split("=", 1) for line in lines)
    command = [sys.executable, "manage.py", "shell", "-c", MAKE % count]
    done = subprocess.run(command, cwd=run.folder, env=variables, capture_output=True, text=True, check=True)
    sessions = json.loads(done.stdout.partition("sessions ")[2])
    return [Player(run, session, seed) for seed, session in enumerate(sessions)]


async def end_games(run: Run, faults: list[str]) -> None:
    """Ends games soon after they began, and looks for tickets beside them."""
    stuck = 0
    while True:
        with suppress(Exception), run.database() as link:  # the site's servers are not killed here, but they are busy
            link.execute(END_GAMES, [GAME_S])
            found = link.execute(STUCK).fetchone()
            stuck = stuck + 1 if found and found[0] else 0
            if stuck > 8:
                faults.append("a ticket stays beside a running ranked game")
        await asyncio.sleep(0.5)


async def kill_parts(folder: Path, seed: int) -> Counter[str]:
    """Kills one part after another for as long as it is let."""
    drawn, killed = random.Random(seed), Counter[str]()
    try:
        while True:
            await asyncio.sleep(drawn.uniform(*KILL_EVERY_S))
            word = drawn.choice(VICTIMS)
            with suppress(ValueError, psutil.NoSuchProcess):  # it is just being started again
                leader_of(folder, word).kill()
                killed[word] += 1
    except asyncio.CancelledError:
        return killed


def faults_of(run: Run) -> tuple[int, list[str]]:
    """How many tables there were, and what is wrong with them."""
    faults, until = [], defaultdict[int, Any](lambda: None)
    with run.database() as link:
        tables = link.execute(TABLES).fetchall()
    for game, began_at, ended_at, users in tables:
        if len(users) not in (3, 4) or len(set(users)) < len(users):
            faults.append(f"game {game} has the users {users}")
        for user in users:
            if until[user] is not None and until[user] > began_at:
                faults.append(f"user {user} sits in game {game} and in one before it")
            until[user] = ended_at
    return len(tables), faults


async def tickets_left(run: Run, patience_s: float) -> int:
    """How many tickets are left once nobody has been there for some time."""
    give_up_at = time.monotonic() + patience_s
    while True:
        with run.database() as link:
            found = link.execute("select count(*) from ladder_ticket").fetchone()
        count = int(found[0]) if found else 0
        if not count or time.monotonic() > give_up_at:
            return count
        await asyncio.sleep(0.5)


async def measure(run: Run, count: int, seconds: float) -> int:
    players = make_players(run, count)
    faults: list[str] = []
    killer = asyncio.ensure_future(kill_parts(run.folder, 1))
    others = [asyncio.ensure_future(end_games(run, faults))]
    others += [asyncio.ensure_future(player.play()) for player in players]
    await asyncio.sleep(seconds)
    killer.cancel()
    killed = await killer
    await asyncio.sleep(3)
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    left = await tickets_left(run, 40)
    if left:
        faults.append(f"{left} tickets are left")
    tables, wrong = faults_of(run)
    faults += wrong
    print(f"{count} players, {seconds:.0f} s, killed: {dict(killed)}")
    print(
        f"tables {tables}, seats told {sum(player.seated for player in players)}, lines {sum(p.lines for p in players)}"
    )
    print(f"players who never sat {sum(not player.seated for player in players)}")
    print(f"refused: {dict(sum((player.refusals for player in players), Counter()))}")
    print(f"traces in the log: {len(TRACE.findall(run.text))}")
    for fault in sorted(set(faults)):
        print("FAULT", fault)
    return 1 if faults or not tables else 0


def main() -> int:
    count, seconds, scale = (int(value) for value in (*sys.argv[1:4], *("24", "60", "10")[len(sys.argv) - 1 :]))
    with site({"TIME_SCALE": str(scale)}) as run:
        try:
            return asyncio.run(measure(run, count, seconds))
        finally:
            if len(sys.argv) > 4:
                Path(sys.argv[4]).write_text(run.text)


if __name__ == "__main__":
    sys.exit(main())
