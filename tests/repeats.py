"""How often a test repeats what it does at random: a few times, or often under `make soak`."""

from __future__ import annotations

import os

SOAK = os.environ.get("EVENGUARD_SOAK") == "1"
QUICK = os.environ.get("EVENGUARD_QUICK") == "1"
"""Under `make check`: properties are tried with few examples."""


def repeats(few: int, *, soak: int) -> int:
    """`few` in `make test`, enough to notice a regression; `soak` in the long form."""
    return soak if SOAK else few
