"""Forks and work keep out of each other's way."""

from __future__ import annotations

import os
from threading import Event, Thread

import pytest

from guard.forks import ForkGate, PerProcess, call_in_child


def test_a_fork_waits_for_work_that_has_begun() -> None:
    gate, begun, may_end, held = ForkGate(), Event(), Event(), Event()

    def work() -> None:
        with gate.work():
            begun.set()
            may_end.wait(10)

    def fork() -> None:
        gate.hold()
        held.set()
        gate.free()

    worker = Thread(target=work)
    worker.start()
    assert begun.wait(10)
    forker = Thread(target=fork)
    forker.start()
    assert not held.is_set()
    may_end.set()
    assert held.wait(10)
    for thread in (worker, forker):
        thread.join(10)


def test_work_waits_for_a_fork_to_be_over() -> None:
    gate, done = ForkGate(), Event()

    def work() -> None:
        with gate.work():
            done.set()

    gate.hold()
    worker = Thread(target=work)
    worker.start()
    assert not done.is_set()
    gate.free()
    assert done.wait(10)
    worker.join(10)


def test_who_wants_to_be_alone_waits_for_work_and_keeps_it_out() -> None:
    gate, begun, may_end, done = ForkGate(), Event(), Event(), Event()
    order: list[str] = []

    def first() -> None:
        with gate.work():
            begun.set()
            may_end.wait(10)
            order.append("first")

    def second() -> None:
        with gate.work():
            order.append("second")
        done.set()

    threads = [Thread(target=first), Thread(target=second)]
    threads[0].start()
    assert begun.wait(10)
    Thread(target=may_end.set).start()
    with gate.alone() as is_alone:
        threads[1].start()
        order.append("alone")
        assert is_alone
        assert not done.is_set()
    for thread in threads:
        thread.join(10)
    assert order == ["first", "alone", "second"]


def test_work_that_raises_has_ended() -> None:
    gate = ForkGate()
    with pytest.raises(ValueError, match="broken"), gate.work():
        raise ValueError("broken")
    gate.hold()
    gate.free()


class Resource:
    """Something that is closed at rest, and counts how often."""

    def __init__(self) -> None:
        self.closed = 0
        self.gate = ForkGate(self.close)

    def close(self) -> None:
        self.closed += 1


def test_what_is_at_rest_is_closed_before_a_fork() -> None:
    resource = Resource()
    with resource.gate.work():
        assert resource.closed == 0
    resource.gate.hold()
    assert resource.closed == 1
    resource.gate.free()


def test_after_the_end_the_last_work_closes() -> None:
    resource = Resource()
    with resource.gate.work():
        resource.gate.end()
        assert resource.gate.ended
        assert resource.closed == 0
    assert resource.closed == 1


def test_each_process_has_its_own_value(monkeypatch) -> None:
    values = PerProcess(object)
    assert values.made() == ()
    here = values.get()
    assert values.get() is here
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert values.made() == ()
    there = values.get()
    assert there is not here
    assert values.made() == (there,)


def test_a_child_resets_what_is_alive() -> None:
    class Resettable:
        resets = 0

        def reset(self) -> None:
            self.resets += 1

    kept, dropped = Resettable(), Resettable()
    call_in_child(kept.reset)
    call_in_child(dropped.reset)
    del dropped
    child = os.fork()
    if child == 0:
        os._exit(kept.resets)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    assert kept.resets == 0
