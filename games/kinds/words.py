"""Names of games and of CPU players, and what a page says of one game only, in the reader's language."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from games.kinds import KINDS
from games.kinds.kind import MistakeWords
from games.kinds.traits import Column, MistakeTraits, Traits
from games.rules import Rules


def kind_label(kind: str) -> str:
    """The name of a kind in the reader's language."""
    return _(KINDS[kind].label)


def joined_labels(kinds: Iterable[str]) -> str:
    """The names of kinds as one of the things a sentence is about."""
    return _joined(kinds, _(", "), _("%(first)s and %(last)s"))


def each_label(kinds: Iterable[str]) -> str:
    """The names of kinds where a sentence says something of every one of them; Japanese lists these otherwise."""
    return _joined(kinds, pgettext("each of them", ", "), pgettext("each of them", "%(first)s and %(last)s"))


def _joined(kinds: Iterable[str], between: str, pair: str) -> str:
    *first, last = [kind_label(kind) for kind in kinds] or [""]
    return pair % {"first": between.join(first), "last": last} if first else last


def level_name(level: str) -> str:
    """A level of CPU players in the reader's language."""
    names = {"beginner": _("CPU: beginner"), "normal": _("CPU: normal"), "expert": _("CPU: expert")}
    return names.get(level, level)


def translated(text: str) -> str:
    """A text of a kind in the reader's language; one that `pgettext_noop` has marked, in its context."""
    context, separator, plain = text.rpartition("\x04")
    if separator:
        return pgettext(context, plain)
    return _(text) if text else ""


def traits_of(rules: Rules) -> Traits:
    """What the page of a table with these rules is told of its game, in the reader's language."""
    kind = KINDS[rules.kind]
    words = kind.words
    return {
        "label": _(kind.label),
        "suit": kind.suit,
        "highest_wins": kind.highest_wins,
        "phases": list(rules.phases),
        "broken": translated(kind.broken),
        "broken_facts": None if words.broken is None else [translated(text) for text in words.broken],
        "nil": translated(words.nil),
        "lines": {what: translated(text) for what, text in words.lines.items()},
        "refusals": {code: translated(text) for code, text in words.refusals(rules.options).items()},
        "mistakes": None if words.mistakes is None else _mistakes(words.mistakes),
    }


def _mistakes(words: MistakeWords) -> MistakeTraits:
    return {
        "counted": translated(words.counted),
        "points": _columns(words.points),
        "rates": [_columns(group) for group in words.rates],
    }


def _columns(named: tuple[tuple[str, str], ...]) -> list[Column]:
    return [{"name": name, "title": translated(title)} for name, title in named]
