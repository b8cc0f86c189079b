"""What goes to the store next, and that it goes once."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass

from guard.errors import StoreError
from guard.ports import Store
from guard.records import Batch, Position
from guard.store.merging import batched
from guard.store.spool import Spool, Spooled
from guard.store.spool.journal import Journal
from guard.store.spool.segment import Chunk
from guard.store.spool.wording import decoded

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Load:
    """On its way. It is sent again as it is until the store has it, so that it counts once."""

    journal: Journal
    batch: Batch
    position: Position
    records: int
    size_bytes: int


class Carrier:
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
        self._load: _Load | None = None
        self._positions: dict[str, int] = {}
        self._one_by_one_to: dict[str, int] = {}
        self.shipped = self.dropped = self.cut_bytes = 0

    def shipped_to(self, spool_id: str) -> int:
        """How far a spool is in the store, as far as known."""
        return self._positions.get(spool_id, 0)

    def carry(self) -> int:
        """Bring the next batch to the store: its bytes in the spool, 0 when there is nothing.

        Raises StoreError when the store did not take it, and OSError when the spool cannot be read.
        """
        self._load = load = self._load or next(self._loads(), None)
        if load is None:
            return 0
        try:
            self._store.accept(load.batch, load.position)
        except StoreError:
            raise
        except Exception as error:
            self._suspect(load)
            raise StoreError(f"the store failed on {load.records} records: {error!r}") from error
        self._load = None
        self.shipped += load.records
        self._move(load.journal, load.position.end)
        return load.size_bytes

    def _loads(self) -> Iterator[_Load]:
        for journal in self._spool.journals():
            start = self._position(journal)
            while (chunk := self._read(journal, start)) is not None:
                if records := self._records(chunk, journal):
                    yield self._packed(journal, records, start, chunk.end)
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

    def _records(self, chunk: Chunk, journal: Journal) -> list[Spooled]:
        if chunk.cut_bytes:
            self.cut_bytes += chunk.cut_bytes
            _log.warning("spool %s: %d torn bytes are cut", journal.id, chunk.cut_bytes)
        return [record for payload in chunk.payloads if (record := self._decoded(payload))]

    def _decoded(self, payload: bytes) -> Spooled | None:
        try:
            return decoded(payload)
        except ValueError as error:
            self.dropped += 1
            _log.error("a spooled record cannot be read and is dropped: %s", error)
            return None

    def _packed(self, journal: Journal, records: list[Spooled], start: int, end: int) -> _Load:
        return _Load(
            journal=journal,
            batch=batched(records, bucket_seconds=self._store.bucket_seconds),
            position=Position(spool=journal.id, end=end),
            records=len(records),
            size_bytes=end - start,
        )

    def _suspect(self, load: _Load) -> None:
        """The store cannot take this: is it one of the records?"""
        _log.exception("the store failed on %d records of a spool", load.records)
        self._load = None
        if load.records > 1:
            self._one_by_one_to[load.journal.id] = load.position.end
        else:
            self.dropped += 1
            self._move(load.journal, load.position.end)

    def _move(self, journal: Journal, position: int) -> None:
        self._positions[journal.id] = position
        self._spool.release(journal, position)
