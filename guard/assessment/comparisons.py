"""Differences between groups as sums, and what they say after a correction for all looks.

One prompt is one observation: the mean of its signed differences with one group. From the sums
follow Student's t against 0, its interval, and the exact test of wins against losses. All tests of
a run share one level (Bonferroni): with many of them a single small p-value is no finding.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from guard.assessment.difference_tests import DifferenceTest, MeanTest, reading_of
from guard.assessment.results import Conclusion, GroupComparison, GroupValue, Limits95
from guard.fairness.student import incomplete_beta
from guard.fairness.tally import SIGNED, Bounds, Tally, key, moments, recalled
from guard.records import Reading, Undefined
from guard.text.plurals import counted

COMPARED, CONTROL, MEANS = "compared", "control", "means"
"""What sums begin with: differences of groups, of replies about one group, means of groups."""
FEWEST = 2
_STILL = 1e-12
_EXACT_SIGNS = 1e6
_OF_CASES = ("demographic_parity", "false_")
"""How metrics begin of which an observation is a row with a class, and no prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceTally:
    """The signed differences of one metric as sums. Observation: the difference of one prompt,
    in `bounds`, or None where it has none. Keys: 6."""

    name: tuple[str, ...]
    bounds: Bounds = SIGNED

    def tally(self, observation: float | None, /, drawn: float | None = None) -> Tally:
        """The sums of one prompt.

        drawn: where the observation is a mean over several other groups, the difference with one of
        them, drawn before anything is known. Its sign is as often one as the other where nothing
        differs; that of a mean is not, since scores are skewed.
        """
        if observation is None:
            return {key(*self.name, "unscored"): 1.0}
        told = observation if drawn is None else drawn
        sign = {1: "wins", -1: "losses"}.get((told > _STILL) - (told < -_STILL))
        sums = moments(observation, *self.name)
        return sums if sign is None else sums | {key(*self.name, sign): 1.0}

    def test(self, tally: Tally) -> MeanTest | Undefined:
        """That the mean difference is 0."""
        n, total, squares = recalled(tally, *self.name)
        if n < FEWEST:
            one = "no prompt has a value on both sides"
            return Undefined("a single prompt: an interval needs two" if n else one)
        wins, losses, _ = self.signs(tally)
        return MeanTest(
            n=round(n),
            total=total,
            squares=squares,
            differing=wins + losses,
            bounds=self.bounds,
        )

    def estimate(self, tally: Tally, /) -> Reading | Undefined:
        """The mean difference, pointwise."""
        found = self.test(tally)
        return found if isinstance(found, Undefined) else reading_of(found, found.value, found.n)

    def signs(self, tally: Tally) -> tuple[int, int, int]:
        """Wins, losses and ties."""
        n, *_ = recalled(tally, *self.name)
        wins, losses = (round(tally.get(key(*self.name, one), 0.0)) for one in ("wins", "losses"))
        return wins, losses, round(n) - wins - losses


def sign_test(wins: int, losses: int) -> float:
    """The exact two-sided p-value of wins against losses, as likely where nothing differs."""
    n = wins + losses
    if n == 0:
        return 1.0
    fewer = min(wins, losses)
    if n > _EXACT_SIGNS:
        return math.erfc((abs(wins - losses) - 1) / math.sqrt(2 * n))
    # P(X <= k) of Binomial(n, 1/2) is the incomplete beta function I_1/2(n - k, k + 1).
    return min(1.0, 2.0 * incomplete_beta(float(n - fewer), float(fewer + 1), 0.5))


@dataclass(frozen=True, slots=True, kw_only=True)
class UncorrectedComparison:
    """A comparison and its test, not yet corrected."""

    shown: GroupComparison
    test: DifferenceTest


def with_signs(
    shown: GroupComparison, tally: DifferenceTally, sums: Tally, test: MeanTest
) -> UncorrectedComparison:
    """A comparison with its signs. Where it is not directed the sign of no difference is as likely
    as the other, and they are not tested."""
    wins, losses, ties = tally.signs(sums)
    sign_p = sign_test(wins, losses) if shown.directed else None
    signed = replace(shown, wins=wins, losses=losses, ties=ties, sign_p=sign_p)
    return UncorrectedComparison(shown=signed, test=test)


