"""Jobs from the inbox, one after the other and some at once, until told to stop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random

from guard.errors import GuardError, StoreError, UpstreamBusy, UpstreamError
from guard.ports import Clock, Inbox, Upstream
from guard.records import Ask, Case, Generated, Job, Lease, Posting
from guard.shadow.budget import Budget, Grant, Later, Limits
from guard.shadow.job import UnreadableJobError

_log = logging.getLogger("guard.shadow")

PATIENT = 20
"""So many times the usual attempts has a job whose model is away, and one whose workers die."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """What a job leaves behind: sums and cases."""

    postings: tuple[Posting, ...] = ()
    cases: tuple[Case, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """One job made ready.

    asks: every question of it, in order; none when there is nothing to compare. tokens: about what
    they will take. conclude: from the replies, in the same order; slow, and run in a thread.
    skipped: what is left behind when it is not done, and why.
    """

    asks: tuple[Ask, ...]
    tokens: int
    conclude: Callable[[Sequence[Generated]], Conclusion]
    skipped: Callable[[str], Conclusion]


class Gate:
    """What may be spent on one use case. Used from one event loop. clock: any seconds."""

    def __init__(self, limits: Limits, clock: Clock) -> None:
        self._budget = Budget(limits, now=clock())
        self._clock = clock
        self.free = asyncio.Semaphore(limits.concurrency)

    def reserve(self, study: Study) -> Grant | Later:
        """Take what its questions will cost, or say what is lacking."""
        return self._budget.reserve(len(study.asks), study.tokens, now=self._clock())

    def settle(self, grant: Grant, replies: Sequence[Generated]) -> None:
        """It has cost this. What the model did not tell costs as much as was reserved."""
        told = sum(reply.tokens for reply in replies)
        tokens = told if told or not replies else grant.tokens
        self._budget.settle(grant, calls=len(replies), tokens=tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How a worker takes its time, in seconds.

    longest_pause_seconds: a model that asks for longer is asked again then.
    """

    concurrency: int = 16
    lease_seconds: float = 15.0
    idle_seconds: float = 1.0
    backoff_seconds: float = 2.0
    longest_backoff_seconds: float = 300.0
    longest_pause_seconds: float = 3600.0
    drain_seconds: float = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What a worker works with.

    study: reads a job; what it raises buries the job. upstreams: by lane. gate, attempts: of a
    use case. concluded: told the use case of every job that was finished here.
    """

    inbox: Inbox
    study: Callable[[Job], Study]
    upstreams: Callable[[], Mapping[str, Upstream]]
    gate: Callable[[str], Gate]
    attempts: Callable[[str], int]
    concluded: Callable[[str], None] = field(default=lambda _: None)


class Worker:
    """Does jobs. Used from one event loop; `nudge` may be called from it at any time."""

    def __init__(self, desk: Desk, *, name: str, clock: Clock, random: Random, pace: Pace) -> None:
        self._desk = desk
        self._name = name
        self._clock = clock
        self._random = random
        self._pace = pace
        self._changed = asyncio.Event()
        self._under_way: set[asyncio.Task[None]] = set()
        self._paused_until: dict[str, float] = {}

    def nudge(self) -> None:
        """There may be something to do."""
        self._changed.set()

    async def run(self, stop: asyncio.Event) -> None:
        """Work until `stop`; what is under way then has `drain_seconds` to end."""
        stopping = asyncio.create_task(stop.wait())
        stopping.add_done_callback(lambda _: self.nudge())
        failures = 0
        try:
            while not stop.is_set():
                self._changed.clear()
                try:
                    begun = await self._begin()
                    failures = 0
                except Exception as error:
                    begun, failures = 0, failures + 1
                    _complain(error, logging.WARNING if failures == 1 else logging.DEBUG)
                if not begun:
                    await self._idle(self._delay(failures) if failures else self._rest())
        finally:
            stopping.cancel()
            await self._drain()

    async def _begin(self) -> int:
        """Take as many jobs as there is room for; how many."""
        room = self._pace.concurrency - len(self._under_way)
        lanes = self._open_lanes()
        if not room or not lanes:
            return 0
        leases = await asyncio.to_thread(
            self._desk.inbox.lease,
            lanes,
            worker=self._name,
            limit=room,
            seconds=self._pace.lease_seconds,
        )
        for lease in leases:
            task = asyncio.create_task(self._do(lease))
            self._under_way.add(task)
            task.add_done_callback(self._ended)
        return len(leases)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        if not task.cancelled() and (error := task.exception()):
            _log.error("a shadow job was left to its next attempt", exc_info=error)
        self.nudge()

    def _open_lanes(self) -> list[str]:
        now = self._clock()
        return [lane for lane in self._desk.upstreams() if self._paused_until.get(lane, 0) <= now]

    def _rest(self) -> float:
        """Until the first lane opens again, at most as long as one may be idle."""
        now = self._clock()
        closed = [until - now for until in self._paused_until.values() if until > now]
        return min([self._pace.idle_seconds, *closed])

    async def _idle(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._changed.wait()

    async def _drain(self) -> None:
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=self._pace.drain_seconds)
        left = list(self._under_way)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    async def _do(self, lease: Lease) -> None:
        """One job, its lease renewed as long as it takes."""
        work = asyncio.create_task(self._study(lease))
        beat = asyncio.create_task(self._keep(lease, work))
        try:
            await work
        except asyncio.CancelledError:
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)
            await self._give_back(lease, 0.0, "stopped")
        finally:
            beat.cancel()
            await asyncio.gather(beat, return_exceptions=True)

    async def _keep(self, lease: Lease, work: asyncio.Task[None]) -> None:
        """Renew the lease; once it is somebody else's the work is for nothing."""
        while True:
            await asyncio.sleep(self._pace.lease_seconds / 3)
            with suppress(StoreError):
                seconds = self._pace.lease_seconds
                if not await asyncio.to_thread(self._desk.inbox.renew, lease, seconds=seconds):
                    work.cancel()
                    return

    async def _study(self, lease: Lease) -> None:
        try:
            self._check(lease)
            study = await asyncio.to_thread(self._desk.study, lease.job)
            await self._finish(lease, await self._concluded(lease.job, study))
        except UnreadableJobError as error:
            await self._bury(lease, error)
        except StoreError as error:
            _log.warning("job %s waits for its next attempt: %s", lease.job.key, error)
        except Exception as error:
            await self._failed(lease, error)

    def _check(self, lease: Lease) -> None:
        """A job that was handed out over and over has ended whoever had it."""
        if lease.attempt > PATIENT * self._desk.attempts(lease.job.use_case):
            raise UnreadableJobError(f"{lease.job.key}: nobody who had it came to an end with it")

    async def _concluded(self, job: Job, study: Study) -> Conclusion:
        gate = self._desk.gate(job.use_case)
        if not study.asks:
            return await asyncio.to_thread(study.conclude, ())
        async with gate.free:
            grant = gate.reserve(study)
            if isinstance(grant, Later):
                return await asyncio.to_thread(study.skipped, grant.reason)
            replies: list[Generated] = []
            try:
                await self._ask(job.lane, study.asks, replies)
            finally:
                gate.settle(grant, replies)
            return await asyncio.to_thread(study.conclude, replies)

    async def _ask(self, lane: str, asks: Sequence[Ask], replies: list[Generated]) -> None:
        """Fill `replies`, one after the other, so that a job is one caller for the model."""
        upstream = self._desk.upstreams()[lane]
        for ask in asks:
            replies.append(await upstream.generate(ask))

    async def _finish(self, lease: Lease, conclusion: Conclusion) -> None:
        done = await asyncio.to_thread(
            self._desk.inbox.finish,
            lease,
            postings=conclusion.postings,
            cases=conclusion.cases,
        )
        if done:
            await asyncio.to_thread(self._desk.concluded, lease.job.use_case)

    async def _failed(self, lease: Lease, error: Exception) -> None:
        """Another attempt later, or none when there were enough.

        A model that is busy, or refuses everybody (a wrong key), says nothing of this job: it is
        given far more of them.
        """
        attempts = self._desk.attempts(lease.job.use_case)
        if lease.attempt >= attempts * (PATIENT if isinstance(error, UpstreamError) else 1):
            await self._bury(lease, error)
            return
        delay = self._delay(lease.attempt)
        if isinstance(error, UpstreamBusy):
            wanted = min(error.retry_after_seconds or 0.0, self._pace.longest_pause_seconds)
            delay = max(delay, wanted)
            self._pause(lease.job.lane, wanted)
        elif isinstance(error, UpstreamError):
            self._pause(lease.job.lane, delay)
        elif not isinstance(error, GuardError):
            _log.error("job %s failed", lease.job.key, exc_info=error)
        await self._give_back(lease, delay, _named(error))

    def _pause(self, lane: str, seconds: float) -> None:
        """Of jobs under way at once, each may be told another time: the latest holds."""
        until = self._clock() + seconds
        self._paused_until[lane] = max(until, self._paused_until.get(lane, until))

    async def _give_back(self, lease: Lease, after_seconds: float, error: str) -> None:
        with suppress(StoreError):  # then its lease runs out, which comes to the same
            await asyncio.to_thread(
                self._desk.inbox.retry, lease, after_seconds=after_seconds, error=error
            )

    async def _bury(self, lease: Lease, error: Exception) -> None:
        _log.warning("job %s is put aside: %s", lease.job.key, _named(error))
        with suppress(StoreError):
            await asyncio.to_thread(self._desk.inbox.dead_letter, lease, error=_named(error))

    def _delay(self, attempt: int) -> float:
        """Exponential, with jitter over its upper half."""
        pace = self._pace
        longest = min(pace.longest_backoff_seconds, pace.backoff_seconds * 2.0 ** (attempt - 1))
        return longest * (0.5 + 0.5 * self._random.random())


def _complain(error: Exception, level: int) -> None:
    """A store that is away is nothing new; of anything else we want to know where."""
    fault = None if isinstance(error, StoreError) else error
    _log.log(level, "no shadow jobs can be taken: %s", error, exc_info=fault)


def _named(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:500]
