"""Times in which the site was away, and how they are given back to everybody whose clock ran meanwhile.

An outage is stored together with the heartbeat that shows it, so it is neither lost nor found twice. Each game notes in
its log which outage it was given: a sweep that dies in the middle is continued by the next one, of whatever process,
and no game gets the same outage twice. Games are written to many at a time, from what is stored of their questions
alone; nothing is folded.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone

from games.log import live, services, store, voids
from games.log.positions import Entry, lengthened, limit_s
from games.log.refusals import Rejected

logger = logging.getLogger(__name__)

#: After an outage longer than this, games that other apps name are not given time back but end without a result.
MOST_GIVEN_BACK = timedelta(minutes=10)
#: Games that one sweep ends; the next one goes on, and nobody's clock runs out meanwhile.
MOST_ENDED = 100
#: How long an outage is looked after. One that is older lies before a longer one: nobody swept for so long.
LOOK_BACK = timedelta(hours=1)
#: Games in one statement.
MOST_GAMES = 250
#: Times that games are read again because they moved on meanwhile.
PASSES = 8

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

#: Outages that this process has seen given back to every game.
_given: set[int] = set()


def gaps(
    now: datetime,
    swept_at: datetime | None,
    web_then: datetime | None,
    web_now: datetime | None,
    limit: timedelta,
) -> list[store.Gap]:
    """The times in which the sweep or the web did not live, found when it lives again; the one that began first first.

    How the web did while no sweep looked cannot be told; that time is a gap anyhow.
    """
    found: list[store.Gap] = []
    slept = swept_at is not None and now - swept_at > limit
    if swept_at is not None and slept:
        found.append(("sweep", swept_at, now))
    if web_then is not None and web_now is not None and web_now - web_then > limit:
        was_down = swept_at is not None and swept_at - web_then > limit
        if was_down or not slept:
            found.append(("web", web_then, web_now))
    return sorted(found, key=lambda gap: gap[1])


def covered(spans: list[tuple[datetime, datetime]]) -> float:
    """Seconds that lie in any of the spans, counted once."""
    seconds, end = 0.0, None
    for from_at, to_at in sorted(spans):
        begin = from_at if end is None else max(from_at, end)
        seconds += max(0.0, (to_at - begin).total_seconds())
        end = to_at if end is None else max(end, to_at)
    return seconds


def without_break(spans: list[tuple[datetime, datetime]], until: datetime) -> timedelta:
    """How long the site was away without a break until a moment, whichever part of it."""
    begin = until
    for from_at, to_at in sorted(spans, key=lambda span: span[1], reverse=True):
        if from_at < begin <= to_at:
            begin = from_at
    return until - begin


async def _end_games(to_at: datetime) -> bool:
    """Ends games that cannot go on after an outage. Whether none is left for the next sweep."""
    ended = 0
    for game_id in sorted(await voids.ended_by_outage(to_at)):
        if ended == MOST_ENDED:
            return False
        try:
            await services.void_game(game_id=game_id, reason="outage")
            ended += 1
        except (Rejected, live.NoSuchGame):
            pass  # it is over already
        except Exception:  # one that is broken must not hold up the others
            logger.exception("game %s cannot be ended after outage", game_id)
    return True


async def give_back(now: datetime) -> None:
    """Gives every outage back that is not yet given to every game.

    The web may come back after the sweep did: what was given back then is not given a second time.
    """
    known = await store.outages_since(now - LOOK_BACK)
    spans: list[tuple[datetime, datetime]] = []
    for number, from_at, to_at in known:
        seconds = covered([*spans, (from_at, to_at)]) - covered(spans)
        spans.append((from_at, to_at))
        if number in _given:
            continue
        is_done = seconds <= 0 or await _give(number, to_at, seconds)
        if without_break(spans, to_at) * settings.TIME_SCALE > MOST_GIVEN_BACK:
            is_done = await _end_games(to_at) and is_done
        if is_done:
            _given.add(number)


async def _give(outage: int, to_at: datetime, seconds: float) -> bool:
    """Gives one outage back to every game that has not got it. Whether none is left."""
    for _ in range(PASSES):
        at = timezone.now()
        writes = [
            write
            for clocks in await store.running_clocks(outage)
            if (write := _longer(clocks, outage, to_at, seconds, at)) is not None
        ]
        stored = 0
        for first in range(0, len(writes), MOST_GAMES):
            stored += len(await store.commit_many(writes[first : first + MOST_GAMES]))
        if stored == len(writes):
            return True
    logger.warning("outage %s: some games could not be given their time back yet", outage)
    return False


def _longer(clocks: store.Clocks, outage: int, to_at: datetime, seconds: float, at: datetime) -> store.Write | None:
    """The entry that gives an outage back to a game; None where nobody's clock ran then."""
    data: dict[str, Any] = {"seconds": round(seconds, 3), "outage": outage}
    gap = timedelta(seconds=data["seconds"])
    asks, ran = dict(clocks.asks), False
    for seat, (ask, due_ms) in clocks.asks.items():
        full_s = limit_s(clocks.timer_s, ask.split(".")[2], settings.TIME_SCALE)
        if due_ms is None or full_s is None or int(seat) not in clocks.humans:
            continue
        due_at, full = _EPOCH + timedelta(milliseconds=due_ms), timedelta(seconds=full_s)
        ran = ran or due_at - full <= to_at
        asks[seat] = [ask, store.to_ms(lengthened(due_at, gap, at, full))]
    if not ran:
        return None
    entry = Entry(clocks.ply + 1, None, "outage", "", data, "dealer", None, at)
    deadline_ms = min(due_ms for _, due_ms in asks.values() if due_ms is not None)
    deadline_at = _EPOCH + timedelta(milliseconds=deadline_ms)
    return store.Write(
        clocks.game_id, clocks.ply, clocks.ply + 1, asks, deadline_at, [store.row_of(entry, clocks.game_id)]
    )
