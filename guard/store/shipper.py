"""Brings what was spooled to the store, batch by batch and once; waits while the store is away."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from random import Random
from threading import Condition, RLock, Thread, current_thread

from guard.errors import StoreError
from guard.forks import call_in_child
from guard.ports import Clock, Store
from guard.store.log_lines import OutageLine
from guard.store.sender import BatchSender, RecordsRefusedError
from guard.store.spool import Spool

_log = logging.getLogger(__name__)


Wait = Callable[[Condition, float | None], object]
"""Waits on a condition that is held, for at most so many seconds: `Condition.wait`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippingPace:
    """How records travel.

    gather_seconds: how long the first one waits for company. batch_bytes: read from the spool for
    one batch, about. first_pause_seconds, longest_pause_seconds: between attempts while the store
    is away; each pause is twice the last, less up to a half by chance. tidy_seconds: how long
    texts that are shipped may stay on the disk, once all is shipped. adopt_seconds: how often it
    looks for what processes have left that died meanwhile.
    """

    gather_seconds: float = 0.1
    batch_bytes: int = 256 * 1024
    first_pause_seconds: float = 0.1
    longest_pause_seconds: float = 5.0
    tidy_seconds: float = 60.0
    adopt_seconds: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ShipperCounts:
    """What became of records, since this process began.

    spooled: accepted by the spool. shipped: the store has them, adopted ones included. dropped:
    refused by the spool, not readable, or refused or left out by the store for good. cut_bytes:
    torn by a crash, so never accepted, or damaged on the disk. lag_bytes: on the disk and not
    shipped yet. lag_seconds: age of the oldest of them, at most. store_errors: failed attempts.
    restarts: of the thread, after it died.
    """

    spooled: int
    shipped: int
    dropped: int
    cut_bytes: int
    lag_bytes: int
    lag_seconds: float
    store_errors: int
    restarts: int


