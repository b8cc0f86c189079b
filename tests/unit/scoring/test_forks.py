"""Forks and work keep out of each other's way."""

from __future__ import annotations

from threading import Event, Thread

import pytest

from guard.scoring.forks import ForkGate


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


def test_work_that_raises_has_ended() -> None:
    gate = ForkGate()
    with pytest.raises(ValueError, match="broken"), gate.work():
        raise ValueError("broken")
    gate.hold()
    gate.free()
