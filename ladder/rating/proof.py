"""Proves the stored ratings: folds every change anew from the logs of the games and names what differs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import connection, transaction
from django.db.models import Min

from games.log.models import Game
from ladder.rating.appearances import appearances_of
from ladder.rating.formula import START, reversed_delta
from ladder.rating.models import Abandon, Appearance, Ladder, RankedGame, Rating, RatingChange, SeasonRating
from ladder.rating.reckoning import Reckoned, Standing, reckon
from ladder.rating.services import LEAVES_COUNT, appearance_row, receipt_of
from ladder.rating.standing import day_of, season_of


@dataclass
class _Fold:
    """What the changes looked at so far lead to."""

    rating: dict[int, Decimal] = field(default_factory=lambda: defaultdict(lambda: START))
    games: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    #: By user and season: the rating after its last change, and its games.
    seasons: dict[tuple[int, str], tuple[Decimal, int]] = field(default_factory=dict)

    def note(self, row: RatingChange, *, games: int) -> None:
        """A change of a season's rating, and what it adds to its games."""
        key = row.user_id, str(season_of(row.at))
        self.seasons[key] = self.rating[row.user_id], self.seasons.get(key, (START, 0))[1] + games

    def take_off(self, user: int, season: str) -> None:
        """A game of a season was taken back."""
        rating, games = self.seasons[user, season]
        self.seasons[user, season] = rating, games - 1


def prove() -> list[str]:
    """Every difference, as of one moment: what is rated meanwhile would look like one."""
    is_outermost = not connection.in_atomic_block
    with transaction.atomic():
        if is_outermost:
            with connection.cursor() as cursor:
                cursor.execute("set transaction isolation level repeatable read, read only")
        return list(Proof().differences())


