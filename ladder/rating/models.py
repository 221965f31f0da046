"""What is stored of ladders. The games are the truth: every rating is a fold of its changes, and every change follows
from the log of its game (`ladder.rating.reckoning`).
"""

from __future__ import annotations

from decimal import Decimal

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from games.log.models import Game
from games.presets.models import PresetVersion
from ladder.rating.formula import START
from ladder.rating.standing import BOARD_GAMES, SEASON_GAMES


class Ladder(models.Model):
    """A rated pool: kind, number of players, time for a turn and one frozen version of a preset."""

    slug = models.SlugField(unique=True)
    kind = models.CharField(max_length=16)
    players = models.PositiveSmallIntegerField(default=4)
    timer_s = models.PositiveSmallIntegerField(default=30)
    preset_version = models.ForeignKey(PresetVersion, on_delete=models.PROTECT)
    is_open = models.BooleanField(default=True)

    class Meta:
        ordering = ("kind", "slug")

    def __str__(self) -> str:
        return self.slug

    @property
    def local_name(self) -> str:
        """The name in the reader's language: that of the rules it is played by."""
        return self.preset_version.preset.local_name


class LadderMove(models.Model):
    """An administrator has moved a ladder to another version: games opened later are played with that."""

    ladder = models.ForeignKey(Ladder, on_delete=models.CASCADE, related_name="moves")
    before = models.ForeignKey(PresetVersion, on_delete=models.PROTECT, related_name="+")
    after = models.ForeignKey(PresetVersion, on_delete=models.PROTECT, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"{self.ladder}: {self.before} to {self.after}"


class RankedGame(models.Model):
    """A game that counts for a ladder. `humans` are its users' ids in order: repeated groups count less and less."""

    game = models.OneToOneField(Game, on_delete=models.PROTECT, primary_key=True, related_name="ranked")
    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT)
    humans = models.CharField(max_length=120)
    rated_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=("humans", "rated_at"), name="ranked_humans"),
            models.Index(fields=("game",), condition=Q(rated_at__isnull=True), name="ranked_unrated"),
        ]

    def __str__(self) -> str:
        return f"ranked {self.game}"


class Rating(models.Model):
    """Where somebody stands on a ladder: the fold of his changes. Only members have one (`services.enter`), so boards
    need not look at accounts; their indexes hold all that picks and orders a page.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="ratings")
    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT)
    rating = models.DecimalField(max_digits=7, decimal_places=2, default=Decimal(START))
    games = models.PositiveIntegerField(default=0)
    last_game_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=("user", "ladder"), name="rating_once")]
        indexes = [
            models.Index(
                fields=("ladder", "-rating", "user"),
                include=("last_game_at",),
                condition=Q(games__gte=BOARD_GAMES),
                name="rating_board",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} on {self.ladder}: {self.rating}"


class RatingChange(models.Model):
    """What one game did to one rating; never changed, never deleted (a trigger sees to it).

    `seq` is the order of rating: whoever writes changes holds the ratings' rows, so for each of them it is the order of
    time. A void takes back a result, and later games stay as they are.
    """

    class Reason(models.TextChoices):
        RESULT = "result"
        VOID = "void"

    seq = models.BigAutoField(primary_key=True)
    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="rating_changes")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="rating_changes")
    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT)
    reason = models.CharField(max_length=6, choices=Reason.choices)
    before = models.DecimalField(max_digits=7, decimal_places=2)
    delta = models.DecimalField(max_digits=6, decimal_places=2)
    after = models.DecimalField(max_digits=7, decimal_places=2)
    counts = models.BooleanField(help_text="whether the game is one of the user's rated games")
    has_left = models.BooleanField(default=False)
    receipt = models.JSONField(default=dict)
    at = models.DateTimeField()

    class Meta:
        ordering = ("seq",)
        constraints = [models.UniqueConstraint(fields=("game", "user", "reason"), name="rating_change_once")]
        indexes = [models.Index(fields=("user", "ladder", "seq"), name="rating_change_curve")]

    def __str__(self) -> str:
        return f"{self.reason} of game {self.game_id} for user {self.user_id}: {self.delta}"


class Appearance(models.Model):
    """What a rated game was for one of its users, beside the change: what pages count. Drawn from the game's log when
    it is rated (`ladder.rating.appearances`), so that no page has to follow a log.
    """

    #: Never deleted: a trigger sees to it.
    change = models.OneToOneField(RatingChange, on_delete=models.DO_NOTHING, primary_key=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False)
    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="+", db_index=False)
    seat = models.PositiveSmallIntegerField()
    place = models.PositiveSmallIntegerField(help_text="among the users; in Spades 1 or 2")
    is_shared = models.BooleanField(help_text="the place is shared; in Spades a draw")
    opposition = models.DecimalField(max_digits=7, decimal_places=2, help_text="mean rating of the other side's users")
    moons = models.PositiveSmallIntegerField(default=0)
    nils_made = models.PositiveSmallIntegerField(default=0)
    nils_failed = models.PositiveSmallIntegerField(default=0)
    counts = models.BooleanField(help_text="a rated game that was not taken back")

    class Meta:
        indexes = [models.Index(fields=("user", "ladder", "change"), name="appearance_latest")]

    def __str__(self) -> str:
        return f"user {self.user_id} in change {self.change_id}"


class SeasonRating(models.Model):
    """How somebody has closed a season, or stands in the one that runs: the fold of its changes. `games` were rated in
    it and not taken back.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False)
    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="+", db_index=False)
    season = models.CharField(max_length=7, help_text="such as 2026-Q4")
    rating = models.DecimalField(max_digits=7, decimal_places=2)
    games = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=("user", "ladder", "season"), name="season_rating_once")]
        indexes = [
            models.Index(
                fields=("ladder", "season", "-rating", "user"),
                condition=Q(games__gte=SEASON_GAMES),
                name="season_board",
            ),
        ]

    def __str__(self) -> str:
        return f"user {self.user_id} in {self.season}: {self.rating}"


class Abandon(models.Model):
    """Somebody has abandoned a ranked game."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="abandons")
    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=("user", "game"), name="abandon_once")]
        indexes = [models.Index(fields=("user", "at"), name="abandon_recent")]

    def __str__(self) -> str:
        return f"{self.user} left {self.game}"


class QueueLock(models.Model):
    """A time in which somebody may not queue, for abandoning games."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+")
    until = models.DateTimeField()

    class Meta:
        verbose_name = _("queue lock")
        verbose_name_plural = _("queue locks")

    def __str__(self) -> str:
        return f"{self.user} until {self.until:%Y-%m-%d %H:%M}"


# --- the queue --------------------------------------------------------------------------------------------------------
