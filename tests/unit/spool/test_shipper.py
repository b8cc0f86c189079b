"""Everything reaches the store once, whatever it does in between."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from math import inf
from random import Random
from threading import Condition, Event

import pytest

from guard.errors import StoreError
from guard.records import Posting
from guard.store.log_lines import SILENT_SECONDS, OutageLine, RepeatedLine
from guard.store.sender import BatchSender
from guard.store.shipper import Shipper, ShippingPace

AWAY = StoreError("the store is away")
PATIENCE_SECONDS = 20.0  # a bound for a machine that hangs; nothing waits for it


class Time:
    """A clock that only pauses move. Pauses with an end are over at once and are remembered."""

    def __init__(self) -> None:
        self.now = 100.0
        self.pauses: list[float] = []

    def __call__(self) -> float:
        return self.now

    def wait(self, bell: Condition, seconds: float | None) -> None:
        if seconds is None:
            bell.wait(PATIENCE_SECONDS)
        else:
            self.pauses.append(seconds)
            self.now += seconds


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def ship(ledger, time) -> Callable[..., Shipper]:
    def made(spool, **pace: float) -> Shipper:
        chosen = ShippingPace(**{"adopt_seconds": inf, **pace})
        return Shipper(spool, ledger, clock=time, random=Random(1), wait=time.wait, pace=chosen)

    return made


def send_all(sender: BatchSender) -> None:
    while sender.send_next():
        pass


def test_a_batch_that_failed_goes_again_as_it_was(open_spool, ledger, make_job) -> None:
    spool = open_spool()
    sender = BatchSender(spool, ledger, batch_bytes=4096, clock=lambda: 0.0)
    spool.put(make_job("a"))
    ledger.late_failures = [AWAY]
    with pytest.raises(StoreError, match="away"):
        sender.send_next()
    spool.put(make_job("b"))
    send_all(sender)
    assert ledger.keys == ["a", "b"]
    assert sender.shipped == 2


def test_postings_travel_as_one(open_spool, ledger) -> None:
    spool = open_spool()
    for _ in range(10):
        spool.put(Posting(use_case="u", at_seconds=5.0, sums={"n": 1.0}))
    sender = BatchSender(spool, ledger, batch_bytes=4096, clock=lambda: 0.0)
    send_all(sender)
    ((batch, _),) = ledger.batches
    assert [posting.sums for posting in batch.postings] == [{"n": 10.0}]
    assert sender.shipped == 10


def test_a_record_that_breaks_the_store_is_left_out_alone(
    open_spool, ledger, make_job, caplog
) -> None:
    spool = open_spool()
    for key in "abcde":
        spool.put(make_job(key))
    ledger.refuses = lambda batch: any(job.key == "c" for job in batch.jobs)
    sender = BatchSender(spool, ledger, batch_bytes=4096, clock=lambda: 0.0)
    for _ in range(2):
        with pytest.raises(StoreError, match="too big for a column"):
            send_all(sender)
    send_all(sender)
    assert ledger.keys == ["a", "b", "d", "e"]
    assert (sender.shipped, sender.dropped) == (4, 1)


def test_a_record_of_a_later_version_is_left_out(open_spool, ledger, make_job, monkeypatch) -> None:
    spool = open_spool()
    with monkeypatch.context() as patch:
        patch.setattr("guard.store.spool.encode_record", lambda record: b'{"wish":{}}')
        spool.put(make_job("a"))
    sender = BatchSender(spool, ledger, batch_bytes=4096, clock=lambda: 0.0)
    assert sender.send_next() == 0
    spool.put(make_job("b"))
    send_all(sender)
    assert ledger.keys == ["b"]
    assert sender.dropped == 1


@pytest.mark.parametrize(
    "record",
    [
        b'{"posting":{"use_case":"u","at_seconds":"now","sums":{"n":1},"evidence":{}}}',
        b'{"posting":{"use_case":"u","at_seconds":NaN,"sums":{},"evidence":{}}}',
        b'{"posting":{"use_case":"u","at_seconds":1e999,"sums":{},"evidence":{}}}',
        b'{"posting":{"use_case":"u","at_seconds":1.5,"sums":[1],"evidence":{}}}',
        b'{"posting":{"use_case":"u","at_seconds":1.5,"sums":{"n":1%s},"evidence":{}}}'
        % (b"0" * 400),
        b'{"posting":{"use_case":7,"at_seconds":1.5,"sums":{},"evidence":{}}}',
        b'{"job":{"key":"a","lane":"l","use_case":"u","call_id":"c","payload":"{}","offered_at":"x"}}',
        b'{"job":{"key":1,"lane":"l","use_case":"u","call_id":"c","payload":"{}","offered_at":1.0}}',
        b"[" * 100_000,
    ],
)
def test_a_record_that_nobody_wrote_holds_up_no_other(
    open_spool, ledger, make_job, monkeypatch, record
) -> None:
    spool = open_spool()
    with monkeypatch.context() as patch:
        patch.setattr("guard.store.spool.encode_record", lambda _: record)
        spool.put(make_job("a"))
    spool.put(make_job("b"))
    sender = BatchSender(spool, ledger, batch_bytes=4096, clock=lambda: 0.0)
    send_all(sender)
    assert ledger.keys == ["b"]
    assert sender.dropped == 1


def test_what_a_process_left_and_the_disk_lost_holds_up_nothing_new(
    open_spool, ledger, make_job, monkeypatch
) -> None:
    left = open_spool()
    left.put(make_job("a"))
    left.close(lambda spool_id: 0)
    spool = open_spool()
    spool.put(make_job("b"))
    read = spool.read

    def damaged(journal, *arguments):
        if journal.id == "s0":
            raise OSError("Input/output error")
        return read(journal, *arguments)

    sender = BatchSender(spool, ledger, batch_bytes=4096, clock=lambda: 0.0)
    with monkeypatch.context() as patch:
        patch.setattr(spool, "read", damaged)
        assert sender.send_next() > 0
        with pytest.raises(OSError, match="Input/output"):
            sender.send_next()
    send_all(sender)
    assert ledger.keys == ["b", "a"]


def test_the_first_record_starts_the_thread(open_spool, ledger, make_job, ship) -> None:
    spool = open_spool()
    shipper = ship(spool)
    for number in range(50):
        spool.put(make_job(number))
    shipper.close(drain_seconds=PATIENCE_SECONDS)
    assert ledger.keys == [str(number) for number in range(50)]
    counts = shipper.counts()
    assert (counts.spooled, counts.shipped, counts.dropped, counts.lag_bytes) == (50, 50, 0, 0)


def test_what_comes_between_the_last_look_and_the_end_is_shipped(
    open_spool, ledger, make_job, ship, monkeypatch
) -> None:
    spool, found_nothing, may_go_on = open_spool(), Event(), Event()
    send_next = BatchSender.send_next

    def looks(sender: BatchSender) -> int:
        sent = send_next(sender)
        if not sent and not found_nothing.is_set():
            found_nothing.set()
            assert may_go_on.wait(PATIENCE_SECONDS)
        return sent

    class Thread(threading.Thread):
        def join(self, timeout: float | None = None) -> None:
            may_go_on.set()
            super().join(timeout)

    monkeypatch.setattr(BatchSender, "send_next", looks)
    monkeypatch.setattr("guard.store.shipper.Thread", Thread)
    shipper = ship(spool)
    spool.put(make_job("before"))
    assert found_nothing.wait(PATIENCE_SECONDS)
    spool.put(make_job("after"))
    shipper.close(drain_seconds=PATIENCE_SECONDS)
    assert ledger.keys == ["before", "after"]


def test_it_sleeps_until_something_comes(open_spool, ledger, make_job, ship) -> None:
    spool, shipped = open_spool(), Event()
    shipper = ship(spool)
    ledger.before = shipped.set
    for key in "abc":
        spool.put(make_job(key))
        assert shipped.wait(PATIENCE_SECONDS)
        shipped.clear()
    shipper.close(drain_seconds=PATIENCE_SECONDS)
    assert ledger.keys == ["a", "b", "c"]


def test_adopted_records_are_shipped_from_the_start(open_spool, ledger, make_job, ship) -> None:
    first = open_spool()
    first.put(make_job("a"))
    first.close(lambda spool_id: 0)
    shipper = ship(open_spool())
    assert shipper.counts().lag_bytes > 0
    shipper.start()
    shipper.close(drain_seconds=PATIENCE_SECONDS)
    assert ledger.keys == ["a"]


def test_what_is_left_later_is_looked_for_now_and_then(
    open_spool, ledger, make_job, ship, time
) -> None:
    first, second = open_spool(), open_spool()
    first.put(make_job("a"))
    shipper = ship(second, adopt_seconds=60.0)
    for journal in first.journals():
        journal.close()  # as when its process dies
    arrived = Event()
    ledger.before = arrived.set
    shipper.start()
    assert arrived.wait(PATIENCE_SECONDS)
    shipper.close(drain_seconds=PATIENCE_SECONDS)
    assert ledger.keys == ["a"]
    assert time.now >= 160.0


def test_pauses_grow_while_the_store_is_away(open_spool, ledger, make_job, ship, time):
    spool = open_spool()
    ledger.failures = [AWAY] * 12
    shipper = ship(spool, gather_seconds=0.0, first_pause_seconds=1.0, longest_pause_seconds=60.0)
    spool.put(make_job("a"))
    assert ledger.arrived.wait(PATIENCE_SECONDS)
    full = [min(2.0**number, 60.0) for number in range(12)]
    pauses = time.pauses[:12]
    assert all(most / 2 <= pause <= most for pause, most in zip(pauses, full, strict=True))
    assert len(set(pauses)) == 12
    shipper.close(drain_seconds=PATIENCE_SECONDS)
    assert shipper.counts().store_errors == 12


def test_a_store_that_is_away_is_reported_once(open_spool, ledger, make_job, ship, caplog) -> None:
    ledger.failures = [AWAY] * 5
    spool = open_spool()
    shipper = ship(spool)
    spool.put(make_job("a"))
    assert ledger.arrived.wait(PATIENCE_SECONDS)
    shipper.close(drain_seconds=PATIENCE_SECONDS)
    assert [record.levelname for record in caplog.records] == ["ERROR", "WARNING"]
    assert "what is spooled waits on the disk: the store is away" in caplog.text
    assert "takes records again" in caplog.text


def test_a_use_case_that_always_breaks_the_store_is_not_reported_each_time(
    open_spool, ledger, make_job, ship, caplog
) -> None:
    spool = open_spool()
    ledger.refuses = lambda batch: any(job.key.startswith("bad") for job in batch.jobs)
    shipper = ship(spool, gather_seconds=0.0, first_pause_seconds=0.1, longest_pause_seconds=0.1)
    for number in range(20):
        spool.put(make_job(f"bad{number}"))
        spool.put(make_job(number))
    shipper.close(drain_seconds=PATIENCE_SECONDS)
    assert (shipper.counts().shipped, shipper.counts().dropped) == (20, 20)
    assert 1 <= len(caplog.messages) < 20
    assert all("cannot take a record, which is dropped" in line for line in caplog.messages)


def test_a_store_that_comes_and_goes_is_not_reported_each_time_with_a_count(
    caplog: pytest.LogCaptureFixture,
) -> None:
    now = [0.0]
    outage = OutageLine(
        logging.getLogger("x"), lambda: now[0], away="away: %s", back="back after %d"
    )
    for _ in range(100):
        now[0] += 1.0
        outage.failed(AWAY)
        outage.succeeded()
    now[0] += SILENT_SECONDS
    outage.failed(AWAY)
    assert caplog.messages == [
        "away: the store is away",
        "back after 1",
        "away: the store is away",
        "back after 60",
        "away: the store is away",
    ]


def test_a_line_that_comes_again_says_how_often(caplog: pytest.LogCaptureFixture) -> None:
    now = [0.0]
    line = RepeatedLine(logging.getLogger("x"), lambda: now[0])
    for _ in range(3):
        line.error("%s is left out", "this")
    now[0] += SILENT_SECONDS
    line.error("%s is left out", "that")
    now[0] -= 1000.0  # the clock was set back
    line.error("%s is left out", "the other")
    assert caplog.messages == [
        "this is left out",
        "that is left out (and 2 times since the last such line)",
        "the other is left out",
    ]


def test_closing_gives_up_at_its_time(open_spool, ledger, make_job, ship) -> None:
    def away() -> None:
        raise AWAY

    spool, ledger.before = open_spool(), away
    shipper = ship(spool)
    spool.put(make_job("a"))
    shipper.close(drain_seconds=10.0)
    assert shipper.counts().shipped == 0
    ledger.before = lambda: None
    ledger.failures = [AWAY]
    again = ship(open_spool())
    again.start()
    again.close(drain_seconds=PATIENCE_SECONDS)
    assert ledger.keys == ["a"]


def test_a_batch_in_the_hands_of_the_store_is_not_adopted(open_spool, ledger, ship) -> None:
    """Closing gives it up, the store takes it after all: whoever opens the folder meanwhile must
    not send it too, with what came behind it."""
    asked, answered = Event(), Event()

    def slow() -> None:
        asked.set()
        answered.wait(PATIENCE_SECONDS)

    spool, ledger.before = open_spool(), slow
    shipper = ship(spool)
    spool.put(Posting(use_case="chat", at_seconds=0.0, sums={"n": 1.0}))
    assert asked.wait(PATIENCE_SECONDS)
    spool.put(Posting(use_case="chat", at_seconds=0.0, sums={"n": 1.0}))
    shipper.close(drain_seconds=0.0)
    assert not spool.put(Posting(use_case="chat", at_seconds=0.0, sums={"n": 1.0}))

    def let_the_first_go_ahead() -> None:
        answered.set()
        wait_for_threads()

    ledger.before = let_the_first_go_ahead
    send_all(BatchSender(open_spool(), ledger, batch_bytes=4096, clock=lambda: 0.0))
    let_the_first_go_ahead()
    send_all(BatchSender(open_spool(), ledger, batch_bytes=4096, clock=lambda: 0.0))
    assert sum(p.sums["n"] for batch, _ in ledger.batches for p in batch.postings) == 2.0


def wait_for_threads() -> None:
    for thread in threading.enumerate():
        if thread.name == "guard-shipper":
            thread.join(PATIENCE_SECONDS)


def test_a_thread_that_dies_is_replaced(open_spool, ledger, make_job, ship, caplog) -> None:
    spool = open_spool()
    ledger.failures = [KeyboardInterrupt(), SystemExit()]
    shipper = ship(spool)
    spool.put(make_job("a"))
    assert ledger.arrived.wait(PATIENCE_SECONDS)
    shipper.close(drain_seconds=PATIENCE_SECONDS)
    assert shipper.counts().restarts == 2


def test_a_spool_that_cannot_be_read_is_tried_again(
    open_spool, ledger, make_job, ship, monkeypatch
) -> None:
    spool, failures = open_spool(), [OSError("Input/output error")]
    read = spool.read

    def flaky(*arguments):
        if failures:
            raise failures.pop()
        return read(*arguments)

    monkeypatch.setattr(spool, "read", flaky)
    shipper = ship(spool)
    spool.put(make_job("a"))
    assert ledger.arrived.wait(PATIENCE_SECONDS)
    shipper.close(drain_seconds=PATIENCE_SECONDS)
    assert shipper.counts().store_errors == 1


def test_a_lag_has_an_age(open_spool, ledger, make_job, ship, time) -> None:
    spool, entered, leave = open_spool(), Event(), Event()
    ledger.before = lambda: (entered.set(), leave.wait(PATIENCE_SECONDS))
    shipper = ship(spool)
    assert shipper.counts().lag_seconds == 0.0
    spool.put(make_job("a"))
    assert entered.wait(PATIENCE_SECONDS)
    before = shipper.counts().lag_seconds
    time.now += 7.0
    assert shipper.counts().lag_seconds == pytest.approx(before + 7.0)
    leave.set()
    shipper.close(drain_seconds=PATIENCE_SECONDS)


def test_the_age_is_that_of_the_oldest_while_more_comes(
    open_spool, ledger, make_job, ship, time
) -> None:
    """One record each ten seconds, just before the last is shipped: it never comes to rest."""
    spool, ages, done = open_spool(), [], Event()
    shipper = ship(spool, gather_seconds=0.0)

    def more() -> None:
        ages.append(shipper.counts().lag_seconds)
        if len(ages) < 6:
            spool.put(make_job(len(ages)))
            time.now += 10.0
        else:
            done.set()

    ledger.before = more
    spool.put(make_job(0))
    assert done.wait(PATIENCE_SECONDS)
    shipper.close(drain_seconds=PATIENCE_SECONDS)
    assert max(ages) <= 20.0
    assert shipper.counts().lag_seconds == 0.0


def test_shipped_texts_leave_the_disk_after_a_while(
    open_spool, ledger, make_job, ship, monkeypatch
) -> None:
    spool, tidied = open_spool(), Event()
    tidy = spool.tidy
    monkeypatch.setattr(spool, "tidy", lambda shipped: (tidy(shipped), tidied.set()))
    shipper = ship(spool, tidy_seconds=60.0)
    spool.put(make_job("a"))
    assert tidied.wait(PATIENCE_SECONDS)
    assert not spool.holds_texts()
    spool.put(make_job("b"))
    shipper.close(drain_seconds=PATIENCE_SECONDS)
    assert ledger.keys == ["a", "b"]


def test_a_thread_that_cannot_start_is_tried_again(
    open_spool, ledger, make_job, ship, monkeypatch
) -> None:
    def refuse(thread) -> None:
        raise RuntimeError("can't start new thread")

    spool = open_spool()
    shipper = ship(spool)
    with monkeypatch.context() as patch:
        patch.setattr("guard.store.shipper.Thread.start", refuse)
        assert spool.put(make_job("a"))
    spool.put(make_job("b"))
    shipper.close(drain_seconds=PATIENCE_SECONDS)
    assert ledger.keys == ["a", "b"]


def test_what_the_store_left_out_is_dropped(open_spool, ledger, ship) -> None:
    shipper = ship(open_spool())
    ledger.left_out = 3
    assert shipper.counts().dropped == 3
