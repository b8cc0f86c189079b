"""From logits to probabilities (Platt), and thresholds at a low false positive rate."""

from dataclasses import dataclass

import numpy as np

from export.quantise import Floats

FALSE_POSITIVE_RATE = 0.003
LOWEST_THRESHOLD = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """value = sigmoid(scale * logit + bias)"""

    scale: float = 1.0
    bias: float = 0.0

    def __call__(self, logits: Floats) -> Floats:
        return sigmoid(self.scale * logits + self.bias)


def sigmoid(values: Floats) -> Floats:
    result: Floats = 1 / (1 + np.exp(-np.clip(values, -60, 60)))
    return result


def softened(targets: Floats) -> Floats:
    """Platt's targets: never quite 0 or 1, so that few examples do not promise certainty."""
    positives, negatives = targets.sum(), (1 - targets).sum()
    high, low = (positives + 1) / (positives + 2), 1 / (negatives + 2)
    soft: Floats = low + targets * (high - low)
    return soft


def platt(logits: Floats, targets: Floats, steps: int = 100) -> Line:
    """Logistic regression on one logit by Newton's method; identity where it cannot be fitted."""
    if len(logits) < 2 or targets.min() == targets.max():
        return Line()
    goal = softened(targets.astype(np.float64))
    design = np.stack([logits.astype(np.float64), np.ones(len(logits))], axis=1)
    line = np.array([1.0, 0.0])
    for _ in range(steps):
        value = sigmoid(design @ line)
        slope = design.T @ (goal - value) - 1e-3 * (line - [1.0, 0.0])
        curve = (design * (value * (1 - value))[:, None]).T @ design + 1e-3 * np.eye(2)
        change = np.linalg.solve(curve, slope)
        line = line + np.clip(change, -1, 1)
        if np.abs(change).max() < 1e-9:
            break
    if line[0] <= 0:
        return Line()
    return Line(scale=round(float(line[0]), 6), bias=round(float(line[1]), 6))


def threshold(benign: Floats, rate: float = FALSE_POSITIVE_RATE) -> float:
    """The lowest value, rounded up, that at most the allowed share of benign texts reaches."""
    if len(benign) == 0:
        return LOWEST_THRESHOLD
    level = float(np.quantile(benign, 1 - rate, method="higher"))
    above = np.ceil(level * 1000 + 1e-6) / 1000
    return float(min(0.999, max(LOWEST_THRESHOLD, above)))
