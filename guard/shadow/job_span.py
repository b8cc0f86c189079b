"""The span of a shadow job, as the worker sees it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from guard.records import Ask, Generated, Job, PairResult

Told = Callable[[Generated], object]
"""Hears a reply."""


class JobSpan(Protocol):
    """A job in a trace. For the task that works on it."""

    def ask(self, ask: Ask) -> AbstractContextManager[Told]:
        """A context around one question; it gives what is to be told the reply."""

    def compared(self, pairs: Sequence[PairResult]) -> None:
        """The job is finished, and these pairs were compared in it."""


class JobTracer(Protocol):
    """Begins the spans of jobs."""

    def job(self, job: Job, came_from: str) -> AbstractContextManager[JobSpan]:
        """A context around a job, in which its span is current. came_from: where the call it came
        from stands in its trace, as a `traceparent`; may be empty or anything else."""


class UntracedJob:
    """A job, and a tracer of jobs, that keeps nothing."""

    def job(self, job: Job, came_from: str) -> AbstractContextManager[JobSpan]:
        """The same for every job."""
        del job, came_from
        return nullcontext(self)

    def ask(self, ask: Ask) -> AbstractContextManager[Told]:
        """The same for every question."""
        del ask
        return nullcontext(lambda _: None)

    def compared(self, pairs: Sequence[PairResult]) -> None:
        """Nothing is kept."""
