"""What is stored of games. The log of actions is the truth; `ply`, `asks`, `deadline_at`, `status` and `result` of a
game are derived from it by `games.positions`.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from games.daily_models import DailyDeal, DailySecret, DailyTry  # noqa: F401 - Django looks for models here
from games.rules import KINDS
from games.tally_models import Tally, Uncounted  # noqa: F401

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
    order = models.PositiveSmallIntegerField(default=0)
    is_active = models.BooleanField(default=True)

    class Meta:
        ordering = ("kind", "order", "slug")
        verbose_name = _("rule preset")
        verbose_name_plural = _("rule presets")

    def __str__(self) -> str:
        return self.slug

    @property
    def local_name(self) -> str:
        """The name in the reader's language; a shipped one has its Japanese in the catalogue."""
        return _local(self.name, self.name_ja)

    @property
    def local_note(self) -> str:
        """The note in the reader's language."""
        return _local(self.note, self.note_ja)


def _local(english: str, japanese: str) -> str:
    if (get_language() or "").startswith("ja") and japanese:
        return japanese
    return gettext(english) if english else ""  # of an empty text gettext has the catalogue's own header


class PresetVersionQuerySet(models.QuerySet["PresetVersion"]):
    def current(self) -> PresetVersionQuerySet:
        """The latest version of each preset, with the preset, in the order in which presets are shown."""
        later = PresetVersion.objects.filter(preset=OuterRef("preset"), number__gt=OuterRef("number"))
        ordered = self.filter(~Exists(later)).order_by("preset__kind", "preset__order", "preset__slug")
        return ordered.select_related("preset")

    def offered(self, kind: str | None = None) -> PresetVersionQuerySet:
        """What new games and parties may be made from: the current version of each preset that is switched on."""
        found = self.current().filter(preset__is_active=True)
        return found if kind is None else found.filter(preset__kind=kind)


class PresetVersion(models.Model):
    """The options of a preset at one time. Never changed: a change of options makes a new version.

    A trigger sees to it; only whether a ladder may use it (`ranked_players`) is said later.
    """

    preset = models.ForeignKey(RulePreset, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    options = models.JSONField(default=dict, help_text="only what differs from the defaults")
    choices = models.JSONField(
        null=True, blank=True, help_text="what a table may change: option to values; null for all"
    )
    #: The number of players at which a ladder may use this version; null: it is not ranked.
    ranked_players = models.PositiveSmallIntegerField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    objects = PresetVersionQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=("preset", "number"), name="preset_version_number")]
        verbose_name = _("version of a preset")
        verbose_name_plural = _("versions of presets")

    def __str__(self) -> str:
        return f"{self.preset} v{self.number}"


class ShippedPreset(models.Model):
    """What the list of shipped presets said of one when this site last looked at it (`preset_store.sync_shipped`).

    The row stays when administrators delete the preset: it is not added again.
    """

    slug = models.SlugField(primary_key=True)
    content = models.JSONField(help_text="every part of the preset, as in an exported file")

    def __str__(self) -> str:
        return self.slug


class Party(models.Model):
    """People and settings that outlive one game: a table that is made, shared by a link and played at again."""

    code = models.CharField(max_length=12, unique=True)  # drawn by whoever makes the party: `games.party_codes`
    host = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    preset_version = models.ForeignKey(PresetVersion, on_delete=models.PROTECT)
    options = models.JSONField(
        default=dict, help_text="what the next game is played with; only differences from defaults"
    )
    players = models.PositiveSmallIntegerField(null=True, blank=True, help_text="null: as many as sit")
    timer_s = models.PositiveSmallIntegerField(default=0)
    cpu_level = models.CharField(max_length=16, default="normal")
    may_watch = models.BooleanField(default=True)
    is_listed = models.BooleanField(default=False)
    is_closed = models.BooleanField(default=False)
    #: Raised by every change of what the next game is played with; whoever is ready is so for one revision.
    revision = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(default=timezone.now)
    touched_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("party")
        verbose_name_plural = _("parties")
        indexes = [models.Index(fields=("touched_at",), condition=Q(is_closed=False), name="party_open")]

    def __str__(self) -> str:
        return f"party {self.code}"

    @property
    def kind(self) -> str:
        """The kind that is played."""
        return self.preset_version.preset.kind


class PartyMember(models.Model):
    """Somebody who sits at a party, by seat of the next game; or who was sent away from it."""

    party = models.ForeignKey(Party, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    seat = models.PositiveSmallIntegerField(null=True, blank=True)  # null: sent away, may not come back
    ready_for = models.PositiveIntegerField(default=0)  # the revision of the settings that was agreed to
    joined_at = models.DateTimeField(default=timezone.now)
    seen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=("party", "user"), name="party_user"),
            models.UniqueConstraint(
                fields=("party", "seat"), name="party_seat", deferrable=models.Deferrable.DEFERRED
            ),  # at the commit, so that two may change places
            models.CheckConstraint(condition=Q(seat__isnull=True) | Q(seat__lte=6), name="party_seat_exists"),
        ]

    def __str__(self) -> str:
        return f"{self.user} at {self.party}"


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

    kind = models.CharField(max_length=16, choices=KIND_CHOICES)
    players = models.PositiveSmallIntegerField()
    options = models.JSONField()
    preset_version = models.ForeignKey(PresetVersion, null=True, blank=True, on_delete=models.PROTECT)
    party = models.ForeignKey(Party, null=True, blank=True, on_delete=models.PROTECT, related_name="games")
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
    """What the packs of a game come from. Read by `games.store.seed_of` only, until the game is over."""

    game = models.OneToOneField(Game, on_delete=models.CASCADE, primary_key=True)
    code = models.CharField(max_length=24)
    secret = models.BinaryField(null=True)  # null where the code was drawn or given, not sealed

    def __str__(self) -> str:
        return f"secret of game {self.game_id}"


