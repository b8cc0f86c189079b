"""Texts that somebody waits for go before those that nobody does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from guard.scoring.batching import BatchScheduler, EngineTask, ScoreTask
from guard.scoring.request import Request
from guard.scoring.vocabulary import TokenWindow

BACKGROUND_SHARE: Final = 8
"""One token in so many is of texts that nobody waits for while others wait as well."""


class PriorityScheduler:
    """Two orders of service: of requests with a deadline, and behind them of those without one
    (mode `observe`, released replies, work offline), which still get a share, so that they end.
    Not thread-safe.

    batch_tokens, ahead_tokens, pads: as of `BatchScheduler`.
    """

    def __init__(self, *, batch_tokens: int, ahead_tokens: int, pads: bool = True) -> None:
        self._urgent, self._background = (
            BatchScheduler(batch_tokens=batch_tokens, ahead_tokens=ahead_tokens, pads=pads)
            for _ in range(2)
        )
        self._open = {self._urgent: 0, self._background: 0}
        self._owed = 0.0  # tokens to the background

    @property
    def has_work(self) -> bool:
        """Whether anything waits."""
        return self._urgent.has_work or self._background.has_work

    def join(self, request: Request) -> None:
        """A new request."""
        scheduler = self._of(request)
        self._open[scheduler] += 1
        scheduler.join(request)

    def rejoin(self, request: Request) -> None:
        """More windows are to be made of this request."""
        self._of(request).rejoin(request)

    def leave(self, request: Request) -> None:
        """A request has ended."""
        scheduler = self._of(request)
        self._open[scheduler] -= 1
        scheduler.leave(request)

    def put(self, request: Request, windows: Sequence[TokenWindow]) -> None:
        """Windows of `request` are ready for the model."""
        self._of(request).put(request, windows)

    def next(self) -> EngineTask | None:
        """What a free worker should do; None when nothing waits."""
        first, second = self._urgent, self._background
        if not (first.has_work and second.has_work):
            self._owed = 0.0
        elif self._owed > 0:
            first, second = second, first
        for scheduler in (first, second):
            if (task := scheduler.next(self._open[scheduler])) is not None:
                self._count(scheduler, task)
                return task
        return None

    def _count(self, scheduler: BatchScheduler, task: EngineTask) -> None:
        if isinstance(task, ScoreTask):
            tokens = sum(window.length for window in task.windows)
            background = scheduler is self._background
            self._owed += -tokens if background else tokens / (BACKGROUND_SHARE - 1)

    def _of(self, request: Request) -> BatchScheduler:
        return self._background if request.due_at is None else self._urgent
