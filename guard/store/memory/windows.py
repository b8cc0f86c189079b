"""Sums in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypeVar

from guard.records import Posting
from guard.store.checks import check_postings
from guard.store.memory.alone import Alone
from guard.store.named import NamedRecords, Place
from guard.store.options import Options

P = TypeVar("P")
Sums = dict[str, float]


class MemoryWindows(Alone, NamedRecords):
    """See `ports.Windows`."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._buckets: dict[tuple[str, int], Sums] = {}
        self._epochs: dict[tuple[str, str], Sums] = {}
        self._named: dict[Place, dict[str, str]] = {place: {} for place in Place}

    @property
    def bucket_seconds(self) -> float:
        """See `ports.Windows`."""
        return self._options.bucket_seconds

    def add(self, postings: Sequence[Posting]) -> None:
        """See `ports.Windows`."""
        check_postings(postings)
        with self._alone():
            self._post(postings)

    def total(self, use_case: str, buckets: range) -> Mapping[str, float]:
        """See `ports.Windows`."""
        total: dict[str, Sums] = {}
        for sums in self.series(use_case, buckets).values():
            _add(total, use_case, sums)
        return total.get(use_case, {})

    def series(self, use_case: str, buckets: range) -> Mapping[int, Mapping[str, float]]:
        """See `ports.Windows`."""
        with self._alone():
            return {
                bucket: dict(sums)
                for (name, bucket), sums in sorted(self._buckets.items())
                if name == use_case and bucket in buckets
            }

    def evidence(self, use_case: str, epochs: Collection[str]) -> Mapping[str, Mapping[str, float]]:
        """See `ports.Windows`."""
        with self._alone():
            return {epoch: dict(self._epochs.get((use_case, epoch), {})) for epoch in epochs}

    def use_cases(self) -> Sequence[str]:
        """See `ports.Windows`."""
        with self._alone():
            return sorted({name for name, _ in (*self._buckets, *self._epochs)})

    def expire(self, *, before_bucket: int) -> int:
        """See `ports.Windows`."""
        with self._alone():
            old = [place for place in self._buckets if place[1] < before_bucket]
            for place in old:
                del self._buckets[place]
            return len(old)

    def swap(self, name: str, *, expected: str | None, new: str) -> bool:
        """As `_swap`, for facts."""
        new.encode()
        return self._swap(Place.FACTS, name, expected, new)

    def _texts(self, place: Place) -> Mapping[str, str]:
        with self._alone():
            return dict(self._named[place])

    def _text(self, place: Place, name: str) -> str | None:
        with self._alone():
            return self._named[place].get(name)

    def _swap(self, place: Place, name: str, expected: str | None, new: str | None) -> bool:
        with self._alone():
            texts = self._named[place]
            if texts.get(name) != expected:
                return False
            if new is None:
                texts.pop(name, None)
            else:
                texts[name] = new
            return True

    def _post(self, postings: Sequence[Posting]) -> None:
        for posting in postings:
            bucket = self._options.bucket(posting.at_seconds)
            _add(self._buckets, (posting.use_case, bucket), posting.sums)
            for epoch, sums in posting.evidence.items():
                _add(self._epochs, (posting.use_case, epoch), sums)


def _add(kept: dict[P, Sums], place: P, sums: Mapping[str, float]) -> None:
    if sums:
        there = kept.setdefault(place, {})
        for key, value in sums.items():
            there[key] = there.get(key, 0.0) + value
