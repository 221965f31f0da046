"""A site remembers which presets were shipped to it, and with what content."""

from typing import Any

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

STADIUM = {"passing": "always_left", "hearts_broken_by": "queen", "tie_for_first": "shared", "score_sign": "minus"}
STADIUM_CHOICES = {
    "end_score": [40, 50, 60, 70, 80, 90, 100],
    "passing": ["always_left", "rotate"],
    "first_lead": ["low_club", "dealer_left"],
    "moon": ["add", "off"],
}
PORTAL = {
    "hearts_broken_by": "any_point",
    "end_test": "exceed",
    "moon": "choose",
    "standing": "winner_only",
    "tie_for_first": "shared",
}
JACK = {**PORTAL, "jack_of_diamonds": "minus_ten", "jack_in_moon": "required"}
CLUB = {**PORTAL, "hold_deal": "skip", "moon": "add", "skip_right": "one_each"}
#: All that were shipped before this migration, in their order, as migration 0003 added them: slug, kind, numbers of
#: players, name, note, options, what a table may change, the number of players at which it is ranked.
SHIPPED_SO_FAR: tuple[tuple[Any, ...], ...] = (
    ("hearts-standard", "hearts", [3, 4, 5], "Standard", "The classic game to 100, played on until somebody is alone in front.", {}, None, 4),
    ("hearts-short", "hearts", [4], "Short", "To 50, with a tie for first shared: about a quarter of an hour.", {"end_score": 50, "tie_for_first": "shared"}, None, None),
    ("hearts-stadium", "hearts", [2, 3, 4, 5, 6, 7], "Stadium", "For two to seven: always pass left, hearts broken by the queen of spades, scores in minus.", STADIUM, STADIUM_CHOICES, None),
    ("hearts-portal-classic", "hearts", [4], "Portal classic", "Only first place counts, and the shooter of the moon chooses how it is scored.", PORTAL, None, None),
    ("hearts-portal-jack", "hearts", [4], "Portal ♦J", "Portal classic with the jack of diamonds at minus ten, which the moon needs as well.", JACK, None, None),
    ("hearts-portal-club", "hearts", [4], "Portal club", "Portal classic with a pass in every deal, and one deal a game that each player may call off.", CLUB, None, None),
    ("spades-standard", "spades", [4], "Standard", "Partnerships to 500, with nil, bags and the floor at minus 200.", {}, None, 4),
    ("spades-short", "spades", [4], "Short", "To 250: half the length.", {"target": 250}, None, None),
    ("spades-blind-nil", "spades", [4], "Blind nil", "A side far behind may bid nil before it sees its cards.", {"blind_nil": "yes"}, None, None),
)  # fmt: skip


def remember(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """A running site has had all of them, whatever has become of them there; a fresh one gets them after `migrate`.

    A fresh one has no preset yet. A running one always has some: those of its ladders cannot be deleted.
    """
    if not apps.get_model("games", "RulePreset").objects.exists():
        return
    shipped: Any = apps.get_model("games", "ShippedPreset")
    for order, (slug, kind, players, name, note, options, choices, ranked) in enumerate(SHIPPED_SO_FAR):
        content = {
            "slug": slug,
            "kind": kind,
            "players": players,
            "name": name,
            "name_ja": "",
            "note": note,
            "note_ja": "",
            "order": order,
            "is_active": True,
            "ranked_players": ranked,
            "options": options,
            "choices": choices,
        }
        shipped.objects.create(slug=slug, content=content)


class Migration(migrations.Migration):
    dependencies = [("games", "0068_kinds_are_not_listed")]

    operations = [
        migrations.CreateModel(
            name="ShippedPreset",
            fields=[
                ("slug", models.SlugField(primary_key=True, serialize=False)),
                ("content", models.JSONField(help_text="every part of the preset, as in an exported file")),
            ],
        ),
        migrations.RunPython(remember, migrations.RunPython.noop),
    ]
