"""Sums are added up before they travel, and nothing else changes."""

from __future__ import annotations

from guard.records import Posting
from guard.store.batches import make_batch, merge_postings


def posting(at_seconds: float, use_case: str = "chat", **sums: float) -> Posting:
    return Posting(use_case=use_case, at_seconds=at_seconds, sums=sums)


def test_sums_of_one_bucket_are_one_posting() -> None:
    assert merge_postings([posting(60.0, n=1.0), posting(119.9, n=2.0, m=5.0)], 60.0) == (
        posting(60.0, n=3.0, m=5.0),
    )


def test_buckets_and_use_cases_stay_apart() -> None:
    apart = [posting(59.9, n=1.0), posting(60.0, n=1.0), posting(60.0, "other", n=1.0)]
    assert merge_postings(apart, 60.0) == tuple(apart)


def test_evidence_is_added_epoch_by_epoch() -> None:
    one = Posting(use_case="u", at_seconds=0.0, evidence={"a": {"n": 1.0}, "b": {"n": 1.0}})
    two = Posting(use_case="u", at_seconds=1.0, evidence={"a": {"n": 2.0, "m": 3.0}})
    (both,) = merge_postings([one, two], 60.0)
    assert both.evidence == {"a": {"n": 3.0, "m": 3.0}, "b": {"n": 1.0}}
    assert one.evidence["a"] == {"n": 1.0}


def test_a_batch_sorts_by_kind_and_keeps_the_order(make_job) -> None:
    jobs = [make_job(number) for number in range(3)]
    batch = make_batch([jobs[0], posting(0.0, n=1.0), *jobs[1:]], bucket_seconds=60.0)
    assert batch.jobs == tuple(jobs)
    assert batch.postings == (posting(0.0, n=1.0),)
    assert batch.cases == ()
