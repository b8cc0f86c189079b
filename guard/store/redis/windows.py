"""Sums in Redis."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from redis.client import Pipeline

from guard.records import Posting
from guard.store.checks import check_postings
from guard.store.named import NamedRecords, Place
from guard.store.redis.part import Part
from guard.store.redis.wire import posting_fields

AT_ONCE = 64
"""Buckets asked for together: the server does nothing else meanwhile."""


class RedisWindows(Part, NamedRecords):
    """See `ports.Windows`."""

    @property
    def bucket_seconds(self) -> float:
        """See `ports.Windows`."""
        return self._options.bucket_seconds

    def add(self, postings: Sequence[Posting]) -> None:
        """See `ports.Windows`."""
        check_postings(postings)
        self._run("add", postings=[posting_fields(one, self._options) for one in postings])

    def total(self, use_case: str, buckets: range) -> Mapping[str, float]:
        """See `ports.Windows`."""
        total: dict[str, float] = {}
        for _, sums in self._buckets(use_case, buckets):
            for key, value in sums.items():
                total[key] = total.get(key, 0.0) + value
        return total

    def series(self, use_case: str, buckets: range) -> Mapping[int, Mapping[str, float]]:
        """See `ports.Windows`."""
        return dict(self._buckets(use_case, buckets))

    def evidence(self, use_case: str, epochs: Collection[str]) -> Mapping[str, Mapping[str, float]]:
        """See `ports.Windows`."""
        names = list(epochs)
        width = len(use_case.encode())
        sums = self._hashes([f"epoch:{width}:{use_case}:{epoch}" for epoch in names])
        return dict(zip(names, sums, strict=True))

    def use_cases(self) -> Sequence[str]:
        """See `ports.Windows`."""
        return sorted(self._server.ask("SMEMBERS", "use_cases"))

    def expire(self, *, before_bucket: int) -> int:
        """See `ports.Windows`."""
        return int(self._run("expire", before_bucket=str(before_bucket)))

    def swap(self, name: str, *, expected: str | None, new: str) -> bool:
        """As `_swap`, for facts."""
        (name + new).encode()
        return self._swap(Place.FACTS, name, expected, new)

    def _texts(self, place: Place) -> Mapping[str, str]:
        found: Mapping[str, str] = self._server.ask("HGETALL", place)
        return found

    def _text(self, place: Place, name: str) -> str | None:
        kept: str | None = self._server.ask("HGET", place, name)
        return kept

    def _swap(self, place: Place, name: str, expected: str | None, new: str | None) -> bool:
        return bool(self._run("swap", place=place, name=name, expected=expected, new=new))

    def _buckets(self, use_case: str, buckets: range) -> Iterator[tuple[int, Mapping[str, float]]]:
        """Those that there are, in order."""
        if not buckets:
            return
        place = f"buckets:{use_case}"
        kept = self._server.ask("ZRANGEBYSCORE", place, buckets.start, buckets.stop - 1)
        numbers = [int(number) for number in kept]
        for at in range(0, len(numbers), AT_ONCE):
            some = numbers[at : at + AT_ONCE]
            hashes = self._hashes([f"bucket:{number}:{use_case}" for number in some])
            yield from ((number, sums) for number, sums in zip(some, hashes, strict=True) if sums)

    def _hashes(self, names: Sequence[str]) -> list[dict[str, float]]:
        def asking(pipeline: Pipeline) -> None:
            for name in names:
                pipeline.hgetall(self._server.key(name))

        return [
            {key: float(value) for key, value in answer.items()}
            for answer in self._server.ask_all(asking)
        ]
