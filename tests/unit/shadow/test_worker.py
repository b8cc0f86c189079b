"""The worker: every job ends once, whatever the model, the store or the clock do."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

import pytest

from guard.errors import StoreError, UpstreamBusy, UpstreamError
from guard.ports import Upstream
from guard.records import Ask, Case, Ending, Generated, Job, Lease, Posting, Turn
from guard.shadow.budget import BudgetLimits
from guard.shadow.job_payload import UnreadableJobError
from guard.shadow.jobs import JobResult, PreparedJob
from guard.shadow.worker import (
    LONGEST_REPLY_CHARACTERS,
    PATIENT,
    UseCaseBudget,
    Worker,
    WorkerDeps,
)
from guard.shadow.worker_timing import WorkerTiming

TIMING = WorkerTiming(
    concurrency=4,
    lease_seconds=0.03,
    idle_seconds=0.001,
    backoff_seconds=1.0,
    longest_backoff_seconds=8.0,
    drain_seconds=0.01,
)
PLENTY = BudgetLimits()
ASK = Ask(turns=(Turn(role="user", content="hello"),))


@dataclass
class Hand:
    """An inbox in the hand: jobs are leased in order, and what was done with them is kept."""

    jobs: list[Job]
    lost: bool = False
    away: int = 0
    faults: list[Exception] = field(default_factory=list)
    attempt: int = 1
    finished: list[tuple[str, Sequence[Posting]]] = field(default_factory=list)
    retried: list[tuple[str, float, str]] = field(default_factory=list)
    dead: list[tuple[str, str]] = field(default_factory=list)
    renewed: int = 0

    def lease(
        self, lanes: Collection[str], *, worker: str, limit: int, seconds: float
    ) -> Sequence[Lease]:
        if self.away:
            self.away -= 1
            raise StoreError("away; see store.url")
        if self.faults:
            raise self.faults.pop()
        taken = [job for job in self.jobs if job.lane in lanes][:limit]
        self.jobs = [job for job in self.jobs if job not in taken]
        return [
            Lease(job=job, worker=worker, token=job.key, attempt=self.attempt, expires_at=seconds)
            for job in taken
        ]

    def lanes(self) -> Collection[str]:
        return {job.lane for job in self.jobs}

    def renew(self, lease: Lease, *, seconds: float) -> Lease | None:
        self.renewed += 1
        return None if self.lost else replace(lease, expires_at=seconds)

    def retry(self, lease: Lease, *, after_seconds: float, error: str) -> bool:
        self.retried.append((lease.job.key, after_seconds, error))
        return True

    def dead_letter(self, lease: Lease, *, error: str) -> bool:
        self.dead.append((lease.job.key, error))
        return True

    def finish(
        self,
        lease: Lease,
        *,
        postings: Sequence[Posting] = (),
        cases: Sequence[Case] = (),
        jobs: Sequence[Job] = (),
    ) -> bool:
        self.finished.append((lease.job.key, postings))
        self.jobs += jobs
        return True


@dataclass
class Model:
    """Says what it is told to say."""

    reply: Callable[[], Awaitable[Generated]]
    answer: Callable[[Ask], Awaitable[Generated]] | None = None

    async def generate(self, ask: Ask) -> Generated:
        return await (self.answer(ask) if self.answer else self.reply())


async def hello() -> Generated:
    return Generated(text="hello", ending=Ending.ANSWERED, tokens=7)


def job(key: str = "a", lane: str = "local") -> Job:
    return Job(key=key, lane=lane, use_case="chat", call_id=key, payload="{}", offered_at=0.0)


def posting(name: str) -> Posting:
    return Posting(use_case="chat", at_seconds=0.0, sums={name: 1.0})


def prepared(_: Job) -> PreparedJob:
    return PreparedJob(
        asks=(ASK, ASK),
        tokens=20,
        conclude=lambda replies: JobResult(postings=(posting(f"{len(replies)} replies"),)),
        skip=lambda why: JobResult(postings=(posting(why),)),
    )


async def worked(
    hand: Hand,
    until: Callable[[], bool],
    *,
    prepare: Callable[[Job], PreparedJob] = prepared,
    model: Callable[[], Awaitable[Generated]] = hello,
    answer: Callable[[Ask], Awaitable[Generated]] | None = None,
    limits: BudgetLimits = PLENTY,
    served: str = "local",
    attempts: int = 3,
    timing: WorkerTiming = TIMING,
    idle: Callable[[], object] = lambda: None,
) -> None:
    """Run a worker until something is so, then stop it."""
    budgets: dict[str, UseCaseBudget] = {}
    upstreams: Mapping[str, Upstream] = {served: Model(model, answer)}
    deps = WorkerDeps(
        inbox=hand,  # type: ignore[arg-type]
        prepare=prepare,
        upstreams=lambda: upstreams,
        budget=lambda use_case: budgets.setdefault(use_case, UseCaseBudget(limits, lambda: 0.0)),
        attempts=lambda _: attempts,
        idle=idle,
    )
    stop = asyncio.Event()
    worker = Worker(deps, name="w", clock=lambda: 0.0, random=Random(1), timing=timing)
    running = asyncio.create_task(worker.run(stop))
    async with asyncio.timeout(30):
        while not until():
            await asyncio.sleep(0)
        stop.set()
        await running


async def test_a_reply_of_megabytes_has_failed_and_is_not_compared() -> None:
    hand, concluded = Hand([job()]), list[Generated]()
    lengths = iter((LONGEST_REPLY_CHARACTERS, LONGEST_REPLY_CHARACTERS + 1))

    async def long() -> Generated:
        return Generated(text="x" * next(lengths), ending=Ending.ANSWERED, tokens=7)

    def prepare(one: Job) -> PreparedJob:
        def conclude(replies: Sequence[Generated]) -> JobResult:
            concluded.extend(replies)
            return JobResult()

        return replace(prepared(one), conclude=conclude)

    await worked(hand, lambda: bool(hand.finished), prepare=prepare, model=long)
    assert [one.ending for one in concluded] == [Ending.ANSWERED, Ending.FAILED]
    assert (concluded[1].text, concluded[1].tokens) == ("", 7)
    assert concluded[1].detail == "100,001 characters; at most 100,000 are compared"


async def test_jobs_are_done_and_what_they_cost_is_settled() -> None:
    """Each takes 14 tokens where 20 were reserved: seven of them fit into 110."""
    hand, limits = Hand([job(str(n)) for n in range(9)]), BudgetLimits(tokens_per_day=110)
    await worked(hand, lambda: len(hand.finished) == 9, limits=limits)
    assert sorted(key for key, _ in hand.finished) == [str(n) for n in range(9)]
    done = [postings for _, postings in hand.finished]
    assert done.count((posting("2 replies"),)) == 7
    assert done.count((posting("tokens"),)) == 2


async def test_when_nothing_is_left_to_begin_it_says_so() -> None:
    hand, done = Hand([job("a"), job("b")]), list[int]()
    await worked(hand, lambda: 2 in done, idle=lambda: done.append(len(hand.finished)))


async def test_other_lanes_are_left_to_others() -> None:
    hand = Hand([job("mine"), job("theirs", lane="http/openai")])
    await worked(hand, lambda: bool(hand.finished))
    assert [one.key for one in hand.jobs] == ["theirs"]


SLOW, QUICK, EARLIER = "http/openai/slow", "http/openai/quick", "http/openai"


def of_lane(key: str, lane: str) -> Job:
    return replace(job(key, lane), use_case=lane.rpartition("/")[2])


async def test_a_slow_use_case_keeps_no_other_waiting() -> None:
    hand = Hand([of_lane(f"slow {n}", SLOW) for n in range(40)])
    hand.jobs += [of_lane(f"quick {n}", QUICK) for n in range(9)] + [of_lane("old", EARLIER)]
    under_way = asyncio.Event()

    def prepare(one: Job) -> PreparedJob:
        turns = (Turn(role="user", content=one.lane),)
        return replace(prepared(one), asks=(replace(ASK, turns=turns),))

    async def answer(ask: Ask) -> Generated:
        if ask.turns[0].content == SLOW:
            await under_way.wait()
        return await hello()

    await worked(
        hand,
        lambda: len(hand.finished) == 10,
        prepare=prepare,
        answer=answer,
        served="http/openai",
    )
    assert sorted(key for key, _ in hand.finished) == ["old", *(f"quick {n}" for n in range(9))]
    assert len(hand.jobs) == 38, "as many of the slow ones are under way as its budget allows"


async def test_a_model_that_is_busy_for_a_use_case_is_asked_by_others() -> None:
    hand = Hand([of_lane("busy", SLOW), of_lane("free", QUICK)])
    more = [of_lane("busy still", SLOW), of_lane("free still", QUICK)]

    def prepare(one: Job) -> PreparedJob:
        turns = (Turn(role="user", content=one.lane),)
        return replace(prepared(one), asks=(replace(ASK, turns=turns),))

    def idle() -> None:
        if hand.retried and len(hand.finished) == 1:
            hand.jobs += more
            more.clear()

    async def answer(ask: Ask) -> Generated:
        if ask.turns[0].content == SLOW:
            raise UpstreamBusy("429", retry_after_seconds=3600.0)
        return await hello()

    await worked(
        hand,
        lambda: len(hand.finished) == 2,
        prepare=prepare,
        answer=answer,
        idle=idle,
        served="http/openai",
    )
    assert [key for key, *_ in hand.retried] == ["busy"]
    assert [key for key, _ in hand.finished] == ["free", "free still"]


async def test_over_budget_is_skipped_and_counted() -> None:
    hand = Hand([job()])
    hand.jobs.append(job("b"))
    await worked(hand, lambda: len(hand.finished) == 2, limits=BudgetLimits(calls_per_minute=2))
    done = [postings for _, postings in hand.finished]
    assert sorted(done, key=repr) == [(posting("2 replies"),), (posting("calls"),)]


async def test_a_budget_that_is_used_up_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    hand = Hand([job(str(number)) for number in range(5)])
    await worked(hand, lambda: len(hand.finished) == 5, limits=BudgetLimits(calls_per_minute=2))
    told = [one.getMessage() for one in caplog.records if "budget" in one.getMessage()]
    assert told == [
        "use_cases.chat.shadow.budget: its calls are used up, so calls are skipped and counted;"
        " raise it, or lower shadow.share"
    ]


@pytest.mark.parametrize(
    "tokens",
    [10**300, 10**4000, 10**15, -(10**15), float("nan")],
    ids=["large float", "no float", "large", "negative", "no number"],
)
async def test_a_nonsensical_usage_is_estimated_and_told_once(
    caplog: pytest.LogCaptureFixture, tokens: int
) -> None:
    hand = Hand([job(str(number)) for number in range(5)])

    async def absurd() -> Generated:
        return Generated(text="hello", ending=Ending.ANSWERED, tokens=tokens)

    limits = BudgetLimits(tokens_per_day=85)
    await worked(hand, lambda: len(hand.finished) == 5, model=absurd, limits=limits)
    done = [postings for _, postings in hand.finished]
    assert done.count((posting("2 replies"),)) == 4
    assert done.count((posting("tokens"),)) == 1
    told = [one.getMessage() for one in caplog.records if "usage" in one.getMessage()]
    assert told == [
        "use_cases.chat.shadow: the model at local tells numbers of tokens in `usage` that cannot"
        " be; its replies are charged to the budget as estimated"
    ]


async def test_a_job_that_follows_is_done_even_where_the_budget_is_short() -> None:
    """Two calls are left for the first job, none for the second, which follows from it."""

    def following(one: Job) -> PreparedJob:
        if one.key == "a":
            more = JobResult(postings=(posting("first"),), jobs=(job("next"),))
            return replace(prepared(one), conclude=lambda _: more)
        return replace(prepared(one), overdraws=True)

    hand, limits = Hand([job()]), BudgetLimits(calls_per_minute=3)
    await worked(hand, lambda: len(hand.finished) == 2, prepare=following, limits=limits)
    assert hand.finished == [("a", (posting("first"),)), ("next", (posting("2 replies"),))]


async def test_nothing_to_ask_needs_no_budget() -> None:
    hand = Hand([job()])

    def nobody(one: Job) -> PreparedJob:
        return replace(prepared(one), asks=())

    await worked(
        hand, lambda: bool(hand.finished), limits=BudgetLimits(calls_per_minute=1), prepare=nobody
    )
    assert hand.finished == [("a", (posting("0 replies"),))]


async def test_a_job_that_cannot_be_read_is_put_aside() -> None:
    hand = Hand([job()])

    def rubbish(one: Job) -> PreparedJob:
        raise UnreadableJobError(f"{one.key}: not a job")

    await worked(hand, lambda: bool(hand.dead), prepare=rubbish)
    assert hand.dead == [("a", "UnreadableJobError: a: not a job")]


async def test_a_busy_model_is_left_alone_as_long_as_it_asked_for() -> None:
    hand = Hand([job("a"), job("b")])

    async def busy() -> Generated:
        raise UpstreamBusy("429", retry_after_seconds=40.0)

    await worked(hand, lambda: len(hand.retried) == 2, model=busy)
    assert [delay for _, delay, _ in hand.retried] == [40.0, 40.0]
    hand.jobs.append(job("c"))
    passes = 0

    def some_time() -> bool:
        nonlocal passes
        passes += 1
        return passes > 50

    await worked(hand, lambda: some_time() and len(hand.retried) >= 3, model=busy)


@pytest.mark.parametrize(
    ("asked_for", "waited"), [(1800.0, 1800.0), (20_000.0, 3600.0), (1e19, 300.0)]
)
async def test_a_long_pause_is_told_and_one_that_no_server_means_is_not_kept(
    caplog: pytest.LogCaptureFixture, asked_for: float, waited: float
) -> None:
    hand = Hand([job("a"), job("b")])

    async def busy() -> Generated:
        raise UpstreamBusy("429", retry_after_seconds=asked_for)

    timing = replace(TIMING, longest_backoff_seconds=300.0, longest_pause_seconds=3600.0)
    await worked(hand, lambda: len(hand.retried) == 2, model=busy, timing=timing)
    assert [delay for _, delay, _ in hand.retried] == [waited, waited]
    [line] = [record.getMessage() for record in caplog.records if "no job asks" in record.message]
    assert f"for {waited:.0f} s: 429" in line


async def test_a_model_that_refuses_everybody_is_told_at_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    hand = Hand([job("a"), job("b")])

    async def refused() -> Generated:
        raise UpstreamError("http/u0: HTTP 401; set a key")

    await worked(hand, lambda: len(hand.retried) == 2, model=refused)
    [line] = [record.getMessage() for record in caplog.records if "no job asks" in record.message]
    assert line.endswith("http/u0: HTTP 401; set a key")


async def test_a_paused_lane_is_not_leased_from() -> None:
    hand = Hand([job("a")])
    asked = 0
    rounds: list[None] = []

    async def busy() -> Generated:
        nonlocal asked
        asked += 1
        raise UpstreamBusy("429", retry_after_seconds=40.0)

    def idle() -> None:
        """Another job comes when a round has begun after the pause: see the test of a wrong key."""
        if hand.retried:
            rounds.append(None)
            if len(rounds) == 2:
                hand.jobs.append(job("b"))

    await worked(hand, lambda: len(rounds) > 20, model=busy, idle=idle)
    assert asked == 1
    assert [one.key for one in hand.jobs] == ["b"]


async def test_a_lane_is_paused_until_the_latest_time_it_asked_for() -> None:
    hand, waits = Hand([job("a"), job("b")]), [40.0, 0.0]

    async def busy() -> Generated:
        raise UpstreamBusy("429", retry_after_seconds=waits.pop(0))

    passes = 0

    def later() -> bool:
        nonlocal passes
        if len(hand.retried) == 2:
            passes += 1
            hand.jobs = hand.jobs or [job("c")]
        return passes > 200

    await worked(hand, later, model=busy)
    assert waits == []
    assert [one.key for one in hand.jobs] == ["c"]


async def test_failures_are_tried_again_with_growing_delays_and_then_put_aside() -> None:
    async def broken() -> Generated:
        raise KeyError("tokens")

    delays = []
    for attempt in (1, 2):
        hand = Hand([job()], attempt=attempt)
        await worked(hand, lambda h=hand: bool(h.retried), model=broken)  # type: ignore[misc]
        delays.append(hand.retried[0][1])
    assert 0.5 <= delays[0] <= 1.0 <= delays[1] <= 2.0
    hand = Hand([job()], attempt=3)
    await worked(hand, lambda: bool(hand.dead), model=broken)
    assert hand.dead == [("a", "KeyError: 'tokens'")]


async def test_a_model_that_refuses_everybody_is_left_alone_and_asked_much_longer() -> None:
    asked = 0

    async def wrong_key() -> Generated:
        nonlocal asked
        asked += 1
        raise UpstreamError("401")

    hand = Hand([job()], attempt=3)
    rounds: list[None] = []

    def idle() -> None:
        """Ends a round. In the first one after the refusal, jobs may have been asked for before it;
        from the second on another job is there for the model that refuses."""
        if hand.retried:
            rounds.append(None)
            if len(rounds) == 2:
                hand.jobs.append(job("b"))

    await worked(hand, lambda: len(rounds) > 20, model=wrong_key, idle=idle)
    assert (asked, hand.dead) == (1, [])
    hand = Hand([job()], attempt=3 * PATIENT)
    await worked(hand, lambda: bool(hand.dead), model=wrong_key)
    assert hand.dead[0] == ("a", "UpstreamError: 401")


async def test_a_job_whose_workers_die_becomes_a_dead_letter() -> None:
    hand = Hand([job()], attempt=3 * PATIENT + 1)
    await worked(hand, lambda: bool(hand.dead))
    assert hand.dead == [("a", "UnreadableJobError: a: no worker ever came to an end with it")]


async def test_a_store_that_is_away_is_waited_for() -> None:
    hand = Hand([job()], away=1)
    await worked(hand, lambda: bool(hand.finished), timing=replace(TIMING, backoff_seconds=0.001))
    assert [key for key, _ in hand.finished] == ["a"]


async def test_after_a_long_outage_the_store_is_soon_looked_at_again() -> None:
    hand = Hand([job()], away=12)
    timing = replace(TIMING, backoff_seconds=1000.0, longest_outage_seconds=0.001)
    await worked(hand, lambda: bool(hand.finished), timing=timing)
    assert [key for key, _ in hand.finished] == ["a"]


async def test_a_fault_of_the_store_does_not_end_the_worker(
    caplog: pytest.LogCaptureFixture,
) -> None:
    hand = Hand([job()], faults=[ValueError("no number"), ValueError("no number")])
    await worked(hand, lambda: bool(hand.finished), timing=replace(TIMING, backoff_seconds=0.001))
    assert [key for key, _ in hand.finished] == ["a"]
    told = [one for one in caplog.records if one.levelname == "WARNING"]
    assert [one.message for one in told] == [
        "no shadow jobs can be taken: no number",
        "shadow jobs can be taken again",
    ]


async def test_a_lease_is_renewed_while_the_model_thinks() -> None:
    hand = Hand([job()])

    async def slow() -> Generated:
        while hand.renewed < 2:
            await asyncio.sleep(0)
        return await hello()

    await worked(hand, lambda: bool(hand.finished), model=slow)
    assert hand.renewed >= 2


async def test_a_lost_lease_ends_the_work() -> None:
    hand = Hand([job()], lost=True)

    async def never() -> Generated:
        await asyncio.Event().wait()
        raise AssertionError

    await worked(hand, lambda: bool(hand.retried), model=never)
    assert hand.finished == []


async def test_stopping_gives_back_what_is_under_way() -> None:
    hand, asked = Hand([job()]), asyncio.Event()

    async def never() -> Generated:
        asked.set()
        await asyncio.Event().wait()
        raise AssertionError

    await worked(hand, asked.is_set, model=never)
    assert hand.retried == [("a", 0.0, "stopped")]


async def test_only_so_many_jobs_of_a_use_case_are_under_way_at_once() -> None:
    hand = Hand([job(str(number)) for number in range(6)])
    under_way, most = 0, 0

    async def slow() -> Generated:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0)
        under_way -= 1
        return await hello()

    await worked(
        hand, lambda: len(hand.finished) == 6, model=slow, limits=BudgetLimits(concurrency=2)
    )
    assert most == 2
