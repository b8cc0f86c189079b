"""Weights and activations as 8-bit integers with fixed scales.

The scales of activations are fixed beforehand, not taken from each batch: a text then has the same
score whatever it is batched with. Channels that run far out would widen the one scale of a product
for all others; part of their size is therefore moved into the weights (Xiao et al. 2023,
SmoothQuant), whose columns have scales of their own.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """Lowest and highest value that each channel of an activation takes."""

    low: Floats
    high: Floats

    @property
    def peak(self) -> Floats:
        return np.maximum(np.abs(self.low), np.abs(self.high))

    def joined(self, other: "Range") -> "Range":
        return Range(low=np.minimum(self.low, other.low), high=np.maximum(self.high, other.high))

    def divided(self, by: Floats) -> "Range":
        return Range(low=self.low / by, high=self.high / by)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantised:
    """A symmetric int8 matrix and the scales along one of its axes."""

    values: npt.NDArray[np.int8]
    scales: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """How an activation maps to 0..255."""

    scale: Floats
    zero: npt.NDArray[np.uint8]


def quantised(matrix: Floats, axis: int) -> Quantised:
    """One scale for each index along `axis`."""
    peaks = np.abs(matrix).max(axis=1 - axis, keepdims=True)
    scales = np.where(peaks > 0, peaks / 127, 1).astype(np.float32)
    values = np.clip(np.rint(matrix / scales), -127, 127).astype(np.int8)
    return Quantised(values=values, scales=scales.reshape(-1))


def levels(span: Range) -> Levels:
    low, high = min(0.0, float(span.low.min())), max(0.0, float(span.high.max()))
    scale = max(high - low, 1e-6) / 255
    return Levels(
        scale=np.array(scale, dtype=np.float32), zero=np.array(round(-low / scale), dtype=np.uint8)
    )


def smoothing(span: Range, matrix: Floats, share: float) -> Floats:
    """By how much to divide each channel of the activation and multiply each row of the matrix."""
    activation = np.maximum(span.peak, 1e-5) ** share
    weight = np.maximum(np.abs(matrix).max(axis=1), 1e-5) ** (1 - share)
    factors = activation / weight
    even: Floats = factors / np.exp(np.log(factors).mean())
    return even.astype(np.float32)
