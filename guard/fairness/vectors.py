"""Cosines of embeddings, of two and of each with each, in double precision.

Vectors of any finite size have one: each is brought to a largest number of 1 first, so that no
square overflows or vanishes. Two equal vectors have the cosine 1 exactly. The sums do not depend on
what stands beside a vector, nor on the threads of a library.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vectors: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaledVector:
    """A vector brought to a largest number of 1 or -1. squares: their sum."""

    numbers: Vectors
    squares: float


def scaled_vector(vector: ArrayLike) -> ScaledVector | None:
    """Of a vector (dimensions,); None where it has no finite length above 0."""
    scaled, is_sound = _scaled(np.asarray(vector, dtype=float).reshape(1, -1))
    if not is_sound[0]:
        return None
    return ScaledVector(numbers=scaled[0], squares=float(_products(scaled, scaled)[0, 0]))


def cosine_between(one: ScaledVector | None, other: ScaledVector | None) -> float | None:
    """In [-1, 1]; None where one is. Raises ValueError where they differ in dimensions."""
    if one is None or other is None:
        return None
    if one.numbers.shape != other.numbers.shape:
        raise ValueError(f"dimensions: {len(one.numbers)} of one and {len(other.numbers)}")
    product = float(_products(one.numbers[None], other.numbers[None])[0, 0])
    return max(-1.0, min(1.0, product / sqrt(one.squares * other.squares)))


def cosine_matrix(vectors: Sequence[ArrayLike]) -> Vectors:
    """n x n, each in [-1, 1]; NaN where a vector has no finite length above 0.

    vectors: n x dimensions. Raises ValueError where they differ in dimensions.
    """
    if not len(vectors):
        return np.zeros((0, 0))
    scaled, is_sound = _scaled(np.asarray(vectors, dtype=float))
    products = _products(scaled, scaled)
    squares = np.where(is_sound, products.diagonal(), nan)
    return np.asarray(np.clip(products / np.sqrt(squares[:, None] * squares), -1.0, 1.0))


def _scaled(vectors: Vectors) -> tuple[Vectors, NDArray[np.bool_]]:
    """The vectors, and which of them have a direction; the others are left 0."""
    most = np.abs(vectors).max(axis=1, initial=0.0)
    is_sound = np.isfinite(most) & (most > 0.0)
    safe = np.where(is_sound[:, None], vectors, 0.0)
    return safe / np.where(is_sound, most, 1.0)[:, None], is_sound


def _products(some: Vectors, others: Vectors) -> Vectors:
    """Sums over the last axis, each in one order whatever the shape; no BLAS, which has threads."""
    return np.asarray(np.einsum("ik,jk->ij", some, others, optimize=False))
