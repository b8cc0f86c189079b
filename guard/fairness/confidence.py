"""Confidence sequences: intervals that hold at every moment at once.

The interval at level 1 - alpha is the set of values that the e-process of `evidence` has not yet
rejected at 1/alpha. By Ville's inequality the truth is in all of these intervals, at all times,
with probability at least 1 - alpha: look as often as you like, stop when you like. They are wider
than the pointwise interval of a `Reading` (twice as wide after 1,000 events, much more after 50),
and the only ones to alarm by: one that leaves out everything within the tolerance means an alarm.

The evidence falls monotonely on the way from each end of the range to the point estimate, so each
limit is found by bisection. Source: METRICS §7.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log

from guard.fairness.evidence import Sums
from guard.records import Undefined

_HALVINGS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Confidence:
    """A point estimate, and an interval for it that is valid whenever it is looked at.

    n: observations. alpha: the chance that the truth is ever outside.
    """

    value: float
    low: float
    high: float
    n: int
    alpha: float


def confidence_sequence(sums: Sums, *, alpha: float = 0.05) -> Confidence | Undefined:
    """The values not yet rejected at 1/`alpha`."""
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha {alpha} must be between 0 and 1")
    centre, needed = sums.centre, -log(alpha)
    if centre is None:
        return Undefined(reason="no observations yet")
    low = _limit(sums.above, sums.ends[0], centre, needed)
    high = _limit(sums.below, sums.ends[1], centre, needed)
    return Confidence(value=centre, low=low, high=high, n=sums.count, alpha=alpha)


def _limit(evidence: Callable[[float], float], end: float, centre: float, needed: float) -> float:
    """The rejected value nearest to `centre`, on the side of `end`; `end` when it is not."""
    if evidence(end) < needed:
        return end
    rejected, kept = end, centre
    for _ in range(_HALVINGS):
        middle = 0.5 * (rejected + kept)
        if evidence(middle) < needed:
            kept = middle
        else:
            rejected = middle
    return rejected
