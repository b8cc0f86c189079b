"""Carries what was spooled to the store, batch by batch."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final

from guard.errors import StoreError
from guard.ports import Clock, Store
from guard.records import Batch, Draft, Position
from guard.store.batches import make_batch
from guard.store.common import check_batch
from guard.store.log_lines import RepeatedLine
from guard.store.spool import Spool
from guard.store.spool.format import SpoolRecord, decode_records
from guard.store.spool.journal import Chunk, Journal

_log = logging.getLogger(__name__)

LEFT_SECONDS: Final = 10.0
"""So long a draft that a dead process has left waits for another one that goes on where it ends."""
CLAIMED_SECONDS: Final = 1.0
"""The pause until it is looked whether another one has replaced a draft whose time has come."""


class RecordsRefusedError(StoreError):
    """The store is there, and cannot take some of these records."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Delivery:
    """On its way. It is sent again as it is until the store has it, so that it counts once.

    lines: of the spool, that it has records of; those of one line stand or fall together.
    """

    journal: Journal
    batch: Batch
    position: Position
    records: int
    lines: int
    size_bytes: int


class BatchSender:
    """Carries a spool to a store, batch by batch. For one thread; counts may be read by others.

    A batch whose sending failed is sent again with the same position: if it had come through after
    all, the store knows it by that. After any error but StoreError the records of the batch are
    sent one by one, and one that fails again is dropped and counted, so that it does not hold up
    the others for good. Of a draft that a dead process has left, the records are sent as well, last
    and after a while, unless another draft stands for it by then.
    """

    def __init__(self, spool: Spool, store: Store, *, batch_bytes: int, clock: Clock) -> None:
        self._spool = spool
        self._store = store
        self._clock = clock
        self._refused = RepeatedLine(_log, clock)
        self._batch_bytes = batch_bytes
        self._pending: _Delivery | None = None
        self._positions: dict[str, int] = {}
        self._one_by_one_to: dict[str, int] = {}
        self._left_due: dict[str, float] = {}
        self.shipped = self.dropped = self.cut_bytes = 0

    def shipped_to(self, spool_id: str) -> int:
        """How far a spool is in the store, as far as known."""
        return self._positions.get(spool_id, 0)

    @property
    def due_at(self) -> float:
        """When the next drafts are due that dead processes have left; never without any."""
        return min(tuple(self._left_due.values()), default=inf)

    def send_next(self) -> int:
        """Bring the next batch to the store: its bytes in the spool, 0 when there is nothing.

        Raises StoreError when the store did not take it, RecordsRefusedError when another attempt
        would not help, and OSError when the spool cannot be read.
        """
        self._note_left()
        self._pending = delivery = self._pending or next(self._read_deliveries(), None)
        if delivery is None:
            return 0
        try:
            self._store.accept(delivery.batch, delivery.position)
        except StoreError:
            raise
        except Exception as error:
            self._isolate(delivery, error)
            raise RecordsRefusedError(
                f"the store failed on {delivery.records} records: {error!r}"
            ) from error
        self._pending = None
        self.shipped += delivery.records
        self._move(delivery.journal, delivery.position.end)
        return delivery.size_bytes

    def _read_deliveries(self) -> Iterator[_Delivery]:
        """A journal that cannot be read is left for later, and holds up no other."""
        unreadable: OSError | None = None
        for journal in self._spool.journals():
            try:
                yield from self._deliveries_of(journal)
            except OSError as error:
                unreadable = unreadable or error
        if unreadable is not None:
            raise unreadable

    def _deliveries_of(self, journal: Journal) -> Iterator[_Delivery]:
        start = self._position(journal)
        while (chunk := self._read(journal, start)) is not None:
            lines = self._lines(chunk, journal)
            if lines:
                position = Position(spool=journal.id, end=chunk.end)
                yield self._delivery(journal, lines, position, size_bytes=chunk.end - start)
            start = chunk.end
            self._move(journal, start)
        yield from self._left_of(journal, start)
        self._spool.discard(journal, self._position(journal))

    def _note_left(self) -> None:
        """Drafts wait from when their journal was adopted, whether the store is there or not."""
        due_at = self._clock() + LEFT_SECONDS
        left = [journal.id for journal in self._spool.journals() if journal.left.open]
        self._left_due = {one: self._left_due.get(one, due_at) for one in left}

    def _left_of(self, journal: Journal, start: int) -> Iterator[_Delivery]:
        """Each draft has a position of its own behind the end of the journal."""
        sent = max(start - journal.end, 0)
        for draft in journal.left.open[:sent]:
            self._spool.take_left(draft)  # an earlier process may have shipped it
        if self._clock() < self._left_due.get(journal.id, -inf):
            return
        for number, draft in enumerate(journal.left.open[sent:], start=sent + 1):
            position = Position(spool=journal.id, end=journal.end + number)
            records = self._records_of(draft)
            if records is None:
                self._left_due[journal.id] = self._clock() + CLAIMED_SECONDS
                return
            if records:
                yield self._delivery(journal, [records], position, size_bytes=1)
            self._move(journal, position.end)
        self._left_due.pop(journal.id, None)

    def _records_of(self, draft: Draft) -> Sequence[SpoolRecord] | None:
        """What the store gets of a draft that was left; None while a call goes on with it."""
        if self._spool.take_left(draft):
            return self._checked(lambda: draft.records)
        return () if self._spool.is_replaced(draft) else None

    def _delivery(
        self,
        journal: Journal,
        lines: Sequence[Sequence[SpoolRecord]],
        position: Position,
        *,
        size_bytes: int,
    ) -> _Delivery:
        records = [record for line in lines for record in line]
        return _Delivery(
            journal=journal,
            batch=make_batch(records, bucket_seconds=self._store.bucket_seconds),
            position=position,
            records=len(records),
            lines=len(lines),
            size_bytes=size_bytes,
        )

    def _position(self, journal: Journal) -> int:
        if journal.id not in self._positions:
            self._positions[journal.id] = self._store.position(journal.id)
        return self._positions[journal.id]

    def _read(self, journal: Journal, start: int) -> Chunk | None:
        alone = start < self._one_by_one_to.get(journal.id, 0)
        return self._spool.read(journal, start, 0 if alone else self._batch_bytes)

    def _lines(self, chunk: Chunk, journal: Journal) -> list[Sequence[SpoolRecord]]:
        """The records of each line that has some."""
        if chunk.cut_bytes:
            self._count_cut(chunk, journal)
        return [records for payload in chunk.payloads if (records := self._decode(payload))]

    def _count_cut(self, chunk: Chunk, journal: Journal) -> None:
        """What is torn was never accepted; what was written whole is lost now."""
        self.cut_bytes += chunk.cut_bytes
        self.dropped += chunk.damaged_lines
        if chunk.damaged_lines:
            _log.error(
                "spool %s: damaged lines, dropped: %d (%d bytes)",
                journal.id,
                chunk.damaged_lines,
                chunk.cut_bytes,
            )
        else:
            _log.warning("spool %s: %d torn bytes are cut", journal.id, chunk.cut_bytes)

    def _decode(self, payload: bytes) -> Sequence[SpoolRecord]:
        return self._checked(lambda: decode_records(payload))

    def _checked(self, read: Callable[[], Sequence[SpoolRecord]]) -> Sequence[SpoolRecord]:
        """The records, if the store can keep them."""
        try:
            records = read()
            check_batch(make_batch(records, bucket_seconds=self._store.bucket_seconds))
        except (ValueError, TypeError, AttributeError, OverflowError) as error:
            self.dropped += 1
            _log.error("a spooled record cannot be read and is dropped: %s", error)
            return ()
        return records

    def _isolate(self, delivery: _Delivery, error: Exception) -> None:
        """The store cannot take this: is it one of the records?"""
        self._pending = None
        if delivery.lines > 1:
            self._one_by_one_to[delivery.journal.id] = delivery.position.end
        else:
            self.dropped += delivery.records
            self._refused.error("the store cannot take a record, which is dropped", fault=error)
            self._move(delivery.journal, delivery.position.end)

    def _move(self, journal: Journal, position: int) -> None:
        self._positions[journal.id] = position
        self._spool.release(journal, position)
