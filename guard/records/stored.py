"""What is kept: shadow jobs, sums, cases. Immutable, standard library only.

Times are Unix seconds. Texts inside are JSON that stores never look into.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class LaneKind(StrEnum):
    """Who asks the model again.

    local: a process that has the callable. http: any shadow worker, at an upstream of the settings.
    """

    LOCAL = "local"
    HTTP = "http"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """Which workers can ask again about a call. name: of the use case, or of the upstream and the
    use case, `openai/chat`: a use case whose model is slow or busy keeps no other one waiting."""

    kind: LaneKind
    name: str

    def __str__(self) -> str:
        """The stored form: `local/support-chat`."""
        return f"{self.kind}/{self.name}"

    @property
    def is_local(self) -> bool:
        """Whether a callable of this process is asked."""
        return self.kind is LaneKind.LOCAL

    @classmethod
    def parse(cls, text: str) -> Lane:
        """From the stored form. Raises ValueError."""
        kind, slash, name = text.partition("/")
        if not (slash and name):
            raise ValueError(f"{text!r:.80} is no lane, which is a kind and a name: local/chat")
        return cls(kind=LaneKind(kind), name=name)


def find_serving_lane(lane: str, served: Collection[str]) -> str:
    """Which of the lanes that a worker serves this one belongs to, all in their stored form; empty
    for none. Who serves an upstream, `http/openai`, serves all of its use cases."""
    if lane in served or not lane.startswith(f"{LaneKind.HTTP}/"):
        return lane if lane in served else ""
    while (lane := lane.rpartition("/")[0]) and lane not in served:
        pass
    return lane


def use_case_of_lane(lane: str, serving_lane: str) -> str:
    """The use case whose jobs are in it; empty for that of an upstream of an earlier version, which
    is of several. serving_lane: see `find_serving_lane`."""
    if lane != serving_lane:
        return lane.removeprefix(f"{serving_lane}/")
    kind, _, name = lane.partition("/")
    return "" if kind == LaneKind.HTTP else name


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Work that was accepted and must be done once.

    key: tells jobs apart; offering a key again makes no second job (until a week after its end).
    lane: which workers can do it, the stored form of a `Lane`. call_id: the call it came from,
    for erasure. payload: JSON.
    """

    key: str
    lane: str
    use_case: str
    call_id: str
    payload: str = field(repr=False)
    offered_at: float


class Offered(StrEnum):
    """What became of an offered job."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    FULL = "full"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A job in the hands of one worker until `expires_at`.

    token: this lease and no other; attempt: 1 the first time the job is handed out.
    """

    job: Job
    worker: str
    token: str
    attempt: int
    expires_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """A job that failed for good, and the last error. It waits for somebody to look at it."""

    job: Job
    attempts: int
    error: str = field(repr=False)
    failed_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxCounts:
    """Jobs by where they are: ready, waiting for another attempt, leased, dead letters.

    A job whose lease ran out is ready. full: offers refused since the store was made. oldest_at:
    when the oldest that is neither finished nor a dead letter was offered, None when there is none.
    """

    ready: int = 0
    delayed: int = 0
    leased: int = 0
    dead_letters: int = 0
    full: int = 0
    oldest_at: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Posting:
    """Sums to be added.

    sums: flat key to number, added to the time bucket of `at_seconds`, which expires.
    evidence: name of an epoch to sums that do not expire.
    """

    use_case: str
    at_seconds: float
    sums: Mapping[str, float] = field(default_factory=dict)
    evidence: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


class CaseKind(StrEnum):
    """What a person is asked to judge."""

    RESPONSE = "response"
    PAIR = "pair"


class CaseState(StrEnum):
    """Where a case is.

    open: votes are missing. disputed: all votes are in and they disagree. closed: decided.
    example: nobody is asked; it is kept to be looked at.
    """

    OPEN = "open"
    DISPUTED = "disputed"
    CLOSED = "closed"
    EXAMPLE = "example"

    @property
    def waits(self) -> bool:
        """Whether people have something to decide."""
        return self in {CaseState.OPEN, CaseState.DISPUTED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Something concerning, put before people.

    id: made from what it is about, so that opening it twice makes one case.
    attribute, groups: what a pair differs in. reasons: which flags raised it, sorted.
    body: JSON with the texts and scores. reviewers: votes that are wanted; with 0 it is an example
    for good. priority: at least 0; in the queue a higher one comes first.
    """

    id: str
    kind: CaseKind
    use_case: str
    call_id: str
    reasons: tuple[str, ...]
    opened_at: float
    body: str = field(repr=False)
    attribute: str = ""
    groups: tuple[str, ...] = ()
    reviewers: int = 1
    priority: float = 0.0

    @property
    def first_state(self) -> CaseState:
        """Where it is when it is opened."""
        return CaseState.OPEN if self.reviewers else CaseState.EXAMPLE

    @property
    def place(self) -> QueuePlace:
        """Where it stands in the queue."""
        return QueuePlace(priority=self.priority, opened_at=self.opened_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePlace:
    """A place in the queue of cases: a higher priority first, then what was opened earlier."""

    priority: float
    opened_at: float

    @property
    def order(self) -> tuple[float, float]:
        """A smaller one comes first."""
        return -self.priority, self.opened_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """What one person decided on one case; a second vote of the same person replaces the first."""

    case_id: str
    reviewer: str
    verdict: str
    at_seconds: float
    reason: str = ""
    note: str = field(default="", repr=False)
    seconds_taken: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRecord:
    """A case as it stands.

    votes: by time, then reviewer. verdict: of a closed case. holder, held_until: who has it open
    now; a hold that ran out is not shown. decided_by, note: the adjudicator who closed it and what
    he or she wrote; empty when the votes agreed.
    """

    case: Case
    state: CaseState
    votes: tuple[Vote, ...] = ()
    verdict: str = ""
    closed_at: float | None = None
    holder: str = ""
    held_until: float | None = None
    decided_by: str = ""
    note: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFilter:
    """Which cases; None is any.

    reason: among the case's reasons. opened_before, opened_after: strictly. not_voted_by: leaves
    out those this person voted on.
    """

    use_case: str | None = None
    kind: CaseKind | None = None
    attribute: str | None = None
    reason: str | None = None
    state: CaseState | None = None
    call_id: str | None = None
    opened_before: float | None = None
    opened_after: float | None = None
    not_voted_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """One line of the append-only record. number: rises by one from entry to entry."""

    number: int
    at_seconds: float
    actor: str
    event: str
    case_id: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Somebody who may sign in.

    role: what the person may do, a word of the review's. password_hash: says itself how it was
    made. session_version: rises when all sessions of the person shall end. created_at: None where
    it is not known, for accounts made by version 0.1.
    """

    name: str
    role: str
    password_hash: str = field(repr=False)
    session_version: int = 0
    disabled: bool = False
    created_at: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewCursor:
    """Where a reviewer is in the queue.

    skipped_at: when the case that was skipped last was opened; the queue goes on behind it. None
    begins with the first. skipped_priority: its priority. recent_votes: ids of the cases voted on
    last, oldest first. recently_opened: ids of the cases opened by their address last, likewise.
    """

    reviewer: str
    skipped_at: float | None = None
    skipped_priority: float = 0.0
    recent_votes: tuple[str, ...] = ()
    recently_opened: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What a process has to hand over to the store at once."""

    jobs: tuple[Job, ...] = ()
    postings: tuple[Posting, ...] = ()
    cases: tuple[Case, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """From where to where in which spool a batch was read.

    A store that has seen `end` or more of a spool has this batch already.
    """

    spool: str
    end: int
