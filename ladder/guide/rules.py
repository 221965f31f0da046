"""The later sections of the page that explains the ladder: leavers, games without a result, boards, what to check."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.log.outages import MOST_GIVEN_BACK
from games.rulebook.page import Items, Paragraph, Section, Table
from ladder.rating import leaving, standing, voids
from ladder.rating.formula import EXTRAS, PROVISIONAL_GAMES
from ladder.rating.services import LEAVES_COUNT

MINUS = "\N{MINUS SIGN}"
#: Games after which a table tells how far off a rating may be.
BANDS = (0, 5, 10, 30, 48)


def leavers() -> Section:
    """Who has left, and what that does to everybody at the table."""
    half = {"half": "½"}
    return Section(
        "leavers",
        _("Who leaves"),
        (
            Paragraph(
                _(
                    "When you stop answering, a CPU plays your seat until you say that you are back. A game "
                    "counts as abandoned, by its log alone, if you played no card yourself in the last scored "
                    "deal, or fewer than half of your cards in the whole game. Whoever comes back in time has "
                    "not left."
                )
            ),
            Table(
                "leavers",
                _("What a game with leavers does"),
                (_("Who"), _("what it counts as")),
                (
                    (
                        _("Hearts: who left"),
                        _(
                            "lost to everybody who stayed, whatever the CPU has made of it; two who left have no "
                            "result against each other"
                        ),
                    ),
                    (_("Hearts: who stayed"), _("won against everybody who left; by the final score among themselves")),
                    (_("Spades: who left"), _("a loss, even if the side wins")),
                    (
                        _("Spades: the partner"),
                        _("a win counts; a loss or a draw changes nothing; if both partners left, the side has lost"),
                    ),
                    (_("Spades: the other side"), _("the change × %(half)s, up or down") % half),
                ),
            ),
            Table(
                "extra",
                ngettext(
                    "Points that leaving costs beside the result, within %(days)s day",
                    "Points that leaving costs beside the result, within %(days)s days",
                    LEAVES_COUNT.days,
                )
                % {"days": LEAVES_COUNT.days},
                (_("How often"), _("points")),
                tuple(_extra_rows()),
                figures=1,
            ),
            Table(
                "locks",
                _("How long a leaver may not queue"),
                (_("Time in a row"), _("locked for")),
                tuple(_lock_rows()),
                figures=1,
            ),
            Paragraph(
                _(
                    "There is no lock until %(abandons)s of the last %(games)s ranked games were abandoned. It is "
                    "%(factor)s times as long on each repeat within %(days)s days, and a step shorter for every "
                    "%(days)s days without."
                )
                % {
                    "abandons": leaving.ABANDONS_UNTIL_LOCK,
                    "games": leaving.GAMES_LOOKED_AT,
                    "factor": leaving.LOCK_FACTOR,
                    "days": leaving.REPEAT_WITHIN.days,
                }
            ),
        ),
    )


def _extra_rows() -> Iterator[tuple[str, str]]:
    for number, extra in enumerate(EXTRAS, 1):
        points = f"{MINUS}{abs(int(extra))}" if extra else "0"
        is_last = number == len(EXTRAS)
        yield (_("from time %(number)s on") if is_last else _("time %(number)s")) % {"number": number}, points


def _lock_rows() -> Iterator[tuple[str, str]]:
    length, number = leaving.FIRST_LOCK, 1
    while length < leaving.LONGEST_LOCK:
        yield str(number), duration(length)
        length, number = length * leaving.LOCK_FACTOR, number + 1
    yield _("from %(games)s on") % {"games": number}, duration(leaving.LONGEST_LOCK)


def duration(length: timedelta) -> str:
    """A time in words: minutes, and hours from two hours on."""
    minutes = int(length.total_seconds() // 60)
    if minutes < 120:
        return ngettext("%(minutes)s minute", "%(minutes)s minutes", minutes) % {"minutes": minutes}
    hours, rest = divmod(minutes, 60)
    text = ngettext("%(hours)s hour", "%(hours)s hours", hours) % {"hours": hours}
    return text if not rest else _("%(hours)s h %(minutes)s min") % {"hours": hours, "minutes": rest}


def void() -> Section:
    """Which games change no rating."""
    return Section(
        "void",
        _("Games without a result"),
        (
            Paragraph(_("Such a game changes no rating.")),
            Items(
                (
                    _(
                        "All players at the table vote for it; whoever a CPU stands in for is not asked. Each "
                        "may be for %(times)s such ends a day."
                    )
                    % {"times": voids.VOTED_A_DAY},
                    ngettext(
                        "Somebody never turned up: before the first trick of the first deal is complete, a CPU "
                        "would have to play for him. That counts for him as an abandoned game. It ends a game "
                        "%(times)s time a day; after that a CPU plays his seat, and the game is rated.",
                        "Somebody never turned up: before the first trick of the first deal is complete, a CPU "
                        "would have to play for him. That counts for him as an abandoned game. It ends a game "
                        "%(times)s times a day; after that a CPU plays his seat, and the game is rated.",
                        voids.UNPLAYED_A_DAY,
                    )
                    % {"times": voids.UNPLAYED_A_DAY},
                    _(
                        "The site itself was away for more than %(minutes)s minutes. Shorter breaks are given back to "
                        "the clock, and nobody loses anything by them."
                    )
                    % {"minutes": MOST_GIVEN_BACK // timedelta(minutes=1)},
                    _(
                        "An administrator declares it void. If it was rated, the change is taken back by a "
                        "second one; both stay in the list. Later games are not worked out again."
                    ),
                )
            ),
        ),
    )


def board() -> Section:
    """Who is listed, and what a season is."""
    values = {
        "games": standing.BOARD_GAMES,
        "days": standing.BOARD_ACTIVE.days,
        "season": standing.SEASON_GAMES,
        "provisional": PROVISIONAL_GAMES,
    }
    return Section(
        "board",
        _("Boards and seasons"),
        (
            Items(
                (
                    _(
                        "The board lists everybody with %(games)s rated games and one in the last %(days)s days. "
                        "Equal ratings share a rank."
                    )
                    % values,
                    _(
                        "A season is a quarter of a year. It ranks by the rating with which it was closed, for "
                        "everybody with %(season)s rated games in it. Nothing is reset."
                    )
                    % values,
                    _("Days and seasons begin at midnight in Tokyo."),
                    _("Up to %(provisional)s rated games a rating is shown with a question mark.") % values,
                )
            ),
            Table(
                "bands",
                _("How far off a rating may be"),
                (_("Rated games"), "±"),
                tuple((str(games), str(standing.band(games))) for games in BANDS),
                figures=1,
            ),
            Paragraph(
                _(
                    "A ladder has one version of its rules. If it is moved to another, its board says so, games "
                    "opened later are played by that, and ratings go on."
                )
            ),
        ),
    )


def proof() -> Section:
    """What a reader need not take on trust."""
    return Section(
        "proof",
        _("What you can check"),
        (
            Items(
                (
                    _("Every change of every rating has a receipt, on the page of each player."),
                    _("Every game can be replayed, and its cards can be verified after it."),
                    _(
                        "Changes are only ever added. Each night all of them are worked out anew from the games "
                        "and compared."
                    ),
                    _("CPU players have no rating and are on no board."),
                )
            ),
        ),
    )
