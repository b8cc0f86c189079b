"""The shipped lexicons, read once for all tests of a process: that takes half a second."""

from __future__ import annotations

from functools import cache

from guard.counterfactual import Lexicons, bundled


@cache
def lexicons() -> Lexicons:
    return bundled()
