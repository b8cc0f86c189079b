"""Texts that somebody waits for go before those that nobody does, and urgent ones before patient
ones."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final

from guard.scoring.batching import BatchScheduler, EngineTask, ScoreTask
from guard.scoring.request import Request
from guard.scoring.vocabulary import TokenWindow

BACKGROUND_SHARE: Final = 1 / 8
"""Of all tokens, of texts that nobody waits for while others wait as well."""
PATIENT_SHARE: Final = 1 / 4
"""Of the other tokens, of patient texts while urgent ones wait."""
PATIENT_SECONDS: Final = 2.5
"""Time for its scores from which on a text is patient: a long one, since time grows with length."""


class Priority(Enum):
    """How long a text can wait."""

    URGENT = "urgent"
    PATIENT = "patient"
    BACKGROUND = "background"


def priority_of(request: Request) -> Priority:
    """By the time between its coming and its deadline. Without one (mode `observe`, released
    replies, work offline) nobody waits for it."""
    if request.due_at is None:
        return Priority.BACKGROUND
    patient = request.due_at - request.submitted_at > PATIENT_SECONDS
    return Priority.PATIENT if patient else Priority.URGENT


class PriorityScheduler:
    """An order of service for each priority. Those that have work take turns by their shares, so
    that all of them end. Not thread-safe.

    batch_tokens, ahead_tokens, pads: as of `BatchScheduler`.
    """

    def __init__(self, *, batch_tokens: int, ahead_tokens: int, pads: bool = True) -> None:
        self._schedulers = {
            one: BatchScheduler(batch_tokens=batch_tokens, ahead_tokens=ahead_tokens, pads=pads)
            for one in Priority
        }
        self._open = dict.fromkeys(Priority, 0)
        self._served = dict.fromkeys(Priority, 0.0)  # tokens by share: virtual time
        self._waiting = list[Priority]()
        self._now = 0.0

    @property
    def has_work(self) -> bool:
        """Whether anything waits."""
        return any(one.has_work for one in self._schedulers.values())

    def join(self, request: Request) -> None:
        """A new request."""
        self._open[priority_of(request)] += 1
        self._of(request).join(request)

    def rejoin(self, request: Request) -> None:
        """More windows are to be made of this request."""
        self._of(request).rejoin(request)

    def leave(self, request: Request) -> None:
        """A request has ended."""
        self._open[priority_of(request)] -= 1
        self._of(request).leave(request)

    def put(self, request: Request, windows: Sequence[TokenWindow]) -> None:
        """Windows of `request` are ready for the model."""
        self._of(request).put(request, windows)

    def next(self) -> EngineTask | None:
        """What a free worker should do; None when nothing waits."""
        for priority in self._order():
            task = self._schedulers[priority].next(self._open[priority])
            if task is not None:
                self._count(priority, task)
                return task
        return None

    def _order(self) -> list[Priority]:
        """Those with work, first the one that had the least of its share since it has some."""
        waiting = [one for one, its in self._schedulers.items() if its.has_work]
        for one in waiting:
            if one not in self._waiting:
                self._served[one] = max(self._served[one], self._now)
        self._waiting = waiting
        return sorted(waiting, key=self._served.__getitem__)

    def _count(self, priority: Priority, task: EngineTask) -> None:
        self._now = self._served[priority]
        if isinstance(task, ScoreTask):
            tokens = sum(window.length for window in task.windows)
            self._served[priority] += tokens / self._share(priority)

    def _share(self, priority: Priority) -> float:
        """Of all tokens, while those wait that do."""
        if priority is Priority.BACKGROUND:
            return BACKGROUND_SHARE
        awaited = 1 - BACKGROUND_SHARE
        if not {Priority.URGENT, Priority.PATIENT} <= set(self._waiting):
            return awaited
        return awaited * (PATIENT_SHARE if priority is Priority.PATIENT else 1 - PATIENT_SHARE)

    def _of(self, request: Request) -> BatchScheduler:
        return self._schedulers[priority_of(request)]
