from collections import Counter

import pytest

from guard.errors import StoreError
from guard.fairness import add
from guard.records import InboxCounts


class FakeStore:
    """What is read of a store, kept in dictionaries; counts the buckets that were read."""

    def __init__(self, bucket_seconds=60.0):
        self.bucket_seconds = bucket_seconds
        self.buckets = {}
        self.epochs = {}
        self.jobs = InboxCounts()
        self.cases = {}
        self.oldest = None
        self.away = False
        self.unreadable = 0
        self.away_after = None
        self.calls = Counter()
        self.read = Counter()

    def post(self, use_case, bucket, tally):
        kept = self.buckets.setdefault(use_case, {})
        kept[bucket] = add(kept.get(bucket, {}), tally)

    def total(self, use_case, buckets):
        self._look("total", buckets)
        kept = self.buckets.get(use_case, {})
        return add(*(kept[number] for number in buckets if number in kept))

    def series(self, use_case, buckets):
        self._look("series", buckets)
        kept = self.buckets.get(use_case, {})
        return {number: dict(kept[number]) for number in buckets if number in kept}

    def evidence(self, use_case, epochs):
        self._look("evidence", range(0))
        return {epoch: dict(self.epochs.get((use_case, epoch), {})) for epoch in epochs}

    def use_cases(self):
        self._look("use_cases", range(0))
        return sorted(self.buckets)

    def job_counts(self):
        self._look("job_counts", range(0))
        return self.jobs

    def case_counts(self):
        self._look("case_counts", range(0))
        return self.cases

    def oldest_open_at(self):
        self._look("oldest_open_at", range(0))
        return self.oldest

    def _look(self, what, buckets):
        if self.away or self.calls.total() == self.away_after:
            raise StoreError("the store is away")
        self.calls[what] += 1
        self.read[what] += len(buckets)


@pytest.fixture
def store():
    return FakeStore()
