"""Accounts for tests/bench/ranked_hour.py, and an audit of what they have played, as JSON.

A program of its own, so that the load client carries no Django; its environment names the site's database. The audit
works out every change a second time, from LADDER's formula and in floating point, without a line of
`ladder.rating.formula`. Run: python -m tests.bench.ranked_books make 200 | audit
"""

from __future__ import annotations

import itertools
import json
import math
import os
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from accounts.models import User  # noqa: E402 - needs the apps
from accounts.names import skeleton  # noqa: E402
from games.models import Action, Block, Game, Player  # noqa: E402
from ladder.models import Ladder, RankedGame, RatingChange, ReadyCheck, Ticket  # noqa: E402
from ladder.rating.proof import prove  # noqa: E402
from tests.bench.seating import sign_in  # noqa: E402
from tests.games.finished import played, stored  # noqa: E402

BLOCKED_PAIRS = 30
GAMES_BEFORE = 3
#: A change is rounded once, to a hundredth.
TOLERANCE = 0.0051


def make(count: int) -> dict[str, Any]:
    """Members who have finished three games each, some of whom have blocked each other, with their sessions."""
    users = []
    for number in range(count):
        name = f"Player {number:03}"
        user = User(username=f"ranked-{number}", display_name=name, name_key=skeleton(name))
        user.set_unusable_password()
        users.append(user)
    User.objects.bulk_create(users)
    for first in range(0, count - 3, 4):
        for seed in range(GAMES_BEFORE):
            record = played(options={"end_score": 20}, seed=first * GAMES_BEFORE + seed, humans=(0, 1, 2, 3))
            stored(record, users[first : first + 4])
    rng = random.Random(5)
    pairs = {tuple(sorted(rng.sample(range(count), 2))) for _ in range(BLOCKED_PAIRS)}
    Block.objects.bulk_create(Block(user=users[one], other=users[two], kind="block") for one, two in sorted(pairs))
    ladders = {ladder.slug: ladder.kind for ladder in Ladder.objects.filter(is_open=True)}
    return {"sessions": sign_in(users), "names": [user.display_name for user in users], "ladders": ladders}


# --- the audit --------------------------------------------------------------------------------------------------------


def audit() -> dict[str, Any]:
    """What there is, and under `faults` everything that should not be."""
    games = list(RankedGame.objects.select_related("game").order_by("pk"))
    faults = [*_rated_once(games), *_changes_by_formula(), *_seated_twice(games), *_blocked_together(games)]
    faults += [f"rebuild: {line}" for line in prove()]
    if Ticket.objects.exists() or ReadyCheck.objects.exists():
        faults.append(f"{Ticket.objects.count()} tickets and {ReadyCheck.objects.count()} ready checks are left")
    return {
        "ranked games": dict(Counter(f"{each.game.kind} {each.game.status}" for each in games)),
        "actions": Action.objects.filter(game__ranked__isnull=False).count(),
        "by whom": dict(
            Counter(Action.objects.filter(game__ranked__isnull=False, kind="play").values_list("cause", flat=True))
        ),
        "changes": RatingChange.objects.count(),
        "abandoned": RatingChange.objects.filter(has_left=True).count(),
        "with a CPU": sum(Player.objects.filter(game=each.game, user=None).exists() for each in games),
        "faults": faults,
    }


def _rated_once(games: list[RankedGame]) -> Iterator[str]:
    for each in games:
        users = set(Player.objects.filter(game=each.game, user__isnull=False).values_list("user", flat=True))
        rated = list(RatingChange.objects.filter(game=each.game, reason="result").values_list("user", flat=True))
        if each.game.status == Game.Status.FINISHED and sorted(rated) != sorted(u for u in users if u is not None):
            yield f"game {each.pk}: rated for {sorted(rated)}, played by {users}"
        elif each.game.status == Game.Status.VOID and rated:
            yield f"game {each.pk} is void, and was rated"
        elif each.game.status in (Game.Status.OPEN, Game.Status.PLAYING):
            yield f"game {each.pk} goes on"


def _seated_twice(games: list[RankedGame]) -> Iterator[str]:
    spans = defaultdict(list)
    for each in games:
        last = Action.objects.filter(game=each.game).order_by("-ply").first()
        until = each.game.moved_at if last is None else max(last.created_at, each.game.created_at)
        for user in Player.objects.filter(game=each.game, user__isnull=False).values_list("user", flat=True):
            spans[user].append((each.game.created_at, until, each.pk))
    for user, found in spans.items():
        found.sort()
        for (_, until, one), (begins, _, other) in itertools.pairwise(found):
            if begins < until:
                yield f"user {user} was in the games {one} and {other} at the same time"


def _blocked_together(games: list[RankedGame]) -> Iterator[str]:
    blocks = set(Block.objects.filter(kind="block").values_list("user", "other"))
    for each in games:
        users = set(Player.objects.filter(game=each.game, user__isnull=False).values_list("user", flat=True))
        for one, two in blocks:
            if one in users and two in users:
                yield f"game {each.pk} has {one} and {two}, of whom one has blocked the other"


