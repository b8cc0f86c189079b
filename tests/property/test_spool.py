"""Whatever is appended, cut, opened again and tried again: what was accepted is shipped once."""

from __future__ import annotations

import itertools
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from guard.errors import StoreError
from guard.records import Batch, Job, Position
from guard.store.sender import BatchSender
from guard.store.spool import Spool
from guard.store.spool.format import encode_record, to_frame
from tests.repeats import repeats

MAX_BYTES = 16 * 1000  # segments of 1000 bytes, about seven records without a payload


class Ledger:
    """A store that may answer nothing, before or after it has kept a batch."""

    bucket_seconds = 60.0

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.positions: dict[str, int] = {}
        self.trouble = ""

    def position(self, spool: str) -> int:
        self._fail("before")
        return self.positions.get(spool, 0)

    def accept(self, batch: Batch, position: Position) -> bool:
        self._fail("before")
        new = position.end > self.positions.get(position.spool, 0)
        if new:
            self.keys += [job.key for job in batch.jobs]
            self.positions[position.spool] = position.end
        self._fail("after")
        return new

    def _fail(self, when: str) -> None:
        if self.trouble == when:
            self.trouble = ""
            raise StoreError(f"away {when} it was kept")


class Spooling(RuleBasedStateMachine):
    """One process after the other; `written` is what each has accepted, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.root = Path(self.folder.name) / "spool"
        self.ledger = Ledger()
        self.names = itertools.count()
        self.keys = itertools.count()
        self.written: dict[str, list[Job]] = {}
        self.lost: set[str] = set()
        self.open()

    def open(self) -> None:
        self.name = f"spool-{next(self.names)}"
        self.written[self.name] = []
        self.spool = Spool(self.root, max_bytes=MAX_BYTES, new_id=lambda: self.name)
        self.sender = BatchSender(self.spool, self.ledger, batch_bytes=800, clock=lambda: 0.0)

    def release(self) -> None:
        for journal in self.spool.journals():
            journal.close()

    @rule(size=st.one_of(st.integers(0, 9), st.integers(0, 1500)))
    def offer(self, size: int) -> None:
        self.put(size)

    def put(self, size: int) -> None:
        job = Job(
            key=f"job-{next(self.keys)}",
            lane="http",
            use_case="chat",
            call_id="",
            payload="x" * size,
            offered_at=0.0,
        )
        if self.spool.put(job):
            self.written[self.name].append(job)

    @rule()
    def send_next(self) -> None:
        self.sender.send_next()

    @rule()
    def carry_all(self) -> None:
        while self.sender.send_next():
            pass

    @rule(when=st.sampled_from(["before", "after"]), sizes=st.lists(st.integers(0, 40), max_size=4))
    def carry_in_vain(self, when: str, sizes: list[int]) -> None:
        """The store does not answer, and more has come before the next attempt."""
        self.ledger.trouble = when
        with suppress(StoreError):
            self.sender.send_next()
        self.ledger.trouble = ""
        for size in sizes:
            self.put(size)
        self.sender.send_next()

    @rule()
    def kill(self) -> None:
        self.release()
        self.open()

    @rule(data=st.data())
    @precondition(lambda self: self.written[self.name])
    def kill_and_cut(self, data: st.DataObject) -> None:
        """The end of the last file never reached the disk, or zeros did."""
        self.release()
        last = max((self.root / self.name).glob("*.log"))
        size = last.stat().st_size
        keep = data.draw(st.integers(0, size))
        with last.open("r+b") as file:
            file.truncate(keep)
            if data.draw(st.booleans()):
                file.truncate(size)  # a hole of zeros
        self.note_lost(int(last.stem), int(last.stem) + keep)
        self.open()

    def note_lost(self, start: int, end: int) -> None:
        """What ends in the cut part of the last file and is not in the store yet."""
        position = 0
        for job in self.written[self.name]:
            position += len(to_frame(encode_record(job)))
            if position > max(start, end) and job.key not in self.ledger.keys:
                event("a record was cut")
                self.lost.add(job.key)

    @rule()
    def close(self) -> None:
        self.spool.close(self.sender.shipped_to)
        self.open()

    @invariant()
    def nothing_is_doubled(self) -> None:
        assert len(set(self.ledger.keys)) == len(self.ledger.keys)

    @invariant()
    def nothing_torn_is_taken_for_a_record(self) -> None:
        assert self.sender.dropped == 0

    def teardown(self) -> None:
        with self.folder:
            self.release()
            self.open()
            self.carry_all()
            for jobs in self.written.values():
                wanted = [job.key for job in jobs if job.key not in self.lost]
                kept = {job.key for job in jobs}
                assert [key for key in self.ledger.keys if key in kept] == wanted
            assert list(self.root.glob("*")) == []


TestSpooling = Spooling.TestCase
TestSpooling.settings = settings(
    deadline=None, max_examples=repeats(30, soak=1000), stateful_step_count=40
)
