"""Forms drawn from the option declarations. No option is named here: one that is declared has its field at once.

`options_form` makes a form of options alone. A form with more than that takes `OptionsMixin` and calls `add_options`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from games.kinds import KINDS, options_for
from games.presets.words import Choices, Setting, refusal_sentence, value_label
from games.rules import Option, Refused

#: Before the names of options, which are chosen by the rules and could be those of a form's other fields.
PREFIX = "option_"


def field_name(option: str) -> str:
    """The name that an option has in a form."""
    return f"{PREFIX}{option}"


@dataclass(frozen=True, slots=True)
class OptionRow:
    """What a template shows of one option: its field, and the words of the declaration in the reader's language."""

    option: Option
    field: forms.BoundField
    is_inert: bool  # it does nothing at any of the numbers of players

    @property
    def about(self) -> str:
        """Why and when one would want it."""
        return _(self.option.about)

    @property
    def fits(self) -> str:
        """Who it fits."""
        return _(self.option.fits)

    @property
    def default(self) -> str:
        """What it is where nothing is chosen."""
        return value_label(self.option, self.option.default)

    @property
    def is_changed(self) -> bool:
        """Whether the field holds something else than the default."""
        return str(self.field.value()) != str(self.option.default)


class OptionsMixin(forms.Form):
    """Adds a field for every option of a kind to a form; `options` holds what was chosen once the form is valid."""

    kind: str
    #: Only what differs from the defaults, as presets and parties store it.
    options: dict[str, Setting]

    def add_options(
        self,
        kind: str,
        *,
        players: Sequence[int] | int | None = None,
        initial: Mapping[str, Setting] | None = None,
        choices: Choices | None = None,
    ) -> None:
        """Call it at the end of `__init__`.

        `players` are the numbers of players that the options are for; None: all of the kind. `initial` are the options
        that the form starts from, and `choices` what may be changed (option to values); None: everything.
        """
        declared = KINDS[kind].options
        self.kind = kind
        self.sizes = declared.PLAYERS if players is None else (players,) if isinstance(players, int) else players
        self.started_from: dict[str, Setting] = options_for(kind, dict(initial or {})).to_json()
        self.options = {}
        self.shown = [o for o in declared.declared() if choices is None or o.name in choices]
        for option in self.shown:
            values = None if choices is None else choices[option.name]
            name = field_name(option.name)
            self.fields[name] = option_field(option, self.started_from[option.name], values, self.sizes)
            self.initial.setdefault(name, self.started_from[option.name])

    def option_rows(self) -> Iterator[OptionRow]:
        """The options that may be changed, in the order in which they are declared."""
        for option in self.shown:
            yield OptionRow(option, self[field_name(option.name)], not set(option.players) & set(self.sizes))

    def players_to_check(self) -> Sequence[int]:
        """The numbers of players that the options have to go with. A form where they are chosen overrides it."""
        return self.sizes

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        chosen = {o.name: cleaned[name] for o in self.shown if (name := field_name(o.name)) in cleaned}
        if len(chosen) < len(self.shown):
            return cleaned  # a field has its message already
        try:
            options = options_for(self.kind, {**self.started_from, **chosen})
            for players in self.players_to_check():
                options.check_players(players)
        except Refused as refused:
            self.add_error(
                self.field_of(refused), refusal_sentence(self.kind, refused, {**self.started_from, **chosen})
            )
        else:
            self.options = options.differences()
        return cleaned

    def field_of(self, refused: Refused) -> str | None:
        """The field that a refusal is about; None for the form as a whole.

        An option that may not be changed has no field: then it is the other one that does not go with it.
        """
        named = [str(refused.details[key]) for key in ("field", "other") if key in refused.details]
        found = [name for text in named for name in (field_name(text), text) if name in self.fields]
        return found[0] if found else None


class OptionsForm(OptionsMixin):
    """The options of a kind, and nothing else."""

    def __init__(
        self,
        kind: str,
        players: Sequence[int] | int | None = None,
        options: Mapping[str, Setting] | None = None,
        choices: Choices | None = None,
        **more: Any,
    ) -> None:
        super().__init__(**more)
        self.add_options(kind, players=players, initial=options, choices=choices)


def options_form(
    kind: str,
    players: Sequence[int] | int | None = None,
    initial: Mapping[str, Setting] | None = None,
    choices: Choices | None = None,
    *,
    data: Mapping[str, Any] | None = None,
) -> OptionsForm:
    """A form of the options of a kind; `data` is what was sent. Valid, its `options` hold what was chosen."""
    return OptionsForm(kind, players, initial, choices, data=data)


def option_field(
    option: Option, value: Setting, values: Sequence[Setting] | None = None, players: Sequence[int] = ()
) -> forms.Field:
    """The field of one option. `values` limits what may be chosen; what is set now always stays on offer."""
    attrs = {"data-default": str(option.default), "data-players": " ".join(map(str, option.players))}
    shared: dict[str, Any] = {"label": _(option.label), "help_text": _help(option, players), "initial": value}
    if option.type == "whole" and values is None:
        widget = forms.NumberInput(attrs=attrs)
        return forms.IntegerField(min_value=option.low, max_value=option.high, widget=widget, **shared)
    if option.type == "whole":
        offered = [(number, str(number)) for number in sorted({int(number) for number in (*(values or ()), value)})]
        return forms.TypedChoiceField(choices=offered, coerce=int, widget=forms.Select(attrs=attrs), **shared)
    kept = [allowed for allowed in option.values if values is None or allowed.value in (*values, value)]
    labels = [(allowed.value, _(allowed.label)) for allowed in kept]
    return forms.ChoiceField(choices=labels, widget=forms.Select(attrs=attrs), **shared)


def _help(option: Option, players: Sequence[int]) -> str:
    """What the option does, and where it does nothing."""
    effect = _(option.effect)
    idle = [str(number) for number in players if number not in option.players]
    if not idle:
        return effect
    inert = _("At a table of %(numbers)s it does nothing.") % {"numbers": _(", ").join(idle)}
    return _("%(first)s %(second)s") % {"first": effect, "second": inert}
