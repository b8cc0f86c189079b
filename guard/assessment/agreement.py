"""How metrics go together over prompts: Pearson's correlation, from sums.

Of the scores of replies, and of the largest differences between groups: whether the prompts on
which one metric shows much are those on which another does. Two metrics that agree are not two
findings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from math import sqrt

from guard.assessment.items import WORST
from guard.assessment.results import MetricAgreement
from guard.fairness import Tally, key
from guard.fairness.cairo import fisher_interval
from guard.fairness.tally import within
from guard.records import Reading

AGREEMENT = "agreement"
FEWEST = 10
"""Prompts from which on a correlation is shown."""
_FLAT = 1e-12


def agreement_tally(figures: Mapping[str, float]) -> Tally:
    """The sums of one prompt. figures: those of its item."""
    sums: dict[str, float] = {}
    for (first, x), (second, y) in combinations(sorted(_main(figures).items()), 2):
        products = {"n": 1.0, "x": x, "y": y, "xx": x * x, "yy": y * y, "xy": x * y}
        sums |= {key(AGREEMENT, first, second, name): value for name, value in products.items()}
    return sums


def _main(figures: Mapping[str, float]) -> dict[str, float]:
    """Scores without their categories, and the largest difference of each metric."""
    found: dict[str, float] = {}
    for name, value in figures.items():
        metric, _, rest = name.partition(" ")
        if rest and rest != WORST:
            found[metric] = max(found.get(metric, 0.0), abs(value))
        elif not rest and "." not in name:
            found[name] = value
    return found


def agreement_values(sums: Tally) -> Iterator[MetricAgreement]:
    """Every two figures that vary, those that go together most first."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for (first, second, name), value in within(sums, AGREEMENT).items():
        found.setdefault((first, second), {})[name] = value
    shown = [
        MetricAgreement(first=first, second=second, reading=reading)
        for (first, second), products in found.items()
        if (reading := _correlation(products)) is not None
    ]
    yield from sorted(shown, key=lambda one: (-abs(one.reading.value), one.first, one.second))


def _correlation(sums: Mapping[str, float]) -> Reading | None:
    n = sums["n"]
    if n < FEWEST:
        return None
    spreads = [sums[both] / n - (sums[one] / n) ** 2 for one, both in (("x", "xx"), ("y", "yy"))]
    if any(spread <= _FLAT for spread in spreads):
        return None
    r = (sums["xy"] / n - sums["x"] / n * sums["y"] / n) / sqrt(spreads[0] * spreads[1])
    r = max(-1.0, min(1.0, r))
    low, high = fisher_interval(r, round(n))
    return Reading(value=r, low=low, high=high, n=round(n))
