"""Whether the store gives reason to doubt the clock of this machine, by which records are old."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from math import floor
from typing import Final

from guard.ports import Clock, Store, Windows
from guard.records import CaseFilter
from guard.review.retention import MAX_DEAD_LETTERS, ErasureResult, Retention, never

DAY_SECONDS: Final = 86_400.0
SKEW_SECONDS: Final = 300.0
"""Between the clocks of machines that keep time."""
AT_ONCE: Final = 64
"""Time buckets that are read together, newest first."""

_log = logging.getLogger("guard.review")


def has_sums(store: Windows, since: float, until: float) -> bool:
    """Whether calls were counted in this time, in Unix seconds. Raises StoreError."""
    width = store.bucket_seconds
    first, last = floor(since / width), floor(until / width)
    return any(
        store.total(use_case, range(max(at - AT_ONCE, first - 1) + 1, at + 1))
        for at in range(last, first - 1, -AT_ONCE)
        for use_case in store.use_cases()
    )


def has_recent_sums(store: Windows, now: float) -> bool:
    """Whether calls were counted within a day before `now`: then it is not far ahead."""
    return has_sums(store, now - DAY_SECONDS, now)


def all_would_go(store: Store, before: float, now: float) -> bool:
    """Whether there are records from before this moment, in Unix seconds, and no newer ones.

    By a clock that is far ahead everything is old. What is newer than now vouches for nothing: the
    clock of whoever wrote it was ahead. Looked at are cases, jobs that failed for good
    and the calls of the last day. Raises StoreError.
    """
    if store.count(CaseFilter(opened_after=before, opened_before=now + SKEW_SECONDS), most=1):
        return False
    failed = [one.failed_at for one in store.dead_letters(limit=MAX_DEAD_LETTERS)]
    if any(before <= at < now + SKEW_SECONDS for at in failed):
        return False
    if not failed and not store.count(CaseFilter(opened_before=before), most=1):
        return False
    return not has_sums(store, max(before, now - DAY_SECONDS), now)


class PatientPurge:
    """Purges by age, but waits for a day where nothing would be left.

    A clock that is wrong is likelier then than a store that nobody used for so long. A day of this
    process is what is meant, whatever the clock says. monotonic: seconds that only go forward.
    """

    def __init__(self, retention: Retention, *, by: str, monotonic: Clock = time.monotonic) -> None:
        self._retention = retention
        self._by = by
        self._monotonic = monotonic
        self._doubted_since: float | None = None

    def __call__(self, is_ending: Callable[[], bool] = never) -> ErasureResult:
        """See `Retention.purge`."""
        if self._has_to_wait():
            return ErasureResult(records=0, settled=True)
        return self._retention.purge(by=self._by, is_ending=is_ending)

    def _has_to_wait(self) -> bool:
        kept, now = self._retention.kept_seconds, self._retention.clock()
        if kept is None or not all_would_go(self._retention.store, now - kept, now):
            self._doubted_since = None
            return False
        if self._doubted_since is None:
            self._doubted_since = self._monotonic()
            _log.warning(
                "by the clock of this machine every record of the store is older than the %g days"
                " of review.retention_days: all are erased in a day, if that is so by then too; set"
                " the clock if it is wrong, or erase them now: guard review purge --all-old",
                kept / DAY_SECONDS,
            )
        return self._monotonic() - self._doubted_since < DAY_SECONDS