class Shipper:
    """Ships a spool in a daemon thread of its own, which sleeps while there is nothing to ship.

    clock: monotonic seconds. random: the chance in the pauses. A forked child ships its own spool,
    with a thread that starts at its first record.
    """

    def __init__(
        self,
        spool: Spool,
        store: Store,
        *,
        clock: Clock,
        random: Random,
        wait: Wait = Condition.wait,
        pace: ShippingPace | None = None,
    ) -> None:
        self._spool = spool
        self._store = store
        self._clock = clock
        self._random = random
        self._wait = wait
        self._pace = pace or ShippingPace()
        self._reset()
        spool.on_put(self._wake)
        call_in_child(self._reset)

    def _reset(self) -> None:
        self._sender = BatchSender(
            self._spool, self._store, batch_bytes=self._pace.batch_bytes, clock=self._clock
        )
        self._outage = OutageLine(
            _log,
            self._clock,
            away="what is spooled waits on the disk: %s",
            back="the store takes records again, after %d failed attempts",
        )
        self._lock = RLock()  # taken in one step: no signal comes between
        self._bell = Condition(self._lock)
        self._thread: Thread | None = None
        self._asleep = True
        self._until: float | None = None
        self._behind_since: float | None = None
        self._tidy_at = self._clock() + self._pace.tidy_seconds
        self._adopt_at = self._clock() + self._pace.adopt_seconds
        self._looked_at = 0.0
        self._ahead_bytes = 0
        self._failures = self._store_errors = self._restarts = 0

    def start(self) -> None:
        """Ship what is there: records that were adopted. Otherwise the first record starts it."""
        self._wake()

    def counts(self) -> ShipperCounts:
        """A snapshot."""
        lag_bytes, since = self._lag_bytes(), self._behind_since
        return ShipperCounts(
            spooled=self._spool.spooled,
            shipped=self._sender.shipped,
            dropped=self._spool.dropped + self._sender.dropped + self._store.left_out,
            cut_bytes=self._sender.cut_bytes,
            lag_bytes=lag_bytes,
            lag_seconds=max(self._clock() - since, 0.0) if lag_bytes and since is not None else 0.0,
            store_errors=self._store_errors,
            restarts=self._restarts,
        )

    def close(self, *, drain_seconds: float) -> None:
        """Ship what is left, for so long at most, and close the spool.

        What could not be shipped stays on the disk for the next process that opens the folder.
        While the store has a batch in its hands nobody may adopt the spool, or that would count
        twice: then the thread closes it, once it is known what became of the batch.
        """
        with self._lock:
            self._until = self._clock() + drain_seconds
            thread = self._thread
            self._bell.notify_all()
        if thread is not None:
            thread.join(drain_seconds)
        if thread is not None and thread.is_alive():
            self._spool.seal()
        else:
            self._spool.close(self._sender.shipped_to)

    def _wake(self) -> None:
        if self._asleep:
            with self._lock:
                self._start_thread()
                self._bell.notify()

    def _start_thread(self) -> None:
        if self._thread is not None or self._until is not None:
            return
        thread = Thread(target=self._run, name="guard-shipper", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            _log.exception("the thread that ships the spool could not be started")
        else:
            self._thread = thread

    def _run(self) -> None:
        if not self._is_mine():
            return
        try:
            self._work()
        except BaseException:
            _log.exception("the thread that ships the spool died and is replaced")
            with self._lock:
                self._restarts += 1
                self._failures += 1
                self._asleep = True
                self._thread = None
                self._start_thread()

    def _is_mine(self) -> bool:
        """Whether this thread ships. Whoever started it may have been cut off, by the handler of a
        signal, before it knew that it has, and another thread was started since."""
        with self._lock:
            self._thread = self._thread or current_thread()
            return self._thread is current_thread()

    def _work(self) -> None:
        pause: float | None = self._back_off() if self._failures else 0.0
        drained = False
        while not drained and not self._is_too_late():
            self._rest(pause)
            closing = self._until is not None  # before the look: a record may come between the two
            pause = self._attempt()
            drained = closing and pause is None
        self._spool.close(self._sender.shipped_to)

    def _is_too_late(self) -> bool:
        return self._until is not None and self._clock() >= self._until

    def _rest(self, pause: float | None) -> None:
        with self._lock:
            if pause is None:
                self._sleep()
                pause = self._pace.gather_seconds
            self._asleep = False
            if self._until is not None:
                pause = min(pause, self._until - self._clock()) if self._failures else 0.0
            if pause > 0.0:
                self._wait(self._bell, pause)

    def _sleep(self) -> None:
        """Until there is something: a record that came a moment ago does not ring twice."""
        self._asleep = True
        self._behind_since = None
        while self._until is None and not self._lag_bytes() and not self._is_anything_due():
            due_at = min(self._adopt_at, self._sender.due_at)
            if self._spool.holds_texts():
                due_at = min(due_at, self._tidy_at)
            self._wait(self._bell, due_at - self._clock() if due_at < inf else None)

    def _is_anything_due(self) -> bool:
        due_at = min(self._adopt_at, self._sender.due_at)
        return self._clock() >= due_at or self._is_tidy_due()

    def _is_tidy_due(self) -> bool:
        return self._clock() >= self._tidy_at and self._spool.holds_texts()

    def _adopt(self) -> None:
        if self._clock() >= self._adopt_at:
            self._adopt_at = self._clock() + self._pace.adopt_seconds
            self._spool.adopt()

    def _tidy(self) -> None:
        if self._is_tidy_due():
            self._tidy_at = self._clock() + self._pace.tidy_seconds
            self._spool.tidy(self._sender.shipped_to)

    def _attempt(self) -> float | None:
        """Ship a batch; how long to rest before the next, None until there is something."""
        self._adopt()
        if self._behind_since is None:
            self._note_backlog(self._clock())
        try:
            sent = self._sender.send_next()
            if not sent:
                self._tidy()
        except (StoreError, OSError) as error:
            return self._record_failure(error)
        self._outage.succeeded()
        self._failures = 0
        if not sent:
            return None
        self._ahead_bytes -= sent
        if self._ahead_bytes <= 0:
            self._note_backlog(self._looked_at)
        return 0.0 if 2 * sent > self._pace.batch_bytes else self._pace.gather_seconds

    def _note_backlog(self, behind_since: float) -> None:
        """All that waited at the last look is shipped: the rest came later."""
        self._behind_since = behind_since
        self._looked_at = self._clock()
        self._ahead_bytes = self._lag_bytes()

    def _record_failure(self, error: Exception) -> float:
        if not isinstance(error, RecordsRefusedError):
            self._outage.failed(error)
        self._failures += 1
        self._store_errors += 1
        return self._back_off()

    def _back_off(self) -> float:
        doubled = self._pace.first_pause_seconds * 2.0 ** min(self._failures - 1, 60)
        pause = min(doubled, self._pace.longest_pause_seconds)
        return pause * (1.0 - self._random.random() / 2.0)

    def _lag_bytes(self) -> int:
        return self._spool.waiting_bytes(self._sender.shipped_to)
