"""Jobs from the inbox, one after the other and some at once, until told to stop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import inf
from random import Random

from guard.errors import GuardError, StoreError, UpstreamBusy, UpstreamError
from guard.ports import Clock, Inbox, Upstream
from guard.records import (
    Ask,
    Ending,
    Generated,
    Job,
    Lease,
    find_serving_lane,
    use_case_of_lane,
)
from guard.shadow.budget import BudgetLimits, Grant, OverBudget, SpendingBudget
from guard.shadow.job_payload import UnreadableJobError
from guard.shadow.job_span import JobSpan, JobTracer, UntracedJob
from guard.shadow.jobs import JobResult, PreparedJob
from guard.shadow.worker_timing import WorkerTiming

_log = logging.getLogger("guard.shadow")

SILENT_SECONDS = 3600.0
"""How long nothing more is said of a budget that is used up, or a model that tells nonsense."""
LONGEST_MEANT_SECONDS = 7 * 86_400.0
"""How long a server may mean by `Retry-After`; the longest quotas are those of a week."""
TOLD_SECONDS = 60.0
"""A pause of a model from so long on is logged."""
LONGEST_REPLY_CHARACTERS = 100_000
"""Of replies that are compared: to score one of megabytes takes minutes, in which nothing ends."""
PATIENT = 20
"""So many times the usual attempts has a job whose model is away, and one whose workers die."""


class UseCaseBudget:
    """What may be spent on one use case. Used from one event loop. clock: any seconds."""

    def __init__(self, limits: BudgetLimits, clock: Clock) -> None:
        self._budget = SpendingBudget(limits, now=clock())
        self._clock = clock
        self.concurrency = limits.concurrency
        self.free = asyncio.Semaphore(limits.concurrency)

    def reserve(self, job: PreparedJob) -> Grant | OverBudget:
        """Take what its questions will cost, or say what is lacking."""
        now = self._clock()
        return self._budget.reserve(len(job.asks), job.tokens, now=now, overdraws=job.overdraws)

    def settle(self, grant: Grant, replies: Sequence[Generated]) -> None:
        """It has cost this."""
        tokens = grant.cost([reply.tokens for reply in replies])
        self._budget.settle(grant, calls=len(replies), tokens=tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerDeps:
    """What a worker works with.

    prepare: reads a job; one that it cannot read becomes a dead letter. upstreams: by the lane that
    is served, see `find_serving_lane`.
    budget, attempts: of a use case. finished: called after every job finished here; idle: whenever
    there is nothing to begin. Both in a thread. tracer: begins the span of each job.
    """

    inbox: Inbox
    prepare: Callable[[Job], PreparedJob]
    upstreams: Callable[[], Mapping[str, Upstream]]
    budget: Callable[[str], UseCaseBudget]
    attempts: Callable[[str], int]
    finished: Callable[[], object] = field(default=lambda: None)
    idle: Callable[[], object] = field(default=lambda: None)
    tracer: JobTracer = field(default_factory=UntracedJob)


class Worker:
    """Does jobs. Used from one event loop; `nudge` may be called from it at any time."""

    def __init__(
        self, deps: WorkerDeps, *, name: str, clock: Clock, random: Random, timing: WorkerTiming
    ) -> None:
        self._deps = deps
        self._name = name
        self._clock = clock
        self._random = random
        self._timing = timing
        self._changed = asyncio.Event()
        self._under_way: dict[asyncio.Task[None], str] = {}
        self._turn = 0
        self._paused_until: dict[str, float] = {}
        self._silent_until: dict[str, float] = {}

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
                    if not begun:
                        await asyncio.to_thread(self._deps.idle)
                    if failures:
                        _log.warning("shadow jobs can be taken again")
                    failures = 0
                except Exception as error:
                    begun, failures = 0, failures + 1
                    _log_failure(error, logging.WARNING if failures == 1 else logging.DEBUG)
                if not begun:
                    await self._idle(self._outage(failures) if failures else self._rest())
        finally:
            stopping.cancel()
            await self._drain()

    async def _begin(self) -> int:
        """Take as many jobs as there is room for; how many. A use case that has as many under way
        as it may have gets no others, which would wait here in the place of those of other ones."""
        begun = 0
        for lane in await self._open_lanes() if self._room() else ():
            if (limit := min(self._room(), self._room_of(lane))) > 0:
                begun += await self._take(lane, limit)
        return begun

    async def _take(self, lane: str, limit: int) -> int:
        leases = await asyncio.to_thread(
            self._deps.inbox.lease,
            [lane],
            worker=self._name,
            limit=limit,
            seconds=self._timing.lease_seconds,
        )
        for lease in leases:
            task = asyncio.create_task(self._do(lease))
            self._under_way[task] = lane
            task.add_done_callback(self._ended)
        return len(leases)

    def _room(self) -> int:
        return self._timing.concurrency - len(self._under_way)

    def _room_of(self, lane: str) -> int:
        use_case = use_case_of_lane(lane, find_serving_lane(lane, self._deps.upstreams()))
        if not use_case:
            return self._timing.concurrency
        under_way = sum(one == lane for one in self._under_way.values())
        return self._deps.budget(use_case).concurrency - under_way

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._under_way.pop(task, None)
        if not task.cancelled() and (error := task.exception()):
            _log.error("a shadow job was left to its next attempt", exc_info=error)
        self.nudge()

    async def _open_lanes(self) -> list[str]:
        """Those that are served here and may be asked, each time another one first."""
        served, now = self._deps.upstreams(), self._clock()
        if not served:
            return []
        known = await asyncio.to_thread(self._deps.inbox.lanes)
        found = [
            lane
            for lane in sorted(known)
            if find_serving_lane(lane, served) and self._paused_until.get(lane, 0) <= now
        ]
        self._turn += 1
        first = self._turn % len(found) if found else 0
        return found[first:] + found[:first]

    def _outage(self, failures: int) -> float:
        """Until a store that failed so many times is looked at again."""
        return min(self._timing.longest_outage_seconds, self._delay(failures))

    def _rest(self) -> float:
        """Until the first lane opens again, at most as long as one may be idle."""
        now = self._clock()
        closed = [until - now for until in self._paused_until.values() if until > now]
        return min([self._timing.idle_seconds, *closed])

    async def _idle(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._changed.wait()

    async def _drain(self) -> None:
        if self._under_way:
            await asyncio.wait(list(self._under_way), timeout=self._timing.drain_seconds)
        left = list(self._under_way)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    async def _do(self, lease: Lease) -> None:
        """One job, its lease renewed as long as it takes."""
        work = asyncio.create_task(self._work(lease))
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
            await asyncio.sleep(self._timing.lease_seconds / 3)
            with suppress(StoreError):
                seconds = self._timing.lease_seconds
                if not await asyncio.to_thread(self._deps.inbox.renew, lease, seconds=seconds):
                    work.cancel()
                    return

    async def _work(self, lease: Lease) -> None:
        try:
            self._check(lease)
            job = await asyncio.to_thread(self._deps.prepare, lease.job)
            with self._deps.tracer.job(lease.job, job.trace_parent) as span:
                await self._finish(lease, await self._result(lease.job, job, span), span)
        except UnreadableJobError as error:
            await self._dead_letter(lease, error)
        except StoreError as error:
            _log.warning("job %s waits for its next attempt: %s", lease.job.key, error)
        except Exception as error:
            await self._retry_or_bury(lease, error)

    def _check(self, lease: Lease) -> None:
        """A job that was handed out over and over has ended whoever had it."""
        if lease.attempt > PATIENT * self._deps.attempts(lease.job.use_case):
            raise UnreadableJobError(f"{lease.job.key}: no worker ever came to an end with it")

    async def _result(self, job: Job, prepared: PreparedJob, span: JobSpan) -> JobResult:
        budget = self._deps.budget(job.use_case)
        if not prepared.asks:
            return await asyncio.to_thread(prepared.conclude, ())
        async with budget.free:
            grant = budget.reserve(prepared)
            if isinstance(grant, OverBudget):
                self._say_over_budget(job.use_case, grant)
                return await asyncio.to_thread(prepared.skip, grant.reason)
            replies: list[Generated] = []
            try:
                await self._ask(job.lane, prepared.asks, replies, span)
            finally:
                budget.settle(grant, replies)
                self._say_disbelieved(job, grant, replies)
            return await asyncio.to_thread(prepared.conclude, replies)

    def _say_over_budget(self, use_case: str, lacking: OverBudget) -> None:
        """How many were skipped is counted by the job."""
        self._warn_hourly(
            f"budget {use_case}",
            "use_cases.%s.shadow.budget: its %s are used up, so calls are skipped and counted;"
            " raise it, or lower shadow.share",
            use_case,
            lacking.reason,
        )

    def _say_disbelieved(self, job: Job, grant: Grant, replies: Sequence[Generated]) -> None:
        if not all(grant.believes(reply.tokens) for reply in replies):
            self._warn_hourly(
                f"usage {job.lane}",
                "use_cases.%s.shadow: the model at %s tells numbers of tokens in `usage` that"
                " cannot be; its replies are charged to the budget as estimated",
                job.use_case,
                job.lane,
            )

    def _warn_hourly(self, subject: str, message: str, *values: object) -> None:
        """One line for each subject and hour."""
        if self._clock() >= self._silent_until.get(subject, -inf):
            self._silent_until[subject] = self._clock() + SILENT_SECONDS
            _log.warning(message, *values)

    async def _ask(
        self, lane: str, asks: Sequence[Ask], replies: list[Generated], span: JobSpan
    ) -> None:
        """Fill `replies`, one after the other, so that a job is one caller for the model."""
        upstreams = self._deps.upstreams()
        upstream = upstreams[find_serving_lane(lane, upstreams)]
        for ask in asks:
            with span.ask(ask) as told:
                replies.append(_if_comparable(await upstream.generate(ask)))
                told(replies[-1])

    async def _finish(self, lease: Lease, result: JobResult, span: JobSpan) -> None:
        done = await asyncio.to_thread(
            self._deps.inbox.finish,
            lease,
            postings=result.postings,
            cases=result.cases,
            jobs=result.jobs,
        )
        if done:
            span.compared(result.pairs)
            await asyncio.to_thread(self._deps.finished)

    async def _retry_or_bury(self, lease: Lease, error: Exception) -> None:
        """Another attempt later, or none when there were enough.

        A model that is busy, or refuses everybody (a wrong key), says nothing of this job: it is
        given far more of them.
        """
        attempts = self._deps.attempts(lease.job.use_case)
        if lease.attempt >= attempts * (PATIENT if isinstance(error, UpstreamError) else 1):
            await self._dead_letter(lease, error)
            return
        delay = self._delay(lease.attempt)
        if isinstance(error, UpstreamBusy):
            wanted = self._wanted(error)
            delay = max(delay, wanted)
            self._pause(lease.job.lane, wanted, error)
        elif isinstance(error, UpstreamError):
            self._pause(lease.job.lane, delay, error)
        elif not isinstance(error, GuardError):
            _log.error("job %s failed", lease.job.key, exc_info=error)
        await self._give_back(lease, delay, _description(error))

    def _wanted(self, busy: UpstreamBusy) -> float:
        """How long the model is not asked. A time that no server means says nothing."""
        wanted, timing = busy.retry_after_seconds or 0.0, self._timing
        if wanted > LONGEST_MEANT_SECONDS:
            return timing.longest_backoff_seconds
        return min(wanted, timing.longest_pause_seconds)

    def _pause(self, lane: str, seconds: float, error: UpstreamError) -> None:
        """Of jobs under way at once, each may be told another time: the latest holds."""
        is_busy = isinstance(error, UpstreamBusy)
        if seconds >= TOLD_SECONDS or not is_busy:  # what is no passing state is told at once
            self._warn_hourly(
                f"pause {is_busy} {lane}",
                "no job asks the model at %s for %.0f s: %s",
                lane,
                seconds,
                error,
            )
        until = self._clock() + seconds
        self._paused_until[lane] = max(until, self._paused_until.get(lane, until))

    async def _give_back(self, lease: Lease, after_seconds: float, error: str) -> None:
        with suppress(StoreError):  # then its lease runs out, which comes to the same
            await asyncio.to_thread(
                self._deps.inbox.retry, lease, after_seconds=after_seconds, error=error
            )

    async def _dead_letter(self, lease: Lease, error: Exception) -> None:
        _log.warning("job %s becomes a dead letter: %s", lease.job.key, _description(error))
        with suppress(StoreError):
            await asyncio.to_thread(self._deps.inbox.dead_letter, lease, error=_description(error))

    def _delay(self, attempt: int) -> float:
        """Exponential, with jitter over its upper half."""
        timing = self._timing
        longest = min(timing.longest_backoff_seconds, timing.backoff_seconds * 2.0 ** (attempt - 1))
        return longest * (0.5 + 0.5 * self._random.random())


def _log_failure(error: Exception, level: int) -> None:
    """A store that is away is nothing new; of anything else we want to know where."""
    fault = None if isinstance(error, StoreError) else error
    _log.log(level, "no shadow jobs can be taken: %s", error, exc_info=fault)


def _description(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:500]


def _if_comparable(reply: Generated) -> Generated:
    """The reply, or one that failed where it is too long."""
    length = len(reply.text)
    if length <= LONGEST_REPLY_CHARACTERS:
        return reply
    detail = f"{length:,} characters; at most {LONGEST_REPLY_CHARACTERS:,} are compared"
    return replace(reply, text="", ending=Ending.FAILED, detail=detail)
