"""Many records into one batch: sums that fall into one place are added up before they travel."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from guard.records import Batch, Case, Job, Posting
from guard.store.spool import Spooled


def batched(records: Iterable[Spooled], *, bucket_seconds: float) -> Batch:
    """The records as one batch, jobs and cases in their order.

    bucket_seconds: width of the store's time buckets, above 0.
    """
    kept = list(records)
    return Batch(
        jobs=tuple(one for one in kept if isinstance(one, Job)),
        postings=merged((one for one in kept if isinstance(one, Posting)), bucket_seconds),
        cases=tuple(one for one in kept if isinstance(one, Case)),
    )


def merged(postings: Iterable[Posting], bucket_seconds: float) -> tuple[Posting, ...]:
    """One posting per use case and time bucket, which adds up to the same, epoch by epoch."""
    sums: dict[tuple[str, int], Posting] = {}
    for posting in postings:
        place = posting.use_case, math.floor(posting.at_seconds / bucket_seconds)
        sums[place] = _added(sums[place], posting) if place in sums else posting
    return tuple(sums.values())


def _added(one: Posting, other: Posting) -> Posting:
    evidence = {
        epoch: _total(one.evidence.get(epoch, {}), other.evidence.get(epoch, {}))
        for epoch in {**one.evidence, **other.evidence}
    }
    return replace(one, sums=_total(one.sums, other.sums), evidence=evidence)


def _total(one: Mapping[str, float], other: Mapping[str, float]) -> Mapping[str, float]:
    return {**one, **{key: one.get(key, 0.0) + value for key, value in other.items()}}
