"""A store as plainly as it can be said, to compare the real ones with.

It knows nothing of how stores are built: lists are searched, sums are kept as lists of addends.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import floor, fsum

from guard.records import Audit, Case, CaseFilter, InboxCounts, Job, Posting, QueuePlace

WEEK = 7 * 86_400


@dataclass(slots=True)
class Work:
    """A job. place: `here`, `buried`, `ended` or `erased`."""

    job: Job
    place: str = "here"
    free_at: float = 0.0
    attempt: int = 0
    token: str = ""
    ended_at: float = 0.0


@dataclass(slots=True)
class File:
    """A case. votes: reviewer to verdict. erased: only the id is left."""

    case: Case
    state: str = "open"
    verdict: str = ""
    votes: dict[str, str] = field(default_factory=dict)
    holder: str = ""
    held_until: float = 0.0
    decided_by: str = ""
    erased: bool = False


@dataclass(slots=True)
class Model:
    """Everything, and the time."""

    max_jobs: int
    now: float
    work: dict[str, Work] = field(default_factory=dict)
    files: dict[str, File] = field(default_factory=dict)
    addends: list[tuple[str, int, str, float]] = field(default_factory=list)
    evidence: list[tuple[str, str, str, float]] = field(default_factory=list)
    erased_calls: set[str] = field(default_factory=set)
    positions: dict[str, int] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    log: list[tuple[str, str, str, str]] = field(default_factory=list)
    full: int = 0

    # jobs

    def here(self) -> list[Work]:
        return [one for one in self.work.values() if one.place == "here"]

    def offer(self, job: Job) -> str:
        known = self.work.get(job.key)
        if job.call_id in self.erased_calls or (known and not self.forgotten(known)):
            return "duplicate"
        if len(self.here()) >= self.max_jobs:
            self.full += 1
            return "full"
        self.work.pop(job.key, None)
        self.work[job.key] = Work(job=job)
        return "accepted"

    def forgotten(self, work: Work) -> bool:
        over = work.place == "ended" and self.now >= work.ended_at + WEEK
        return over or work.place == "erased"

    def due(self, lanes: set[str]) -> list[Work]:
        return [one for one in self.here() if one.free_at <= self.now and one.job.lane in lanes]

    def handed(self, key: str, token: str, until: float) -> int:
        work = self.work[key]
        work.token, work.free_at, work.attempt = token, until, work.attempt + 1
        return work.attempt

    def held(self, key: str, token: str) -> Work | None:
        work = self.work.get(key)
        return work if work and work.place == "here" and work.token == token else None

    def counts(self) -> InboxCounts:
        waiting = [one for one in self.here() if one.free_at > self.now]
        return InboxCounts(
            ready=len(self.here()) - len(waiting),
            delayed=sum(not one.token for one in waiting),
            leased=sum(bool(one.token) for one in waiting),
            dead_letters=sum(one.place == "buried" for one in self.work.values()),
            full=self.full,
            oldest_at=min((one.job.offered_at for one in self.here()), default=None),
        )

    # sums

    def add(self, postings: tuple[Posting, ...]) -> None:
        for posting in postings:
            bucket = floor(posting.at_seconds / 60)
            for key, value in posting.sums.items():
                self.addends.append((posting.use_case, bucket, key, value))
            for epoch, sums in posting.evidence.items():
                for key, value in sums.items():
                    self.evidence.append((posting.use_case, epoch, key, value))

    def series(self, use_case: str) -> dict[int, dict[str, float]]:
        mine = [one for one in self.addends if one[0] == use_case]
        return {
            bucket: _summed([(key, value) for _, b, key, value in mine if b == bucket])
            for bucket in sorted({bucket for _, bucket, _, _ in mine})
        }

    def total(self, use_case: str) -> dict[str, float]:
        return _summed([(key, value) for name, _, key, value in self.addends if name == use_case])

    def of_epoch(self, use_case: str, epoch: str) -> dict[str, float]:
        found = [one for one in self.evidence if one[:2] == (use_case, epoch)]
        return _summed([(key, value) for _, _, key, value in found])

    def expire(self, before: int) -> int:
        old = {one[:2] for one in self.addends if one[1] < before}
        self.addends = [one for one in self.addends if one[1] >= before]
        return len(old)

    def use_cases(self) -> list[str]:
        return sorted({one[0] for one in (*self.addends, *self.evidence)})

    # cases

    def open(self, case: Case) -> bool:
        if case.id in self.files or case.call_id in self.erased_calls:
            return False
        self.files[case.id] = File(case=case)
        self.log.append(("opened", "guard", case.id, ""))
        return True

    def holder(self, file: File) -> str:
        return file.holder if file.held_until > self.now else ""

    def there(self, case_id: str) -> File | None:
        file = self.files.get(case_id)
        return None if file is None or file.erased else file

    def by_age(self, where: CaseFilter) -> list[File]:
        fitting = [one for one in self.files.values() if not one.erased and _fits(one, where)]
        return sorted(fitting, key=lambda one: (one.case.opened_at, one.case.id))

    def hold(self, case_id: str, who: str, seconds: float) -> bool:
        file = self.there(case_id)
        if file is None or file.state == "closed" or self.holder(file) not in {"", who}:
            return False
        if self.holder(file) != who:
            self.log.append(("held", who, case_id, ""))
        file.holder, file.held_until = who, self.now + seconds
        return True

    def take(
        self, where: CaseFilter, who: str, seconds: float, behind: QueuePlace | None
    ) -> str | None:
        fitting = [
            one
            for one in sorted(self.by_age(where), key=lambda one: -one.case.priority)
            if who not in one.votes and one.state == (where.state or "open") != "closed"
            if behind is None or _is_behind(one.case, behind)
        ]
        mine = [one for one in fitting if self.holder(one) == who]
        free = [one for one in fitting if not self.holder(one)]
        if not mine + free:
            return None
        case_id = (mine + free)[0].case.id
        self.hold(case_id, who, seconds)
        return case_id

    def leave(self, case_id: str, who: str) -> bool:
        file = self.there(case_id)
        if file is None or self.holder(file) != who:
            return False
        file.held_until = 0.0
        self.log.append(("left", who, case_id, ""))
        return True

    def vote(self, case_id: str, who: str, verdict: str) -> bool:
        file = self.there(case_id)
        if file is None or file.state == "closed" or self.holder(file) != who:
            return False
        file.votes[who] = verdict
        file.held_until = 0.0
        self.log.append(("voted", who, case_id, verdict))
        if len(file.votes) >= file.case.reviewers:
            agree = len(set(file.votes.values())) == 1
            file.state = "closed" if agree else "disputed"
            file.verdict = verdict if agree else ""
            self.log.append((file.state, who, case_id, file.verdict))
        return True

    def unvote(self, case_id: str, who: str, seconds: float) -> bool:
        file = self.there(case_id)
        if file is None or who not in file.votes or file.decided_by:
            return False
        if self.holder(file) not in {"", who}:
            return False
        del file.votes[who]
        file.state, file.verdict, file.holder = "open", "", who
        file.held_until = self.now + seconds
        self.log.append(("unvoted", who, case_id, ""))
        return True

    def close(self, case_id: str, by: str, verdict: str) -> bool:
        file = self.there(case_id)
        if file is None or file.state == "closed":
            return False
        file.state, file.verdict, file.decided_by, file.held_until = "closed", verdict, by, 0.0
        self.log.append(("closed", by, case_id, verdict))
        return True

    # all of it

    def erase(self, call_id: str, by: str) -> int:
        self.erased_calls.add(call_id)
        cases = sorted(
            one.case.id
            for one in self.files.values()
            if one.case.call_id == call_id and not one.erased
        )
        jobs = sorted(
            one.job.key
            for one in self.work.values()
            if one.job.call_id == call_id and one.place in {"here", "buried"}
        )
        for case_id in cases:
            self.files[case_id].erased = True
            self.log.append(("erased", by, case_id, call_id))
        for key in jobs:
            self.work[key].place = "erased"
            self.log.append(("erased", by, "", key))
        return len(cases) + len(jobs)

    def logged(self) -> list[tuple[int, str, str, str, str]]:
        return [(number, *entry) for number, entry in enumerate(self.log, 1)]


def said(entry: Audit) -> tuple[int, str, str, str, str]:
    """An entry of a real audit, as `Model.logged` has it."""
    return entry.number, entry.event, entry.actor, entry.case_id, entry.detail


def _summed(pairs: list[tuple[str, float]]) -> dict[str, float]:
    return {key: fsum(v for k, v in pairs if k == key) for key in {key for key, _ in pairs}}


def _is_behind(case: Case, place: QueuePlace) -> bool:
    if case.priority == place.priority:
        return case.opened_at > place.opened_at
    return case.priority < place.priority


def _fits(file: File, where: CaseFilter) -> bool:
    case = file.case
    wanted = (
        (where.use_case, case.use_case),
        (where.kind, case.kind),
        (where.attribute, case.attribute),
        (where.call_id, case.call_id),
        (where.state, file.state),
    )
    return (
        all(value is None or value == is_there for value, is_there in wanted)
        and (where.reason is None or where.reason in case.reasons)
        and (where.opened_before is None or case.opened_at < where.opened_before)
        and (where.opened_after is None or case.opened_at > where.opened_after)
        and where.not_voted_by not in file.votes
    )