class Player(models.Model):
    """Who holds a seat: a user or a CPU.

    From `ended_at` on down it is a copy of what the log and the game say, written with the end (`games.endings`): the
    lists of finished games are read from these columns alone, by one index.
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
    kind = models.CharField(max_length=16, choices=KIND_CHOICES, blank=True)
    preset = models.ForeignKey(RulePreset, null=True, blank=True, on_delete=models.PROTECT, db_index=False)
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


class OpenedRecord(models.Model):
    """A recorded game that somebody has brought along to look at. It is nobody's game: in no history, no rating.

    Only he sees it, and it is kept for some time (`games.opened_records`).
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    code = models.CharField(max_length=16, unique=True)  # its address
    content = models.BinaryField()  # the record's one written form, compressed
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    def __str__(self) -> str:
        return f"record {self.code}"


class Review(models.Model):
    """The search for a player's mistakes in a game that is over, and what it found; seen by that player alone.

    A row for each player of a game: once found, mistakes stay. Whoever works on it touches it every few seconds.
    """

    class Status(models.TextChoices):
        WAITING = "waiting"
        WORKING = "working"
        DONE = "done"
        FAILED = "failed"

    player = models.OneToOneField(Player, on_delete=models.CASCADE, related_name="review")
    method = models.PositiveSmallIntegerField()  # `games.mistakes.METHOD` when it was asked for
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.WAITING)
    share = models.FloatField(default=0)  # of the work that is done
    tries = models.PositiveSmallIntegerField(default=0)
    mistakes = models.JSONField(null=True, blank=True)
    asked_at = models.DateTimeField(default=timezone.now)
    touched_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [
            models.Index(fields=("touched_at",), condition=Q(status__in=("waiting", "working")), name="review_open")
        ]

    def __str__(self) -> str:
        return f"review of {self.player}"


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


class Vote(models.Model):
    """One player's wish about a running game: a CPU for an absent seat, or no result for anybody."""

    class About(models.TextChoices):
        STAND_IN = "stand_in"
        VOID = "void"

    game = models.ForeignKey(Game, on_delete=models.CASCADE)
    about = models.CharField(max_length=8, choices=About.choices)
    target = models.PositiveSmallIntegerField(null=True, blank=True)  # the absent seat
    seat = models.PositiveSmallIntegerField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=("game", "about", "target", "seat"), nulls_distinct=False, name="vote_once")
        ]

    def __str__(self) -> str:
        return f"{self.about} of seat {self.seat} in game {self.game_id}"


class Block(models.Model):
    """Somebody whom a user does not want to hear (`mute`), or not to play with either (`block`)."""

    class Kind(models.TextChoices):
        MUTE = "mute"
        BLOCK = "block"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="blocks")
    other = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="blocked_by")
    kind = models.CharField(max_length=5, choices=Kind.choices)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=("user", "other"), name="block_once")]

    def __str__(self) -> str:
        return f"{self.kind} of {self.other} by {self.user}"


class Report(models.Model):
    """A complaint about somebody, for the administrators."""

    class Reason(models.TextChoices):
        LEAVING = "leaving"
        STALLING = "stalling"
        COLLUSION = "collusion"
        NAME = "name"
        PHRASES = "phrases"
        OTHER = "other"

    reporter = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    reported = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    game = models.ForeignKey(Game, null=True, blank=True, on_delete=models.SET_NULL)
    reason = models.CharField(max_length=10, choices=Reason.choices)
    text = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    handled_at = models.DateTimeField(null=True, blank=True)
    handled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    note = models.CharField(max_length=500, blank=True)

    class Meta:
        verbose_name = _("report")
        verbose_name_plural = _("reports")
        ordering = ("-created_at",)
        constraints = [
            models.UniqueConstraint(
                fields=("reporter", "reported", "game"), condition=Q(game__isnull=False), name="report_once_a_game"
            )
        ]

    def __str__(self) -> str:
        return f"{self.reason}: {self.reported}"


class MuteQuerySet(models.QuerySet["Mute"]):
    def in_force(self) -> MuteQuerySet:
        """Mutes that have not run out."""
        return self.filter(Q(until_at__isnull=True) | Q(until_at__gt=timezone.now()))


class Mute(models.Model):
    """Somebody whom an administrator has silenced for everybody: the user's phrases are told to nobody."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="mute")
    until_at = models.DateTimeField(null=True, blank=True)  # null: until it is lifted
    reason = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    objects = MuteQuerySet.as_manager()

    class Meta:
        verbose_name = _("mute")
        verbose_name_plural = _("mutes")

    def __str__(self) -> str:
        return f"mute of {self.user}"


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
