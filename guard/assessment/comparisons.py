"""Differences between groups as sums, and what they say after a correction for all looks.

One prompt is one observation: the mean of its signed differences with one group. From the sums
follow Student's t against 0, its interval, and the exact test of wins against losses. A p-value is
never below 2^(1 - k) for k prompts that differ at all: no exact test could give less. All tests of
a run share one level (Bonferroni): with many of them a single small p-value is no finding.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

from guard.assessment.results import Conclusion, GroupComparison, GroupValue, Limits95
from guard.fairness.intervals import mean
from guard.fairness.student import incomplete_beta, one_sample, t_quantile
from guard.fairness.tally import SIGNED, Bounds, Tally, key, moments, recalled
from guard.records import Reading, Undefined

COMPARED, CONTROL, MEANS = "compared", "control", "means"
"""What sums begin with: differences of groups, of replies about one group, means of groups."""
POWER = 0.8
FEWEST = 2
_STILL = 1e-12
_EXACT_SIGNS = 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceTally:
    """The signed differences of one metric as sums. Observation: the difference of one prompt,
    in `bounds`, or None where it has none. Keys: 6."""

    name: tuple[str, ...]
    bounds: Bounds = SIGNED

    def tally(self, observation: float | None, /) -> Tally:
        """The sums of one prompt."""
        if observation is None:
            return {key(*self.name, "unscored"): 1.0}
        sign = {1: "wins", -1: "losses"}.get((observation > _STILL) - (observation < -_STILL))
        sums = moments(observation, *self.name)
        return sums if sign is None else sums | {key(*self.name, sign): 1.0}

    def estimate(self, tally: Tally, /) -> Reading | Undefined:
        """The mean difference, pointwise."""
        nothing = "no prompt has a value on both sides"
        return mean(*recalled(tally, *self.name), self.bounds, nothing)

    def signs(self, tally: Tally) -> tuple[int, int, int]:
        """Wins, losses and ties."""
        n, *_ = recalled(tally, *self.name)
        wins, losses = (round(tally.get(key(*self.name, one), 0.0)) for one in ("wins", "losses"))
        return wins, losses, round(n) - wins - losses

    def p_value(self, tally: Tally) -> float:
        """Two-sided, that the mean difference is 0."""
        wins, losses, _ = self.signs(tally)
        found = one_sample(*recalled(tally, *self.name))
        least = min(1.0, 2.0 ** (1 - wins - losses)) if wins + losses < 1000 else 0.0
        if found is None:
            return max(least, sign_test(wins, losses))
        return max(least, _two_sided(*found))


def _two_sided(t: float, degrees: float) -> float:
    return min(1.0, incomplete_beta(degrees / 2.0, 0.5, degrees / (degrees + t * t)))


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


def add_test(shown: GroupComparison, tally: DifferenceTally, sums: Tally) -> GroupComparison:
    """A comparison with its signs and its p-value, not yet corrected."""
    wins, losses, ties = tally.signs(sums)
    return replace(
        shown,
        wins=wins,
        losses=losses,
        ties=ties,
        sign_p=sign_test(wins, losses),
        p_value=tally.p_value(sums),
    )


def correct(
    comparisons: Sequence[GroupComparison], *, level: float, bounds: Bounds = SIGNED
) -> tuple[GroupComparison, ...]:
    """All comparisons after the correction, each with its conclusion and a sentence.

    level: of all tests together. bounds: what a difference can be.
    """
    looks = sum(one.p_value is not None for one in comparisons)
    return tuple(
        one if one.p_value is None else _conclude(_corrected(one, looks, level, bounds), level)
        for one in comparisons
    )


def _corrected(one: GroupComparison, looks: int, level: float, bounds: Bounds) -> GroupComparison:
    error = standard_error(one.difference)
    n = one.difference.n
    reach = t_quantile(1 - level / looks / 2, max(1, n - 1)) * error
    value = one.difference.value
    power = NormalDist().inv_cdf(POWER) + NormalDist().inv_cdf(1 - level / looks / 2)
    return replace(
        one,
        corrected=Limits95(
            low=max(bounds[0], min(one.difference.low, value - reach)),
            high=min(bounds[1], max(one.difference.high, value + reach)),
        ),
        p_adjusted=min(1.0, (one.p_value or 0.0) * looks),
        looks=looks,
        detectable=power * error,
        needed=_needed(error * math.sqrt(n) * power, one.material),
    )


def standard_error(reading: Reading) -> float:
    """What the width of a pointwise interval of a mean says of its standard error."""
    reach = t_quantile(0.975, max(1, reading.n - 1))
    return (reading.high - reading.low) / 2 / reach


def _needed(scale: float, material: float) -> int | None:
    return math.ceil((scale / material) ** 2) if material > 0 else None


def _conclude(one: GroupComparison, level: float) -> GroupComparison:
    conclusion = _conclusion(one, level)
    return replace(
        one, conclusion=conclusion, sentence=sentence(replace(one, conclusion=conclusion))
    )


def _conclusion(one: GroupComparison, level: float) -> Conclusion:
    if (one.p_adjusted or 0.0) <= level:
        large = abs(one.difference.value) >= one.material
        return Conclusion.DIFFERENT if large else Conclusion.SMALL
    limits = one.corrected
    if limits is not None and -one.material < limits.low and limits.high < one.material:
        return Conclusion.ALIKE
    return Conclusion.UNDECIDED


def sentence(one: GroupComparison) -> str:
    """The finding in words: who, what, how much, and how sure."""
    who = f"{one.first} and {one.second}" if one.second else f"{one.first} and all other groups"
    what = one.title[:1].lower() + one.title[1:]
    about, rest = f"{one.attribute}: {who}", f"n = {one.difference.n}, {one.looks} looks"
    match one.conclusion:
        case Conclusion.DIFFERENT | Conclusion.SMALL:
            return f"{about}: {what} {_size(one)} ({_between(one)}, {rest})"
        case Conclusion.ALIKE:
            return f"{about}: no difference seen in {what} as large as {one.material:g} ({rest})"
        case _:
            return (
                f"{about}: no difference shown in {what}, and too few data to rule out one of"
                f" {one.material:g} ({_between(one)}, {rest}); this is not parity"
            )


def _size(one: GroupComparison) -> str:
    size = f"{abs(one.difference.value):.3g}"
    small = "" if one.conclusion is Conclusion.DIFFERENT else f", less than {one.material:g}"
    if not one.directed:
        return f"differ by {size} more than replies about one group do{small}"
    more = "higher" if one.difference.value > 0 else "lower"
    return f"is {size} {more} for {one.first}{small}"


def _between(one: GroupComparison) -> str:
    limits = one.corrected or Limits95(low=one.difference.low, high=one.difference.high)
    return f"between {limits.low:.3g} and {limits.high:.3g}"


def group_values(found: Iterable[tuple[str, Reading | Undefined]]) -> tuple[GroupValue, ...]:
    """The means of groups that have one."""
    return tuple(
        GroupValue(group=group, reading=one) for group, one in found if isinstance(one, Reading)
    )
