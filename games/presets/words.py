"""Options in the reader's language: a value, and why a choice is not accepted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _

from games.kinds import KINDS
from games.rules import Option, Refused

Setting = str | int
#: Option: the values that may be chosen.
Choices = Mapping[str, Sequence[Setting]]


def value_label(option: Option, value: Setting) -> str:
    """A value of an option in the reader's language."""
    return next((_(allowed.label) for allowed in option.values if allowed.value == value), str(value))


def refusal_sentence(kind: str, refused: Refused, options: Mapping[str, Setting]) -> str:
    """Why options are not accepted, for whoever chose them. `options` are the values that were refused."""
    details = refused.details
    if refused.code == "bad_combination" and details["other"] == "players":
        values = {"option": _setting(kind, str(details["field"]), options)}
        return _("“%(option)s” cannot be played by this number of players.") % values
    if refused.code == "bad_combination":
        names = {key: _setting(kind, str(details[key]), options) for key in ("field", "other")}
        return _("“%(field)s” does not go with “%(other)s”.") % names
    if refused.code == "bad_players":
        allowed = details.get("allowed")
        numbers = ", ".join(map(str, allowed)) if isinstance(allowed, list) else ""
        return _("That many cannot play this game. Possible numbers of players: %(numbers)s.") % {"numbers": numbers}
    sentences = {
        "unknown_kind": _("There is no such game here."),
        "unknown_option": _("There is no such option."),
        "bad_type": _("An option has a value that it cannot have."),
        "bad_value": _("An option has a value that it cannot have."),
    }
    return sentences[refused.code]


def _setting(kind: str, name: str, options: Mapping[str, Setting]) -> str:
    """An option with the value it has, e.g. "Passing three cards: No passing"."""
    option = KINDS[kind].options.option(name)
    value = options.get(name, option.default)
    return _("%(option)s: %(value)s") % {"option": _(option.label), "value": value_label(option, value)}
