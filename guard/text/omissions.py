"""What stands in the place of what nobody is shown: as many characters as there were."""

from __future__ import annotations

import re

from guard.text.escapes import NOTHING


def vanish(match: re.Match[str]) -> str:
    """Nothing of it."""
    return NOTHING * len(match[0])


def shown_alone(match: re.Match[str]) -> str:
    """The group `shown` of it."""
    return group_alone(match, "shown")


def group_alone(match: re.Match[str], group: str | int) -> str:
    """One group of it."""
    start, end = match.span(group)
    return NOTHING * (start - match.start()) + match[group] + NOTHING * (match.end() - end)
