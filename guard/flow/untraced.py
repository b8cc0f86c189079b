"""Spans of calls that nobody traces."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Final

from guard.ports import CallSpan
from guard.records import Call, Outcome

_NOTHING: Final = nullcontext()


class Untraced:
    """The span of every call and its tracer: headers pass as they are, and nothing is kept."""

    trace_parent = ""

    def begin(self, call: Call, headers: Mapping[str, str] | None = None) -> CallSpan:
        """The same for every call."""
        del call, headers
        return self

    def headers(self, given: Mapping[str, str]) -> Mapping[str, str]:
        return given

    def current(self) -> AbstractContextManager[object]:
        return _NOTHING

    def end(self, outcome: Outcome | None, *, error: str = "") -> None:
        """Nothing is kept."""
