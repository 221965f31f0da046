"""For pages that tell of a game: its name in the reader's language, and its record, of which they ask the rest."""

from __future__ import annotations

from collections.abc import Iterable

from django import template

from games.kinds import KINDS, words
from games.kinds.kind import Kind

register = template.Library()


@register.filter
def kind_label(kind: str) -> str:
    """The name of a kind in the reader's language."""
    return words.kind_label(kind)


@register.filter
def kind_of(kind: str) -> Kind:
    """The record of a kind."""
    return KINDS[kind]


@register.filter
def is_partnership(kind: str) -> bool:
    """Whether partners score together in a kind."""
    return KINDS[kind].is_partnership


@register.filter
def labels(kinds: Iterable[Kind]) -> str:
    """The names of kinds, joined as in a sentence."""
    return words.joined_labels(kind.name for kind in kinds)


@register.simple_tag
def kinds_with(**traits: object) -> list[Kind]:
    """The kinds whose record says just this, in the order in which they are offered; without traits all of them."""
    return [kind for kind in KINDS.values() if all(getattr(kind, name) == value for name, value in traits.items())]


@register.simple_tag
def kind_names() -> str:
    """The names of all kinds, joined as in a sentence."""
    return words.joined_labels(KINDS)


@register.simple_tag
def each_kind() -> str:
    """The names of all kinds, joined where something is said of every one of them."""
    return words.each_label(KINDS)
