"""Scores to decisions."""

from collections.abc import Sequence

from evaluate.suites.records import MIDDLE, SENTIMENT, Scorer, Scores, Thresholds


def scored(score: Scorer, texts: Sequence[str]) -> list[Scores]:
    """One record of scores per text; a scorer that drops or adds one is an error."""
    found = list(score(list(texts)))
    if len(found) != len(texts):
        raise ValueError(f"the scorer gave {len(found)} records for {len(texts)} texts")
    return found


def keys_of(head: str, thresholds: Thresholds) -> tuple[str, ...]:
    """The head and its parts that have a threshold: any of them over its own fires.

    `toxicity` alone decides when no threshold is given for its parts.
    """
    if head == SENTIMENT:
        return (SENTIMENT,)
    return tuple(k for k in thresholds if k == head or k.startswith(f"{head}."))


def fires(scores: Scores, head: str, thresholds: Thresholds) -> bool:
    """Whether the head, or one of its parts with a threshold, is at or over it."""
    keys = keys_of(head, thresholds)
    if not keys:
        raise ValueError(f"no threshold for {head!r}: give one in `thresholds`")
    return any(scores[key] >= thresholds.get(key, MIDDLE) for key in keys)
