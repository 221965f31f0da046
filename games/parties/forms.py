"""The form of a party's settings: the options as declared, then players, time, computer players, who may see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from games.cpu import LEVELS
from games.kinds.words import level_name
from games.parties import seating, services
from games.parties.models import Party
from games.parties.words import timer_name
from games.presets.forms import OptionsMixin


class SettingsForm(OptionsMixin):
    """What the host may change before a game. Valid, `settings()` has it."""

    seen = forms.CharField(widget=forms.HiddenInput, max_length=64)  # the mark of what it was filled from

    def __init__(self, party: Party, sitting: int, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data=data)
        self.sitting = sitting
        self.initial["seen"] = services.settings_of(party).mark
        numbers = seating.numbers(party.kind)
        if len(numbers) > 1:
            self.fields["players"] = forms.TypedChoiceField(
                label=_("Number of players"),
                choices=[("", _("As many as sit")), *((str(number), str(number)) for number in numbers)],
                coerce=int,
                empty_value=None,
                required=False,
                initial=party.players or "",
                help_text=_("One or two who sit are filled up to four by computer players, unless a number is fixed."),
            )
        self.fields["timer"] = forms.TypedChoiceField(
            label=_("Time for a turn"),
            choices=[(seconds, timer_name(seconds)) for seconds in services.TIMERS],
            coerce=int,
            initial=party.timer_s,
        )
        self.fields["cpu_level"] = forms.ChoiceField(
            label=_("Computer players on empty seats"),
            choices=[(level, level_name(level)) for level in LEVELS],
            initial=party.cpu_level,
        )
        self.fields["may_watch"] = forms.BooleanField(
            label=_("Anyone who can see the party may watch"), required=False, initial=party.may_watch
        )
        self.fields["is_listed"] = forms.BooleanField(
            label=_("Show the party on the front page"),
            required=False,
            initial=party.is_listed,
            help_text=_(
                "Otherwise it is found by its link or code alone, and finished games are shown to players only."
            ),
        )
        self.add_options(party.kind, initial=party.options, choices=self._choices(party))

    @staticmethod
    def _choices(party: Party) -> Mapping[str, Sequence[str | int]] | None:
        choices: Mapping[str, Sequence[str | int]] | None = party.preset_version.choices
        return choices

    def general_fields(self) -> list[forms.BoundField]:
        """The fields that are no options, in the order in which they are shown."""
        names = ("players", "timer", "cpu_level", "may_watch", "is_listed")
        return [self[name] for name in names if name in self.fields]

    def players_to_check(self) -> Sequence[int]:
        """The number that would play now: options have to go with it."""
        fixed = self.cleaned_data.get("players")
        return [seating.players_for(self.kind, self.sitting, fixed)]

    def settings(self) -> services.Settings:
        """What was chosen."""
        chosen = self.cleaned_data
        return services.Settings(
            options=self.options,
            players=chosen.get("players"),
            timer_s=chosen["timer"],
            cpu_level=chosen["cpu_level"],
            may_watch=chosen["may_watch"],
            is_listed=chosen["is_listed"],
        )
