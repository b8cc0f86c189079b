"""What goes to the store next, and that it goes once."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from guard.errors import StoreError
from guard.ports import Store
from guard.records import Batch, Case, Job, Position, Posting
from guard.store.spool import Spool, SpoolRecord
from guard.store.spool.format import decode_record
from guard.store.spool.journal import Chunk, Journal

_log = logging.getLogger(__name__)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Delivery:
    """On its way. It is sent again as it is until the store has it, so that it counts once."""

    journal: Journal
    batch: Batch
    position: Position
    records: int
    size_bytes: int


class BatchSender:
    """Carries a spool to a store, batch by batch. For one thread; counts may be read by others.

    A batch whose sending failed is sent again with the same position: if it had come through after
    all, the store knows it by that. After any error but StoreError the records of the batch are
    sent one by one, and one that fails again is dropped and counted, so that it does not hold up
    the others for good.
    """

    def __init__(self, spool: Spool, store: Store, *, batch_bytes: int) -> None:
        self._spool = spool
        self._store = store
        self._batch_bytes = batch_bytes
        self._pending: _Delivery | None = None
        self._positions: dict[str, int] = {}
        self._one_by_one_to: dict[str, int] = {}
        self.shipped = self.dropped = self.cut_bytes = 0

    def shipped_to(self, spool_id: str) -> int:
        """How far a spool is in the store, as far as known."""
        return self._positions.get(spool_id, 0)

    def send_next(self) -> int:
        """Bring the next batch to the store: its bytes in the spool, 0 when there is nothing.

        Raises StoreError when the store did not take it, and OSError when the spool cannot be read.
        """
        self._pending = delivery = self._pending or next(self._read_deliveries(), None)
        if delivery is None:
            return 0
        try:
            self._store.accept(delivery.batch, delivery.position)
        except StoreError:
            raise
        except Exception as error:
            self._isolate(delivery)
            raise StoreError(
                f"the store failed on {delivery.records} records: {error!r}"
            ) from error
        self._pending = None
        self.shipped += delivery.records
        self._move(delivery.journal, delivery.position.end)
        return delivery.size_bytes

    def _read_deliveries(self) -> Iterator[_Delivery]:
        for journal in self._spool.journals():
            start = self._position(journal)
            while (chunk := self._read(journal, start)) is not None:
                if records := self._records(chunk, journal):
                    yield _Delivery(
                        journal=journal,
                        batch=make_batch(records, bucket_seconds=self._store.bucket_seconds),
                        position=Position(spool=journal.id, end=chunk.end),
                        records=len(records),
                        size_bytes=chunk.end - start,
                    )
                start = chunk.end
                self._move(journal, start)
            self._spool.discard(journal, start)

    def _position(self, journal: Journal) -> int:
        if journal.id not in self._positions:
            self._positions[journal.id] = self._store.position(journal.id)
        return self._positions[journal.id]

    def _read(self, journal: Journal, start: int) -> Chunk | None:
        alone = start < self._one_by_one_to.get(journal.id, 0)
        return self._spool.read(journal, start, 0 if alone else self._batch_bytes)

    def _records(self, chunk: Chunk, journal: Journal) -> list[SpoolRecord]:
        if chunk.cut_bytes:
            self.cut_bytes += chunk.cut_bytes
            _log.warning("spool %s: %d torn bytes are cut", journal.id, chunk.cut_bytes)
        return [record for payload in chunk.payloads if (record := self._decode(payload))]

    def _decode(self, payload: bytes) -> SpoolRecord | None:
        try:
            return decode_record(payload)
        except ValueError as error:
            self.dropped += 1
            _log.error("a spooled record cannot be read and is dropped: %s", error)
            return None

    def _isolate(self, delivery: _Delivery) -> None:
        """The store cannot take this: is it one of the records?"""
        _log.exception("the store failed on %d records of a spool", delivery.records)
        self._pending = None
        if delivery.records > 1:
            self._one_by_one_to[delivery.journal.id] = delivery.position.end
        else:
            self.dropped += 1
            self._move(delivery.journal, delivery.position.end)

    def _move(self, journal: Journal, position: int) -> None:
        self._positions[journal.id] = position
        self._spool.release(journal, position)
