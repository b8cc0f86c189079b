"""What the use cases need from outside, as small protocols."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Protocol

from guard.records import Assessment, Head, Outcome

Clock = Callable[[], float]
"""Monotonic seconds."""

NewId = Callable[[], str]
"""A fresh call id."""


class Scorer(Protocol):
    """Scores texts. Thread-safe."""

    @property
    def heads(self) -> Mapping[str, Head]:
        """What is scored, by flat key."""

    def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
        """Begin scoring `text`; returns at once.

        The future is always answered with an assessment, by the deadline at the latest,
        never with an exception. Cancelling it drops the work that has not begun.
        """


class Observer(Protocol):
    """Hears what happened. Must not block; what it raises is swallowed and counted."""

    def outcome(self, outcome: Outcome) -> None:
        """A guarded call ended."""

    def upstream_error(self, use_case: str) -> None:
        """The wrapped function raised; the exception went to the caller unchanged."""
