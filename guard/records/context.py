"""One score of a passage from two readings: alone, and together with the sentences beside it."""

from __future__ import annotations

import math
from typing import Final

_ALONE_WEIGHT: Final = 0.4
"""What a passage alone has to say beside what it says in context."""
_HIGHER_OF_BOTH: Final = frozenset({"stereotype"})
"""Families of scores for which a passage alone counts as much as in context: classifiers so far
hardly hear a stereotype beside neutral sentences."""
_SMALLEST: Final = 1e-6


def in_context(key: str, alone: float, context: float) -> float:
    """What counts of the score `key`, all in [0, 1]. Toxicity is the weighted mean in log odds, a
    logarithmic opinion pool (Genest and Zidek 1986); a stereotype the higher of both."""
    family = key.partition(".")[0]
    return max(alone, context) if family in _HIGHER_OF_BOTH else _pooled(alone, context)


def _pooled(alone: float, context: float) -> float:
    if alone == context:
        return alone
    odds = _ALONE_WEIGHT * _log_odds(alone) + (1 - _ALONE_WEIGHT) * _log_odds(context)
    return 1 / (1 + math.exp(-odds))


def _log_odds(value: float) -> float:
    bounded = min(max(value, _SMALLEST), 1 - _SMALLEST)
    return math.log(bounded / (1 - bounded))
