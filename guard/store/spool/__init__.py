"""A durable local queue between a process that guards calls and a store that may be away."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf
from pathlib import Path
from threading import Lock

from guard.errors import may_be_signal
from guard.forks import call_in_child
from guard.ports import NewId
from guard.records import Draft, Stream
from guard.store.spool.adoption import adopt_all, leave
from guard.store.spool.drafts import LeftStates, OpenDrafts, drafted_records
from guard.store.spool.format import (
    SpoolRecord,
    encode_draft,
    encode_final,
    encode_record,
    to_frame,
)
from guard.store.spool.journal import LONGEST_FRAME_BYTES, Chunk, Journal
from guard.store.spool.room import Refused, room_for

_log = logging.getLogger(__name__)

_SEGMENTS = 16  # files that a full spool has, about
_SEGMENT_BYTES = 16 * 2**20


class Spool:
    """Takes records in some microseconds; `put` never waits for a disk or a store, nor raises.

    folder: holds a sub-folder per process. What dead processes have left there is adopted when it
        is opened, and by `adopt`. max_bytes: of all that this process has on the disk, adopted
        records included; when it is full, records are dropped and counted, large ones earlier.
        new_id: names the spool of this process, and those of forked children, each of which
        writes to its own.

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
        self._others = adopt_all(folder)
        self._others_held = 0
        self._own: Journal | None = None
        self._reset()
        self._note_replaced(self._others)
        call_in_child(self._reset_in_child)

    def _reset(self) -> None:
        self._lock = Lock()
        self._drafts = OpenDrafts()
        self._left = LeftStates()
        self._over: list[Journal] = []
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
        kind = type(record).__name__
        problem = self._offer(kind, lambda: encode_record(record), self._keep)
        return not problem or self._refuse(problem, 1)

    def put_draft(self, draft: Draft) -> bool:
        """Whether it was accepted: then its records reach the store once if this process dies
        before another draft replaces it, or `finish` says what is recorded instead."""
        return not self._offer(
            "Draft", lambda: encode_draft(draft), lambda frame: self._keep_draft(draft, frame)
        )

    def finish(self, draft_id: str, records: Sequence[SpoolRecord]) -> bool:
        """Have these records in place of the draft; whether they were accepted, all or none.

        Where they find no room, those of the draft are kept, for which there is some.
        """
        try:
            problem = self._offer_final(draft_id, records)
            if not problem:
                return True
            kept = self._drafted(draft_id) if records else ()
            if kept and self._offer_final(draft_id, kept):
                kept = ()
            return self._refuse(problem, max(len(records) - len(kept), 0))
        finally:
            with self._lock:  # nothing more is kept for it, also where it found no room
                self._drafts.end(draft_id)
                self._left.end_claim(draft_id)

    def replace_left(self, stream: Stream, texts: Sequence[str]) -> str:
        """The id of the draft of a dead process that goes on in `texts`, if there is one. Otherwise
        empty.

        It is not shipped from now on, and counts for nothing once another draft replaces it, or
        `finish` is called for it.
        """
        with self._lock:
            for journal in self._others:
                for draft in journal.left.open:
                    goes_on = draft.stream == stream and draft.goes_on_in(texts)
                    if goes_on and self._left.claim(draft.id):
                        return draft.id
        return ""

    def take_left(self, draft: Draft) -> bool:
        """Whether one that a dead process has left may be shipped: no call goes on with it. From
        then on none can."""
        with self._lock:
            return self._left.take(draft.id)

    def is_replaced(self, draft: Draft) -> bool:
        """Whether one that a dead process has left counts for nothing."""
        return self._left.is_replaced(draft.id)

    def _offer(self, what: str, encode: Callable[[], bytes], keep: Callable[[bytes], None]) -> str:
        """Why it was not taken; empty where it was."""
        try:
            frame = to_frame(encode())
            if len(frame) > LONGEST_FRAME_BYTES:
                return f"cannot hold a {what} of {len(frame)} bytes"
            with self._lock:
                keep(frame)
        except Refused as error:
            return str(error)
        except OSError as error:
            if may_be_signal(error):
                raise
            return f"cannot be written: {error}; `store.spool` names its folder"
        except (TypeError, ValueError, RecursionError) as error:
            if may_be_signal(error):
                raise
            return f"cannot hold this {what}: {error!r:.200}"
        if self._complained and 2 * self._held() <= self._max_bytes:  # else it is full again soon
            self._complained = False
            _log.warning("the spool %s takes records again", self._folder)
        self._wake()
        return ""

    def _offer_final(self, draft_id: str, records: Sequence[SpoolRecord]) -> str:
        return self._offer(
            "Draft",
            lambda: encode_final(draft_id, records),
            lambda frame: self._keep_final(draft_id, frame, len(records)),
        )

    def adopt(self) -> None:
        """Take over what processes have left that died since: nobody else may come who would."""
        found = adopt_all(self._folder)
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
            if journal not in self._over:
                self._over.append(journal)
            over = self._take_over()
        for one in over:
            one.discard()

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
            self._over = [one for one in self._others if self._is_over(one, shipped(one.id))]
            over = self._take_over()
            if self._own is not None and self._is_own_over(self._own, shipped(self._own.id)):
                over.append(self._own)
                self._own = None
            left = self._all()
            self._others, self._own = [], None
        for journal in over:
            journal.discard()
        for journal in left:
            leave(journal)

    def _all(self) -> tuple[Journal, ...]:
        return (*self._others, *([self._own] if self._own else []))

    def _is_over(self, journal: Journal, position: int) -> bool:
        """Whether nothing is left in it that counts and is not shipped."""
        if position < journal.end:
            return False
        waiting = journal.left.open[position - journal.end :]
        return all(self._left.is_replaced(draft.id) for draft in waiting)

    def _is_own_over(self, own: Journal, position: int) -> bool:
        return own.end <= position and not self._drafts and self._needed_from(own) == inf

    def _take_over(self) -> list[Journal]:
        """Those of `_over` that no other journal needs any more, in the order in which they go."""
        gone: list[Journal] = []
        while found := [one for one in self._over if self._needed_from(one) == inf]:
            gone += found
            self._over = [one for one in self._over if one not in found]
            self._others = [one for one in self._others if one not in found]
        self._count_others()
        return gone

    def _needed_from(self, journal: Journal) -> float:
        """Where it begins to say that drafts in other journals count for nothing. Whoever adopts
        those has to know it."""
        lines: Mapping[str, int] = journal.left.replaced
        if journal is self._own:
            lines = self._left.lines
        if not lines:
            return inf
        others = (one for one in self._others if one is not journal and one.is_on_disk)
        left = {draft.id for one in others for draft in one.left.open}
        return min((start for one, start in lines.items() if one in left), default=inf)

    def _kept_from(self, journal: Journal, position: int) -> int:
        """Before which position files may go: not those with drafts that have no end yet, nor what
        stands for those of other journals."""
        needed = int(min(position, self._needed_from(journal)))
        if journal is self._own:
            return self._drafts.kept_from(needed)
        is_over = position >= journal.last_position
        return needed if is_over else int(min(needed, journal.left.start))

    def _drafted(self, draft_id: str) -> Sequence[SpoolRecord]:
        """The records of an open draft, as they are in its file; none where there is no such."""
        with self._lock:
            start, own = self._drafts.start_of(draft_id), self._own
            segment = None if start is None or own is None else own.segment_after(start)
        if segment is None or start is None:
            return ()
        try:
            return drafted_records(segment.read(start, 0).payloads)
        except OSError as error:
            if may_be_signal(error):
                raise
            return ()

    def _note_replaced(self, journals: Iterable[Journal]) -> None:
        """Drafts may stand for those of other journals."""
        for journal in journals:
            self._left.note_replaced(journal.left.replaced)

    def _keep(self, frame: bytes, *, records: int = 1) -> None:
        self._make_room(len(frame) + self._drafts.reserved_bytes, room_for(frame, self._max_bytes))
        self._writable().append(frame, segment_bytes=self._segment_bytes)
        self._spooled += records

    def _keep_draft(self, draft: Draft, frame: bytes) -> None:
        """Room for its end is kept too."""
        size = len(frame)
        self._make_room(2 * size + self._drafts.reserved_bytes, room_for(frame, self._max_bytes))
        journal = self._writable()
        start = journal.end
        journal.append(frame, segment_bytes=self._segment_bytes)
        self._drafts.add(draft, start=start, size_bytes=size)
        self._left.replace(draft.replaces, start)

    def _keep_final(self, draft_id: str, frame: bytes, records: int) -> None:
        """In the room that was kept for it, if it is not longer than the draft."""
        reserved = self._drafts.reserved_without(draft_id)
        self._make_room(len(frame) + reserved, self._max_bytes)
        journal = self._writable()
        start = journal.end
        journal.append(frame, segment_bytes=self._segment_bytes)
        self._drafts.end(draft_id)
        self._left.replace(draft_id, start)
        self._spooled += records

    def _make_room(self, size_bytes: int, most_bytes: int) -> None:
        if self._closed:
            raise Refused("is closed")
        if self._own is not None:
            self._own.settle()
        if self._held() + size_bytes > most_bytes:
            raise Refused(f"is full: {self._max_bytes} bytes (`store.spool_mb`) wait for the store")

    def _writable(self) -> Journal:
        """This process's own journal; a new one where somebody took its files away."""
        if self._own is not None and self._own.removed:
            self._others.append(self._own)
            self._count_others()
            self._own, self._drafts, self._left.lines = None, OpenDrafts(), {}
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
        if not records:
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


def _ignore() -> None:
    """Wakes nobody."""
