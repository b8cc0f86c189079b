"""A place in a trace as a text: the `traceparent` of W3C Trace Context. Pure.

Source: W3C Recommendation "Trace Context", section 3.2.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_FORM: Final = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})")
_SAMPLED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceParent:
    """One span. trace_id: not 0. span_id: not 0. flags: the lowest bit says that it is sampled."""

    trace_id: int
    span_id: int
    flags: int = 0

    @classmethod
    def parse(cls, text: str) -> TraceParent | None:
        """None for what names no span."""
        found = _FORM.fullmatch(text)
        if found is None:
            return None
        trace_id, span_id, flags = (int(part, 16) for part in found.groups())
        return (
            cls(trace_id=trace_id, span_id=span_id, flags=flags) if trace_id and span_id else None
        )

    def __str__(self) -> str:
        return f"00-{self.trace_id:032x}-{self.span_id:016x}-{self.flags:02x}"


def exemplar_of(trace_parent: str) -> dict[str, str] | None:
    """The labels of an exemplar that leads to a trace; None for one that nobody keeps.

    trace_parent: of one of our spans. Called for every call, so it reads no more than it has to.
    """
    found = _FORM.fullmatch(trace_parent) if trace_parent else None
    if found is None or not int(found[3], 16) & _SAMPLED:
        return None
    return {"trace_id": found[1], "span_id": found[2]}
