"""Scores with a planted difference between groups, as an assessment sums them up.

Six kinds of differences, each with the noise it comes with; what is tested is what a report tests,
at the level of one of `LOOKS` tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from statistics import NormalDist, fmean, stdev

from guard.assessment.comparisons import (
    DifferenceTally,
    UncorrectedComparison,
    correct,
    with_signs,
)
from guard.assessment.difference_tests import MeanTest, RatesTest, reading_of
from guard.assessment.results import Conclusion, GroupComparison
from guard.fairness import add
from guard.fairness.student import t_quantile

PROMPTS = 200
LOOKS = 24
LEVEL = 0.05
FACTORS = (0.5, 0.75, 1.0, 1.25, 1.5)
"""Sizes that are planted, in parts of the size that is said to be found with 80 %."""
TALLY = DifferenceTally(name=("compared", "planted"))
Prompt = tuple[float, float]
"""The mean difference with the other groups, and that with the one that is drawn."""


def _clipped(value: float) -> float:
    return min(1.0, max(0.0, value))


def _sentiment(draw: Random, size: float) -> Prompt:
    value = _clipped(draw.gauss(0.5 + size, 0.15)) - _clipped(draw.gauss(0.5, 0.15))
    return value, value


def _toxicity(draw: Random, size: float) -> Prompt:
    """Near 0 with a long tail."""
    value = _clipped(draw.random() ** 8 + size) - draw.random() ** 8
    return value, value


def _stereotypes(draw: Random, size: float) -> Prompt:
    """Of four groups, seldom high: the difference with the mean of the others is skewed."""
    own, *others = (_clipped(0.9 * (draw.random() < 0.15) + more) for more in (size, 0, 0, 0))
    return own - fmean(others), own - others[0]


def _length(draw: Random, size: float) -> Prompt:
    """Heavy tails on both sides, two replies a side."""
    noise = fmean(draw.expovariate(8) * draw.choice((-1, 1)) for _ in range(2))
    value = max(-1.0, min(1.0, noise + size))
    return value, value


def _refusals(draw: Random, size: float) -> Prompt:
    """A rare yes or no."""
    value = float(draw.random() < 0.1 + size) - float(draw.random() < 0.1)
    return value, value


MEANS: dict[str, Callable[[Random, float], Prompt]] = {
    "sentiment": _sentiment,
    "toxicity": _toxicity,
    "stereotypes": _stereotypes,
    "length": _length,
    "refusals": _refusals,
}
KINDS = (*MEANS, "classes")


def mean_test(prompts: list[Prompt]) -> MeanTest:
    """The test of an assessment of these prompts."""
    found = TALLY.test(add(*(TALLY.tally(*one) for one in prompts)))
    assert isinstance(found, MeanTest)
    return found


def planted_test(kind: str, draw: Random, size: float) -> MeanTest | RatesTest:
    """The test of data in which a difference of this size is planted."""
    if kind != "classes":
        return mean_test([MEANS[kind](draw, size) for _ in range(PROMPTS)])
    first, second = (
        sum(draw.random() < rate for _ in range(PROMPTS)) for rate in (0.3 + size, 0.3)
    )
    return RatesTest(first=(first, PROMPTS), second=(second, PROMPTS))


@cache
def _spread(kind: str, size: float) -> float:
    """The standard deviation of a prompt's difference."""
    draw = Random(1)
    return stdev(MEANS[kind](draw, size)[0] for _ in range(20_000))


@cache
def detectable(kind: str) -> float:
    """The size that a report of such data, without a difference, says it finds with 80 %."""
    if kind == "classes":
        hits = 0.3 * PROMPTS
        alike = RatesTest(first=(hits, PROMPTS), second=(hits, PROMPTS))
        return alike.detectable(LEVEL / LOOKS) or 0.0
    squares = _spread(kind, 0.0) ** 2 * (PROMPTS - 1)
    alike_mean = MeanTest(n=PROMPTS, total=0.0, squares=squares, differing=PROMPTS)
    return alike_mean.detectable(LEVEL / LOOKS) or 0.0


def promised(kind: str, size: float) -> float:
    """With which chance a difference of this size is found, as the report reckons with the spread
    that comes with it."""
    reach = t_quantile(1 - LEVEL / LOOKS / 2, PROMPTS - 1)
    if kind == "classes":
        rates = (0.3, 0.3 + size)
        error = sum(rate * (1 - rate) / PROMPTS for rate in rates) ** 0.5
        return NormalDist().cdf((size - 1 / PROMPTS) / error - reach)
    return NormalDist().cdf(size / (_spread(kind, size) / PROMPTS**0.5) - reach)


def found_share(kind: str, factor: float, runs: int) -> tuple[float, float, float]:
    """The size that is planted, the share of runs that find it, and the one that is promised."""
    size = factor * detectable(kind)
    hits = sum(
        planted_test(kind, Random(run), size).p_value <= LEVEL / LOOKS for run in range(runs)
    )
    return size, hits / runs, promised(kind, size)


def _comparisons(draw: Random) -> Iterator[UncorrectedComparison]:
    for look in range(LOOKS):
        kind = KINDS[look % len(KINDS)]
        found = planted_test(kind, draw, 0.0)
        shown = GroupComparison(
            metric=kind,
            title=kind,
            attribute="group",
            first="a",
            second="b",
            difference=reading_of(found, found.value, PROMPTS),
            material=0.02,
        )
        if isinstance(found, MeanTest):
            yield with_signs(shown, TALLY, {}, found)
        else:
            yield UncorrectedComparison(shown=shown, test=found)


def null_claims(runs: int) -> int:
    """Runs that claim a difference where there is none, after the correction."""
    claims = {Conclusion.DIFFERENT, Conclusion.SMALL}
    return sum(
        any(one.conclusion in claims for one in correct([*_comparisons(Random(run))], level=LEVEL))
        for run in range(runs)
    )
