"""What an answer has cost, and how sure that is.

Every decision is looked at briefly. The few that seem worst are tried again in fresh deals, which choose the best
answer that there was, and once more in fresh deals, which alone say what the difference is. So nothing is a mistake for
having been unlucky in the deals by which it was found.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass

import numpy as np

from games.cpu.questions import Floats, Question, Variant

#: Worlds of the first look, of the choice of the best answer, and of the final say.
FIRST, SECOND, LAST = 384, 2304, 6912
#: With more options than this all are tried in a few worlds, and half of them given up again and again.
MANY, FEW_WORLDS, MOST_WORLDS = 14, 8, 64
#: Answers within so many standard errors of the best are tried again; so many at most.
SURELY, AGAIN = 2.6, 4
#: A mistake costs so many standard errors at least.
ERRORS = 2.5
#: To go for the own moon is called better only if it comes off so often.
MOON_RATE = 0.65


@dataclass(frozen=True, slots=True)
class Weighed:
    """An answer against the best one: by how much it is worse and how far that may be off, in points; what became of it
    on average, by the names of `Question.facts`.
    """

    option: int
    worse: float
    error: float
    facts: dict[str, float]


@dataclass(frozen=True, slots=True)
class Suspect:
    """A decision after the first look: what it seems to have cost, in points; what may have been best, beside the
    variants of the answer that was given; and the options that are worth showing.
    """

    cost: float
    error: float
    variants: list[Variant]
    shown: list[int]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A mistake: what it has cost in points, as far as that is beyond doubt, the best answer, and the given one."""

    cost: float
    best: Variant
    given: Variant


def seed_of(seed: int, *names: object) -> int:
    """A seed for one piece of work."""
    text = "|".join(map(str, (seed, *names)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:7], "little") | 1


def first_look(question: Question, seed: int) -> Suspect:
    """What a decision seems to have cost."""
    shown = _narrowed(question, seed)
    plans = question.plans(seed_of(seed, "plan"))
    variants = [*dict.fromkeys([*((option, False) for option in shown), *plans, *question.chosen_plans()])]
    told = question.play(variants, FIRST, seed_of(seed, "first"))
    best = _best(question, variants, told)
    cost, error = _difference(question, told, best, _given(question, variants, told), block=1)
    worth = told[:, :, 0].mean(axis=0)
    close = [
        place
        for place in sorted(range(len(variants)), key=lambda place: -worth[place])
        if variants[place][0] != question.chosen and place != best and _is_close(question, told, best, place)
    ]
    kept = [variants[place] for place in (best, *close[: AGAIN - 1])]
    return Suspect(cost, error, [*kept, *question.chosen_plans()], shown)


def final_say(question: Question, suspect: Suspect, seed: int) -> Verdict | None:
    """What a decision that was a mistake has cost; None if it was none."""
    variants = suspect.variants
    told = question.play(variants, SECOND, seed_of(seed, "second"))
    best, given = _best(question, variants, told), _given(question, variants, told)
    cost, _ = _difference(question, told, best, given)
    if cost < question.least / 2:
        return None
    pair = [variants[best], variants[given]]
    told = question.play(pair, LAST, seed_of(seed, "last"))
    best_one, given_one = (_weighed(question, pair, told, place) for place in (0, 1))
    sure = given_one.worse - question.doubt(best_one.facts, given_one.facts)
    return Verdict(sure, *pair) if sure >= max(question.least, ERRORS * given_one.error) else None


def compared(question: Question, suspect: Suspect, verdict: Verdict, seed: int) -> list[Weighed]:
    """The answers there were, in the deals of the final say: the best one, the given one, then the others by worth."""
    answers = {verdict.best[0], verdict.given[0]}
    others: list[Variant] = [(option, False) for option in suspect.shown if option not in answers]
    variants = [verdict.best, verdict.given, *others]
    told = question.play(variants, LAST, seed_of(seed, "last"))
    best, given, *rest = (_weighed(question, variants, told, place) for place in range(len(variants)))
    return [best, given, *sorted(rest, key=lambda found: found.worse)]


def _narrowed(question: Question, seed: int) -> list[int]:
    """The options, and where there are very many the best of them: half are given up again and again."""
    left = list(range(len(question.options)))
    worlds, round_ = FEW_WORLDS, 0
    while len(left) > MANY:
        told = question.play([(option, False) for option in left], worlds, seed_of(seed, "few", round_))
        order = np.argsort(-told[:, :, 0].mean(axis=0), kind="stable")
        left = sorted(left[place] for place in order[: max(MANY - 2, len(left) // 2)])
        worlds, round_ = min(2 * worlds, MOST_WORLDS), round_ + 1
    return left


def _best(question: Question, variants: list[Variant], told: Floats) -> int:
    """The place of the best answer other than the given one."""
    worth = told[:, :, 0].mean(axis=0)
    for place, (option, is_plan) in enumerate(variants):
        if option == question.chosen:
            worth[place] = -math.inf
        elif is_plan:
            rate = told[:, place, 1 + question.facts.index("moon")].mean()
            worth[place] = worth[place] if rate > MOON_RATE else -math.inf
    return int(worth.argmax())


def _given(question: Question, variants: list[Variant], told: Floats) -> int:
    """The place of the given answer, as the plan with which it is worth more."""
    worth = told[:, :, 0].mean(axis=0)
    return max(
        (place for place, variant in enumerate(variants) if variant[0] == question.chosen), key=worth.__getitem__
    )


def _is_close(question: Question, told: Floats, best: int, place: int) -> bool:
    worse, error = _difference(question, told, best, place, block=1)
    return worse <= SURELY * error


def _difference(
    question: Question, told: Floats, best: int, place: int, block: int | None = None
) -> tuple[float, float]:
    """By how much an answer is worth less than another, in points, and the standard error of that."""
    off = (told[:, best, 0] - told[:, place, 0]) / question.unit
    size = block or question.block
    means = off[: len(off) // size * size].reshape(-1, size).mean(axis=1)
    error = means.std(ddof=1) / math.sqrt(len(means)) if len(means) > 1 else 0.0
    return float(means.mean()), float(error)


def _weighed(question: Question, variants: list[Variant], told: Floats, place: int) -> Weighed:
    worse, error = _difference(question, told, 0, place)
    averages = told[:, place, 1:].mean(axis=0)
    facts = {name: float(average) for name, average in zip(question.facts, averages, strict=True)}
    return Weighed(variants[place][0], worse, error, facts)
