"""What the rules pages of all kinds have in common: the table of local rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext

from games.rulebook.page import Block, Items, LocalRule, LocalRules, Paragraph, Section, Table
from games.rulebook.words import enumerated, say, value_label
from games.rules import Option, Options
from games.rules.options import _

#: What a table made from a preset may change: option to values; None for all.
Choices = Mapping[str, Sequence[str | int]] | None


def rule(sentences: Mapping[str, Mapping[str, str]], options: Options, name: str, **values: object) -> str:
    """The sentence for the value that an option has here."""
    value = getattr(options, name)
    known = sentences[name]
    return say(known[""] if isinstance(value, int) else known[value], **values)


def local_rules(options: Options, players: Sequence[int], choices: Choices) -> Section:
    """Every option: its value here, the default, what else there is."""
    rules = tuple(_local_rule(option, options, players) for option in options.declared())
    count = sum(entry.differs for entry in rules)
    if count:
        told = say(_("Rules that differ from the standard are marked. All others are as in the standard game."))
    else:
        told = say(_("Every rule here is the standard one. “Also possible” shows what else there is."))
    blocks: tuple[Block, ...] = (Paragraph(told), LocalRules(rules), *_changeable(options, choices))
    return Section("local-rules", say(_("Local rules at this table")), blocks)


def _local_rule(option: Option, options: Options, players: Sequence[int]) -> LocalRule:
    value = getattr(options, option.name)
    if option.type == "whole":
        others: tuple[str, ...] = (say(_("any number from %(low)s to %(high)s"), low=option.low, high=option.high),)
    else:
        others = tuple(gettext(allowed.label) for allowed in option.values if allowed.value != value)
    return LocalRule(
        name=option.name,
        label=gettext(option.label),
        effect=gettext(option.effect),
        value=value_label(option, value),
        default=value_label(option, option.default),
        others=others,
        about=gettext(option.about),
        differs=value != option.default,
        inert=not set(option.players) & set(players),
    )


def _changeable(options: Options, choices: Choices) -> list[Block]:
    if choices is None:
        return [Paragraph(say(_("A party made from these rules may change every one of them before its first deal.")))]
    if not choices:
        return [Paragraph(say(_("A party made from these rules plays them as they are.")))]
    told = say(_("A party made from these rules may change only this before its first deal:"))
    return [Paragraph(told), Items(tuple(_change(options.option(name), values) for name, values in choices.items()))]


def _change(option: Option, values: Sequence[str | int]) -> str:
    shown = [str(value) if option.type == "whole" else value_label(option, value) for value in values]
    return say(_("%(rule)s: %(values)s"), rule=gettext(option.label), values=enumerated(shown))


def clock() -> tuple[tuple[str, str], ...]:
    """What holds at every table: how long a turn may take, and what happens to a seat that is left."""
    return (
        (
            say(_("Time for a turn")),
            say(
                _(
                    "None, 30 or 60 seconds, as the table was made. Where several answer at once, and for a bid, it is "
                    "twice that; for the choice of a moon 15 seconds. Without a limit nothing is ever hurried."
                )
            ),
        ),
        (
            say(_("Leaving a table")),
            say(
                _(
                    "Come back in the same browser and you sit in the same seat. Meanwhile, where others wait, a CPU "
                    "player stands in after two missed turns in a row, or after a minute without a connection in one's "
                    "turn; without a limit the others may vote one in for somebody who has been away for two minutes. "
                    "A table with you alone waits for ever."
                )
            ),
        ),
    )


def standards(players: str, minutes: int, draws: str, source: str) -> Section:
    """What this site adds to the rules of a game: players, length, clock, leavers, draws, source, no stakes."""
    rows = (
        (
            say(_("Number of players")),
            say(_("%(players)s. CPU players take the seats that are left."), players=players),
        ),
        (say(_("Usual length")), say(_("about %(minutes)s minutes"), minutes=minutes)),
        *clock(),
        (say(_("Draws")), draws),
        (say(_("Source of the rules")), source),
        (say(_("Stakes")), say(_("None of any kind: no money, no coins, no prizes."))),
    )
    table = Table("standards", say(_("Standards of this site")), (say(_("Topic")), say(_("How it is here"))), rows)
    return Section("standards", say(_("Standards of this site")), (table,))
