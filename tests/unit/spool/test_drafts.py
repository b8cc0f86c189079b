"""Drafts of calls: of each call one thing is shipped, whatever dies in between."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from threading import Condition

import pytest

from guard.errors import StoreError
from guard.records import Draft, Job, Posting, marks_of
from guard.store.sender import LEFT_SECONDS, BatchSender
from guard.store.shipper import Shipper, ShippingPace
from guard.store.spool import Spool
from guard.store.spool.format import decode_draft, decode_record, encode_draft, encode_final
from tests.unit.spool.conftest import Ledger

STREAM = ("chat", "call-at-the-proxy")


class Time:
    """A clock; a pause moves it and is over at once."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def wait(self, bell: Condition, seconds: float | None) -> None:
        if seconds is None:
            bell.wait(20.0)
        else:
            self.now += seconds


@pytest.fixture
def time() -> Time:
    return Time()


def job(name: object, payload: str = "{}") -> Job:
    return Job(
        key=str(name), lane="http", use_case="chat", call_id="", payload=payload, offered_at=1.5
    )


def records_of(name: str, payload: str = "{}") -> tuple[Job, Posting]:
    """A job and a sum that have the name."""
    return job(name, payload), Posting(use_case="chat", at_seconds=5.0, sums={f"n-{name}": 1.0})


def make_draft(name: str, text: str = "Good", replaces: str = "", payload: str = "{}") -> Draft:
    return Draft(
        id=name,
        stream=STREAM,
        marks=marks_of([text]),
        replaces=replaces,
        records=records_of(name, payload),
    )


def sender_of(spool: Spool, ledger: Ledger, time: Time) -> BatchSender:
    return BatchSender(spool, ledger, batch_bytes=4096, clock=time)


def send_all(sender: BatchSender) -> None:
    while sender.send_next():
        pass


def ship(spool: Spool, ledger: Ledger, time: Time) -> None:
    """All that there is, drafts that were left included."""
    sender = sender_of(spool, ledger, time)
    send_all(sender)
    time.now += LEFT_SECONDS
    send_all(sender)


def crash(spool: Spool) -> None:
    for journal in spool.journals():
        journal.close()


def sums(ledger: Ledger) -> dict[str, float]:
    """The sums of everything that was shipped."""
    found: dict[str, float] = {}
    for batch, _ in ledger.batches:
        for posting in batch.postings:
            for key, value in posting.sums.items():
                found[key] = found.get(key, 0.0) + value
    return found


def left_files(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "spool").rglob("*.log"))


def test_a_draft_comes_back_as_it_went() -> None:
    draft = make_draft("a", "Good \ud800 morning", replaces="b")
    assert decode_draft(encode_draft(draft)) == draft
    assert decode_draft(encode_final("a", draft.records)) == "a"
    assert decode_draft(b'{"job":{}}') is None


@pytest.mark.parametrize(
    "payload",
    [b'{"draft":1}', b'{"draft":{"id":"a"}}', b'{"final":{}}', b'{"draft":', b'{"final":[]}'],
)
def test_what_is_no_draft_is_a_value_error(payload) -> None:
    with pytest.raises(ValueError, match="not a draft of this version"):
        decode_draft(payload)


def test_an_older_version_takes_a_draft_for_no_record() -> None:
    with pytest.raises(ValueError, match="not a record of this version"):
        decode_record(encode_draft(make_draft("a")))


@pytest.mark.parametrize(
    ("texts", "goes_on"),
    [
        (["Good"], True),
        (["Good morning."], True),
        (["Good morning.", "Hello"], True),
        (["Goo"], False),
        (["Gold morning."], False),
        ([], False),
    ],
)
def test_a_draft_knows_a_reply_that_goes_on(texts, goes_on) -> None:
    assert make_draft("a", "Good").goes_on_in(texts) is goes_on


def test_nothing_of_a_draft_is_shipped_while_its_process_lives(open_spool, ledger, time) -> None:
    spool = open_spool()
    assert spool.put_draft(make_draft("a"))
    spool.put(job("other"))
    ship(spool, ledger, time)
    assert ledger.keys == ["other"]
    assert (spool.spooled, spool.dropped) == (1, 0)


def test_what_is_recorded_in_the_end_is_shipped_once(open_spool, ledger, time) -> None:
    spool = open_spool()
    spool.put_draft(make_draft("a"))
    assert spool.finish("a", records_of("final"))
    ship(spool, ledger, time)
    crash(spool)
    ship(open_spool(), ledger, time)
    assert (ledger.keys, sums(ledger)) == (["final"], {"n-final": 1.0})
    assert spool.spooled == 2


