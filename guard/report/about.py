"""What a number is about, in the words of records."""

from __future__ import annotations

from guard.fairness.measures import Measured
from guard.records import About


def about_of(use_case: str, measured: Measured) -> About:
    """What is measured, of which use case."""
    return About(
        use_case=use_case,
        metric=measured.metric,
        attribute=measured.attribute,
        groups=measured.groups,
    )


def is_measured(name: str) -> bool:
    """Whether a name is that of something measured."""
    try:
        Measured.parse(name)
    except ValueError:
        return False
    return True
