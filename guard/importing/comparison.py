"""Is what runs what they had? An imported model beside its original, on the same texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from statistics import correlation
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from guard.errors import ModelError
from guard.importing.labels import LabelHead

Floats: TypeAlias = NDArray[np.floating[Any]]

_LEAST_FLIPS = 0.01
_LEAST_BATCH = 1e-5


class Precision(StrEnum):
    """How weights are kept. INT8 computes in 8 bits, with a scale for each token; FP16 halves the
    file and computes in 32 bits."""

    INT8 = "int8"
    FP16 = "fp16"
    FP32 = "fp32"


_LARGEST: Mapping[Precision, float] = {
    Precision.INT8: 0.2,
    Precision.FP16: 0.01,
    Precision.FP32: 1e-4,
}
_FURTHEST: Mapping[Precision, float] = {
    Precision.INT8: 0.05,
    Precision.FP16: 0.001,
    Precision.FP32: 1e-5,
}
_REMEDIES: Mapping[Precision, str] = {
    Precision.INT8: "try --precision fp16 or fp32, texts like yours with --calibration,",
    Precision.FP16: "try --precision fp32,",
    Precision.FP32: "see whether the tokenizer beside the weights is theirs,",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """The most that an imported model may differ from its original.

    largest: difference of a score, in [0, 1]; a tenth of it on average, and as share of decisions
    that change, of which one in a hundred always may. furthest: for embedders, 1 minus the lowest
    cosine; a fifth of it on average.
    """

    precision: Precision
    largest: float
    furthest: float

    @classmethod
    def of(cls, precision: Precision, given: float | None = None) -> Tolerance:
        """The usual one, or the one given."""
        return cls(
            precision=precision,
            largest=_LARGEST[precision] if given is None else given,
            furthest=_FURTHEST[precision] if given is None else given,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Bytes of the weights, and tokens in a second of processor time, in windows one at a time."""

    size_bytes: int
    tokens_per_second: float

    def as_json(self) -> dict[str, float]:
        """For a manifest."""
        return {"bytes": self.size_bytes, "tokens_per_second": round(self.tokens_per_second)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreDifference:
    """How the scores of one head differ over some texts.

    mean, largest: of the absolute differences. flips: share of texts on which the decision at the
    threshold differs, and reached: how many texts reach it by the original; None where there is no
    threshold. rank: Spearman's correlation; None where all scores are equal.
    """

    head: str
    mean: float
    largest: float
    flips: float
    rank: float | None
    reached: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelComparison:
    """texts: how many were compared. heads: for a classifier. lowest_cosine, mean_cosine: for an
    embedder. batch: by how much a score, or a cosine, of the imported model depends on what a text
    is batched with, at most."""

    texts: int
    heads: tuple[ScoreDifference, ...] = ()
    lowest_cosine: float | None = None
    mean_cosine: float | None = None
    batch: float = 0.0

    def as_json(self) -> dict[str, object]:
        """For a manifest."""
        facts = {key: value for key, value in asdict(self).items() if value is not None}
        return {key: value for key, value in facts.items() if value != ()}


def read_labels(logits: Floats, heads: Sequence[LabelHead], *, exclusive: bool) -> Floats:
    """Scores [texts, heads] from the logits [texts, labels] of an original.

    exclusive: by softmax, the labels of a head summed with their weights; else by sigmoid, the
    highest of them.
    """
    weights = np.array([head.weights for head in heads])
    if not exclusive:
        chances = 1 / (1 + np.exp(-logits.astype(np.float64)))
        columns = [chances[:, row > 0].max(axis=1) for row in weights]
        return np.stack(columns, axis=1)
    raised = np.exp(logits - logits.max(axis=1, keepdims=True), dtype=np.float64)
    chances = raised / raised.sum(axis=1, keepdims=True)
    scores: Floats = chances @ weights.T
    return scores


def compare_scores(theirs: Floats, ours: Floats, heads: Sequence[LabelHead]) -> ModelComparison:
    """Of scores [texts, heads]."""
    found = tuple(
        ScoreDifference(
            head=head.key,
            mean=float(np.abs(left - right).mean()),
            largest=float(np.abs(left - right).max()),
            flips=_flips(left, right, head.threshold),
            rank=rank_correlation(left, right),
            reached=None if head.threshold is None else int((left >= head.threshold).sum()),
        )
        for head, left, right in zip(heads, theirs.T, ours.T, strict=True)
    )
    return ModelComparison(texts=len(theirs), heads=found)


def compare_vectors(theirs: Floats, ours: Floats) -> ModelComparison:
    """Of embeddings [texts, dimension], by their cosines."""
    cosines = cosines_of(theirs, ours)
    return ModelComparison(
        texts=len(theirs), lowest_cosine=float(cosines.min()), mean_cosine=float(cosines.mean())
    )


def cosines_of(left: Floats, right: Floats) -> Floats:
    """[texts], of vectors [texts, dimension]."""
    lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    cosines: Floats = (left * right).sum(axis=1) / np.maximum(lengths, 1e-12)
    return cosines


def require_close(found: ModelComparison, tolerance: Tolerance) -> None:
    """Raises ModelError with the figures, and what to try, where the model is too far away."""
    _require_same_in_batches(found, tolerance)
    wrong = [*_wrong_scores(found, tolerance), *_wrong_vectors(found, tolerance)]
    if wrong:
        raise ModelError(
            f"in {tolerance.precision.value} the model differs from its original more than"
            f" --tolerance allows, over {found.texts} texts: {'; '.join(wrong)};"
            f" {_REMEDIES[tolerance.precision]} or a higher --tolerance"
        )


def _require_same_in_batches(found: ModelComparison, tolerance: Tolerance) -> None:
    usual = tolerance.largest / 10 if found.heads else tolerance.furthest / 5
    allowed = max(usual, _LEAST_BATCH)
    if not found.batch <= allowed:
        raise ModelError(
            f"what the model says of a text changes by {found.batch:.3g} with what it is batched"
            f" with, not {allowed:g} at most, as where activations in 8 bits share one scale;"
            " import its weights in 32 bits, or allow a higher --tolerance"
        )


def _wrong_scores(found: ModelComparison, tolerance: Tolerance) -> list[str]:
    largest, mean = tolerance.largest, tolerance.largest / 10
    wrong: list[str] = []
    for head in found.heads:
        if not head.largest <= largest:
            wrong.append(f"{head.head} by {head.largest:.3g} at most, not {largest:g}")
        if not head.mean <= mean:
            wrong.append(f"{head.head} by {head.mean:.3g} on average, not {mean:g}")
    flips = sum(head.flips for head in found.heads) / max(1, len(found.heads))
    if flips > max(mean, _LEAST_FLIPS):
        wrong.append(f"{flips:.1%} of the decisions differ, not {max(mean, _LEAST_FLIPS):.0%}")
    return wrong


def _wrong_vectors(found: ModelComparison, tolerance: Tolerance) -> list[str]:
    limits = (
        ("lowest", found.lowest_cosine, 1 - tolerance.furthest),
        ("mean", found.mean_cosine, 1 - tolerance.furthest / 5),
    )
    return [
        f"{name} cosine {value:.6f}, not {least:g}"
        for name, value, least in limits
        if value is not None and not value >= least
    ]


def _flips(left: Floats, right: Floats, threshold: float | None) -> float:
    if threshold is None:
        return 0.0
    return float(((left >= threshold) != (right >= threshold)).mean())


def rank_correlation(left: Floats, right: Floats) -> float | None:
    """Spearman's, with mean ranks for equal values; None where one side is all equal."""
    ranks = [_ranks(side).tolist() for side in (left, right)]
    if any(min(side) == max(side) for side in ranks):
        return None
    return correlation(*ranks)


def _ranks(values: Floats) -> Floats:
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks: Floats = (ends - (counts - 1) / 2)[places]
    return ranks