def test_a_draft_of_a_killed_process_is_shipped_once_after_a_while(
    open_spool, ledger, time
) -> None:
    dead = open_spool()
    dead.put_draft(make_draft("a"))
    dead.put_draft(make_draft("b", replaces="a"))
    dead.put_draft(replace(make_draft("c"), stream=("chat", "other")))
    crash(dead)
    sender = sender_of(open_spool(), ledger, time)
    send_all(sender)
    assert (ledger.keys, sender.due_at) == ([], LEFT_SECONDS)
    time.now += LEFT_SECONDS
    send_all(sender)
    assert (ledger.keys, sums(ledger)) == (["b", "c"], {"n-b": 1.0, "n-c": 1.0})
    assert sender.due_at == float("inf")


@pytest.mark.parametrize("is_shipped", [False, True])
def test_a_process_that_is_killed_after_the_end_has_left_no_draft(
    open_spool, ledger, time, is_shipped
) -> None:
    dead = open_spool()
    dead.put_draft(make_draft("a"))
    dead.finish("a", records_of("final"))
    if is_shipped:
        ship(dead, ledger, time)
    crash(dead)
    ship(open_spool(), ledger, time)
    assert ledger.keys == ["final"]


def test_a_draft_may_come_to_nothing(open_spool, ledger, time) -> None:
    dead = open_spool()
    dead.put_draft(make_draft("a"))
    dead.finish("a", ())
    crash(dead)
    ship(open_spool(), ledger, time)
    assert ledger.batches == []


def test_nothing_is_left_on_the_disk_once_drafts_are_shipped(
    open_spool, ledger, time, tmp_path
) -> None:
    dead = open_spool()
    dead.put_draft(make_draft("a"))
    crash(dead)
    spool = open_spool()
    ship(spool, ledger, time)
    assert left_files(tmp_path) == []


def test_files_are_kept_from_the_oldest_draft_on(open_spool, ledger, time, tmp_path) -> None:
    spool = open_spool(32_000)  # files of 2000 bytes
    sender = sender_of(spool, ledger, time)
    spool.put(job("before", "x" * 1500))
    spool.put_draft(make_draft("a"))
    for number in range(8):
        spool.put(job(number, "x" * 1500))
    send_all(sender)
    assert len(left_files(tmp_path)) == 9
    spool.put_draft(make_draft("b", replaces="a"))
    spool.put(job("more", "x" * 1500))
    send_all(sender)
    assert len(left_files(tmp_path)) == 2
    spool.finish("b", ())
    spool.put(job("most", "x" * 1500))
    send_all(sender)
    assert len(left_files(tmp_path)) == 1


def test_a_draft_stays_when_the_spool_is_tidied(open_spool, ledger, time) -> None:
    spool = open_spool()
    sender = sender_of(spool, ledger, time)
    spool.put_draft(make_draft("a"))
    send_all(sender)
    spool.tidy(sender.shipped_to)
    crash(spool)
    ship(open_spool(), ledger, time)
    assert ledger.keys == ["a"]


def test_a_spool_that_is_full_has_room_for_the_end_of_a_draft(open_spool, ledger, time) -> None:
    spool = open_spool(8_000)
    spool.put_draft(make_draft("a", payload="x" * 1000))
    while spool.put(job("filling", "x" * 100)):
        pass
    assert not spool.put_draft(make_draft("b"))
    assert spool.finish("a", records_of("a", "x" * 1000))
    assert spool.dropped == 1
    crash(spool)
    ship(open_spool(8_000), ledger, time)
    assert "a" in ledger.keys
    assert "b" not in ledger.keys


def test_an_end_that_finds_no_room_holds_up_nothing(open_spool, ledger, time) -> None:
    spool = open_spool(8_000)
    spool.put_draft(make_draft("a"))
    assert not spool.finish("a", records_of("a", "x" * 9_000))
    for number in range(100):
        assert spool.put(job(number, "x" * 400))
        ship(spool, ledger, time)
    assert len(ledger.keys) == 101


@pytest.mark.parametrize("dies", [False, True])
def test_where_an_end_finds_no_room_what_was_drafted_is_recorded(
    open_spool, ledger, time, dies
) -> None:
    spool = open_spool(1_000)
    woken: list[int] = []
    spool.put_draft(make_draft("a"))
    while spool.put(job("filling")):
        pass
    spooled, dropped = spool.spooled, spool.dropped
    spool.on_put(lambda: woken.append(1))
    assert not spool.finish("a", [*records_of("a"), job("one more", "x" * 300)])
    assert (spool.spooled - spooled, spool.dropped - dropped) == (2, 1)
    assert woken
    if dies:
        crash(spool)
        spool = open_spool(1_000)
    ship(spool, ledger, time)
    assert sums(ledger) == {"n-a": 1.0}
    assert "one more" not in ledger.keys


def test_where_an_end_cannot_be_written_what_was_drafted_is_recorded(
    open_spool, ledger, time
) -> None:
    spool = open_spool()
    spool.put_draft(make_draft("a"))
    wrong = Posting(use_case="chat", at_seconds=5.0, sums={"n": float("nan")})
    assert not spool.finish("a", [*records_of("a"), wrong])
    assert spool.dropped == 1
    ship(spool, ledger, time)
    assert sums(ledger) == {"n-a": 1.0}


