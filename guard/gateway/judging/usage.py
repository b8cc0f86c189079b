"""Accounts of tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from guard.gateway.judging.known import is_name

Usage = Mapping[str, Any]


def numbers_of(usage: Any) -> dict[str, Any] | None:
    """The numbers in an account, and nothing else; None where it is none."""
    if not isinstance(usage, Mapping):
        return None
    return {key: _numbers(value) for key, value in usage.items() if is_name(key)}


def _numbers(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: one for key, one in value.items() if is_name(key) and _is_number(one)}
    return value if _is_number(value) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def added(first: Any, second: Any) -> Any:
    """The sum of two accounts, and of those inside them; what one lacks is as in the other."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return {key: added(first.get(key), second.get(key)) for key in {**first, **second}}
    if _counts(first) and _counts(second):
        return first + second
    return first if second is None else second


def _counts(value: Any) -> bool:
    return type(value) in {int, float}
