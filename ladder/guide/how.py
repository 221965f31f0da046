"""The page that explains the ladder, in the words of the reader. Every number comes from where it is used."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from django.utils.translation import gettext as _

from games.kinds import KINDS
from games.rulebook.page import Items, Page, Paragraph, Section, Table
from ladder.guide import queue, rules
from ladder.rating.formula import (
    CAP,
    FLOOR,
    FULL_GAMES_A_DAY,
    GAMES_A_DAY,
    MASTER_RATING,
    PROVISIONAL_GAMES,
    SETTLED_GAMES,
    START,
    expected,
    group_weight,
    k_factor,
    length_weight,
    opponent_weight,
)

#: Differences of ratings in the table of expectations.
DIFFERENCES = (0, 50, 100, 200, 300, CAP)


_FRACTIONS = {Decimal(0): "0", Decimal("0.5"): "½", Decimal(1): "1"}


def page() -> Page:
    """The page as the rulebook has pages, so that its templates show it."""
    return Page(
        title=_("How the ladder works"),
        description=_(
            "The rating formula of ranked Hearts and Spades, worked out on a game, and all that goes with it."
        ),
        lead=_("All of it, with every number, so that nobody has to take a point on trust."),
        sections=sections(),
    )


def sections() -> tuple[Section, ...]:
    """The whole page but for the formula and the worked game, which stand in the sections `formula` and `example`."""
    return (
        _short(),
        _formula(),
        _weights(),
        _example(),
        queue.queue(),
        rules.leavers(),
        rules.void(),
        rules.board(),
        rules.proof(),
    )


def fraction(value: Decimal) -> str:
    """A weight as people write it: 1, ½, 0, or with three places."""
    return _FRACTIONS.get(value, f"{value:.3f}")


def _short() -> Section:
    values = {
        "start": int(START),
        "games": PROVISIONAL_GAMES,
        "k": k_factor(0, START),
        "settled": k_factor(SETTLED_GAMES, START),
    }
    return Section(
        "short",
        _("In short"),
        (
            Items(
                (
                    _(
                        "Each ladder is one game by one set of rules. On each you have a rating of your own, "
                        "from %(start)s on."
                    )
                    % values,
                    _(
                        "Before a game the ratings say what to expect. Whoever does better than that gains, "
                        "whoever does worse loses."
                    )
                    % values,
                    _("A win over the strong brings more than one over the weak. A draw is half a win."),
                    _(
                        "At first a game moves you a lot (K = %(k)s), later less (K = %(settled)s). Until "
                        "%(games)s games your rating has a question mark."
                    )
                    % values,
                    _(
                        "Whoever abandons a game loses it, whatever the CPU makes of it, and those who stayed "
                        "are not the worse for it."
                    ),
                    _("After each game everybody sees a receipt with the whole sum. You can work it out by hand."),
                )
            ),
        ),
    )


def _formula() -> Section:
    rows = tuple(
        (
            _("equal") if not difference else str(difference),
            f"{expected(START + difference, START):.2f}",
            f"{expected(START, START + difference):.2f}",
        )
        for difference in DIFFERENCES
    )
    return Section(
        "formula",
        _("The formula"),
        (
            Table(
                "expected",
                _("What ratings promise"),
                (_("Difference"), _("the stronger"), _("the weaker")),
                rows,
                figures=1,
            ),
            Paragraph(
                _("A difference counts up to %(cap)s points, so nobody is ever expected to win or to lose for certain.")
                % {"cap": CAP},
                quiet=True,
            ),
        ),
    )


def _weights() -> Section:
    return Section(
        "weights",
        _("The weights"),
        (
            Table(
                "k", _("K: how far one game may move a rating"), (_("Rated games"), "K"), tuple(_k_rows()), figures=1
            ),
            Table(
                "length",
                _("L: the length of the game"),
                (_("Game"), _("ends at"), "L"),
                tuple(
                    (_(kind.label), str(limit), fraction(length_weight(limit, kind.full_limit)))
                    for kind in KINDS.values()
                    for limit in kind.guide_limits
                ),
                figures=1,
            ),
            Paragraph(
                _(
                    "L is the root of the score that ends the game over the usual one, never below ½ and never "
                    "above 1: a short game says less."
                )
            ),
            Table(
                "opponent",
                _("w: how settled both ratings are (Hearts)"),
                (_("You have"), _("the other has"), "w"),
                tuple(_w_rows()),
                figures=2,
            ),
            Table(
                "group",
                _("g: exactly the same people again on one day"),
                (_("Game of the day"), "g"),
                tuple(_g_rows()),
                figures=1,
            ),
            Paragraph(
                _("A game with g = 0 is kept with a change of 0 and counts for nothing else either."), quiet=True
            ),
            Paragraph(
                _(
                    "Ratings have two decimals. Each change is rounded once, half to even; shown are whole "
                    "numbers. No rating falls below %(floor)s."
                )
                % {"floor": int(FLOOR)}
            ),
        ),
    )


def _k_rows() -> Iterator[tuple[str, str]]:
    steps = ((1, PROVISIONAL_GAMES), (PROVISIONAL_GAMES + 1, SETTLED_GAMES))
    for first, last in steps:
        yield _("%(first)s to %(last)s") % {"first": first, "last": last}, str(k_factor(first - 1, START))
    later = {"games": SETTLED_GAMES + 1, "rating": MASTER_RATING}
    yield _("from %(games)s on") % later, str(k_factor(SETTLED_GAMES, START))
    yield (
        _("from %(games)s on, with a rating of %(rating)s or more") % later,
        str(k_factor(SETTLED_GAMES, Decimal(MASTER_RATING))),
    )


def _w_rows() -> Iterator[tuple[str, str, str]]:
    few, many = 0, PROVISIONAL_GAMES
    names = {
        few: _("fewer than %(games)s games") % {"games": PROVISIONAL_GAMES},
        many: _("%(games)s games or more") % {"games": PROVISIONAL_GAMES},
    }
    for own, other in ((many, many), (many, few), (few, many), (few, few)):
        yield names[own], names[other], fraction(opponent_weight(own, other))


def _g_rows() -> Iterator[tuple[str, str]]:
    for first, last in ((1, FULL_GAMES_A_DAY), (FULL_GAMES_A_DAY + 1, GAMES_A_DAY)):
        yield _("%(first)s to %(last)s") % {"first": first, "last": last}, fraction(group_weight(first))
    yield _("from %(games)s on") % {"games": GAMES_A_DAY + 1}, fraction(group_weight(GAMES_A_DAY + 1))


def _example() -> Section:
    return Section("example", _("Worked out"), ())
