"""Whatever is done in whatever order: a store answers as the plain model does."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from guard.records import (
    Batch,
    Case,
    CaseFilter,
    CaseKind,
    CaseState,
    Job,
    Lease,
    Position,
    Posting,
    QueuePlace,
    Vote,
)
from guard.store import open_store
from tests.contract.backends import Places
from tests.contract.clock import START, ManualClock
from tests.contract.made import NEARBY
from tests.contract.model import Model, said
from tests.repeats import repeats

MAX_JOBS = 5
LANES = ("http", "python")
USE_CASES = ("chat", "summaries")
CALLS = st.sampled_from(["", "call-1", "call-2", "call-3"])
KEYS = st.integers(0, 5).map("j{}".format)
PEOPLE = st.sampled_from(["ann", "bob", "eve"])
VERDICTS = st.sampled_from(["biased", "fair"])
SECONDS = st.sampled_from([0.5, 30.0, 90.0])
IDS = st.integers(0, 3).map("c{}".format)
PICK = st.integers(1, 4)
AGES = st.integers(-3, 3).map(lambda age: START + 60.0 * age)
PRIORITIES = st.sampled_from([0.0, 0.1, 0.5, 1e-7, 2.0])
NUMBERS = st.floats(-1e6, 1e6).map(lambda x: round(x, 6))
SUMS = st.dictionaries(st.sampled_from(["n", "x|gender:a,b", "ü"]), NUMBERS, max_size=3)

JOBS = st.builds(
    Job,
    key=KEYS,
    lane=st.sampled_from(LANES),
    use_case=st.sampled_from(USE_CASES),
    call_id=CALLS,
    payload=st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    offered_at=st.just(START),
)
POSTINGS = st.builds(
    Posting,
    use_case=st.sampled_from(USE_CASES),
    at_seconds=AGES,
    sums=SUMS,
    evidence=st.dictionaries(st.sampled_from(["e1", "e2"]), SUMS, max_size=2),
)
CASES = st.builds(
    Case,
    id=IDS,
    kind=st.sampled_from(CaseKind),
    use_case=st.sampled_from(USE_CASES),
    call_id=CALLS,
    reasons=st.sampled_from([("refusal",), ("refusal", "toxicity"), ()]),
    opened_at=AGES,
    body=st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    attribute=st.sampled_from(["", "gender"]),
    groups=st.sampled_from([(), ("female", "male")]),
    reviewers=st.integers(1, 3),
    priority=PRIORITIES,
)
PLACES = st.builds(QueuePlace, priority=PRIORITIES, opened_at=AGES)
WHERE = st.builds(
    CaseFilter,
    use_case=st.none() | st.sampled_from(USE_CASES),
    kind=st.none() | st.sampled_from(CaseKind),
    attribute=st.none() | st.sampled_from(["", "gender"]),
    reason=st.none() | st.just("toxicity"),
    state=st.none() | st.sampled_from(CaseState),
    call_id=st.none() | CALLS,
    opened_before=st.none() | AGES,
    opened_after=st.none() | AGES,
    not_voted_by=st.none() | PEOPLE,
)
FEW = st.lists(POSTINGS, max_size=2).map(tuple)
SOME = st.lists(CASES, max_size=2).map(tuple)


class Comparison(RuleBasedStateMachine):
    """Does the same to a store and to the model, and looks at both."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.clock = ManualClock()
        self.store = open_store(url, clock=self.clock, max_jobs=MAX_JOBS)
        self.model = Model(max_jobs=MAX_JOBS, now=self.clock.now)
        self.leases: list[Lease] = []

    def teardown(self) -> None:
        self.store.shut()

    @rule(seconds=st.sampled_from([0.5, 29.5, 30.0, 90.0, 4 * 86_400.0]))
    def time_passes(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.model.now = self.clock.now

    @rule(job=JOBS)
    def offer(self, job: Job) -> None:
        assert self.store.offer(job) == self.model.offer(job)

    @rule(
        lanes=st.sampled_from([{*LANES}, {*LANES}, {"http"}, set()]),
        limit=st.sampled_from([1, 2, 4, 0]),
        seconds=SECONDS,
    )
    def lease(self, lanes: set[str], limit: int, seconds: float) -> None:
        due = {work.job.key: work for work in self.model.due(lanes)}
        fresh = [key for key, work in due.items() if work.attempt == 0]
        leases = self.store.lease(lanes, worker="w", limit=limit, seconds=seconds)
        assert len(leases) == min(limit, len(due))
        for lane in lanes:
            got = [one.job.key for one in leases if one.job.lane == lane and one.attempt == 1]
            first = [key for key in fresh if due[key].job.lane == lane]
            assert got == first[: len(got)]
        for one in leases:
            assert one.job == due[one.job.key].job
            assert one.attempt == self.model.handed(one.job.key, one.token, one.expires_at)
            assert one.expires_at == self.clock.now + seconds
        self.leases += leases

    def some_lease(self, pick: int) -> Lease | None:
        return self.leases[-min(pick, len(self.leases))] if self.leases else None

    @rule(pick=PICK, seconds=SECONDS)
    def renew(self, pick: int, seconds: float) -> None:
        if lease := self.some_lease(pick):
            work = self.model.held(lease.job.key, lease.token)
            renewed = self.store.renew(lease, seconds=seconds)
            assert (renewed is not None) == (work is not None)
            if work and renewed:
                work.free_at = renewed.expires_at
                assert renewed.expires_at == self.clock.now + seconds

    @rule(pick=PICK, after=st.sampled_from([0.0, 30.0]))
    def retry(self, pick: int, after: float) -> None:
        if lease := self.some_lease(pick):
            work = self.model.held(lease.job.key, lease.token)
            assert self.store.retry(lease, after_seconds=after, error="429") == (work is not None)
            if work:
                work.free_at, work.token = self.clock.now + after, ""

    @rule(pick=PICK)
    def dead_letter(self, pick: int) -> None:
        if lease := self.some_lease(pick):
            work = self.model.held(lease.job.key, lease.token)
            assert self.store.dead_letter(lease, error="400") == (work is not None)
            if work:
                work.place, work.ended_at = "buried", self.clock.now

    @rule(pick=PICK, postings=FEW, cases=SOME, jobs=st.lists(JOBS, max_size=2).map(tuple))
    def finish(
        self,
        pick: int,
        postings: tuple[Posting, ...],
        cases: tuple[Case, ...],
        jobs: tuple[Job, ...],
    ) -> None:
        if lease := self.some_lease(pick):
            work = self.model.held(lease.job.key, lease.token)
            ended = self.store.finish(lease, postings=postings, cases=cases, jobs=jobs)
            assert ended == (work is not None)
            if work:
                work.place, work.ended_at = "ended", self.clock.now
                for job in jobs:
                    self.model.offer(job)
                self.model.add(postings)
                for case in cases:
                    self.model.open(case)

    @rule(key=KEYS)
    def requeue(self, key: str) -> None:
        work = self.model.work.get(key)
        buried = work is not None and work.place == "buried"
        assert self.store.requeue(key) == buried
        if work and buried:
            del self.model.work[key]
            self.model.work[key] = type(work)(job=work.job)

    @rule(postings=FEW)
    def add(self, postings: tuple[Posting, ...]) -> None:
        self.store.add(postings)
        self.model.add(postings)

    @rule(before=st.integers(NEARBY.start + 995, NEARBY.start + 1005))
    def expire(self, before: int) -> None:
        assert self.store.expire(before_bucket=before) == self.model.expire(before)

    @rule(new=VERDICTS)
    def update_fact(self, new: str) -> None:
        known = self.model.facts.get("fact")
        assert (
            self.store.update_fact("fact", lambda seen: f"{seen}, {new}"[-60:])
            == (f"{known}, {new}"[-60:])
        )
        self.model.facts["fact"] = f"{known}, {new}"[-60:]
        assert self.store.fact("fact") == self.model.facts["fact"]

    @rule(
        jobs=st.lists(JOBS, max_size=3).map(tuple),
        postings=FEW,
        cases=SOME,
        end=st.integers(0, 20),
        spool=st.sampled_from(["s1", "s2"]),
    )
    def accept(self, end: int, spool: str, **parts: Any) -> None:
        batch = Batch(**parts)
        new = end > self.model.positions.get(spool, 0)
        assert self.store.accept(batch, Position(spool=spool, end=end)) == new
        if new:
            self.model.positions[spool] = end
            for job in batch.jobs:
                self.model.offer(job)
            self.model.add(batch.postings)
            for case in batch.cases:
                self.model.open(case)
        assert self.store.position(spool) == self.model.positions.get(spool, 0)

    @rule(case=CASES)
    def open(self, case: Case) -> None:
        assert self.store.open(case) == self.model.open(case)

    @rule(where=WHERE, who=PEOPLE, seconds=SECONDS, behind=st.none() | PLACES)
    def take(self, where: CaseFilter, who: str, seconds: float, behind: QueuePlace | None) -> None:
        taken = self.store.take(where, reviewer=who, seconds=seconds, behind=behind)
        assert (taken.case.id if taken else None) == self.model.take(where, who, seconds, behind)
        if taken:
            assert (taken.holder, taken.held_until) == (who, self.clock.now + seconds)

    @rule(case_id=IDS, who=PEOPLE, seconds=SECONDS)
    def hold(self, case_id: str, who: str, seconds: float) -> None:
        held = self.store.hold(case_id, reviewer=who, seconds=seconds)
        assert held == self.model.hold(case_id, who, seconds)

    @rule(case_id=IDS, who=PEOPLE)
    def leave(self, case_id: str, who: str) -> None:
        assert self.store.leave(case_id, reviewer=who) == self.model.leave(case_id, who)

    @rule(case_id=IDS, who=PEOPLE, verdict=VERDICTS, held=st.booleans())
    def vote(self, case_id: str, who: str, verdict: str, *, held: bool) -> None:
        if held:
            self.hold(case_id, who, 30.0)
        vote = Vote(case_id=case_id, reviewer=who, verdict=verdict, at_seconds=self.clock.now)
        filed = self.store.vote(vote)
        assert (filed is not None) == self.model.vote(case_id, who, verdict)

    @rule(case_id=IDS, who=PEOPLE, seconds=SECONDS)
    def unvote(self, case_id: str, who: str, seconds: float) -> None:
        filed = self.store.unvote(case_id, reviewer=who, seconds=seconds)
        assert (filed is not None) == self.model.unvote(case_id, who, seconds)

    @rule(case_id=IDS, who=PEOPLE, verdict=VERDICTS)
    def close(self, case_id: str, who: str, verdict: str) -> None:
        filed = self.store.close(case_id, by=who, verdict=verdict, note="n")
        assert (filed is not None) == self.model.close(case_id, who, verdict)

    @rule(call_id=CALLS.filter(bool), who=PEOPLE)
    def erase(self, call_id: str, who: str) -> None:
        assert self.store.erase(call_id, by=who) == self.model.erase(call_id, who)

    @rule(where=WHERE, limit=st.integers(0, 4), after=st.just("") | IDS)
    def query(self, where: CaseFilter, limit: int, after: str) -> None:
        everyone = self.model.by_age(CaseFilter())
        places = [one.case.id for one in everyone]
        expected = [one.case.id for one in self.model.by_age(where)]
        if after:
            rest = places[places.index(after) + 1 :] if after in places else []
            expected = [case_id for case_id in expected if case_id in rest]
        found = self.store.query(where, after=after, limit=limit)
        assert [one.case.id for one in found] == expected[:limit]

    @invariant()
    def jobs_are_where_they_should_be(self) -> None:
        assert self.store.job_counts() == self.model.counts()
        buried = {w.job.key for w in self.model.work.values() if w.place == "buried"}
        assert {one.job.key for one in self.store.dead_letters(limit=99)} == buried

    @invariant()
    def sums_are_equal(self) -> None:
        assert list(self.store.use_cases()) == self.model.use_cases()
        for use_case in USE_CASES:
            total = self.store.total(use_case, NEARBY)
            assert total == pytest.approx(self.model.total(use_case), rel=1e-9, abs=1e-9)
            series, expected = self.store.series(use_case, NEARBY), self.model.series(use_case)
            assert list(series) == list(expected)
            for bucket, sums in series.items():
                assert sums == pytest.approx(expected[bucket], rel=1e-9, abs=1e-9)
            for epoch, sums in self.store.evidence(use_case, ["e1", "e2"]).items():
                wanted = self.model.of_epoch(use_case, epoch)
                assert sums == pytest.approx(wanted, rel=1e-9, abs=1e-9)

    @invariant()
    def cases_stand_as_they_should(self) -> None:
        for file in self.model.files.values():
            filed = self.store.case(file.case.id)
            assert (filed is None) == file.erased
            if filed:
                votes = {vote.reviewer: vote.verdict for vote in filed.votes}
                stand = (filed.case, filed.state, filed.verdict, votes, filed.decided_by)
                assert stand == (
                    file.case,
                    file.state,
                    file.verdict,
                    file.votes,
                    file.decided_by,
                )
                assert filed.holder == self.model.holder(file)
                assert (filed.closed_at is None) == (file.state != "closed")

    @invariant()
    def cases_are_counted(self) -> None:
        there = self.model.by_age(CaseFilter())
        kinds = {(one.case.use_case, CaseState(one.state)) for one in there}
        assert self.store.case_counts() == {
            kind: sum((one.case.use_case, one.state) == kind for one in there) for kind in kinds
        }
        ages = [one.case.opened_at for one in there if one.state != "closed"]
        assert self.store.oldest_open_at() == min(ages, default=None)

    @invariant()
    def the_audit_tells_all(self) -> None:
        assert [said(entry) for entry in self.store.audit()] == self.model.logged()


def test_a_store_does_as_the_model_does(places: Places) -> None:
    run_state_machine_as_test(
        lambda: Comparison(places()),
        settings=settings(
            max_examples=repeats(12, soak=300),
            stateful_step_count=60,
            suppress_health_check=list(HealthCheck),
        ),
    )
