"""What is stored of games. The log of actions is the truth; `ply`, `asks`, `deadline_at`, `status` and `result` of a
game are derived from it by `games.positions`.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from games.rules import KINDS

KIND_CHOICES = [(kind, kind) for kind in KINDS]


class RulePreset(models.Model):
    """A named set of options that tables are made from. Its options live in versions."""

    slug = models.SlugField(unique=True)
    kind = models.CharField(max_length=16, choices=KIND_CHOICES)
    players = models.JSONField(help_text="numbers of players, e.g. [3, 4, 5]")
    name = models.CharField(max_length=80, help_text="English; the Japanese name is in name_ja")
    name_ja = models.CharField(max_length=80, blank=True)
    note = models.CharField(max_length=300, blank=True)
    note_ja = models.CharField(max_length=300, blank=True)
    ranked_players = models.PositiveSmallIntegerField(null=True, blank=True)
    order = models.PositiveSmallIntegerField(default=0)
    is_active = models.BooleanField(default=True)

    class Meta:
        ordering = ("kind", "order", "slug")

    def __str__(self) -> str:
        return self.slug


class PresetVersion(models.Model):
    """The options of a preset at one time. Never changed once a game was played with it."""

    preset = models.ForeignKey(RulePreset, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    options = models.JSONField(default=dict, help_text="only what differs from the defaults")
    choices = models.JSONField(
        null=True, blank=True, help_text="what a table may change: option to values; null for all"
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=("preset", "number"), name="preset_version_number")]

    def __str__(self) -> str:
        return f"{self.preset} v{self.number}"


class GameQuerySet(models.QuerySet["Game"]):
    def running_of(self, user: object) -> GameQuerySet:
        """Games that this user is playing, the latest first."""
        return self.filter(status=Game.Status.PLAYING, player__user=user).order_by("-moved_at")


class Game(models.Model):
    """One contest from its first deal to its result."""

    class Status(models.TextChoices):
        OPEN = "open"
        PLAYING = "playing"
        FINISHED = "finished"
        VOID = "void"

    kind = models.CharField(max_length=16, choices=KIND_CHOICES)
    players = models.PositiveSmallIntegerField()
    options = models.JSONField()
    preset_version = models.ForeignKey(PresetVersion, null=True, blank=True, on_delete=models.PROTECT)
    rules_version = models.PositiveSmallIntegerField()
    timer_s = models.PositiveSmallIntegerField(default=0)  # a turn; 0 is no limit
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.PLAYING)
    ply = models.PositiveIntegerField(default=0)
    asks = models.JSONField(default=dict)  # seat: [ask, due in ms since 1970 or null]
    deadline_at = models.DateTimeField(null=True, blank=True)
    claimed_until = models.DateTimeField(null=True, blank=True)
    claims = models.PositiveSmallIntegerField(default=0)  # times the sweep found this ply overdue
    result = models.JSONField(null=True, blank=True)
    code = models.CharField(max_length=24, blank=True)  # the game code, where and when it may be shown
    commitment = models.CharField(max_length=64, blank=True)  # SHA-256 of the secret of a verifiable game
    forked_from = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL)
    rematch = models.OneToOneField("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="rematch_of")
    created_at = models.DateTimeField(default=timezone.now)
    moved_at = models.DateTimeField(default=timezone.now)

    objects = GameQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=("deadline_at",), condition=Q(status="playing"), name="game_deadline"),
            models.Index(fields=("status", "created_at"), name="game_status"),
        ]
        constraints = [models.CheckConstraint(condition=Q(players__gte=2, players__lte=7), name="game_players")]

    def __str__(self) -> str:
        return f"game {self.pk}"


class GameSecret(models.Model):
    """What the packs of a game come from. Read by `games.store.seed_of` only, until the game is over."""

    game = models.OneToOneField(Game, on_delete=models.CASCADE, primary_key=True)
    code = models.CharField(max_length=24)
    secret = models.BinaryField(null=True)  # null where the code was drawn or given, not sealed

    def __str__(self) -> str:
        return f"secret of game {self.game_id}"


class Player(models.Model):
    """Who holds a seat: a user or a CPU."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE)
    seat = models.PositiveSmallIntegerField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT)
    cpu_level = models.CharField(max_length=16, blank=True)
    seen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=("game", "seat"), name="player_seat"),
            models.UniqueConstraint(fields=("game", "user"), name="player_user"),
            models.CheckConstraint(
                condition=Q(user__isnull=False, cpu_level="") | (Q(user__isnull=True) & ~Q(cpu_level="")),
                name="player_user_or_cpu",
            ),
        ]

    def __str__(self) -> str:
        return f"seat {self.seat} of game {self.game_id}"


class Action(models.Model):
    """An entry of a game's log; never changed, never deleted (a trigger sees to it).

    Beside the actions of the rules: `stand_in`, `back` (who holds a seat) and `outage` (time given back).
    """

    class Cause(models.TextChoices):
        DEALER = "dealer"
        PLAYER = "player"
        CPU = "cpu"
        TIMEOUT = "timeout"

    game = models.ForeignKey(Game, on_delete=models.CASCADE, db_index=False)  # unique (game, ply) serves
    ply = models.PositiveIntegerField()
    seat = models.PositiveSmallIntegerField(null=True, blank=True)
    kind = models.CharField(max_length=16)
    ask = models.CharField(max_length=40, blank=True)
    data = models.JSONField(default=dict)
    cause = models.CharField(max_length=8, choices=Cause.choices)
    client_id = models.CharField(max_length=64, null=True, blank=True)  # noqa: DJ001 - null is not unique
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=("game", "ply"), name="action_ply"),
            models.UniqueConstraint(fields=("game", "seat", "client_id"), name="action_client_id"),
        ]

    def __str__(self) -> str:
        return f"{self.game_id}.{self.ply} {self.kind}"


class Heartbeat(models.Model):
    """When a part of the site, `web` or `sweep`, was last alive. The sweep notes what it last saw of the web."""

    name = models.CharField(max_length=16, primary_key=True)
    seen_at = models.DateTimeField()
    web_seen_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name


class Outage(models.Model):
    """A time in which nobody could be asked to move. It was given back to every open question."""

    from_at = models.DateTimeField()
    to_at = models.DateTimeField()
    part = models.CharField(max_length=16)

    def __str__(self) -> str:
        return f"{self.part} {self.from_at:%Y-%m-%d %H:%M:%S}"
