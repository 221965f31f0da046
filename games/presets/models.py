"""What is stored of presets: named sets of options, and their versions."""

from __future__ import annotations

from django.db import models
from django.db.models import Exists, OuterRef
from django.utils import timezone
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _


class RulePreset(models.Model):
    """A named set of options that tables are made from. Its options live in versions."""

    slug = models.SlugField(unique=True)
    kind = models.CharField(max_length=16)
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
    """What the list of shipped presets said of one when this site last looked at it (`services.sync_shipped`).

    The row stays when administrators delete the preset: it is not added again.
    """

    slug = models.SlugField(primary_key=True)
    content = models.JSONField(help_text="every part of the preset, as in an exported file")

    def __str__(self) -> str:
        return self.slug
