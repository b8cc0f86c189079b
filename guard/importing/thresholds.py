"""From where on a score counts: the threshold at which few harmless texts reach it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from guard.errors import ModelError
from guard.fairness.intervals import wilson

_Z = 1.959963984540054  # the 97.5 % quantile of the normal distribution
_STEP = 1000  # thresholds have three places


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenThreshold:
    """A threshold for one head, from texts that are labelled for it.

    low, high: thresholds that a 95 % interval of the quantile reaches; None where the texts are too
    few to say. false_positive_rate, with its 95 % interval: share of the harmless texts at or above
    the threshold. recall: share of the others; None without any.
    """

    head: str
    threshold: float
    low: float
    high: float | None
    false_positive_rate: float
    rate_low: float
    rate_high: float
    harmless: int
    harmful: int
    recall: float | None


def choose_threshold(
    head: str, harmless: Sequence[float], harmful: Sequence[float], *, rate: float
) -> ChosenThreshold:
    """The lowest threshold that at most the share `rate` of the harmless scores reaches.

    The interval is that of a quantile by its order statistics, with the normal approximation of the
    binomial (Conover 1999, section 3.2). Raises ModelError where there are too few harmless texts
    for such a rate.
    """
    count = len(harmless)
    if count * rate < 1:
        raise ModelError(
            f"{head}: {count} harmless texts, too few for a false positive rate of {rate:g}; it"
            f" takes {math.ceil(1 / rate)}, or a higher --rate"
        )
    scores = sorted(harmless, reverse=True)
    allowed = math.floor(count * rate + 1e-9)
    spread = _Z * math.sqrt(count * rate * (1 - rate))
    threshold = _above(scores[min(allowed, count - 1)])
    hits = sum(score >= threshold for score in harmless)
    rate_low, rate_high = wilson(hits, count)
    fewer, more = math.floor(allowed - spread), math.ceil(allowed + spread)
    return ChosenThreshold(
        head=head,
        threshold=threshold,
        low=_above(scores[min(more, count - 1)]),
        high=_above(scores[fewer]) if fewer >= 0 else None,
        false_positive_rate=hits / count,
        rate_low=rate_low,
        rate_high=rate_high,
        harmless=count,
        harmful=len(harmful),
        recall=sum(score >= threshold for score in harmful) / len(harmful) if harmful else None,
    )


def _above(score: float) -> float:
    """The lowest threshold of three places that `score` does not reach; at most 1."""
    return min(1.0, (math.floor(score * _STEP + 1e-9) + 1) / _STEP)
