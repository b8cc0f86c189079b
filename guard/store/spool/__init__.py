"""A durable local queue between a process that guards calls and a store that may be away."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from threading import Lock

from guard.errors import may_be_signal
from guard.forks import call_in_child
from guard.ports import NewId
from guard.records import Draft, Stream
from guard.store.spool.drafts import OpenDrafts
from guard.store.spool.format import (
    SpoolRecord,
    encode_draft,
    encode_final,
    encode_record,
    to_frame,
)
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
        self._note_replaced(self._others)
        call_in_child(self._reset_in_child)

    def _reset(self) -> None:
        self._lock = Lock()
        self._drafts = OpenDrafts()
        self._replaced: set[str] = set()
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
        return self._offer(type(record).__name__, lambda: encode_record(record), self._keep)

    def put_draft(self, draft: Draft) -> bool:
        """Whether it was accepted: then its records reach the store once if this process dies
        before another draft replaces it, or `finish` says what is recorded instead."""
        return self._offer(
            "Draft", lambda: encode_draft(draft), lambda frame: self._keep_draft(draft, frame), 0
        )

    def finish(self, draft_id: str, records: Sequence[SpoolRecord]) -> bool:
        """Have these records in place of the draft; whether they were accepted, all or none."""
        count = len(records)
        try:
            return self._offer(
                "Draft",
                lambda: encode_final(draft_id, records),
                lambda frame: self._keep_final(draft_id, frame, count),
                count,
            )
        finally:
            with self._lock:  # nothing more is kept for it, also where it found no room
                self._drafts.end(draft_id)

    def replace_left(self, stream: Stream, texts: Sequence[str]) -> str:
        """The id of the draft of a dead process that goes on in `texts`, if there is one; it counts
        for nothing from now on. Otherwise empty."""
        with self._lock:
            for journal in self._others:
                for draft in journal.left.open:
                    is_open = draft.stream == stream and draft.id not in self._replaced
                    if is_open and draft.goes_on_in(texts):
                        self._replaced.add(draft.id)
                        return draft.id
        return ""

    def is_replaced(self, draft: Draft) -> bool:
        """Whether another stands for one that a dead process has left."""
        return draft.id in self._replaced

    def _offer(
        self,
        what: str,
        encode: Callable[[], bytes],
        keep: Callable[[bytes], None],
        records: int = 1,
    ) -> bool:
        """Whether it was taken. records: how many are lost where it is not."""
        try:
            frame = to_frame(encode())
            if len(frame) > LONGEST_FRAME_BYTES:
                return self._refuse(f"cannot hold a {what} of {len(frame)} bytes", records)
            with self._lock:
                keep(frame)
        except _Refused as error:
            return self._refuse(str(error), records)
        except OSError as error:
            if may_be_signal(error):
                raise
            problem = f"cannot be written: {error}; `store.spool` names its folder"
            return self._refuse(problem, records)
        except (TypeError, ValueError, RecursionError) as error:
            if may_be_signal(error):
                raise
            return self._refuse(f"cannot hold this {what}: {error!r:.200}", records)
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
                self._note_replaced(found)
                self._count_others()
                return
        for journal in found:
            journal.close()

    def journals(self) -> tuple[Journal, ...]:
        """All there is to ship, this process's own last."""
        with self._lock:
            return self._all()

    def waiting_bytes(self, shipped: Callable[[str], int]) -> int:
        """What is on the disk behind the positions to which each spool is shipped."""
        with self._lock:
            return sum(journal.bytes_after(shipped(journal.id)) for journal in self._all())

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
            over = list(journal.pop_before(self._kept_from(journal, position)))
            full = journal.full()
            self._count_others()
        for segment in over:
            segment.remove()
        for segment in full:
            segment.sync()

    def discard(self, journal: Journal, position: int) -> None:
        """If all was shipped of a journal that nobody writes to any more, remove it."""
        with self._lock:
            if journal is self._own or journal.last_position > position:
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
            over = [one for one in self._all() if self._is_over(one, shipped(one.id))]
            left = [one for one in self._all() if one not in over]
            self._others, self._own = [], None
        for journal in over:
            journal.discard()
        for journal in left:
            _leave(journal)

    def _all(self) -> tuple[Journal, ...]:
        return (*self._others, *([self._own] if self._own else []))

    def _is_over(self, journal: Journal, position: int) -> bool:
        has_drafts = journal is self._own and bool(self._drafts)
        return journal.last_position <= position and not has_drafts

    def _kept_from(self, journal: Journal, position: int) -> int:
        """Before which position files may go: not those with drafts that have no end yet."""
        if journal is self._own:
            return self._drafts.kept_from(position)
        is_over = position >= journal.last_position
        return position if is_over else int(min(position, journal.left.start))

    def _note_replaced(self, journals: Iterable[Journal]) -> None:
        """Drafts may stand for those of other journals."""
        for journal in journals:
            self._replaced |= journal.left.replaced

    def _keep(self, frame: bytes, *, records: int = 1) -> None:
        self._make_room(len(frame) + self._drafts.reserved_bytes)
        self._writable().append(frame, segment_bytes=self._segment_bytes)
        self._spooled += records

    def _keep_draft(self, draft: Draft, frame: bytes) -> None:
        """Room for its end is kept too."""
        size = len(frame)
        self._make_room(2 * size + self._drafts.reserved_bytes)
        journal = self._writable()
        start = journal.end
        journal.append(frame, segment_bytes=self._segment_bytes)
        self._drafts.add(draft, start=start, size_bytes=size)

    def _keep_final(self, draft_id: str, frame: bytes, records: int) -> None:
        self._drafts.end(draft_id)
        self._keep(frame, records=records)

    def _make_room(self, size_bytes: int) -> None:
        if self._closed:
            raise _Refused("is closed")
        if self._own is not None:
            self._own.settle()
        if self._held() + size_bytes > self._max_bytes:
            raise _Refused(
                f"is full: {self._max_bytes} bytes (`store.spool_mb`) wait for the store"
            )

    def _writable(self) -> Journal:
        """This process's own journal; a new one where somebody took its files away."""
        if self._own is not None and self._own.removed:
            self._others.append(self._own)
            self._count_others()
            self._own, self._drafts = None, OpenDrafts()
        if self._own is None:
            self._own = Journal.create(self._folder, self._new_id())
        return self._own

    def _held(self) -> int:
        """What all files hold. Added up anew: a thread may be cut off before it has counted."""
        own = self._own
        return self._others_held + (own.held_bytes if own else 0)

    def _count_others(self) -> None:
        self._others_held = sum(journal.held_bytes for journal in self._others)

    def _refuse(self, problem: str, records: int) -> bool:
        if not records:  # a draft, whose end may find room yet
            return False
        with self._lock:
            self._dropped += records
            first, self._complained = not self._complained, True
        if first:
            _log.error("the spool %s %s; records are dropped and counted", self._folder, problem)
        return False

    def _reset_in_child(self) -> None:
        """In a child: what is open belongs to the parent, who keeps its locks."""
        for journal in self._all():
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
