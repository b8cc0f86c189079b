"""What holds for every store: how it is kept, and what none can keep."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterable, Sequence
from dataclasses import dataclass
from math import floor, isnan
from sys import float_info
from typing import Any, Final, TypeGuard

from guard.records import Batch, Case, Job, Posting, Vote

REMEMBERED_SECONDS = 7 * 86_400.0
"""How long the key of an ended job is remembered, so that it is not done again."""

LONGEST_WAIT_SECONDS = 86_400.0
"""No lease, delay or hold may be longer. A job or case that is free only after that was taken by a
clock that has been set back since, and is free at once: so clocks must not differ by a day."""


MOST_ATTEMPTS = 256
"""How often a change begins anew because another process was faster."""

TIMES: Final = (-62_135_510_400.0, 253_402_214_400.0)
"""The first and the last time that can be kept: dates of the years 1 to 9999, wherever shown."""

MOST_REVIEWERS: Final = 2**31 - 1
"""Votes that a case can want."""


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
        self.left_out = 0
        self.unreadable = 0

    @property
    def bucket_seconds(self) -> float:
        return self._options.bucket_seconds


def check_job(job: Job) -> None:
    """Raises ValueError for what is no text, or one with a lone surrogate, and for no time."""
    _check_texts(job.key, job.lane, job.use_case, job.call_id, job.payload)
    _check_number(f"job {job.key}: was offered at", job.offered_at, *TIMES)


def check_case(case: Case) -> None:
    """Raises ValueError for what is no text, or one with a lone surrogate, and for a priority, a
    time or a number of reviewers that is none."""
    named = (case.id, case.use_case, case.call_id, case.body, case.attribute)
    _check_texts(*named, *case.reasons, *case.groups)
    _check_number(f"case {case.id}: priority", case.priority, 0, float_info.max)
    _check_number(f"case {case.id}: was opened at", case.opened_at, *TIMES)
    _check_number(f"case {case.id}: reviewers", case.reviewers, 0, MOST_REVIEWERS)
    if case.reviewers != int(case.reviewers):
        raise ValueError(f"case {case.id}: reviewers {case.reviewers}: must be a whole number")


def check_vote(vote: Vote) -> None:
    """Raises ValueError for a text with a lone surrogate."""
    _check_texts(vote.case_id, vote.reviewer, vote.verdict, vote.reason, vote.note)


def check_postings(postings: Iterable[Posting]) -> None:
    """Raises ValueError for a sum that is not finite, a name that is no text or has a lone
    surrogate, and for no time."""
    for posting in postings:
        _check_texts(posting.use_case)
        _check_number(f"a posting of {posting.use_case!r} is at", posting.at_seconds, *TIMES)
        _check_sums(posting.use_case, posting.sums)
        for epoch, sums in _items(posting.evidence):
            _check_texts(epoch)
            _check_sums(posting.use_case, sums)


def _check_texts(*texts: object) -> None:
    for text in texts:
        if not _is_text(text):
            raise ValueError(f"{text!r:.80} is no text")
        text.encode()


def _check_number(what: str, value: object, least: float, most: float) -> None:
    if not (_is_number(value) and least <= value <= most):
        raise ValueError(f"{what} {value!r:.80}: must be a number from {least:g} to {most:g}")


def _check_sums(use_case: str, sums: object) -> None:
    for key, value in _items(sums):
        _check_texts(key)
        largest = float_info.max
        if not (_is_number(value) and -largest <= value <= largest):
            raise ValueError(f"the sum {key!r} of {use_case!r} is {value!r:.80}: must be finite")


def _items(mapping: object) -> ItemsView[str, Any]:
    try:
        return mapping.items()  # type: ignore[attr-defined,no-any-return]
    except AttributeError as error:
        raise ValueError(f"{mapping!r:.80} holds no sums") from error


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str)


def _is_number(value: object) -> TypeGuard[float]:
    """Not so: a truth value, which no store keeps as such."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def read_time(kept: object) -> float:
    """A time as it was kept, within TIMES; what is none is the beginning of 1970."""
    earliest, latest = TIMES
    return min(max(_read_number(kept), earliest), latest)


def read_reviewers(kept: object) -> int:
    """A number of reviewers as it was kept; what is none is 0."""
    return int(min(max(_read_number(kept), 0.0), MOST_REVIEWERS))


def read_priority(kept: object) -> float:
    """A priority as it was kept; what is none is 0."""
    return min(max(_read_number(kept), 0.0), float_info.max)


def _read_number(kept: object) -> float:
    """Older versions took in what other programs had written into a spool."""
    try:
        number = float(str(kept))
    except ValueError:
        return 0.0
    return 0.0 if isnan(number) else number


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
