"""What is stored of games. The log of actions is the truth; `ply`, `asks`, `deadline_at`, `status` and `result` of a
game are derived from it by `games.log.positions`.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User


class GameQuerySet(models.QuerySet["Game"]):
    def running(self) -> GameQuerySet:
        """Games that are not over: those that are played, and those whose cards are being prepared."""
        return self.filter(status__in=RUNNING)

    def running_of(self, user: User | int) -> GameQuerySet:
        """Games that this user is playing, the latest first."""
        return self.running().filter(player__user=user).order_by("-moved_at")


class Game(models.Model):
    """One contest from its first deal to its result."""

    class Status(models.TextChoices):
        OPEN = "open"  # promised, but not dealt: the players' nonces are awaited until `deadline_at`
        PLAYING = "playing"
        FINISHED = "finished"
        VOID = "void"

    class Cards(models.TextChoices):
        DRAWN = "drawn"
        GIVEN = "given"  # from a code that somebody may have known: in no statistic of deals, in no rating

    kind = models.CharField(max_length=16)
    players = models.PositiveSmallIntegerField()
    options = models.JSONField()
    preset_version = models.ForeignKey("games.PresetVersion", null=True, blank=True, on_delete=models.PROTECT)
    party = models.ForeignKey("games.Party", null=True, blank=True, on_delete=models.PROTECT, related_name="games")
    may_watch = models.BooleanField(default=False)
    is_private = models.BooleanField(default=False)  # the finished game is shown to its players only
    is_ranked = models.BooleanField(default=False)  # it counts for a ladder, which says so when it takes the game in
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
    cards = models.CharField(max_length=8, choices=Cards.choices, default=Cards.DRAWN)  # how the code came about
    commitment = models.CharField(max_length=64, blank=True)  # SHA-256 of the secret of a verifiable game
    forked_from = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL)
    rematch = models.OneToOneField("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="rematch_of")
    created_at = models.DateTimeField(default=timezone.now)
    moved_at = models.DateTimeField(default=timezone.now)

    objects = GameQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=("deadline_at",), condition=Q(status__in=("open", "playing")), name="game_deadline"),
            models.Index(fields=("status", "created_at"), name="game_status"),
            models.Index(
                fields=("-moved_at", "-id"), condition=Q(status="finished", is_private=False), name="game_public_ended"
            ),
            models.Index(fields=("code", "-id"), condition=~Q(code=""), name="game_code"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(players__gte=2, players__lte=7), name="game_players"),
            models.UniqueConstraint(
                fields=("party",),
                condition=Q(party__isnull=False, status__in=("open", "playing")),
                name="game_of_party",
            ),  # one at a time
        ]
        permissions = [("void_game", "Can close a game without a result")]
        verbose_name = _("game")
        verbose_name_plural = _("games")

    def __str__(self) -> str:
        return f"game {self.pk}"

    @property
    def is_sealed(self) -> bool:
        """Whether it is over and others may still meet its cards: a game of a daily deal until the day ends."""
        return self.status in (Game.Status.FINISHED, Game.Status.VOID) and bool(self.commitment) and not self.code

    @property
    def is_running(self) -> bool:
        """Whether the game is not over yet."""
        return self.status in RUNNING


#: What a game is before it is over. Constraints and indexes spell it out.
RUNNING = (Game.Status.OPEN, Game.Status.PLAYING)


class GameSecret(models.Model):
    """What the packs of a game come from. Read by `games.log.store.seed_of` only, until the game is over."""

    game = models.OneToOneField(Game, on_delete=models.CASCADE, primary_key=True)
    code = models.CharField(max_length=24)
    secret = models.BinaryField(null=True)  # null where the code was drawn or given, not sealed

    def __str__(self) -> str:
        return f"secret of game {self.game_id}"


class Player(models.Model):
    """Who holds a seat: a user or a CPU.

    From `ended_at` on down it is a copy of what the log and the game say, written with the end (`games.log.endings`):
    the lists of finished games are read from these columns alone, by one index.
    """

    class Outcome(models.TextChoices):
        WON = "won"
        DRAW = "draw"  # the first place is shared with another side
        LOST = "lost"
        VOID = "void"

    game = models.ForeignKey(Game, on_delete=models.CASCADE)
    seat = models.PositiveSmallIntegerField()
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, db_index=False
    )  # player_history serves
    cpu_level = models.CharField(max_length=16, blank=True)
    seen_at = models.DateTimeField(null=True, blank=True)
    #: What this player's browser gave to the deals, in hex; empty: nothing. Nobody is told before the cards are dealt.
    nonce = models.CharField(max_length=64, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)  # null while the game runs
    place = models.PositiveSmallIntegerField(null=True, blank=True)  # null without a result
    outcome = models.CharField(max_length=4, choices=Outcome.choices, blank=True)
    kind = models.CharField(max_length=16, blank=True)
    preset = models.ForeignKey("games.RulePreset", null=True, blank=True, on_delete=models.PROTECT, db_index=False)
    is_ranked = models.BooleanField(default=False)
    is_private = models.BooleanField(default=False)

    class Meta:
        indexes = [
            # A user's games, running ones among them.
            models.Index(fields=("user", "-game"), condition=Q(user__isnull=False), name="player_history"),
            # Those that are over, the latest first; what a list can be narrowed down by is read from the index as well.
            models.Index(
                fields=("user", "-ended_at", "-game"),
                include=("outcome", "kind", "preset", "is_ranked", "is_private"),
                condition=Q(user__isnull=False, ended_at__isnull=False),
                name="player_ended",
            ),
        ]
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

    Beside the actions of the rules: `stand_in`, `back` (who holds a seat), `outage` (time given back) and `void` (the
    game ends without a result).
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
