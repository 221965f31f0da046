"""The page of the statistics of deals: counts as charts, beside what chance alone would deal. Nothing runs on here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from django.utils.formats import localize, number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from games.cpu import LEVELS
from games.kinds import KINDS
from games.kinds.words import kind_label, level_name
from games.log.models import Game, Player
from games.statistics import chances, charts, services, tallies

#: Fewer deals say nothing, and might say something about somebody.
FEWEST_DEALS = 200
#: Of people and of each level of CPU players: fewer deals, or nils, are not shown.
FEWEST_OF_PLAYERS = 100
#: People of whom fewer than so many have finished a game are not shown.
FEWEST_PEOPLE = 5
#: A chance below the first is worth a word, one below the second is hardly luck: the page has four tests.
USUAL, ODD = 0.05, 0.0001
#: Longer suits are so rare that they are shown together.
LONGEST = 8

Counts = Counter[tallies.Key]


@dataclass(frozen=True, slots=True)
class Verdict:
    """How odd something is: in two words, in a sentence, and in figures."""

    tone: str
    short: str
    text: str
    figures: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A section: a chart, what it shows, and how odd that is, if that can be said."""

    key: str
    title: str
    text: str
    chart: charts.Chart
    verdicts: tuple[Verdict, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """What may be shown. `parts` is empty while there are too few deals."""

    deals: int
    games: int
    by_kind: list[tuple[str, int]]
    parts: list[Part]


def page() -> Page:
    """The page as the counts are now, in the reader's language."""
    counts = services.counts()
    by_kind = [(kind_label(kind), counts["deals", kind]) for kind in KINDS]
    deals = sum(number for _kind, number in by_kind)
    if deals < FEWEST_DEALS:
        return Page(0, 0, [], [])
    parts = [_lengths(counts), _queen(counts), _seats(counts)]
    shown = [part for part in (_points(counts), _nils(counts)) if part is not None]
    games = sum(counts["games", kind] for kind in KINDS)
    return Page(deals, games, by_kind, [*parts, *shown])


def _rounded(value: float, places: int) -> str:
    return str(number_format(round(value, places), places))


def _per_cent(value: float) -> str:
    return f"{localize(round(value, 1))} %"


def verdict_of(fit: chances.Fit | None) -> Verdict:
    """How odd a deviation is."""
    if fit is None:
        return Verdict("none", _("Not known yet."), _("There are too few to say how odd that is."))
    return Verdict(*_judged(fit.chance), _odds(fit.chance), _figures(fit))


def _judged(chance: float) -> tuple[str, str]:
    """A tone, and what it comes to."""
    if chance >= USUAL:
        return "good", _("Nothing unusual.")
    if chance >= ODD:
        return "fair", _("Unusual, but it happens.")
    return "bad", _("This does not look like chance.")


def _odds(chance: float) -> str:
    for of in (100, 10_000):
        number = round(chance * of)
        if number >= 1:
            return _(
                "By chance alone such a deviation or a larger one is to be expected at %(number)s of %(of)s sites."
            ) % {"number": localize(number), "of": f"{of:,}"}
    return _("By chance alone such a deviation or a larger one is to be expected at fewer than 1 of 10,000 sites.")


def _figures(fit: chances.Fit) -> str:
    """The same for whoever knows the test."""
    shown = {
        "statistic": _rounded(fit.statistic, 1),
        "freedom": localize(fit.freedom),
        "chance": _rounded(fit.chance, 2) if fit.chance >= 0.01 else f"{fit.chance:.1g}",
    }
    return (
        ngettext(
            "χ² = %(statistic)s, %(freedom)s degree of freedom, p = %(chance)s",
            "χ² = %(statistic)s, %(freedom)s degrees of freedom, p = %(chance)s",
            fit.freedom,
        )
        % shown
    )


# --- the cards --------------------------------------------------------------------------------------------------------


def _lengths(counts: Counts) -> Part:
    seen = [counts["length", str(length)] for length in range(14)]
    theory = chances.suit_lengths()
    total = sum(seen)
    labels = [*map(str, range(LONGEST)), f"{LONGEST}+"]
    fit = chances.fit([counts["one_length", str(length)] for length in range(14)], theory)
    title = _("How long suits are")
    return Part(
        key="lengths",
        title=title,
        text=_(
            "How many cards of a suit a hand has when it is dealt: all suits of all four hands, beside what theory "
            "says. For the test one suit of one hand of each deal is taken, since the others follow from it in part."
        ),
        chart=charts.bars(
            title,
            _("Bars for each number of cards of a suit in a hand: dealt, and by theory."),
            labels,
            [
                charts.Series(_("Dealt"), _from(LONGEST, [100 * number / total for number in seen])),
                charts.Series(_("Theory"), _from(LONGEST, [100 * share for share in theory])),
            ],
            corner=_("Cards of the suit"),
            show=_per_cent,
            unit=" %",
        ),
        verdicts=(verdict_of(fit),),
    )


def _from(last: int, values: Sequence[float]) -> list[float]:
    """Values with all from one place on put together."""
    return [*values[:last], sum(values[last:])]


def _queen(counts: Counts) -> Part:
    labels = [_("Dealer"), _("Left"), _("Across"), _("Right")]
    seen = [counts["queen_away", str(away)] for away in range(4)]
    title = _("Where the ♠Q is dealt")
    return Part(
        key="queen",
        title=title,
        text=_("The hand that has the queen of spades before a card is passed, seen from the dealer."),
        chart=_quarters(title, labels, {"♠Q": seen}, _("From the dealer")),
        verdicts=(verdict_of(chances.fit(seen, [0.25] * 4)),),
    )


def _seats(counts: Counts) -> Part:
    labels = [_("Seat %(number)s") % {"number": number} for number in range(1, 5)]
    queens = [counts["queen_seat", str(seat)] for seat in range(4)]
    dealers = [counts["first_dealer", str(seat)] for seat in range(4)]
    title = _("Whether a seat is favoured")
    queen, dealer = (verdict_of(chances.fit(seen, [0.25] * 4)) for seen in (queens, dealers))
    told = (
        replace(queen, short=_("♠Q: %(verdict)s") % {"verdict": queen.short}),
        replace(dealer, short=_("First dealer: %(verdict)s") % {"verdict": dealer.short}),
    )
    return Part(
        key="seats",
        title=title,
        text=_("How often each seat of the table has the queen of spades, and how often it deals first."),
        chart=_quarters(title, labels, {"♠Q": queens, _("First dealer"): dealers}, _("Seat")),
        verdicts=told,
    )


def _quarters(title: str, labels: Sequence[str], seen: dict[str, list[int]], corner: str) -> charts.Chart:
    series = [
        charts.Series(name, [100 * number / max(1, sum(numbers)) for number in numbers])
        for name, numbers in seen.items()
    ]
    description = _("Bars for each seat: how often it was seen there. By theory all are 25 % high.")
    theory = (_("Theory"), 25.0)
    return charts.bars(title, description, labels, series, corner=corner, show=_per_cent, unit=" %", mark=theory)


# --- the players ------------------------------------------------------------------------------------------------------


def _players(counts: Counts, enough: Callable[[str], int]) -> list[str]:
    """People and the levels of CPU players of whom there is enough to be shown."""
    shown = [level for level in LEVELS if enough(level) >= FEWEST_OF_PLAYERS]
    if enough(tallies.PEOPLE) >= FEWEST_OF_PLAYERS and _people() >= FEWEST_PEOPLE:
        return [tallies.PEOPLE, *shown]
    return shown


def _people() -> int:
    """People who have finished a game, counted as far as it matters."""
    games = Game.objects.filter(status=Game.Status.FINISHED, forked_from=None)
    players = Player.objects.filter(game__in=games, user__isnull=False).values("user")
    return User.objects.filter(pk__in=players)[:FEWEST_PEOPLE].count()


def _name(who: str) -> str:
    return _("Human players") if who == tallies.PEOPLE else level_name(who)


def _points(counts: Counts) -> Part | None:
    by_who: dict[str, Counter[int]] = {who: Counter() for who in (tallies.PEOPLE, *LEVELS)}
    for (name, value), number in counts.items():
        if name == "points":
            who, points = value.split()
            by_who[who][int(points)] += number
    shown = _players(counts, lambda who: by_who[who].total())
    if not shown:
        return None
    means = [sum(points * number for points, number in by_who[who].items()) / by_who[who].total() for who in shown]
    title = _("Points of a deal of Hearts")
    return Part(
        key="points",
        title=title,
        text=_(
            "What a deal costs on average, without the jack of diamonds; few are good. Only deals that one player has "
            "played from the first card to the last. Whom people play against differs, so this is no contest."
        ),
        chart=charts.rows(
            title,
            _("A bar for people and for each level of computer players: points of a deal on average."),
            [_name(who) for who in shown],
            charts.Series(_("Points"), means),
            corner=_("Player"),
            show=lambda value: _rounded(value, 2),
            counted=(_("Deals"), [by_who[who].total() for who in shown]),
        ),
    )


def _nils(counts: Counts) -> Part | None:
    def bids(who: str) -> int:
        return counts["nil", f"{who} made"] + counts["nil", f"{who} failed"]

    shown = _players(counts, bids)
    if not shown:
        return None
    title = _("How often a nil is made")
    return Part(
        key="nils",
        title=title,
        text=_("Of all bids of nil in Spades, blind ones too, those that were made."),
        chart=charts.rows(
            title,
            _("A bar for people and for each level of computer players: the share of nils that were made."),
            [_name(who) for who in shown],
            charts.Series(_("Made"), [100 * counts["nil", f"{who} made"] / bids(who) for who in shown]),
            corner=_("Player"),
            show=_per_cent,
            counted=(_("Nils bid"), [bids(who) for who in shown]),
        ),
    )
