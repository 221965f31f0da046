"""What a game registers: one record of everything in which it differs from other games.

The rest of the program asks this record, and compares no name of a kind. What takes long to load, or is of use to few
processes, is named as a module and loaded by `load`: its functions are described at the field.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from games.cpu.memory import Memory
from games.kinds.preset import Preset
from games.rules import Action, Options, Rules, View
from games.verify.kind import Check

#: Chooses a CPU's answer at every level below expert, and for the clock.
Choose = Callable[[View, Rules, Memory, random.Random], Action]


@dataclass(frozen=True, slots=True, kw_only=True)
class MistakeWords:
    """How the replay tells what comes of a player's answers. Names are those of a question's `facts`."""

    counted: str  # the sentence that says what costs are counted in
    #: Averages of points, by name, with the title of the column.
    points: tuple[tuple[str, str], ...]
    #: How often something comes about, the same way. Of each group the first that tells the answers apart is shown.
    rates: tuple[tuple[tuple[str, str], ...], ...] = ()


def no_refusals(options: Any) -> Mapping[str, str]:
    """For a game that refuses nothing but what every game refuses."""
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What the table and the replay call what only this game has. A game without any of it leaves all out."""

    #: Beside the sign of the game's suit while it is not broken, and afterwards. None: nothing is said of it.
    broken: tuple[str, str] | None = None
    #: What is asked before a bid of nothing is sent. Empty: such a bid is a number like any other, and has no name.
    nil: str = ""
    #: What a line of a deal's score is called, by `Line.what`.
    lines: Mapping[str, str] = field(default_factory=dict)
    #: The sentences of refusals that only this game's rules know, by code, at a table with these options.
    refusals: Callable[[Any], Mapping[str, str]] = no_refusals
    mistakes: MistakeWords | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One game. Texts are English msgids, translated where they are shown."""

    name: str  # in addresses, the database and on the wire
    label: str
    #: One sentence for the front page; `%(rules)s` stands for the rules that *Play now* starts.
    pitch: str
    #: The sentence that tells that the suit which may not be led before has been broken.
    broken: str
    suit: str  # whose sign stands for the game: C, D, H or S
    picture: tuple[str, ...]  # the cards that stand for the game on the front page
    words: Words

    rules: type[Rules]
    options: type[Options]
    #: Partners sit opposite each other and score together; otherwise every seat scores for itself.
    is_partnership: bool
    highest_wins: bool  # whether the highest score is the first
    #: How a daily deal's deals are graded: the bound of a side's change in each, from the best grade on; the rest is
    #: bad. The change is at least the bound where the highest score wins, at most otherwise.
    grades: tuple[tuple[int, str], ...]
    #: The option that ends a game by score, and the value at which a ranked game counts in full.
    limit_option: str
    full_limit: int
    guide_limits: tuple[int, ...]  # in the table of weights of the guide to the ladder
    #: Numbers of players at which one person may play against CPUs.
    solo_players: tuple[int, ...]

    choose: Choose
    #: Module with `choose(view, rng, budget)`: the expert's compiled search. None: an expert plays as normal.
    expert: str | None
    #: Module with `question_of(decision)`: how decisions are weighed for a player's mistakes. None: they are not.
    mistakes: str | None
    #: Module with `rules_page(players, options, name, choices)`, `SENTENCES`, `words_page()`, `all_terms()`
    #: and `house_rules_told()`.
    rulebook: str
    #: The rules once more, for the check of finished games, and the first characters of the kind's game codes.
    check: type[Check]
    #: The same as a static file for browsers. None: browsers say that they cannot check games of this kind.
    check_script: str | None

    presets: tuple[Preset, ...]  # that sites start with
    #: Slugs of the presets that *Play now* starts and that daily deals use, while they are switched on.
    play_now: str
    daily: str  # a daily deal is for four: there is none where this preset, or the one of *Play now*, is not

    def side(self, seat: int) -> int:
        """The side that a seat scores for."""
        return seat % 2 if self.is_partnership else seat


def load(module: str) -> Any:
    """A module that a kind names."""
    return importlib.import_module(module)
