"""What plain functions are called with: lists, arrays, generators, and mistakes told by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

Item = TypeVar("Item")


def listed(values: Iterable[Item], name: str) -> list[Item]:
    """The values as a list. One text is no list of texts, though it can be run through."""
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise ValueError(f"{name}: a list is wanted, not {values!r}")
    return list(values)
