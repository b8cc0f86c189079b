"""Whatever is drafted, replaced, ended and killed: each call is shipped as what it was last."""

from __future__ import annotations

import itertools
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from guard.errors import StoreError
from guard.records import Draft, Job, marks_of
from guard.store.sender import LEFT_SECONDS, BatchSender
from guard.store.spool import Spool
from tests.property.test_spool import Ledger
from tests.repeats import repeats

STREAMS = st.sampled_from("abc")


def job(key: str) -> Job:
    """Nine of them in a file of the spool, about."""
    return Job(key=key, lane="http", use_case="chat", call_id="", payload="x" * 300, offered_at=0.0)


class Drafting(RuleBasedStateMachine):
    """One process after the other, each with rounds of the same streams.

    latest: the open draft of each stream, of this process or of one before it. texts: what each has
    said. wanted: keys that must be in the store in the end, beside the open ones.
    """

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.root = Path(self.folder.name) / "spool"
        self.ledger = Ledger()
        self.names, self.keys = itertools.count(), itertools.count()
        self.now = 0.0
        self.latest: dict[str, str] = {}
        self.own: set[str] = set()
        self.texts: dict[str, str] = dict.fromkeys("abc", "")
        self.wanted: list[str] = []
        self.open()

    def open(self) -> None:
        self.own = set()
        name = f"spool-{next(self.names)}"
        self.spool = Spool(self.root, max_bytes=2**20, new_id=lambda: name)
        self.spool._segment_bytes = 4000
        self.sender = BatchSender(self.spool, self.ledger, batch_bytes=800, clock=lambda: self.now)

    def release(self) -> None:
        for journal in self.spool.journals():
            journal.close()

    @rule(stream=STREAMS, more=st.booleans())
    def judge(self, stream: str, more: bool) -> None:
        """The stream goes on, or another reply begins."""
        before = self.latest.pop(stream, "")
        self.texts[stream] = self.texts[stream] + "more" if more else f"{next(self.keys)} says "
        texts = [self.texts[stream]]
        if before in self.own:
            replaces = before if more else ""
        else:
            replaces = self.spool.replace_left(("chat", stream), texts)
            assert replaces in {before, ""}
        if before and not replaces:
            self.wanted.append(before)
            if before in self.own:
                self.spool.finish(before, [job(before)])
        key = f"round-{next(self.keys)}"
        draft = Draft(
            id=key,
            stream=("chat", stream),
            marks=marks_of(texts),
            replaces=replaces,
            records=(job(key),),
        )
        assert self.spool.put_draft(draft)
        self.latest[stream] = key
        self.own.add(key)

    @rule(stream=STREAMS)
    def end(self, stream: str) -> None:
        """Nothing came for a while: it is known what the record is."""
        self.wait()
        if self.latest.get(stream) in self.own:
            key = self.latest.pop(stream)
            assert self.spool.finish(key, [job(key)])
            self.wanted.append(key)

    @rule(stream=STREAMS)
    def end_early(self, stream: str) -> None:
        """As where a process drains."""
        if self.latest.get(stream) in self.own:
            key = self.latest.pop(stream)
            assert self.spool.finish(key, [job(key)])
            self.wanted.append(key)

    @rule(stream=STREAMS)
    def record_without_draft(self, stream: str) -> None:
        """A draft of a dead process goes on in a round that is recorded at once."""
        if self.latest.get(stream) in self.own:
            return
        before = self.latest.pop(stream, "")
        self.texts[stream] += "more"
        replaces = self.spool.replace_left(("chat", stream), [self.texts[stream]])
        if replaces:
            self.spool.finish(replaces, ())
        elif before:
            self.wanted.append(before)
        self.put()

    @rule(stream=STREAMS, waits=st.booleans())
    def kill_before_a_draft_is_written(self, stream: str, waits: bool) -> None:
        if self.latest.get(stream) not in self.own:
            self.spool.replace_left(("chat", stream), [self.texts[stream] + "more"])
        if waits:
            self.wait()
        self.kill()

    @rule()
    def wait(self) -> None:
        self.now += LEFT_SECONDS
        self.carry_all()

    @rule()
    def put(self) -> None:
        key = f"other-{next(self.keys)}"
        self.spool.put(job(key))
        self.wanted.append(key)

    @rule()
    def send_next(self) -> None:
        self.sender.send_next()

    @rule()
    def carry_all(self) -> None:
        while self.sender.send_next():
            pass

    @rule()
    def tidy(self) -> None:
        self.spool.tidy(self.sender.shipped_to)

    @rule(when=st.sampled_from(["before", "after"]))
    def carry_in_vain(self, when: str) -> None:
        self.ledger.trouble = when
        with suppress(StoreError):
            self.sender.send_next()
        self.ledger.trouble = ""

    @rule()
    def kill(self) -> None:
        self.release()
        self.open()

    @rule()
    def close(self) -> None:
        self.spool.close(self.sender.shipped_to)
        self.open()

    @invariant()
    def nothing_is_doubled(self) -> None:
        assert len(set(self.ledger.keys)) == len(self.ledger.keys)

    @invariant()
    def nothing_that_was_replaced_is_shipped(self) -> None:
        assert set(self.ledger.keys) <= {*self.wanted, *self.latest.values()}

    def teardown(self) -> None:
        with self.folder:
            self.release()
            self.open()
            self.wait()
            self.wait()
            assert sorted(self.ledger.keys) == sorted([*self.wanted, *self.latest.values()])
            assert list(self.root.glob("*")) == []


TestDrafting = Drafting.TestCase
TestDrafting.settings = settings(
    deadline=None, max_examples=repeats(30, soak=1000), stateful_step_count=40
)
