"""What holds for every store: how it is kept, and what none can keep."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import floor, isfinite

from guard.records import Batch, Case, Job, Posting, Vote

REMEMBERED_SECONDS = 7 * 86_400.0
"""How long the key of an ended job is remembered, so that it is not done again."""


MOST_ATTEMPTS = 256
"""How often a change begins anew because another process was faster."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreOptions:
    """How a store is kept.

    clock: Unix seconds. bucket_seconds: width of a time bucket. max_jobs: how many jobs may be
    neither finished nor buried. new_token: text that tells one lease from all others.
    """

    clock: Callable[[], float]
    bucket_seconds: float
    max_jobs: int
    new_token: Callable[[], str]

    def bucket(self, at_seconds: float) -> int:
        """The number of the bucket a time falls into."""
        return floor(at_seconds / self.bucket_seconds)


class StoreBase:
    """What all parts of a store share."""

    def __init__(self, options: StoreOptions) -> None:
        self._options = options

    @property
    def bucket_seconds(self) -> float:
        return self._options.bucket_seconds


def check_job(job: Job) -> None:
    """Raises ValueError for a text with a lone surrogate, or a time that is no number."""
    if not isfinite(job.offered_at):
        raise ValueError(f"job {job.key}: was offered at {job.offered_at}")
    _check_texts(job.key, job.lane, job.use_case, job.call_id, job.payload)


def check_case(case: Case) -> None:
    """Raises ValueError for a text with a lone surrogate, and a priority or time that is none."""
    if not (isfinite(case.priority) and case.priority >= 0):
        raise ValueError(f"case {case.id}: priority {case.priority} must be a number, at least 0")
    if not isfinite(case.opened_at):
        raise ValueError(f"case {case.id}: was opened at {case.opened_at}")
    named = (case.id, case.use_case, case.call_id, case.body, case.attribute)
    _check_texts(*named, *case.reasons, *case.groups)


def check_vote(vote: Vote) -> None:
    """Raises ValueError for a text with a lone surrogate."""
    _check_texts(vote.case_id, vote.reviewer, vote.verdict, vote.reason, vote.note)


def check_postings(postings: Iterable[Posting]) -> None:
    """Raises ValueError for a sum that is not finite, or a name with a lone surrogate."""
    for posting in postings:
        posting.use_case.encode()
        if not isfinite(posting.at_seconds):
            raise ValueError(f"a posting of {posting.use_case!r} is at {posting.at_seconds}")
        _check_sums(posting.use_case, posting.sums)
        for epoch, sums in posting.evidence.items():
            epoch.encode()
            _check_sums(posting.use_case, sums)


def _check_texts(*texts: str) -> None:
    for text in texts:
        text.encode()


def _check_sums(use_case: str, sums: Mapping[str, float]) -> None:
    for key, value in sums.items():
        key.encode()
        if not isfinite(value):
            raise ValueError(f"the sum {key!r} of {use_case!r} is {value}: it must be finite")


def check_batch(batch: Batch) -> None:
    """Raises ValueError for anything in it that cannot be kept."""
    for job in batch.jobs:
        check_job(job)
    check_postings(batch.postings)
    for case in batch.cases:
        check_case(case)


def effects_of(
    postings: Sequence[Posting], cases: Sequence[Case], jobs: Sequence[Job] = ()
) -> Batch:
    """What comes with the end of a job. Raises ValueError for what cannot be kept."""
    batch = Batch(postings=tuple(postings), cases=tuple(cases), jobs=tuple(jobs))
    check_batch(batch)
    return batch


def storable_text(text: str) -> str:
    """An error message as every store can keep it: lone surrogates written out."""
    return text.encode("utf-8", "backslashreplace").decode()
