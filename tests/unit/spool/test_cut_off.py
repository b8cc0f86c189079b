"""Wherever the handler of a signal cuts a thread off, what others have recorded is shipped once."""

from __future__ import annotations

import dis
import itertools
import os
import signal
import sys
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from types import CodeType, FrameType
from typing import Any

import pytest

from guard.records import Job
from guard.store.sender import BatchSender
from guard.store.shipper import Shipper
from guard.store.spool import Spool
from guard.store.spool.format import to_frame
from guard.store.spool.journal import Journal, Segment
from tests.unit.spool.conftest import Ledger

SMALL, LARGE = "{}", "x" * 700
SEGMENT_BYTES = 1000


class OverError(Exception):
    """As an application raises it."""


@cache
def names(code: CodeType) -> dict[int, str]:
    return {one.offset: one.opname for one in dis.get_instructions(code)}


class CutOff:
    """Raises at the n-th place in the code of the spool where Python looks for signals: behind a
    call, and where a function begins. ahead: how many are left until there."""

    def __init__(self, place: int) -> None:
        self.ahead = place
        self._before: dict[FrameType, str] = {}

    def __enter__(self) -> CutOff:
        self._old = sys.gettrace()
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._old)

    def _trace(self, frame: FrameType, event: str, _: object) -> Any:
        if "guard/store/spool/" not in frame.f_code.co_filename:
            return None
        frame.f_trace_opcodes = True
        if event == "exception":  # behind a call that fails it does not look
            self._before[frame] = ""
        if event == "opcode":
            before = self._before.get(frame, "")
            self._before[frame] = names(frame.f_code)[frame.f_lasti]
            if before.startswith(("CALL", "RESUME")):
                self.ahead -= 1
                if self.ahead == 0:
                    raise OverError
        return self._trace


def opened(folder: Path) -> Spool:
    numbers = itertools.count(len(list(folder.glob("*"))))
    return Spool(folder, max_bytes=16 * SEGMENT_BYTES, new_id=lambda: f"s{next(numbers)}")


def put_cut_off(spool: Spool, job: Job, place: int) -> bool:
    """Whether it came as far as there."""
    with suppress(OverError), CutOff(place) as cut:
        spool.put(job)
    return cut.ahead <= 0


def crash(spool: Spool) -> None:
    for journal in spool.journals():
        journal.close()


@pytest.mark.parametrize("dies", [False, True], ids=["goes_on", "dies"])
@pytest.mark.parametrize("payload", [SMALL, LARGE], ids=["small", "large"])
@pytest.mark.parametrize("count", [0, 3, 7])
def test_what_others_record_is_shipped_once(
    make_job, tmp_path: Path, count: int, payload: str, dies: bool
) -> None:
    """A small one fits into the file, or is the first or the eighth; a large one needs another."""
    reached, place = True, 0
    while reached:
        place += 1
        spool, ledger = opened(tmp_path / str(place)), Ledger()
        wanted = [f"{number}" for number in range(count + 12)]
        for key in wanted[:count]:
            spool.put(make_job(key))
        reached = put_cut_off(spool, make_job("cut", payload), place)
        put_cut_off(spool, make_job("cut again", payload), place)
        for key in wanted[count:]:
            assert spool.put(make_job(key))
        if dies:
            crash(spool)
            spool = opened(tmp_path / str(place))
        sender = BatchSender(spool, ledger, batch_bytes=300, clock=lambda: 0.0)
        while sender.send_next():
            pass
        spool.close(sender.shipped_to)
        found = ledger.keys
        assert [key for key in found if "cut" not in key] == wanted, place
        assert len(set(found)) == len(found), place
        assert (sender.dropped, sender.cut_bytes) == (0, 0), place
        assert count == 0 or list((tmp_path / str(place)).iterdir()) == [], place
    assert place > 20


