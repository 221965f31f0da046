"""Cards, numbers and lists in words. Texts are marked where they stand and translated by `say`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext, ngettext

from games.rules.cards import RANKS, SUITS
from games.rules.options import Option, _

SIGNS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}

#: Where cards are passed, as a pass table says it.
DIRECTIONS = {
    "left": _("to the left"),
    "right": _("to the right"),
    "across": _("across"),
    "opponent": _("to the opponent"),
    "hold": _("no pass"),
}


def say(text: str, **values: object) -> str:
    """A marked text in the reader's language, with its placeholders filled in."""
    translated = gettext(text)
    return translated % values if values else translated


def card(name: str) -> str:
    """A card as it is written on a page: ♠Q."""
    return f"{SIGNS[name[1]]}{'10' if name[0] == 'T' else name[0]}"


def cards(names: Iterable[str]) -> str:
    """Cards side by side."""
    return " ".join(card(name) for name in names)


def literal(text: str) -> str:
    """Something that stands as it is in every language, as a program reads or prints it; shown as code."""
    return f"`{text}`"


def number(value: int) -> str:
    """A number with a proper minus."""
    return str(value).replace("-", "−")


def signed(value: int) -> str:
    """A number with its sign, zero without one."""
    return number(value) if value <= 0 else f"+{value}"


def points(value: int) -> str:
    """A number of points."""
    return ngettext("%(points)s point", "%(points)s points", abs(value)) % {"points": number(value)}


def joined(sentences: Sequence[str]) -> str:
    """Sentences one after the other; where they are written without spaces, without one."""
    text = sentences[0]
    for sentence in sentences[1:]:
        text = say(_("%(first)s %(second)s"), first=text, second=sentence)
    return text


def enumerated(words: Sequence[str]) -> str:
    """Words side by side: a, b, c."""
    return gettext(", ").join(words)


def listed(words: Sequence[str]) -> str:
    """Words as a list: a, b and c."""
    if len(words) < 2:
        return "".join(words)
    return say(_("%(first)s and %(last)s"), first=enumerated(words[:-1]), last=words[-1])


def players(counts: Sequence[int]) -> str:
    """Numbers of players: 4 players, 3 or 5 players, 3 to 5 players."""
    low, high = counts[0], counts[-1]
    if low == high:
        return say(_("%(count)s players"), count=low)
    if len(counts) > 2 and high - low == len(counts) - 1:
        return say(_("%(low)s to %(high)s players"), low=low, high=high)
    if len(counts) == 2:
        return say(_("%(low)s or %(high)s players"), low=low, high=high)
    return say(_("%(count)s players"), count=enumerated([str(count) for count in counts]))


def removed(names: Sequence[str]) -> str:
    """Cards taken out of a pack; whole ranks by their rank."""
    if not names:
        return say(_("none"))
    ranks = [rank for rank in RANKS if all(f"{rank}{suit}" in names for suit in SUITS)]
    if len(ranks) * len(SUITS) == len(names):
        return say(_("every %(ranks)s"), ranks=enumerated(["10" if rank == "T" else rank for rank in ranks]))
    return cards(names)


def value_label(option: Option, value: object) -> str:
    """A value of an option as a form shows it."""
    for allowed in option.values:
        if allowed.value == value:
            return gettext(allowed.label)
    return points(value) if isinstance(value, int) else str(value)
