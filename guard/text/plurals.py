"""Numbers of things in words."""

from __future__ import annotations


def counted(count: int, one: str, many: str = "") -> str:
    """`1 test`, `2 tests`, `1,520 tests`. many: left out, an s is added."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
