"""Parties in words, in the reader's language: rules as chips, what has changed, the rows of lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from games.kinds import KINDS, options_for
from games.kinds.words import kind_label, level_name
from games.log.models import Game, Player
from games.parties.models import PartyMember
from games.parties.selectors import PartyState
from games.presets.models import PresetVersion, RulePreset
from games.presets.selectors import Chip, chips
from games.rules import Option


@dataclass(frozen=True, slots=True)
class Change:
    """What the next game has otherwise than the last one: in a few words, and the sentence behind them."""

    chip: Chip
    before: str


def facts_of(state: PartyState) -> list[Chip]:
    """What a list shows of a party beside its rules: players, time, the moon, the end score."""
    return [_players_chip(state.players), _timer_chip(state.timer_s), *_rule_facts(state.kind, state.options)]


def rule_chips(state: PartyState) -> list[Chip]:
    """The rules of the next game: what differs from the defaults, and what ends it."""
    shown = chips(state.kind, dict(state.options))
    return [_timer_chip(state.timer_s), *sorted(shown, key=lambda chip: chip.icon != "end-score")]


def changes_of(state: PartyState) -> list[Change]:
    """What the host has changed since the last game."""
    if state.status != "between" or state.game_id is None:
        return []
    game = Game.objects.get(pk=state.game_id)
    found = []
    before, after = options_for(state.kind, game.options), options_for(state.kind, dict(state.options))
    for option in after.declared():
        old, new = getattr(before, option.name), getattr(after, option.name)
        if old != new:
            chip = Chip(_option_chip(option, new), _(option.label), option.icon)
            found.append(Change(chip, _option_chip(option, old)))
    if game.players != state.players:
        found.append(Change(_players_chip(state.players), _players_chip(game.players).label))
    if game.timer_s != state.timer_s:
        found.append(Change(_timer_chip(state.timer_s), _timer_chip(game.timer_s).label))
    levels = set(Player.objects.filter(game=game, user__isnull=True).values_list("cpu_level", flat=True))
    if len(state.members) < state.players and levels and levels != {state.cpu_level}:
        old_levels = ", ".join(level_name(level) for level in sorted(levels))
        found.append(Change(Chip(level_name(state.cpu_level), _("Computer players"), "cpu"), old_levels))
    if game.may_watch != state.may_watch:
        found.append(Change(_watch_chip(state.may_watch), _watch_chip(game.may_watch).label))
    if game.is_private == state.is_listed:
        found.append(Change(_listed_chip(state.is_listed), _listed_chip(not game.is_private).label))
    return found


def timer_name(seconds: int) -> str:
    """A limit for a turn in the reader's language."""
    return _("%(seconds)s seconds") % {"seconds": seconds} if seconds else _("No limit")


def _timer_chip(seconds: int) -> Chip:
    label = _("%(seconds)s s") % {"seconds": seconds} if seconds else _("No limit")
    return Chip(label, _("Time for a turn"), "timer")


def _players_chip(players: int) -> Chip:
    return Chip(_("%(count)s players") % {"count": players}, _("Number of players"), "players")


def _watch_chip(may_watch: bool) -> Chip:
    label = _("Anyone may watch") if may_watch else _("Nobody may watch")
    return Chip(label, _("Who may watch"), "watch")


def _listed_chip(is_listed: bool) -> Chip:
    label = _("On the front page") if is_listed else _("By the link only")
    return Chip(label, _("Who finds the party"), "listed" if is_listed else "private")


def _rule_facts(kind: str, options: Mapping[str, str | int]) -> list[Chip]:
    """The score that ends the game, and what happens to a moon where there is one."""
    chosen = options_for(kind, dict(options))
    limit = KINDS[kind].limit_option
    shown = [option for option in chosen.declared() if option.name == limit or option.icon == "moon"]
    found = [Chip(_option_chip(option, getattr(chosen, option.name)), _(option.label), option.icon) for option in shown]
    return sorted(found, key=lambda chip: chip.icon)


def _option_chip(option: Option, value: str | int) -> str:
    if option.type == "whole":
        return _(option.chip) % {"value": value}
    chip = next(allowed.chip for allowed in option.values if allowed.value == value)
    return _(chip)


@dataclass(frozen=True, slots=True)
class ListedParty:
    """A row of the list of parties, in one language."""

    state: PartyState
    preset: str
    host: str
    facts: list[Chip]
    others: list[Chip]
    free: int

    @property
    def is_playing(self) -> bool:
        return self.state.status == "playing"


def listed_parties(states: Sequence[PartyState]) -> list[ListedParty]:
    """The rows of the list in the current language."""
    presets = {preset.slug: preset for preset in RulePreset.objects.filter(slug__in=[s.preset for s in states])}
    found = []
    for state in states:
        facts = facts_of(state)
        known = {chip.label for chip in facts}
        others = [chip for chip in chips(state.kind, dict(state.options)) if chip.label not in known]
        host = next((sitting.name for sitting in state.members if sitting.is_host), "")
        free = 0 if state.status == "playing" else state.capacity - len(state.members)
        found.append(ListedParty(state, presets[state.preset].local_name, host, facts, others, free))
    return found


def parties_of(user: Any) -> list[dict[str, Any]]:
    """The parties that a user sits at, the latest first."""
    rows = PartyMember.objects.filter(user=user, seat__isnull=False, party__is_closed=False)
    found = rows.select_related("party__preset_version__preset").order_by("-party__touched_at")[:5]
    return [
        {
            "code": member.party.code,
            "kind": member.party.kind,
            "label": kind_label(member.party.kind),
            "preset": member.party.preset_version.preset.local_name,
        }
        for member in found
    ]


def presets_to_choose() -> list[dict[str, Any]]:
    """The presets that a party can be made from, by kind."""
    by_kind: dict[str, list[dict[str, Any]]] = {}
    for version in PresetVersion.objects.offered():
        preset = version.preset
        shown = {
            "slug": preset.slug,
            "name": preset.local_name,
            "note": preset.local_note,
            "chips": chips(preset.kind, version.options),
        }
        by_kind.setdefault(preset.kind, []).append(shown)
    return [{"kind": kind, "label": kind_label(kind), "presets": shown} for kind, shown in sorted(by_kind.items())]
