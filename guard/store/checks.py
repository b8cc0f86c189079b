"""What no store can keep is refused before anything is changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite

from guard.records import Case, Job, Posting, Vote


def check_job(job: Job) -> None:
    """Raises ValueError for a text with a lone surrogate."""
    for text in (job.key, job.lane, job.use_case, job.call_id, job.payload):
        text.encode()


def check_case(case: Case) -> None:
    """Raises ValueError for a text with a lone surrogate."""
    named = (case.id, case.use_case, case.call_id, case.body, case.attribute)
    for text in (*named, *case.reasons, *case.groups):
        text.encode()


def check_vote(vote: Vote) -> None:
    """Raises ValueError for a text with a lone surrogate."""
    for text in (vote.case_id, vote.reviewer, vote.verdict, vote.reason, vote.note):
        text.encode()


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


def _check_sums(use_case: str, sums: Mapping[str, float]) -> None:
    for key, value in sums.items():
        key.encode()
        if not isfinite(value):
            raise ValueError(f"the sum {key!r} of {use_case!r} is {value}: it must be finite")


def keepable(text: str) -> str:
    """An error message as every store can keep it: lone surrogates written out."""
    return text.encode("utf-8", "backslashreplace").decode()
