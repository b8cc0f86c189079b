"""Is the small model close enough to the original? If not, it is not shipped."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from export.manifest import HeadReading
from export.quantise import Floats

Booleans = npt.NDArray[np.bool_]


class TooFarFromOriginalError(Exception):
    """The quantised model differs from its original by more than the tolerance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """The most that a quantised model may differ from its original."""

    mean: float = 0.015
    largest: float = 0.5
    flips: float = 0.01
    lowest_cosine: float = 0.95
    mean_cosine: float = 0.99


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """How two versions of a classifier differ over some texts."""

    mean: float
    largest: float
    flips: float


def values(logits: Floats, readings: Sequence[HeadReading]) -> Floats:
    """Logits as the engine reads them."""
    return np.stack([r.line()(logits[:, n]) for n, r in enumerate(readings)], axis=1)


def decisions(scores: Floats, readings: Sequence[HeadReading]) -> Booleans:
    limits = np.array([np.inf if r.threshold is None else r.threshold for r in readings])
    over: Booleans = scores >= limits
    return over


def difference(original: Floats, small: Floats, readings: Sequence[HeadReading]) -> Difference:
    """Differences of calibrated values; flips are decisions that changed, per text and head."""
    left, right = values(original, readings), values(small, readings)
    gap = np.abs(left - right)
    flips = decisions(left, readings) != decisions(right, readings)
    return Difference(mean=float(gap.mean()), largest=float(gap.max()), flips=float(flips.mean()))


def require_close(found: Difference, tolerance: Tolerance) -> None:
    pairs = {
        "mean difference": (found.mean, tolerance.mean),
        "largest difference": (found.largest, tolerance.largest),
        "share of changed decisions": (found.flips, tolerance.flips),
    }
    wrong = [f"{what} {is_:.4f} > {most}" for what, (is_, most) in pairs.items() if is_ > most]
    if wrong:
        raise TooFarFromOriginalError("; ".join(wrong))


def cosines(left: Floats, right: Floats) -> Floats:
    lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    result: Floats = (left * right).sum(axis=1) / lengths
    return result


def require_parallel(found: Floats, tolerance: Tolerance) -> None:
    pairs = {
        "lowest cosine": (float(found.min()), tolerance.lowest_cosine),
        "mean cosine": (float(found.mean()), tolerance.mean_cosine),
    }
    wrong = [f"{what} {is_:.4f} < {least}" for what, (is_, least) in pairs.items() if is_ < least]
    if wrong:
        raise TooFarFromOriginalError("; ".join(wrong))
