"""Many metrics and use cases together: the e-BH procedure.

Of m hypotheses with e-values, reject those with the k* largest, where k* is the largest k such
that the k-th largest is at least m/(alpha k). The expected share of false ones among the rejected
is then at most alpha, however the e-values depend on each other (Wang and Ramdas 2022). Source:
METRICS §7.

The family must be decided before the data are seen: a metric without data takes part with e = 1.
The guarantee is for each look (at any stopping time), not for the union of all looks; for that,
test each at its share of alpha and let it alarm by itself (see `epochs`).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan, log10
from typing import TypeVar

Name = TypeVar("Name")


def e_bh(log10_e: Mapping[Name, float | None], *, alpha: float = 0.05) -> tuple[Name, ...]:
    """The names whose hypothesis is rejected, strongest evidence first.

    log10_e: by name, log10 of an e-value; None (or NaN) where there is none yet.
    """
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha {alpha} must be between 0 and 1")
    known = {name: 0.0 if e is None or isnan(e) else e for name, e in log10_e.items()}
    ranked = sorted(known, key=known.__getitem__, reverse=True)
    kept = 0
    for rank, name in enumerate(ranked, start=1):
        if known[name] >= log10(len(ranked) / (alpha * rank)):
            kept = rank
    return tuple(ranked[:kept])
