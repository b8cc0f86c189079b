"""What the use cases need from outside, as small protocols.

Scores, observers and models come first. Behind them is what is kept for later, as small
capabilities: one store usually has all of them. Their methods are called from worker threads,
never from a caller's request; all are thread-safe and raise StoreError when the store cannot be
reached, with the setting that names it. What no store can keep, a sum that is not finite or a text
with a lone surrogate, is a ValueError before anything is changed. A lease, a delay or a hold ends
at its end: at `now >= end` it is over.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from guard.records import (
    Account,
    Ask,
    Assessment,
    Audit,
    Batch,
    Call,
    Case,
    CaseFilter,
    CaseRecord,
    CaseState,
    DeadLetter,
    Generated,
    Head,
    InboxCounts,
    Job,
    Lease,
    Offered,
    Outcome,
    Position,
    Posting,
    QueuePlace,
    ReviewCursor,
    Vote,
)

if TYPE_CHECKING:
    from guard.counterfactual import Rewrite

Clock = Callable[[], float]
"""Monotonic seconds."""

NewId = Callable[[], str]
"""A fresh call id."""

Message = Mapping[str, str]
"""One turn of a conversation: `role` ("system", "user" or "assistant") and `content`."""

Chat = Callable[[Sequence[Message]], str]
"""Asks a chat model and returns the text of its reply. May raise; may return any text at all."""


class Scorer(Protocol):
    """Scores texts. Thread-safe."""

    @property
    def heads(self) -> Mapping[str, Head]:
        """What is scored, by flat key."""

    @property
    def window_characters(self) -> int:
        """How much text the model reads at once, about: what stands further back cannot matter."""

    def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
        """Begin scoring `text`; returns at once.

        The future is always answered with an assessment, by the deadline at the latest,
        never with an exception. Cancelling it drops the work that has not begun.
        """


class Observer(Protocol):
    """Hears what happened. Must not block; what it raises is swallowed and counted."""

    def outcome(self, outcome: Outcome) -> None:
        """A guarded call ended."""

    def upstream_error(self, use_case: str) -> None:
        """The wrapped function raised; the exception went to the caller unchanged."""


class CallSpan(Protocol):
    """A call, or a request to a model, as a span of a trace. Thread-safe; never waits or raises."""

    @property
    def trace_parent(self) -> str:
        """Its place in the trace, as a W3C `traceparent`; empty where it is in none."""

    def headers(self, given: Mapping[str, str]) -> Mapping[str, str]:
        """Headers of the request to the model, with its place in the trace. Names in lower case."""

    def current(self) -> AbstractContextManager[object]:
        """What begins within the context, on this thread or task, is a child of this span."""

    def end(self, outcome: Outcome | None, *, error: str = "") -> None:
        """The call ended; a second time is ignored. error: a kind of error, never its words."""


class CallTracer(Protocol):
    """Begins spans. Thread-safe; never waits or raises."""

    def begin(self, call: Call, headers: Mapping[str, str] | None = None) -> CallSpan:
        """The span of a call, a child of the span that is current.

        headers: of the client's request; the span is a child of the client's then.
        """


class Rewriter(Protocol):
    """Says the same about another group. Thread-safe."""

    def rewrite(self, text: str, *, attribute: str, to: str, source: str | None = None) -> Rewrite:
        """`text` with the people of group `source` become people of group `to`, or why not.

        Without `source` the one group is meant that the text speaks of. Never raises for what a
        text holds or a model says; raises for an attribute or group that the lexicons do not have.
        """


class Upstream(Protocol):
    """Asks one model. Used from one event loop."""

    async def generate(self, ask: Ask) -> Generated:
        """One reply. Refusals, filtered replies, time-outs and failures are results as well.

        Raises UpstreamBusy when nothing was generated and the same may be asked later (too many
        requests, nobody listens), and UpstreamError when asking again is of no use (a wrong key,
        no such model).
        """


class Inbox(Protocol):
    """Jobs: each is done once, whoever dies. Bounded; delivery is at least once, effects once."""

    def offer(self, job: Job) -> Offered:
        """Put a job in, unless its key was seen or the inbox is full.

        DUPLICATE: a job with this key is here or a dead letter, or ended less than seven days ago;
        or its call was erased. FULL: as many as there may be are neither finished nor dead letters.
        """

    def lease(
        self, lanes: Collection[str], *, worker: str, limit: int, seconds: float
    ) -> Sequence[Lease]:
        """Up to `limit` jobs that are due; those whose lease ran out among them, in any place.
        Within a lane jobs never handed out before come in the order they were offered."""

    def renew(self, lease: Lease, *, seconds: float) -> Lease | None:
        """The lease with its end `seconds` from now; None when it is somebody else's by now.

        A lease that ran out is still its worker's until somebody takes the job, here and in
        `retry`, `dead_letter` and `finish`.
        """

    def retry(self, lease: Lease, *, after_seconds: float, error: str) -> bool:
        """Give the job back, due after a while. False when the lease was lost."""

    def dead_letter(self, lease: Lease, *, error: str) -> bool:
        """End the job as a dead letter, failed for good. False when the lease was lost."""

    def finish(
        self,
        lease: Lease,
        *,
        postings: Sequence[Posting] = (),
        cases: Sequence[Case] = (),
        jobs: Sequence[Job] = (),
    ) -> bool:
        """End the job, add its sums, open its cases and put in the jobs that follow from it, all
        together or not at all.

        False, and nothing is done, when the job has ended before, was erased, or the lease is
        somebody else's. Cases and jobs that are known are left out; jobs for which there is no room
        are counted as `full`.
        """

    def lanes(self) -> Collection[str]:
        """The lanes that have jobs, under way or not."""

    def job_counts(self) -> InboxCounts:
        """How many jobs are where."""

    def dead_letters(self, *, limit: int) -> Sequence[DeadLetter]:
        """Jobs that failed for good, latest first."""

    def requeue(self, key: str) -> bool:
        """Put a dead letter back, due now, its attempts forgotten; False when there is none.
        It goes into a full inbox as well."""


class Windows(Protocol):
    """Sums in time buckets, which expire whole, and in epochs, which do not.

    unreadable: how many were left out so far, whole, since they hold something else.
    """

    unreadable: int

    @property
    def bucket_seconds(self) -> float:
        """The width of a bucket; a time falls into bucket floor(time / width)."""

    def add(self, postings: Sequence[Posting]) -> None:
        """Add sums, all or none.

        Not repeatable: what may be sent twice goes through `finish` or `accept`.
        """

    def total(self, use_case: str, buckets: range) -> Mapping[str, float]:
        """The sum over buckets `buckets.start` to `buckets.stop - 1`, key by key.

        A key that was never added is absent.
        """

    def series(self, use_case: str, buckets: range) -> Mapping[int, Mapping[str, float]]:
        """The buckets one by one; those without sums are left out."""

    def evidence(self, use_case: str, epochs: Collection[str]) -> Mapping[str, Mapping[str, float]]:
        """The sums of each of these epochs; {} for one without any."""

    def use_cases(self) -> Sequence[str]:
        """Those with sums, sorted."""

    def expire(self, *, before_bucket: int) -> int:
        """Forget all buckets with a lower number; how many there were, per use case and number."""


class FactStore(Protocol):
    """Small texts by name, which all processes agree on: an epoch, a secret, a mark."""

    def fact(self, name: str) -> str | None:
        """The text under this name; None where there is none."""

    def update_fact(self, name: str, change: Callable[[str | None], str]) -> str:
        """Replace the text by what `change` makes of it, with nobody in between; the new text.

        `change` must not use the store, and is called again when another process was faster. What
        it raises is raised, and nothing is changed. StoreError: others are faster too often.
        """


class EvidenceStore(Windows, FactStore, Protocol):
    """Sums, and in facts the epochs in which evidence is added up."""


class Accounts(Protocol):
    """Who may sign in: one record per person."""

    def accounts(self) -> Sequence[Account]:
        """All of them, by name."""

    def account(self, name: str) -> Account | None:
        """One of them."""

    def add_account(self, account: Account) -> bool:
        """Keep a new one; False when the name is taken."""

    def update_account(self, name: str, change: Callable[[Account], Account]) -> Account | None:
        """As `FactStore.update_fact`. The name stays. None, and nothing is called, where there is
        no account.

        An account that is removed meanwhile, or made anew, is never overwritten.
        """

    def remove_account(self, name: str) -> bool:
        """False when there is none."""


class Cursors(Protocol):
    """Where each reviewer is in the queue of cases."""

    def cursor(self, reviewer: str) -> ReviewCursor:
        """An empty one for who has none."""

    def update_cursor(
        self, reviewer: str, change: Callable[[ReviewCursor], ReviewCursor]
    ) -> ReviewCursor:
        """As `FactStore.update_fact`."""


class Cases(Protocol):
    """Cases, what people decided on them, and an audit that is only ever added to.

    Every change of a case adds an audit entry in the same transaction. The events are `opened`,
    `held` (not when a hold is only made longer), `left`, `voted`, `unvoted`, `disputed`, `closed`
    and `erased`. Their details are verdicts and ids, never texts. The actor is who asked for it;
    `guard` for a case that was opened.
    """

    def open(self, case: Case) -> bool:
        """File a case; False when one with its id was ever filed or its call was erased."""

    def case(self, case_id: str) -> CaseRecord | None:
        """One case as it stands."""

    def query(self, where: CaseFilter, *, after: str = "", limit: int = 50) -> Sequence[CaseRecord]:
        """Cases in order of age, oldest first, then id; those after the case with id `after`,
        nothing when there is none."""

    def count(self, where: CaseFilter, *, most: int) -> int:
        """How many cases fit, counted up to `most`; no text is read."""

    def take(
        self,
        where: CaseFilter,
        *,
        reviewer: str,
        seconds: float,
        behind: QueuePlace | None = None,
    ) -> CaseRecord | None:
        """Hand the first fitting case of the queue that nobody holds and this person has not voted
        on to `reviewer`; what fits and the reviewer holds already is given again. None when there
        is none. The queue: highest priority first, then oldest, then by id. behind: only cases
        after this place. Without a state in `where` it is an open one; closed ones are never
        handed out."""

    def hold(self, case_id: str, *, reviewer: str, seconds: float) -> bool:
        """Hand out one certain case, or hold it longer, `seconds` from now.

        False when somebody else holds it, it is closed or there is none.
        """

    def leave(self, case_id: str, *, reviewer: str) -> bool:
        """Give a case back undecided. False when the reviewer does not hold it."""

    def vote(self, vote: Vote) -> CaseRecord | None:
        """Add the vote of whoever holds the case, and let go of it.

        With all wanted votes in (or more), the case closes when they agree and is disputed when
        not. None, and nothing is changed, when the voter does not hold it or it is closed.
        """

    def unvote(self, case_id: str, *, reviewer: str, seconds: float) -> CaseRecord | None:
        """Take one's vote back and hold the case again, open. None where there is no such vote,
        the case was decided by an adjudicator, or somebody else holds it."""

    def close(self, case_id: str, *, by: str, verdict: str, note: str = "") -> CaseRecord | None:
        """Decide a case whatever its votes are and whoever holds it; it is let go of.

        None when there is none that is not closed.
        """

    def case_counts(self) -> Mapping[tuple[str, CaseState], int]:
        """Cases by use case and state; those there are none of are absent."""

    def oldest_open_at(self) -> float | None:
        """When the oldest case that is not closed was opened."""

    def audit(self, *, case_id: str = "", after: int = 0, limit: int = 1000) -> Sequence[Audit]:
        """Entries with a higher number than `after`, of one case or of all, in order."""

    def note(self, *, actor: str, event: str, case_id: str = "", detail: str = "") -> None:
        """Add an audit entry. It is never erased: the detail holds no text of a call."""

    def erase(self, call_id: str, *, by: str) -> int:
        """Delete every text of a call; how many cases and jobs there were.

        Votes and notes on its cases go with them, a lease on its job is lost, and what comes in
        for this call later is left out. The audit keeps ids: one entry `erased` per case with the
        call in its detail, one per job with the job's key. An empty `call_id` is nobody's call.
        """


class Store(Inbox, Windows, Cases, FactStore, Accounts, Cursors, Protocol):
    """All of it in one place, so that it can change together.

    left_out: how many records it could not keep or read so far, of which it took the rest.
    """

    left_out: int

    def accept(self, batch: Batch, position: Position) -> bool:
        """Jobs in, sums added, cases opened and the position of the spool kept, in one step.

        False, and nothing is done, when the store has this position already. Jobs for which there
        is no room are counted as `full`; jobs and cases it knows are left out.
        """

    def position(self, spool: str) -> int:
        """How far a spool was accepted; 0 for one that is not known."""

    def settle(self) -> bool:
        """Have what was erased leave the store's files too.

        With SQLite it has left them with `erase`; a Redis server begins to write its files anew,
        and until that is done they hold the texts. False when it is busy doing so since before:
        then ask again later. Raises StoreError when it will not.
        """

    def shut(self) -> None:
        """Let go of files and connections; later calls raise StoreError."""
