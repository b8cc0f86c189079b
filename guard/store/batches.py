"""What was spooled, as one batch for the store."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from guard.records import Batch, Case, Job, Posting
from guard.store.spool.format import SpoolRecord


def make_batch(records: Iterable[SpoolRecord], *, bucket_seconds: float) -> Batch:
    """The records as one batch, jobs and cases in their order.

    bucket_seconds: width of the store's time buckets, above 0.
    """
    kept = list(records)
    return Batch(
        jobs=tuple(one for one in kept if isinstance(one, Job)),
        postings=merge_postings((one for one in kept if isinstance(one, Posting)), bucket_seconds),
        cases=tuple(one for one in kept if isinstance(one, Case)),
    )


def merge_postings(postings: Iterable[Posting], bucket_seconds: float) -> tuple[Posting, ...]:
    """One posting per use case and time bucket, which adds up to the same, epoch by epoch."""
    sums: dict[tuple[str, int], Posting] = {}
    for posting in postings:
        place = posting.use_case, math.floor(posting.at_seconds / bucket_seconds)
        sums[place] = _add_postings(sums[place], posting) if place in sums else posting
    return tuple(sums.values())


def _add_postings(one: Posting, other: Posting) -> Posting:
    evidence = {
        epoch: _add_sums(one.evidence.get(epoch, {}), other.evidence.get(epoch, {}))
        for epoch in {**one.evidence, **other.evidence}
    }
    return replace(one, sums=_add_sums(one.sums, other.sums), evidence=evidence)


def _add_sums(one: Mapping[str, float], other: Mapping[str, float]) -> Mapping[str, float]:
    return {**one, **{key: one.get(key, 0.0) + value for key, value in other.items()}}
