"""The admin's form of a preset: the fields of the preset, one for each declared option, and what a table may change."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.kinds import KINDS
from games.presets import services as preset_store
from games.presets.drafts import BadPresets, Draft, checked
from games.presets.forms import OptionsMixin, field_name
from games.presets.models import RulePreset
from games.presets.words import Setting, value_label
from games.rules import Option


def may_name(option: str) -> str:
    """The name of the field that says what a table may choose for an option."""
    return f"may_{option}"


class Numbers(forms.CharField):
    """Whole numbers with commas between them."""

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(map(str, value)) if isinstance(value, list | tuple) else value

    def to_python(self, value: Any) -> Any:
        parts = [part for part in (super().to_python(value) or "").replace("、", ",").split(",") if part.strip()]
        try:
            return sorted({int(part) for part in parts})
        except ValueError:
            raise forms.ValidationError(_("Write whole numbers with commas between them.")) from None

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return list(initial or []) != self.to_python(data)
        except forms.ValidationError:
            return True


class PresetForm(OptionsMixin, forms.ModelForm):
    """A preset with its current version. Valid, its `draft` is what is to be stored."""

    preset_kind: ClassVar[str] = ""
    #: Whether this is about to be stored, so that other writers have to wait from the first check on.
    is_final: ClassVar[bool] = False
    draft: Draft

    seen = forms.CharField(required=False, widget=forms.HiddenInput)
    players = forms.TypedMultipleChoiceField(
        coerce=int, widget=forms.CheckboxSelectMultiple, label=gettext_lazy("Numbers of players")
    )
    ranked_players = forms.TypedChoiceField(
        coerce=int,
        empty_value=None,
        required=False,
        label=gettext_lazy("Ranked"),
        help_text=gettext_lazy(
            "Whether a ladder may use the current version, and at which number of players. A new version is not "
            "ranked until it is said here."
        ),
    )
    limits = forms.ChoiceField(
        choices=(
            ("all", gettext_lazy("Everything")),
            ("some", gettext_lazy("Only what is marked under “At a table”")),
        ),
        widget=forms.RadioSelect,
        label=gettext_lazy("A party may change"),
    )

    class Meta:
        model = RulePreset
        fields = ("slug", "name", "name_ja", "note", "note_ja", "order", "is_active")
        labels = {
            "slug": gettext_lazy("Short name"),
            "name": gettext_lazy("Name in English"),
            "name_ja": gettext_lazy("Name in Japanese"),
            "note": gettext_lazy("Note in English"),
            "note_ja": gettext_lazy("Note in Japanese"),
            "order": gettext_lazy("Place in lists"),
            "is_active": gettext_lazy("Offered"),
        }
        help_texts = {
            "slug": gettext_lazy("In addresses and files; small letters, digits and hyphens. It stays for good."),
            "name": "",
            "name_ja": gettext_lazy("Left empty, a shipped name is shown in Japanese all the same."),
            "order": gettext_lazy("The lowest number comes first."),
            "is_active": gettext_lazy("Taken off, no new game or party can be made from it. Nothing is deleted."),
        }
        widgets = {
            "note": forms.Textarea(attrs={"rows": 2, "class": "vLargeTextField"}),
            "note_ja": forms.Textarea(attrs={"rows": 2, "class": "vLargeTextField"}),
            "name": forms.TextInput(attrs={"class": "vTextField"}),
            "name_ja": forms.TextInput(attrs={"class": "vTextField"}),
            "slug": forms.TextInput(attrs={"class": "vTextField"}),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        is_stored = self.instance.pk is not None
        self.before = preset_store.draft_of(self.instance) if is_stored else self._blank()
        self._fill_preset(is_stored)
        self.add_options(self.preset_kind, players=self.before.players, initial=dict(self.before.options or {}))
        for option in self.shown:
            name = may_name(option.name)
            self.fields[name] = _may_field(option)
            self.initial.setdefault(name, list((self.before.choices or {}).get(option.name, ())))

    def _blank(self) -> Draft:
        """What a new preset starts from."""
        numbers = KINDS[self.preset_kind].options.PLAYERS
        return Draft("", self.preset_kind, (4,) if 4 in numbers else numbers[:1], "")

    def _fill_preset(self, is_stored: bool) -> None:
        numbers = KINDS[self.preset_kind].options.PLAYERS
        players, ranked = self.fields["players"], self.fields["ranked_players"]
        assert isinstance(players, forms.TypedMultipleChoiceField)
        assert isinstance(ranked, forms.TypedChoiceField)
        players.choices = [(number, str(number)) for number in numbers]
        ranked.choices = [("", _("Not ranked"))] + [
            (number, _("At %(number)s players") % {"number": number}) for number in numbers
        ]
        self.fields["slug"].disabled = is_stored
        self.initial.setdefault("players", list(self.before.players))
        self.initial.setdefault("ranked_players", self.before.ranked_players)
        self.initial.setdefault("limits", "all" if self.before.choices is None else "some")
        if is_stored:
            self.initial["seen"] = preset_store.fingerprint(self.instance)

    def players_to_check(self) -> list[int]:
        return self.cleaned_data.get("players") or list(self.before.players)

    def clean(self) -> dict[str, Any]:
        if self.is_final:
            preset_store.hold_locked()
        cleaned = super().clean()
        if self.is_final and self.instance.pk is not None:
            stored = RulePreset.objects.filter(pk=self.instance.pk).first()
            if stored is None or preset_store.fingerprint(stored) != cleaned.get("seen"):
                self.add_error(
                    None,
                    _(
                        "Somebody else has changed this preset since you opened this page, so nothing was stored. "
                        "Open the page anew to see it as it is now."
                    ),
                )
        if not self.errors:
            self._make_draft(cleaned)
        return cleaned

    def _make_draft(self, cleaned: dict[str, Any]) -> None:
        draft = Draft(
            slug=cleaned["slug"],
            kind=self.preset_kind,
            players=tuple(cleaned["players"]),
            name=cleaned["name"],
            name_ja=cleaned["name_ja"],
            note=cleaned["note"],
            note_ja=cleaned["note_ja"],
            order=cleaned["order"],
            is_active=cleaned["is_active"],
            ranked_players=cleaned["ranked_players"],
            options=self.options,
            choices=self.chosen_choices(cleaned),
        )
        try:
            self.draft = checked(draft)
        except BadPresets as bad:
            self.add_error(self._field_at(bad.place), bad.sentence)

    def chosen_choices(self, cleaned: dict[str, Any]) -> dict[str, list[Setting]] | None:
        """What a party may change. The preset's own value is always among what it may choose."""
        if cleaned.get("limits") != "some":
            return None
        found: dict[str, list[Setting]] = {}
        for option in self.shown:
            own = cleaned[field_name(option.name)]
            marked = [value for value in cleaned.get(may_name(option.name), ()) if value != own]
            if marked:
                found[option.name] = [own, *marked]
        return found

    def _field_at(self, place: str) -> str | None:
        """The field of a place in a draft, such as options.moon."""
        part, _dot, option = place.partition(".")
        name = {"options": field_name, "choices": may_name}.get(part, lambda _option: part)(option)
        return name if name in self.fields else None


def _may_field(option: Option) -> forms.Field:
    shared: dict[str, Any] = {"label": _("At a table"), "required": False}
    if option.type == "whole":
        widget = forms.TextInput(attrs={"placeholder": f"{option.low}, …, {option.high}", "size": 24})
        return Numbers(widget=widget, max_length=500, **shared)
    offered = [(allowed.value, value_label(option, allowed.value)) for allowed in option.values]
    return forms.MultipleChoiceField(choices=offered, widget=forms.CheckboxSelectMultiple, **shared)
