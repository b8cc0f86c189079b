"""A durable local queue between a process that guards calls and a store that may be away."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from guard.errors import may_be_signal
from guard.forks import call_in_child
from guard.ports import NewId
from guard.store.spool.format import SpoolRecord, encode_record, to_frame
from guard.store.spool.journal import LONGEST_FRAME_BYTES, Chunk, Journal

_log = logging.getLogger(__name__)

_SEGMENTS = 16  # files that a full spool has, about
_SEGMENT_BYTES = 16 * 2**20


class Spool:
    """Takes records in some microseconds; `put` never waits for a disk or a store, nor raises.

    folder: holds a sub-folder per process. What dead processes have left there is adopted when it
        is opened, and by `adopt`. max_bytes: of all that this process has on the disk, adopted
        records included; when it is full, records are dropped and counted. new_id: names the spool
        of this process, and those of forked children, each of which writes to its own.

    A record that was accepted is in the page cache when `put` returns: it outlives a kill -9 of the
    process. Files are synced when they are full and on `close` but not per record, so a loss of
    power may lose the last moments. Files hold prompts; only their owner may read them.

    Thread-safe, with one reader: the `Shipper`.
    """

    def __init__(self, folder: Path, *, max_bytes: int, new_id: NewId) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._segment_bytes = min(_SEGMENT_BYTES, max(max_bytes // _SEGMENTS, 1))
        self._new_id = new_id
        self._wake: Callable[[], None] = _ignore
        self._others = _adopt_all(folder)
        self._others_held = 0
        self._own: Journal | None = None
        self._reset()
        call_in_child(self._reset_in_child)

    def _reset(self) -> None:
        self._lock = Lock()
        self._count_others()
        self._spooled = self._dropped = 0
        self._closed = self._complained = False

    @property
    def spooled(self) -> int:
        """Records that this process has accepted."""
        return self._spooled

    @property
    def dropped(self) -> int:
        """Records that this process could not keep."""
        return self._dropped

    def on_put(self, wake: Callable[[], None]) -> None:
        """Have `wake` called after each record that was accepted; it must return at once."""
        self._wake = wake

    def put(self, record: SpoolRecord) -> bool:
        """Whether the record was accepted: then it reaches the store once, whoever dies."""
        try:
            frame = to_frame(encode_record(record))
            if len(frame) > LONGEST_FRAME_BYTES:
                return self._refuse(f"cannot hold a {type(record).__name__} of {len(frame)} bytes")
            with self._lock:
                self._keep(frame)
        except _Refused as error:
            return self._refuse(str(error))
        except OSError as error:
            if may_be_signal(error):
                raise
            return self._refuse(f"cannot be written: {error}; `store.spool` names its folder")
        except (TypeError, ValueError, RecursionError) as error:
            if may_be_signal(error):
                raise
            return self._refuse(f"cannot hold this {type(record).__name__}: {error!r:.200}")
        if self._complained and 2 * self._held() <= self._max_bytes:  # else it is full again soon
            self._complained = False
            _log.warning("the spool %s takes records again", self._folder)
        self._wake()
        return True

    def adopt(self) -> None:
        """Take over what processes have left that died since: nobody else may come who would."""
        found = _adopt_all(self._folder)
        with self._lock:
            if not self._closed:
                self._others += found
                self._count_others()
                return
        for journal in found:
            journal.close()

    def journals(self) -> tuple[Journal, ...]:
        """All there is to ship, this process's own last."""
        with self._lock:
            return (*self._others, *([self._own] if self._own else []))

    def waiting_bytes(self, shipped: Callable[[str], int]) -> int:
        """What is on the disk behind the positions to which each spool is shipped."""
        with self._lock:
            journals = (*self._others, *([self._own] if self._own else []))
            return sum(journal.bytes_after(shipped(journal.id)) for journal in journals)

    def read(self, journal: Journal, position: int, limit_bytes: int) -> Chunk | None:
        """Some records behind a position; None where there is none. Raises OSError."""
        with self._lock:
            segment = journal.segment_after(position)
        return None if segment is None else segment.read(position, limit_bytes)

    def release(self, journal: Journal, position: int) -> None:
        """Delete the files that end at a position or before. Those left are synced when full.

        Raises OSError.
        """
        with self._lock:
            over = list(journal.pop_before(position))
            full = journal.full()
            self._count_others()
        for segment in over:
            segment.remove()
        for segment in full:
            segment.sync()

    def discard(self, journal: Journal, position: int) -> None:
        """If all was shipped of a journal that nobody writes to any more, remove it."""
        with self._lock:
            if journal is self._own or journal.end > position:
                return
            self._others.remove(journal)
            self._count_others()
        journal.discard()

    def holds_texts(self) -> bool:
        """Whether this process's own files hold anything, shipped or not."""
        with self._lock:
            return self._own is not None and self._own.held_bytes > 0

    def tidy(self, shipped: Callable[[str], int]) -> None:
        """If all was shipped, leave none of it on the disk. Raises OSError."""
        with self._lock:
            own = self._own
            if own is None or own.end > shipped(own.id):
                return
            own.turn_over()
        self.release(own, shipped(own.id))

    def seal(self) -> None:
        """Accept nothing more, and keep others from adopting what there is."""
        with self._lock:
            self._closed = True

    def close(self, shipped: Callable[[str], int]) -> None:
        """Accept nothing more; what lies behind the shipped positions waits to be adopted."""
        with self._lock:
            self._closed = True
            journals = (*self._others, *([self._own] if self._own else []))
            self._others, self._own = [], None
        for journal in journals:
            journal.discard() if journal.end <= shipped(journal.id) else _leave(journal)

    def _keep(self, frame: bytes) -> None:
        if self._closed:
            raise _Refused("is closed")
        if self._own is not None:
            self._own.settle()
        if self._held() + len(frame) > self._max_bytes:
            raise _Refused(
                f"is full: {self._max_bytes} bytes (`store.spool_mb`) wait for the store"
            )
        self._writable().append(frame, segment_bytes=self._segment_bytes)
        self._spooled += 1

    def _writable(self) -> Journal:
        """This process's own journal; a new one where somebody took its files away."""
        if self._own is not None and self._own.removed:
            self._others.append(self._own)
            self._count_others()
            self._own = None
        if self._own is None:
            self._own = Journal.create(self._folder, self._new_id())
        return self._own

    def _held(self) -> int:
        """What all files hold. Added up anew: a thread may be cut off before it has counted."""
        own = self._own
        return self._others_held + (own.held_bytes if own else 0)

    def _count_others(self) -> None:
        self._others_held = sum(journal.held_bytes for journal in self._others)

    def _refuse(self, problem: str) -> bool:
        with self._lock:
            self._dropped += 1
            first, self._complained = not self._complained, True
        if first:
            _log.error("the spool %s %s; records are dropped and counted", self._folder, problem)
        return False

    def _reset_in_child(self) -> None:
        """In a child: what is open belongs to the parent, who keeps its locks."""
        for journal in (*self._others, *([self._own] if self._own else [])):
            journal.close()
        self._others, self._own = [], None
        self._reset()


class _Refused(Exception):  # noqa: N818 - no error: what was offered finds no room
    """Why a record is not taken."""


def _adopt_all(folder: Path) -> list[Journal]:
    """What dead processes have left, the oldest first."""
    try:
        candidates = [path for path in folder.iterdir() if path.name[0] != "." and path.is_dir()]
    except FileNotFoundError:
        return []
    except OSError as error:
        _log.error("the spool %r cannot be read: %s", str(folder), error)
        return []
    return [journal for path in sorted(candidates, key=_age) if (journal := _adopt(path))]


def _adopt(path: Path) -> Journal | None:
    try:
        return Journal.adopt(path)
    except (OSError, ValueError) as error:
        _log.error("the spool %r cannot be adopted: %s", str(path), error)
        return None


def _leave(journal: Journal) -> None:
    try:
        journal.sync()
    except OSError as error:
        _log.error("the spool %s may not outlive a loss of power: %s", journal.id, error)
    finally:
        journal.close()


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _ignore() -> None:
    """Wakes nobody."""
