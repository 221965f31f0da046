"""Every write to ratings. Each is safe to repeat: a game is rated once, and voided once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Subquery
from django.utils import timezone

from accounts.models import User
from accounts.services import lock
from games.log.models import Game, Player
from games.presets.models import PresetVersion
from ladder.rating import seasons
from ladder.rating.appearances import Seen, appearances_of
from ladder.rating.formula import Change, reversed_delta
from ladder.rating.leaving import GAMES_LOOKED_AT, Ended, queue_lock
from ladder.rating.models import Abandon, Appearance, Ladder, LadderMove, QueueLock, RankedGame, Rating, RatingChange
from ladder.rating.reckoning import Reckoned, Standing, reckon, users_of
from ladder.rating.standing import day_bounds

#: How far back a leaver's earlier games count.
LEAVES_COUNT = timedelta(days=30)
#: Ranked games that are looked at for a lock: those before them have faded.
HISTORY = 200


class NotSettled(Exception):
    """The game is not over, or is not a ranked one."""


class NotRanked(Exception):
    """A guest sits at the table: only members have ratings."""


def enter(*, game: Game, ladder: Ladder) -> RankedGame:
    """Makes a game that was just opened count for a ladder; the game says so too, for lists of games.

    Raises NotRanked.
    """
    with transaction.atomic():
        if Player.objects.filter(game=game, user__is_guest=True).exists():
            raise NotRanked(game.pk)
        Game.objects.filter(pk=game.pk).update(is_ranked=True)
        game.is_ranked = True
        return RankedGame.objects.create(game=game, ladder=ladder, humans=group_of(users_of(game).values()))


def group_of(users: Iterable[int]) -> str:
    """What a set of humans is known by."""
    return ",".join(map(str, sorted(users)))


# --- rating -----------------------------------------------------------------------------------------------------------


def rate_game(game_id: int) -> bool:
    """Rates a finished ranked game; False if that was done before. Raises NotSettled."""
    with transaction.atomic():
        ranked = _ranked(game_id)
        if ranked.game.status != Game.Status.FINISHED:
            raise NotSettled(game_id)
        if ranked.rated_at is not None:
            return False
        ratings = _lock_ratings(ranked.ladder, users_of(ranked.game).values())
        now = timezone.now()
        standings = {
            user: Standing(row.rating, row.games, earlier_leaves(user, before=now)) for user, row in ratings.items()
        }
        found = reckon(ranked, standings, ordinal_of(ranked.humans, now))
        changes = [_store(ranked, ratings[user], found, now) for user in sorted(found.changes)]
        seasons.note_results(changes)
        _note_appearances(ranked.game, changes, found)
        ranked.rated_at = now
        ranked.save(update_fields=("rated_at",))
        for user in sorted(found.left):
            Abandon.objects.get_or_create(user_id=user, game=ranked.game, defaults={"at": now})
            lock_queue(user)
    return True


def _ranked(game_id: int) -> RankedGame:
    """The ranked game, held until the end of the transaction."""
    ranked = RankedGame.objects.select_for_update(of=("self",)).select_related("game", "ladder")
    found = ranked.filter(pk=game_id).first()
    if found is None:
        raise NotSettled(game_id)
    return found


def _lock_ratings(ladder: Ladder, users: Iterable[int]) -> dict[int, Rating]:
    """The ratings of users, held in the order of their ids, so that two games cannot wait for each other.

    The users themselves are held over all ladders: games of a group in one day, and games that somebody has left, are
    counted over all of them.
    """
    wanted = sorted(users)
    for user in wanted:
        lock(f"ratings of {user}")
    Rating.objects.bulk_create((Rating(user_id=user, ladder=ladder) for user in wanted), ignore_conflicts=True)
    rows = Rating.objects.select_for_update().filter(ladder=ladder, user__in=wanted).order_by("user_id")
    return {row.user_id: row for row in rows}


def _store(ranked: RankedGame, rating: Rating, found: Reckoned, now: datetime) -> RatingChange:
    change = found.changes[rating.user_id]
    stored = RatingChange.objects.create(
        game=ranked.game,
        user_id=rating.user_id,
        ladder=ranked.ladder,
        reason=RatingChange.Reason.RESULT,
        before=change.before,
        delta=change.delta,
        after=change.after,
        counts=found.counts,
        has_left=rating.user_id in found.left,
        receipt=receipt_of(change),
        at=now,
    )
    rating.rating = change.after
    if found.counts:
        rating.games += 1
        rating.last_game_at = now
    rating.save(update_fields=("rating", "games", "last_game_at"))
    return stored


def _note_appearances(game: Game, changes: Iterable[RatingChange], found: Reckoned) -> None:
    seen = appearances_of(game, found)
    Appearance.objects.bulk_create(appearance_row(change, seen[change.user_id]) for change in changes)


def appearance_row(change: RatingChange, seen: Seen) -> Appearance:
    """An appearance as it is stored when its game is rated."""
    return Appearance(
        change=change, user_id=change.user_id, ladder_id=change.ladder_id, counts=change.counts, **asdict(seen)
    )


def receipt_of(change: Change) -> dict[str, Any]:
    """A receipt as it is stored: exact numbers as text; the sentence is written where the language is known."""
    return {
        "rows": [
            {
                "opponents": list(row.opponents),
                "expected": str(row.expected),
                "scored": str(row.scored),
                "k": row.k,
                "weight": str(row.weight),
                "change": str(row.change),
            }
            for row in change.rows
        ],
        "extra": str(change.extra),
        "code": change.code,
        "parameters": dict(change.parameters),
    }


def ordinal_of(humans: str, at: datetime) -> int:
    """Which game of exactly these humans it is on its day."""
    begins_at, ends_at = day_bounds(at)
    return 1 + RankedGame.objects.filter(humans=humans, rated_at__gte=begins_at, rated_at__lt=ends_at).count()


def earlier_leaves(user_id: int, *, before: datetime) -> int:
    """How often a user abandoned a ranked game in the thirty days before."""
    return Abandon.objects.filter(user=user_id, at__lt=before, at__gte=before - LEAVES_COUNT).count()


# --- taking back ------------------------------------------------------------------------------------------------------


def void_game(game_id: int) -> bool:
    """Takes back what a rated game did to its ratings; False if that was done before, or it never was rated.

    Nobody has abandoned a game that is void. Games rated since then stay as they are.
    """
    with transaction.atomic():
        ranked = _ranked(game_id)
        results = list(RatingChange.objects.filter(game=game_id, reason=RatingChange.Reason.RESULT).order_by("user_id"))
        voided = RatingChange.objects.filter(game=game_id, reason=RatingChange.Reason.VOID).exists()
        if voided or not results:
            return False
        ratings = _lock_ratings(ranked.ladder, [change.user_id for change in results])
        now = timezone.now()
        voids = []
        for result in results:
            rating = ratings[result.user_id]
            delta = reversed_delta(rating.rating, result.delta)
            void = RatingChange.objects.create(
                game_id=game_id,
                user_id=result.user_id,
                ladder=ranked.ladder,
                reason=RatingChange.Reason.VOID,
                before=rating.rating,
                delta=delta,
                after=rating.rating + delta,
                counts=result.counts,
                receipt={"code": "void", "parameters": {}},
                at=now,
            )
            rating.rating += delta
            rating.games -= int(result.counts)
            rating.save(update_fields=("rating", "games"))
            voids.append(void)
        seasons.note_voids(results, voids)
        Appearance.objects.filter(change__in=results).update(counts=False)
        leavers = list(Abandon.objects.filter(game=game_id).values_list("user", flat=True))
        Abandon.objects.filter(game=game_id).delete()
        for user in leavers:
            unlock_queue(user)
        _find_last_games(ranked.ladder, ratings)
    return True


def _find_last_games(ladder: Ladder, ratings: Iterable[int]) -> None:
    """A game that is void is not the last one that somebody has played."""
    voids = RatingChange.objects.filter(game=OuterRef("game"), reason=RatingChange.Reason.VOID)
    counted = RatingChange.objects.filter(~Exists(voids), user=OuterRef("user"), ladder=ladder, counts=True)
    last = Subquery(counted.order_by("-seq").values("at")[:1])
    Rating.objects.filter(ladder=ladder, user__in=ratings).update(last_game_at=last)


# --- leavers, ladders -------------------------------------------------------------------------------------------------


def lock_queue(user_id: int) -> None:
    """Keeps a leaver from the queue for as long as his latest ranked games say."""
    lock = queue_lock(_history(user_id))
    if lock is not None:
        QueueLock.objects.update_or_create(
            user_id=user_id,
            defaults={"until": lock.until - lock.length + lock.length / settings.TIME_SCALE},
        )


def unlock_queue(user_id: int) -> None:
    """Takes back the lock of somebody who has left one game less than was thought, unless another one brings it."""
    QueueLock.objects.filter(user=user_id).delete()
    lock_queue(user_id)


def _history(user_id: int) -> list[Ended]:
    """The latest ranked games of a user in order of time: those rated, and those void because he never came."""
    voided = RatingChange.objects.filter(user=user_id, reason=RatingChange.Reason.VOID).values("game")
    results = RatingChange.objects.filter(user=user_id).exclude(game__in=voided).order_by("-seq")
    latest = results.values_list("at", "has_left")[: max(HISTORY, GAMES_LOOKED_AT)]
    unplayed = Abandon.objects.filter(user=user_id, game__status=Game.Status.VOID).order_by("-at")
    games = [*latest, *((at, True) for at in unplayed.values_list("at", flat=True)[:HISTORY])]
    return [Ended(at, has_left) for at, has_left in sorted(games)]


def locks_of(user_ids: Iterable[int]) -> dict[int, datetime]:
    """Until when each of these users may not queue; those who may are left out."""
    locks = QueueLock.objects.filter(user__in=list(user_ids), until__gt=timezone.now())
    return dict(locks.values_list("user_id", "until"))


def move_ladder(*, ladder: Ladder, version: PresetVersion, by: User) -> None:
    """Games of a ladder that are opened from now on are played with another version. Ratings stay."""
    with transaction.atomic():
        locked = Ladder.objects.select_for_update().get(pk=ladder.pk)
        if locked.preset_version_id == version.pk:
            return
        LadderMove.objects.create(ladder=locked, before=locked.preset_version, after=version, by=by)
        locked.preset_version = version
        locked.save(update_fields=("preset_version",))
