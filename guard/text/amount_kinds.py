"""What an amount is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class AmountKind(StrEnum):
    """What an amount is of. RATING: scores, ratings, and other numbers that have a name."""

    MONEY = "money"
    PERCENT = "percent"
    DURATION = "duration"
    COUNT = "count"
    RATING = "rating"


What: TypeAlias = tuple[AmountKind, float, str]
"""Kind, value and unit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """One amount in a text.

    value: at least 0, the middle of a range; percentages in percent, durations in days, ratings of
    a known scale as share of it. unit: the currency, the noun of what is counted, or the name of
    a number without a scale; else empty. clause, context: the content words near it in its clause
    and in its sentence; of a field those of its name, and of the texts beside it.
    """

    kind: AmountKind
    value: float
    unit: str = ""
    clause: frozenset[str] = frozenset()
    context: frozenset[str] = frozenset()
