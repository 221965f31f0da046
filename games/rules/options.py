"""One declaration per option: what forms, admin, rules pages, chips and icons are drawn from.

A kind's options are a frozen dataclass whose fields are made by `choice` or `whole`. Texts are English msgids; `_` only
marks them for `makemessages`, they are translated where they are shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, ClassVar, Self

from games.rules.refusals import Refused, echoed


def _(text: str) -> str:
    """Marks a text for translation and leaves it as it is."""
    return text


def pgettext_noop(context: str, text: str) -> str:
    """Marks a text that means something else elsewhere: catalogues keep it under this key, which `translated` reads."""
    return f"{context}\x04{text}"


@dataclass(frozen=True, slots=True)
class Value:
    """One allowed value: its text in a form, and the few words of a rule chip."""

    value: str
    label: str
    chip: str


@dataclass(frozen=True, slots=True)
class Option:
    """An option as declared. A choice has `values`, a whole number has `low` and `high`."""

    name: str
    type: str  # "choice" or "whole"
    default: str | int
    label: str
    effect: str  # one line: what it does
    about: str  # why and when one would want it
    fits: str  # who it fits
    icon: str  # name of the lobby icon
    players: tuple[int, ...]  # player counts at which it does anything
    values: tuple[Value, ...] = ()
    low: int = 0
    high: int = 0
    chip: str = ""  # of a whole number: a text with the placeholder %(value)s

    def check(self, value: object) -> None:
        """Refused with `bad_type` or `bad_value`, naming the field."""
        if self.type == "whole":
            if not isinstance(value, int) or isinstance(value, bool):
                raise Refused("bad_type", field=self.name)
            if not self.low <= value <= self.high:
                raise Refused("bad_value", field=self.name)
        elif not isinstance(value, str):
            raise Refused("bad_type", field=self.name)
        elif value not in [allowed.value for allowed in self.values]:
            raise Refused("bad_value", field=self.name)

    def to_json(self) -> dict[str, object]:
        """The declaration with its English texts."""
        shared: dict[str, object] = {
            "name": self.name,
            "type": self.type,
            "default": self.default,
            "label": self.label,
            "effect": self.effect,
            "about": self.about,
            "fits": self.fits,
            "icon": self.icon,
            "players": list(self.players),
        }
        if self.type == "whole":
            return shared | {"low": self.low, "high": self.high, "chip": self.chip}
        return shared | {"values": [{"value": v.value, "label": v.label, "chip": v.chip} for v in self.values]}


def choice(
    *values: Value,
    default: str,
    label: str,
    effect: str,
    about: str,
    fits: str,
    icon: str,
    players: tuple[int, ...] = (),
) -> Any:
    """A dataclass field for an option with named values. `players` empty means: at every count of the kind."""
    if default not in [allowed.value for allowed in values]:
        raise ValueError(f"{label}: the default is not among the values")
    declared = {"type": "choice", "values": values, "players": players, "icon": icon}
    return field(default=default, metadata=declared | {"label": label, "effect": effect, "about": about, "fits": fits})


def whole(
    *, default: int, low: int, high: int, label: str, effect: str, about: str, fits: str, icon: str, chip: str
) -> Any:
    """A dataclass field for an option that is a whole number, both ends allowed."""
    if not low <= default <= high:
        raise ValueError(f"{label}: the default is out of range")
    declared = {"type": "whole", "low": low, "high": high, "players": (), "icon": icon, "chip": chip}
    return field(default=default, metadata=declared | {"label": label, "effect": effect, "about": about, "fits": fits})


@dataclass(frozen=True)
class Options:
    """Base of a kind's options. An instance always holds allowed values in an allowed combination."""

    PLAYERS: ClassVar[tuple[int, ...]]

    def __post_init__(self) -> None:
        for option in self.declared():
            option.check(getattr(self, option.name))
        self.check_combination()

    @property
    def shown_sign(self) -> int:
        """1 or −1: what a score is multiplied by where people read it."""
        return 1

    @property
    def only_first_counts(self) -> bool:
        """Whether a ladder reads who came first, and no other place."""
        return False

    def check_combination(self) -> None:
        """Refused with `bad_combination` where two options do not go together at any table."""

    def check_players(self, players: object) -> None:
        """Refused where the options do not go with the number of players, or it is not one of the kind's."""
        if type(players) is not int or players not in self.PLAYERS:
            raise Refused("bad_players", field="players", allowed=list(self.PLAYERS))

    @classmethod
    def declared(cls) -> tuple[Option, ...]:
        """All options of the kind, in the order in which they are shown."""
        known: tuple[Option, ...] | None = cls.__dict__.get("_declared")
        if known is None:
            known = tuple(_option(entry, cls.PLAYERS) for entry in fields(cls))
            cls._declared = known  # type: ignore[attr-defined]
        return known

    @classmethod
    def option(cls, name: str) -> Option:
        """The declaration of one option; Refused with `unknown_option`."""
        for option in cls.declared():
            if option.name == name:
                return option
        raise Refused("unknown_option", field=echoed(name))

    @classmethod
    def from_json(cls, data: object) -> Self:
        """Options from a JSON object; a missing key has its default. Refused with a code and the field."""
        if not isinstance(data, Mapping):
            raise Refused("bad_type", field="options")
        for name in data:
            cls.option(name)
        return cls(**data)

    def to_json(self) -> dict[str, str | int]:
        """Every option with its value."""
        return {option.name: getattr(self, option.name) for option in self.declared()}

    def differences(self) -> dict[str, str | int]:
        """Only what differs from the defaults: what chips show."""
        return {o.name: getattr(self, o.name) for o in self.declared() if getattr(self, o.name) != o.default}


def _option(entry: Field[Any], all_players: tuple[int, ...]) -> Option:
    declared: dict[str, Any] = dict(entry.metadata)
    declared["players"] = declared["players"] or all_players
    default: Any = entry.default
    return Option(name=entry.name, default=default, **declared)