@pytest.mark.parametrize("when", ["write", "fstat"])
def test_a_time_out_of_the_system_kind_reaches_the_caller(
    open_spool, ledger, make_job, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """`TimeoutError` is an `OSError`, as a full disk is."""

    def raise_it(*_: object) -> None:
        raise TimeoutError

    def signalled(*arguments: Any) -> Any:
        done = call(*arguments)
        signal.raise_signal(signal.SIGALRM)
        return done

    spool, call = open_spool(), getattr(os, when)
    before = signal.signal(signal.SIGALRM, raise_it)
    try:
        spool.put(make_job("a"))
        with monkeypatch.context() as patch:
            patch.setattr(os, when, signalled)
            with pytest.raises(TimeoutError):
                spool.put(make_job("cut"))
    finally:
        signal.signal(signal.SIGALRM, before)
    assert spool.put(make_job("b"))
    sender = BatchSender(spool, ledger, batch_bytes=4096, clock=lambda: 0.0)
    while sender.send_next():
        pass
    assert ledger.keys == ["a", "b"]
    assert (spool.dropped, sender.dropped, sender.cut_bytes) == (0, 0, 0)


def test_the_bound_counts_what_nobody_counted(make_job, tmp_path: Path, monkeypatch) -> None:
    spool, write = opened(tmp_path), os.write

    def cut_off(descriptor: int, data: bytes) -> int:
        write(descriptor, data)
        raise OverError

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", cut_off)
        for _ in range(100):
            with pytest.raises(OverError):
                spool.put(make_job("cut", LARGE))
            if sum(path.stat().st_size for path in tmp_path.rglob("*.log")) > 15_000:
                break
    assert not all(spool.put(make_job("b", LARGE)) for _ in range(2))
    assert sum(path.stat().st_size for path in tmp_path.rglob("*.log")) <= 16_000


def test_half_a_frame_that_nobody_cut_is_cut(tmp_path: Path) -> None:
    journal = Journal.create(tmp_path, "s0")
    journal.append(to_frame(b"one"), segment_bytes=SEGMENT_BYTES)
    (path,) = tmp_path.rglob("*.log")
    with path.open("ab") as file:
        file.write(to_frame(b"two") + to_frame(b"three")[:-3])
    journal.settle()
    journal.append(to_frame(b"four"), segment_bytes=SEGMENT_BYTES)
    segment = journal.segment_after(0)
    assert segment is not None
    assert segment.read(0, 4096).payloads == (b"one", b"two", b"four")
    assert path.read_bytes().count(b"\n") == 3
    journal.discard()


def test_a_file_that_nobody_wrote_to_ends_no_journal(tmp_path: Path) -> None:
    journal = Journal.create(tmp_path, "s0")
    journal.append(to_frame(b"one"), segment_bytes=SEGMENT_BYTES)
    Segment.create(tmp_path / "s0", journal.end).close()
    journal.append(to_frame(b"two"), segment_bytes=SEGMENT_BYTES)
    end = journal.end
    journal.close()
    adopted = Journal.adopt(tmp_path / "s0")
    assert adopted is not None
    assert adopted.end == end
    adopted.discard()
    assert list(tmp_path.iterdir()) == []


def test_one_thread_ships_though_whoever_started_it_was_cut_off(
    open_spool, ledger, make_job, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut_off(thread: threading.Thread) -> None:
        started.append(thread)
        start(thread)
        raise OverError

    def send_next(sender: BatchSender) -> int:
        shipping.add(threading.current_thread())
        return send(sender)

    spool, start, send = open_spool(), threading.Thread.start, BatchSender.send_next
    started, shipping = list[threading.Thread](), set[threading.Thread]()
    shipper = Shipper(spool, ledger, clock=lambda: 0.0, random=Random(1))
    monkeypatch.setattr(BatchSender, "send_next", send_next)
    with monkeypatch.context() as patch:
        patch.setattr("guard.store.shipper.Thread.start", cut_off)
        with pytest.raises(OverError):
            spool.put(make_job("a"))
    spool.put(make_job("b"))
    shipper.close(drain_seconds=20.0)
    started[0].join(20.0)
    assert ledger.keys == ["a", "b"]
    assert len(shipping) == 1


def test_a_thread_is_started_though_the_first_one_never_was(
    open_spool, ledger, make_job, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut_off(_: threading.Thread) -> None:
        raise OverError

    spool = open_spool()
    shipper = Shipper(spool, ledger, clock=lambda: 0.0, random=Random(1))
    with monkeypatch.context() as patch:
        patch.setattr("guard.store.shipper.Thread.start", cut_off)
        with pytest.raises(OverError):
            spool.put(make_job("a"))
    spool.put(make_job("b"))
    shipper.close(drain_seconds=20.0)
    assert ledger.keys == ["a", "b"]
