"""An hour of ranked play in a few minutes: 200 players queue, play, leave, come back and end games without a result,
while web, worker and beat are killed at random.

A site of its own, as `make play` runs it, with every duration divided by TIME_SCALE. Afterwards the books are audited
(`ranked_books`): every finished game was rated exactly once and by the formula, the ratings follow from the games,
nobody was seated twice or with somebody he has blocked, nobody was stuck. The exit status says whether all of it holds.
Run: python -m tests.bench.ranked_hour [--players 200] [--minutes 60] [--scale 6] [--seed 1]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from tests.bench.kills import TRACE, leader_of, site
from tests.bench.ranked_people import TEMPERS, Person, World, stuck
from tests.site_run import Run

ROOT = Path(__file__).resolve().parents[2]
#: What is killed, by a word of its command line.
VICTIMS = {"web": "config.web", "worker": "worker@%h", "worker2": "worker2@%h", "clock": "clock@%h", "beat": "beat"}
#: Simulated seconds between two kills, at least and at most.
KILL_EVERY_S = (60.0, 240.0)
#: Simulated seconds for the games that are not over when the queue closes.
LAST_GAMES_S = 2400.0
CHECK_EVERY_S = 20.0


def books(run: Run, *words: str) -> dict[str, Any]:
    """What `ranked_books` says, on the data of the site."""
    environment = {**os.environ, **run.given()}
    command = [sys.executable, "-m", "tests.bench.ranked_books", *words]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"ranked_books {words[0]} failed: {done.stderr.strip().splitlines()[-1]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def tempers(count: int, rng: random.Random) -> list[str]:
    names = [name for name, share in TEMPERS.items() for _ in range(share)]
    found = [names[number * len(names) // count] for number in range(count)]
    rng.shuffle(found)
    return found


def people_of(world: World, made: dict[str, Any], rng: random.Random) -> list[Person]:
    """Everybody; those of temper `pair` two by two, one of whom invites the other."""
    found = tempers(len(made["sessions"]), rng)
    pairs = [number for number, temper in enumerate(found) if temper == "pair"]
    partner = {one: made["names"][two] for one, two in zip(pairs[::2], pairs[1::2], strict=False)}
    return [
        Person(world, number, made["sessions"][number], temper, partner.get(number, ""))
        for number, temper in enumerate(found)
    ]


async def killings(run: Run, world: World, rng: random.Random, killed: Counter[str]) -> None:
    """Kills something every now and then."""
    while not world.closing:
        await world.sleep(rng.uniform(*KILL_EVERY_S))
        name = rng.choice(sorted(VICTIMS))
        with suppress(ValueError, psutil.NoSuchProcess):  # killed a moment ago, and not there again
            leader_of(run.folder, VICTIMS[name]).kill()
            killed[name] += 1


async def hour(run: Run, world: World, people: list[Person], simulated_s: float, rng: random.Random) -> dict[str, Any]:
    """Lets everybody play; what happened."""
    killed: Counter[str] = Counter()
    lives = [asyncio.ensure_future(person.live()) for person in people]
    killer = asyncio.ensure_future(killings(run, world, rng, killed))
    began, waited_long = world.now(), set()
    while (passed := world.now() - began) < simulated_s + LAST_GAMES_S:
        await world.sleep(CHECK_EVERY_S)
        waited_long |= {person.number for person in stuck(people, world.now())}
        places = Counter(person.place.split()[0] for person in people)
        sys.stderr.write(f"\r{passed / 60:5.1f} min  {dict(places)}  killed {killed.total()}      ")
        sys.stderr.flush()
        world.closing = world.closing or passed >= simulated_s
        if all(life.done() for life in lives):
            break
        for life in lives:
            if life.done() and life.exception() is not None:
                raise life.exception() or AssertionError
    sys.stderr.write("\n")
    killer.cancel()
    late = [f"player {person.number}: {person.place}" for person in people if person.place != "home"]
    for life in lives:
        life.cancel()
    await asyncio.gather(killer, *lives, return_exceptions=True)
    return {"killed": dict(killed), "waited long": len(waited_long), "not home": late}


def main() -> int:
    parser = argparse.ArgumentParser(description="An hour of ranked play, with kills.")
    parser.add_argument("--players", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=60, help="simulated minutes until the queue closes")
    parser.add_argument("--scale", type=float, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", type=Path, help="a file for what the site logs")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    with site({"TIME_SCALE": f"{options.scale:g}"}) as run:
        made = books(run, "make", str(options.players))
        world = World(run.port, options.scale, made["ladders"])
        people = people_of(world, made, rng)
        began = time.monotonic()
        told = asyncio.run(hour(run, world, people, 60 * options.minutes, rng))
        seconds = time.monotonic() - began
        found = books(run, "audit")
        if options.log:
            options.log.write_text(run.text)
        traces = len(TRACE.findall(run.text))
    waits = sorted(world.waits)
    faults = [*found.pop("faults"), *told.pop("not home")]
    print(
        f"{options.players} players, {options.minutes:g} simulated minutes at scale {options.scale:g}: {seconds:.0f} s"
    )
    for name, value in {**told, **found, "players": dict(world.counts), "refused": dict(world.refusals)}.items():
        print(f"{name:14} {value}")
    if waits:
        at_95 = waits[int(0.95 * (len(waits) - 1))]
        print(f"waits          median {statistics.median(waits):.0f} s, 95 % {at_95:.0f} s, longest {waits[-1]:.0f} s")
    print(f"lines of traces in the log: {traces}")
    for fault in faults:
        print(f"FAULT: {fault}")
    print("All of it holds." if not faults else f"{len(faults)} faults.")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
