"""Metrics of binary decisions with bootstrap intervals."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from export.quantise import Floats

Labels = npt.NDArray[np.bool_]
Metric = Callable[[Floats, Labels], float]
RESAMPLES = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A value with its 95 % interval and the number of texts behind it."""

    value: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        if math.isnan(self.value):
            return "unknown"
        return f"{self.value:.3f} ({self.low:.3f}-{self.high:.3f})"


def ranks(values: Floats) -> Floats:
    """Ranks from 1; ties share their mean."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    result: Floats = (last - (counts - 1) / 2)[places]
    return result


def roc_auc(scores: Floats, labels: Labels) -> float:
    """How often a positive text scores higher than a negative one; ties count half."""
    positives = int(labels.sum())
    negatives = len(labels) - positives
    if not positives or not negatives:
        return float("nan")
    above = ranks(scores)[labels].sum() - positives * (positives + 1) / 2
    return float(above / (positives * negatives))


def accuracy(scores: Floats, labels: Labels) -> float:
    return float(((scores >= 0.5) == labels).mean())


def share(fired: Floats, _: Labels) -> float:
    return float(fired.mean())


def mean_of(labels: Labels) -> float:
    return float(labels.mean()) if len(labels) else float("nan")


def recall_at(threshold: float) -> Metric:
    return lambda scores, labels: mean_of(scores[labels] >= threshold)


def precision_at(threshold: float) -> Metric:
    return lambda scores, labels: mean_of(labels[scores >= threshold])


def calibration_error(scores: Floats, targets: Floats | Labels, bins: int = 10) -> float:
    """Mean distance between value and frequency, in bins of as many texts each (ECE)."""
    order = np.argsort(scores, kind="stable")
    parts = [part for part in np.array_split(order, bins) if len(part)]
    gaps = [abs(float(scores[p].mean()) - float(targets[p].mean())) * len(p) for p in parts]
    return sum(gaps) / len(scores) if len(scores) else float("nan")


def estimate(metric: Metric, scores: Floats, labels: Labels, seed: int = 1) -> Estimate:
    """The metric and the middle 95 % of it over resampled texts."""
    generator = np.random.default_rng(seed)
    picks = (generator.integers(0, len(labels), len(labels)) for _ in range(RESAMPLES))
    found = np.array([metric(scores[pick], labels[pick]) for pick in picks])
    known = found[~np.isnan(found)]
    low, high = np.quantile(known, [0.025, 0.975]) if len(known) else (np.nan, np.nan)
    return Estimate(value=metric(scores, labels), low=float(low), high=float(high), n=len(labels))
