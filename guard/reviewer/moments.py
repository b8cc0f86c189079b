"""Times and durations for people."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

STEPS: Final = ((60.0, "s"), (3600.0, "min"), (86_400.0, "h"), (float("inf"), "d"))


def moment(seconds: float) -> str:
    """A Unix time, to the minute."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def ago(at: float, now: float) -> str:
    """How long ago that was, in one unit."""
    return lasting(float(int(max(now - at, 0.0))))


def lasting(seconds: float) -> str:
    """A duration in one unit, like `12 min`; with a tenth where that tells something."""
    if 0 < seconds < 10 and seconds % 1:
        return f"{seconds:.1f} s"
    unit = 1.0
    for most, name in STEPS:
        if seconds < most:
            return f"{int(seconds / unit)} {name}"
        unit = most
    return ""