def test_who_adopts_may_be_killed_too(open_spool, ledger, time) -> None:
    dead = open_spool()
    dead.put(job("first"))
    for name in "abc":
        dead.put_draft(make_draft(name))
    crash(dead)
    for _ in range(8):
        spool = open_spool()
        sender = sender_of(spool, ledger, time)
        sender.send_next()
        time.now += LEFT_SECONDS
        sender.send_next()
        crash(spool)
    assert ledger.keys == ["first", "a", "b", "c"]
    assert sums(ledger) == {"n-a": 1.0, "n-b": 1.0, "n-c": 1.0}


def test_a_call_that_goes_on_in_another_process_is_recorded_there_alone(
    open_spool, ledger, time
) -> None:
    dead = open_spool()
    dead.put_draft(make_draft("a", "Good"))
    crash(dead)
    spool = open_spool()
    assert spool.replace_left(STREAM, ["Gold"]) == ""
    assert spool.replace_left(("chat", "another"), ["Good morning"]) == ""
    assert spool.replace_left(STREAM, ["Good morning"]) == "a"
    assert spool.replace_left(STREAM, ["Good morning"]) == ""
    spool.put_draft(make_draft("b", "Good morning", replaces="a"))
    crash(spool)
    ship(open_spool(), ledger, time)
    assert ledger.keys == ["b"]


def test_what_was_adopted_by_a_running_process_is_known_to_be_replaced(
    open_spool, ledger, time
) -> None:
    """Both journals are adopted at once, and the one that goes on may come second."""
    first = open_spool()
    first.put_draft(make_draft("a", "Good"))
    survivor = open_spool()
    second = open_spool()
    second.put_draft(make_draft("b", "Good morning", replaces="a"))
    crash(first)
    crash(second)
    survivor.adopt()
    ship(survivor, ledger, time)
    assert ledger.keys == ["b"]


def test_the_shipper_wakes_up_for_what_was_left(open_spool, ledger, time) -> None:
    dead = open_spool()
    dead.put_draft(make_draft("a"))
    crash(dead)
    shipper = Shipper(
        open_spool(),
        ledger,
        clock=time,
        random=Random(1),
        wait=time.wait,
        pace=ShippingPace(adopt_seconds=10 * LEFT_SECONDS),
    )
    shipper.start()
    assert ledger.arrived.wait(20.0)
    shipper.close(drain_seconds=20.0)
    assert LEFT_SECONDS <= time.now < 9 * LEFT_SECONDS
    assert ledger.keys == ["a"]


def test_a_spool_that_is_closed_leaves_its_drafts_to_others(open_spool, ledger, time) -> None:
    spool = open_spool()
    spool.put_draft(make_draft("a"))
    sender = sender_of(spool, ledger, time)
    send_all(sender)
    spool.close(sender.shipped_to)
    ship(open_spool(), ledger, time)
    assert ledger.keys == ["a"]


@pytest.mark.parametrize("dies", [False, True])
def test_records_of_a_call_that_break_the_store_are_left_out_together(
    open_spool, ledger, time, dies
) -> None:
    spool = open_spool()
    for name in "abc":
        spool.put_draft(make_draft(name))
        if not dies:
            spool.finish(name, records_of(name))
    ledger.refuses = lambda batch: any(job.key == "b" for job in batch.jobs)
    if dies:
        crash(spool)
        spool = open_spool()
    sender = sender_of(spool, ledger, time)
    for _ in range(8):
        with suppress(StoreError):
            send_all(sender)
        time.now += LEFT_SECONDS
    assert ledger.keys == ["a", "c"]
    assert sender.dropped == 2
    assert sender.shipped == 4


def test_a_draft_that_cannot_be_read_is_left_out(
    open_spool, ledger, time, monkeypatch, caplog
) -> None:
    spool = open_spool()
    with monkeypatch.context() as patch:
        patch.setattr("guard.store.spool.encode_draft", lambda _: b'{"draft":{"later":1}}')
        spool.put_draft(make_draft("a"))
    spool.put_draft(make_draft("b"))
    crash(spool)
    ship(open_spool(), ledger, time)
    assert ledger.keys == ["b"]
    assert "a draft in the spool cannot be read" in caplog.text


def test_half_a_draft_is_none(open_spool, ledger, time, tmp_path) -> None:
    spool = open_spool()
    spool.put_draft(make_draft("a"))
    spool.put_draft(make_draft("b", replaces="a"))
    crash(spool)
    (file,) = left_files(tmp_path)
    os.truncate(file, file.stat().st_size - 10)
    ship(open_spool(), ledger, time)
    assert ledger.keys == ["a"]