def _changes_by_formula() -> Iterator[str]:
    rated: Counter[tuple[int, int]] = Counter()  # by user and ladder: games that count
    groups: Counter[tuple[tuple[int, ...], Any]] = Counter()
    left: defaultdict[int, list[Any]] = defaultdict(list)
    changes = defaultdict(list)
    for change in RatingChange.objects.filter(reason="result").select_related("game").order_by("seq"):
        changes[change.game_id].append(change)
    for game_id, found in sorted(changes.items(), key=lambda pair: pair[1][0].seq):
        game = found[0].game
        by_user = {change.user_id: change for change in found}
        users = dict(Player.objects.filter(game=game_id, user__isnull=False).values_list("seat", "user"))
        day = found[0].at.astimezone(ZoneInfo("Asia/Tokyo")).date()
        group = tuple(sorted(by_user)), day
        groups[group] += 1
        weight = 1.0 if groups[group] <= 5 else 0.5 if groups[group] <= 10 else 0.0
        table = _Table(game, users, by_user, rated, weight)
        wanted = {user: table.change(seat) for seat, user in users.items()}
        for user, change in by_user.items():
            extra = 0
            if change.has_left and weight:
                earlier = sum(at >= change.at - timedelta(days=30) for at in left[user])
                extra = (0, -5, -10)[min(earlier, 2)]
            if abs(float(change.delta) - max(wanted[user] + extra, 100 - float(change.before))) > TOLERANCE:
                yield f"game {game_id}, user {user}: {change.delta} is stored, {wanted[user] + extra:.4f} is right"
        stored_sum = sum(float(change.delta) for change in found)
        if not any(change.has_left for change in found) and table.is_zero_sum() and abs(stored_sum) > 0.021:
            yield f"game {game_id}: the changes of equals add up to {stored_sum:+.2f}"
        for user, change in by_user.items():
            rated[user, change.ladder_id] += change.counts
            if change.has_left:
                left[user].append(change.at)


class _Table:
    """A rated game, by the formula."""

    def __init__(
        self,
        game: Game,
        users: Mapping[int, int | None],
        changes: dict[int, RatingChange],
        rated: Counter[Any],
        g: float,
    ) -> None:
        self.game, self.g, self.result = game, g, game.result or {}
        self.seats = {seat: changes[user] for seat, user in users.items() if user is not None}
        self.games = {seat: rated[change.user_id, change.ladder_id] for seat, change in self.seats.items()}
        self.before = {seat: float(change.before) for seat, change in self.seats.items()}
        self.left = {seat: change.has_left for seat, change in self.seats.items()}
        limit, standard = (game.options["end_score"], 100) if game.kind == "hearts" else (game.options["target"], 500)
        self.length = min(1.0, max(0.5, math.sqrt(limit / standard)))

    def k(self, seat: int) -> int:
        games = self.games[seat]
        return 40 if games < 10 else 30 if games < 30 else 15 if self.before[seat] >= 2000 else 20

    def is_zero_sum(self) -> bool:
        """Whether nobody gains what nobody else loses: everybody's K and trust in the others are the same."""
        provisional = {games < 10 for games in self.games.values()}
        return len({self.k(seat) for seat in self.seats}) == 1 and len(provisional) == 1

    def change(self, seat: int) -> float:
        found = self._spades(seat) if self.game.kind == "spades" else self._hearts(seat)
        return self.k(seat) * self.length * self.g * found

    def _hearts(self, seat: int) -> float:
        total = 0.0
        for other in self.seats:
            if other == seat or (self.left[seat] and self.left[other]):
                continue
            if self.left[seat] or self.left[other]:
                scored = 0.0 if self.left[seat] else 1.0
            else:
                mine, theirs = self.result["scores"][seat], self.result["scores"][other]
                scored = 1.0 if mine < theirs else 0.5 if mine == theirs else 0.0
            trust = 0.5 if self.games[other] < 10 <= self.games[seat] else 1.0
            total += trust * (scored - _expected(self.before[seat], self.before[other]))
        return total / (self.game.players - 1)

    def _spades(self, seat: int) -> float:
        side, partner = seat % 2, (seat + 2) % 4
        ours, theirs = ((self.before[one] + self.before[one + 2]) / 2 for one in (side, 1 - side))
        gone = [self.left[one] and self.left[one + 2] for one in (0, 1)]
        places = self.result["placings"]
        scored = 0.5 if places[0] == places[1] else float(places[side] < places[1 - side])
        if gone[0] != gone[1]:
            scored = 0.0 if gone[side] else 1.0
        if self.left[seat]:
            return 0.0 - _expected(ours, theirs)
        if self.left[partner] and scored < 1:
            return 0.0
        share = 0.5 if self.left[1 - side] or self.left[3 - side] else 1.0
        return share * (scored - _expected(ours, theirs))


def _expected(mine: float, theirs: float) -> float:
    return float(1 / (1 + 10 ** (max(-400.0, min(400.0, theirs - mine)) / 400)))


def main() -> None:
    print(json.dumps(make(int(sys.argv[2])) if sys.argv[1] == "make" else audit()))


if __name__ == "__main__":
    main()