class Proof:
    """Goes through all ladders at once, in the order of rating: groups and leavers are counted over all of them."""

    def __init__(self) -> None:
        self.folds: defaultdict[int, _Fold] = defaultdict(_Fold)
        self.group_days: defaultdict[tuple[str, object], int] = defaultdict(int)
        self.leaves: defaultdict[int, dict[int, datetime]] = defaultdict(dict)  # by user and game
        # Games that were void from the start have no changes to be folded from.
        for user, game, at in Abandon.objects.filter(game__rating_changes=None).values_list("user", "game", "at"):
            self.leaves[user][game] = at
        self.given: dict[tuple[int, int], tuple[Decimal, bool, str]] = {}
        self.appearances: list[Appearance] = []  # that are missing, or differ

    def differences(self) -> Iterator[str]:
        """One line for each stored value that does not follow from the games."""
        # Changes of games that were rated at the same time may stand between each other.
        rated = RatingChange.objects.values_list("game", "reason").annotate(first=Min("seq")).order_by("first")
        for game, reason, _ in rated.iterator():
            stored = {row.user_id: row for row in RatingChange.objects.filter(game=game, reason=reason)}
            if reason == RatingChange.Reason.RESULT:
                yield from self._result(game, stored)
            else:
                yield from self._void(stored)
        yield from self._ratings()

    def _result(self, game: int, stored: dict[int, RatingChange]) -> Iterator[str]:
        ranked = RankedGame.objects.select_related("game", "ladder").get(pk=game)
        fold, at = self.folds[ranked.ladder_id], next(iter(stored.values())).at
        standings = {
            user: Standing(fold.rating[user], fold.games[user], self._leaves(user, at)) for user in sorted(stored)
        }
        key = (ranked.humans, day_of(at))
        self.group_days[key] += 1
        found = reckon(ranked, standings, self.group_days[key])
        if set(found.changes) != set(stored):
            yield f"game {game}: changes for users {sorted(stored)}, not {sorted(found.changes)}"
            return
        for user, change in sorted(found.changes.items()):
            row = stored[user]
            kept = (row.before, row.delta, row.after, row.counts, row.has_left, row.receipt)
            left = user in found.left
            if kept != (change.before, change.delta, change.after, found.counts, left, receipt_of(change)):
                yield f"game {game}, user {user}: {row.before} {row.delta:+} is {change.before} {change.delta:+}"
            fold.rating[user] = change.after
            fold.games[user] += int(found.counts)
            fold.note(row, games=int(found.counts))
            self.given[game, user] = (change.delta, found.counts, str(season_of(row.at)))
            if left:
                self.leaves[user][game] = at
        yield from self._appearances(ranked.game, stored, found)

    def _appearances(self, game: Game, stored: dict[int, RatingChange], found: Reckoned) -> Iterator[str]:
        is_void = RatingChange.objects.filter(game=game, reason=RatingChange.Reason.VOID).exists()
        kept = Appearance.objects.in_bulk([row.pk for row in stored.values()])
        for user, seen in sorted(appearances_of(game, found).items()):
            proved = appearance_row(stored[user], seen)
            proved.counts = found.counts and not is_void
            if stored[user].pk not in kept or _values(kept[stored[user].pk]) != _values(proved):
                self.appearances.append(proved)
                yield f"appearance of user {user} in game {game.pk}: not as its log says"

    def _leaves(self, user: int, at: datetime) -> int:
        return sum(at - LEAVES_COUNT <= left < at for left in self.leaves[user].values())

    def _void(self, stored: dict[int, RatingChange]) -> Iterator[str]:
        for user, row in sorted(stored.items()):
            fold = self.folds[row.ladder_id]
            given, counted, season = self.given.get((row.game_id, user), (Decimal(0), False, ""))
            delta = reversed_delta(fold.rating[user], given)
            if (row.before, row.delta) != (fold.rating[user], delta):
                kept, proved = f"{row.before} {row.delta:+}", f"{fold.rating[user]} {delta:+}"
                yield f"void of game {row.game_id}, user {user}: {kept} is {proved}"
            fold.rating[user] += delta
            fold.games[user] -= int(counted)
            fold.note(row, games=0)
            if counted:
                fold.take_off(user, season)
            self.leaves[user].pop(row.game_id, None)

    def _ratings(self) -> Iterator[str]:
        for ladder in Ladder.objects.order_by("pk"):
            fold = self.folds[ladder.pk]
            stored = {row.user_id: row for row in Rating.objects.filter(ladder=ladder)}
            for user in sorted(set(fold.rating) | set(stored)):
                kept = (stored[user].rating, stored[user].games) if user in stored else None
                proved = (fold.rating[user], fold.games[user])
                if kept != proved:
                    yield f"rating of user {user} on {ladder}: {kept} is {proved}"
            yield from self._seasons(ladder, fold)

    def _seasons(self, ladder: Ladder, fold: _Fold) -> Iterator[str]:
        rows = SeasonRating.objects.filter(ladder=ladder)
        stored = {(row.user_id, row.season): (row.rating, row.games) for row in rows}
        for key in sorted(set(fold.seasons) | set(stored)):
            if stored.get(key) != fold.seasons.get(key):
                yield f"{key[1]} of user {key[0]} on {ladder}: {stored.get(key)} is {fold.seasons.get(key)}"

    def repair(self) -> None:
        """Stores what the games lead to beside the changes, which are never touched."""
        for ladder, fold in self.folds.items():
            for user, rating in fold.rating.items():
                values = {"rating": rating, "games": fold.games[user]}
                Rating.objects.update_or_create(user_id=user, ladder_id=ladder, defaults=values)
        SeasonRating.objects.all().delete()
        SeasonRating.objects.bulk_create(
            SeasonRating(user_id=user, ladder_id=ladder, season=season, rating=rating, games=games)
            for ladder, fold in self.folds.items()
            for (user, season), (rating, games) in fold.seasons.items()
        )
        Appearance.objects.filter(pk__in=[row.pk for row in self.appearances]).delete()
        Appearance.objects.bulk_create(self.appearances)


def _values(row: Appearance) -> tuple[Any, ...]:
    return tuple(getattr(row, field.attname) for field in Appearance._meta.concrete_fields)
