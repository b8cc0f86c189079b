"""How many more comparisons it takes until a difference of a given size would be seen.

What is to come is taken to be like what was seen, with a mean that is `difference` away from 0 on
the side the sums lean to: each further comparison adds `difference` to the sum, and to every sum of
sizes what one has added on average so far and what the difference itself adds. The evidence of
these expected sums is convex in the number of comparisons, so it crosses a bar once and is found by
bisection. Bets on signs are left as they are: how often a difference shows in signs is not known,
so the number is rather too large. It is a forecast for planning and no part of any test.
"""

from __future__ import annotations

from functools import lru_cache

from guard.fairness.evidence import MeanSums
from guard.fairness.symmetric import SLOPES, SymmetricSums, SymmetricTest, log_cosh

FEWEST = 10
"""From fewer comparisons nothing is said of how much they vary."""
MOST = 1 << 24
"""More comparisons than anybody makes."""


@lru_cache(maxsize=8192)
def comparisons_needed(
    test: SymmetricTest, sums: SymmetricSums, *, difference: float, log10_e: float
) -> int | None:
    """Comparisons beyond those in `sums` until the expected evidence reaches `log10_e`.

    difference: in (0, 1], of the truth. 0 where the evidence is there; None after fewer than
    `FEWEST` comparisons, and where `MOST` would not do. Raises ValueError for another difference.
    """
    if not 0.0 < difference <= 1.0:
        raise ValueError(f"difference {difference} must be above 0 and at most 1")
    if sums.mean.n < FEWEST:
        return None
    low, high = 0, 1
    if test.evidence(sums) >= log10_e:
        return 0
    while test.evidence(expected_sums(sums, high, difference)) < log10_e:
        low, high = high, 2 * high
        if high > MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        if test.evidence(expected_sums(sums, middle, difference)) < log10_e:
            low = middle
        else:
            high = middle
    return high


def expected_sums(sums: SymmetricSums, more: int, difference: float) -> SymmetricSums:
    """The sums after so many more comparisons whose mean is `difference` away from 0."""
    seen = sums.mean
    toward = difference if seen.total >= 0.0 else -difference
    spread = max(seen.squares / seen.n - (seen.total / seen.n) ** 2, 0.0)
    sizes = zip(SLOPES, sums.log_cosh, strict=True)
    return SymmetricSums(
        mean=MeanSums(
            n=seen.n + more,
            total=seen.total + more * toward,
            squares=seen.squares + more * (spread + difference**2),
        ),
        positive=sums.positive,
        negative=sums.negative,
        log_cosh=tuple(
            one + more * (one / seen.n + log_cosh(slope * difference)) for slope, one in sizes
        ),
    )
