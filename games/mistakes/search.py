"""The search for the mistakes of a seat: through all its decisions, then through the worst ones again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from games.cpu.questions import Decision, Question
from games.kinds import KINDS
from games.kinds.kind import load
from games.log.positions import Entry, Table
from games.mistakes import MOST
from games.mistakes.decisions import decisions_of
from games.mistakes.weighing import LAST, Suspect, Verdict, Weighed, compared, final_say, first_look, seed_of

__all__ = ["find", "question_of"]

#: Decisions that are looked at again, those that seem worst; and how much of their cost has to seem real for it.
LOOKED_AT_AGAIN = 12
SEEMS_REAL = 0.5
#: The share of the work that the first look is.
FIRST_SHARE = 0.7

Progress = Callable[[float], None]


def find(
    table: Table, entries: Sequence[Entry], seat: int, seed: int, progress: Progress = lambda share: None
) -> list[dict[str, Any]]:
    """The mistakes of a seat, the one that has cost most first, as JSON. `progress` hears which share is done.

    Raises Refused where the log cannot be followed.
    """
    decisions = list(decisions_of(table, entries, seat))
    suspects: list[tuple[Decision, Question, Suspect]] = []
    for number, decision in enumerate(decisions):
        progress(FIRST_SHARE * number / len(decisions))
        question = question_of(decision)
        if question is None or len(question.options) < 2:
            continue
        suspect = first_look(question, seed_of(seed, decision.ply))
        if suspect.cost > question.least * SEEMS_REAL and suspect.cost > suspect.error:
            suspects.append((decision, question, suspect))
    suspects.sort(key=lambda found: -found[2].cost / found[1].least)
    found: list[tuple[Verdict, int, Decision, Question, Suspect]] = []
    for number, (decision, question, suspect) in enumerate(suspects[:LOOKED_AT_AGAIN]):
        progress(FIRST_SHARE + (1 - FIRST_SHARE) * number / LOOKED_AT_AGAIN)
        again = seed_of(seed, decision.ply, "again")
        verdict = final_say(question, suspect, again)
        if verdict is not None:
            found.append((verdict, again, decision, question, suspect))
    found.sort(key=lambda one: (-one[0].cost / one[3].least, one[2].ply))
    mistakes = [
        _told(decision, question, compared(question, suspect, verdict, again))
        for verdict, again, decision, question, suspect in found[:MOST]
    ]
    progress(1.0)
    return mistakes


def question_of(decision: Decision) -> Question | None:
    """The decision as it can be tried again; None if it cannot."""
    # The compiled search takes seconds to load, and the site's other processes have no use for it.
    module = KINDS[decision.view.kind].mistakes
    if module is None:
        return None
    found: Question | None = load(module).question_of(decision)
    return found


def _told(decision: Decision, question: Question, weighed: list[Weighed]) -> dict[str, Any]:
    """A mistake as JSON: the options with the best first and the given one second."""
    ask = decision.view.ask
    return {
        "ply": decision.ply,
        "phase": decision.view.phase,
        "cost": round(weighed[1].worse, 2),
        "error": round(weighed[1].error, 2),
        "deals": LAST,
        "hand": list(decision.view.hand or ()),
        "count": 0 if ask is None else ask.count,
        "direction": decision.view.direction,
        "options": [
            {
                **{key: value for key, value in question.options[one.option].action.to_json().items() if key != "seat"},
                "same": list(question.options[one.option].same),
                "worse": round(max(0.0, one.worse), 2),
                "error": round(one.error, 2),
                "facts": {name: round(value, 3) for name, value in one.facts.items()},
            }
            for one in weighed
        ],
    }
