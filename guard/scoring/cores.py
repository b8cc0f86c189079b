"""How many processor cores this process may use."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path

_SYSTEM = Path("/")


def usable_cores(system: Path = _SYSTEM) -> int:
    """Cores by the quota of the control group (v2 or v1) and by affinity, the least; >= 1.

    system: the root of the file system in which `sys` and `proc` are looked up.
    """
    limits = [float(len(os.sched_getaffinity(0))), *_quotas(system)]
    return max(1, math.ceil(min(limits)))


def _quotas(system: Path) -> Iterator[float]:
    for group in _groups(system):
        limit, _, period = _text(group / "cpu.max").partition(" ")
        yield from _ratio(limit, period)
        yield from _ratio(
            _text(group / "cpu.cfs_quota_us"),
            _text(group / "cpu.cfs_period_us"),
        )


def _groups(system: Path) -> Iterator[Path]:
    """Our own control group and those around it: the tightest quota holds."""
    for line in _text(system / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "" or "cpu" in controllers.split(","):
            root = system / "sys/fs/cgroup" / ("cpu" if controllers else "")
            inner = root / path.lstrip("/")
            yield from (group for group in (inner, *inner.parents) if group.is_relative_to(root))


def _ratio(limit: str, period: str) -> Iterator[float]:
    """Nothing where there is no limit: absent, "max" or -1."""
    if limit.isdigit() and period.isdigit():
        yield int(limit) / int(period)


def _text(path: Path) -> str:
    try:
        return path.read_text("ascii").strip()
    except OSError:
        return ""