def correct(found: Sequence[UncorrectedComparison], *, level: float) -> tuple[GroupComparison, ...]:
    """All comparisons after the correction, each with its conclusion and a sentence.

    level: of all tests together.
    """
    looks = len(found)
    return tuple(_conclude(_corrected(one, looks, level), level) for one in found)


def _corrected(one: UncorrectedComparison, looks: int, level: float) -> GroupComparison:
    own, shown, p_value = level / looks, one.shown, one.test.p_value
    low, high = one.test.limits(own)
    return replace(
        shown,
        corrected=Limits95(low=low, high=high),
        p_value=p_value,
        p_adjusted=min(1.0, p_value * looks),
        looks=looks,
        detectable=one.test.detectable(own),
        needed=one.test.needed(own, shown.material),
    )


def _conclude(one: GroupComparison, level: float) -> GroupComparison:
    conclusion = _conclusion(one, level)
    return replace(
        one, conclusion=conclusion, sentence=sentence(replace(one, conclusion=conclusion))
    )


def _conclusion(one: GroupComparison, level: float) -> Conclusion:
    closer = not one.directed and one.difference.value < 0  # no groups differ less than not at all
    if (one.p_adjusted or 0.0) <= level and not closer:
        large = abs(one.difference.value) >= one.material
        return Conclusion.DIFFERENT if large else Conclusion.SMALL
    limits = one.corrected
    lowest = -math.inf if closer else -one.material
    if limits is not None and lowest < limits.low and limits.high < one.material:
        return Conclusion.ALIKE
    return Conclusion.UNDECIDED


def sentence(one: GroupComparison) -> str:
    """The finding in words: who, what, how much, and how sure."""
    who = f"{one.first} and {one.second}" if one.second else f"{one.first} and all other groups"
    what = one.title[:1].lower() + one.title[1:]
    about, rest = f"{one.attribute}: {who}", f"n = {_number(one)}, corrected for {_tests(one)}"
    match one.conclusion:
        case Conclusion.DIFFERENT | Conclusion.SMALL:
            return f"{about}: {what} {_size(one)} (between {_sizes(one)}, {rest})"
        case Conclusion.ALIKE:
            seen = f"no difference seen in {what} as large as {one.material:g}"
            return f"{about}: {seen} ({rest}){_coupled(one)}"
        case _:
            return (
                f"{about}: no difference shown in {what}, and too few data to rule out one of"
                f" {one.material:g} ({_between(one)}, {rest}); this is not parity"
            )


def _coupled(one: GroupComparison) -> str:
    """A doubt where the rewrite within a group does more than that to another one."""
    if one.directed or _limits(one).high >= 0:
        return ""
    return "; other words for one group change replies more than the other group does"


def _number(one: GroupComparison) -> str:
    return counted(one.difference.n, "case" if one.metric.startswith(_OF_CASES) else "prompt")


def _tests(one: GroupComparison) -> str:
    return counted(one.looks, "test")


def _size(one: GroupComparison) -> str:
    size = f"{abs(one.difference.value):.3g}"
    small = "" if one.conclusion is Conclusion.DIFFERENT else f", less than {one.material:g}"
    if not one.directed:
        return f"{size} more than between replies about one group{small}"
    more = "higher" if one.difference.value > 0 else "lower"
    return f"{size} {more} for {one.first}{small}"


def _sizes(one: GroupComparison) -> str:
    """The ends of the interval of a difference whose direction is told in words: without a sign."""
    limits = _limits(one)
    lower = one.directed and one.difference.value < 0
    low, high = (-limits.high, -limits.low) if lower else (limits.low, limits.high)
    return f"{low:.3g} and {high:.3g}"


def _between(one: GroupComparison) -> str:
    """The ends of the interval of a difference that may go either way: with their signs."""
    limits = _limits(one)
    whose = f"{one.first} minus {one.second or 'all others'} " if one.directed else ""
    return f"{whose}between {limits.low:.3g} and {limits.high:.3g}"


def _limits(one: GroupComparison) -> Limits95:
    return one.corrected or Limits95(low=one.difference.low, high=one.difference.high)


def group_values(found: Iterable[tuple[str, Reading | Undefined]]) -> tuple[GroupValue, ...]:
    """The means of groups that have one."""
    return tuple(
        GroupValue(group=group, reading=one) for group, one in found if isinstance(one, Reading)
    )
