"""Waiting for something to happen in another process, on a machine that may be slow."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import pytest

from tests.servers import PATIENCE_SECONDS

T = TypeVar("T")
LOOK_SECONDS = 0.05


def wait_until(
    look: Callable[[], T], wanted: Callable[[T], bool], *, patience: float = PATIENCE_SECONDS
) -> T:
    """Look again and again, until what is seen is as wanted; what was seen then.

    Fails, and says what is seen, when that has not changed for `patience` seconds: a slow machine
    has all the time that it needs, as long as something moves.
    """
    seen, since = look(), time.monotonic()
    while not wanted(seen):
        if time.monotonic() - since > patience:
            pytest.fail(f"nothing has changed for {patience:g} s: {seen}")
        time.sleep(LOOK_SECONDS)
        before, seen = seen, look()
        if seen != before:
            since = time.monotonic()
    return seen
