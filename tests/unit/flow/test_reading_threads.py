"""Work on long texts is done once, in a thread or, where none can be had, at once."""

import threading
from concurrent.futures import Future

import pytest

from guard.flow.reading_threads import LONG_CHARACTERS, VERY_LONG_CHARACTERS, ReadingThreads


def test_a_very_long_text_keeps_no_usual_one_waiting() -> None:
    threads, free = ReadingThreads(), threading.Event()
    very_long = threads.start(VERY_LONG_CHARACTERS, lambda: free.wait(60))
    threads.start(LONG_CHARACTERS, lambda: free.wait(60))
    assert threads.start(LONG_CHARACTERS - 1, lambda: "done").result(60) == "done"
    free.set()
    assert very_long.result(60)


def test_what_the_work_raises_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        ReadingThreads().start(1, lambda: 1 / 0).result(60)


def test_where_no_thread_can_be_had_the_work_is_done_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And once: what could not begin is left in the queue, for the next thread there is."""
    threads, told = ReadingThreads(), list[str]()

    def refused(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as limited:
        limited.setattr(threading.Thread, "start", refused)
        threads.start(1, lambda: told.append("first")).result(0)
    threads.start(1, lambda: told.append("second")).result(60)
    assert told == ["first", "second"]


def test_what_was_cancelled_while_it_waited_is_not_done() -> None:
    threads, free, told = ReadingThreads(), threading.Event(), list[str]()
    threads.start(1, lambda: free.wait(60))
    waiting: Future[None] = threads.start(1, lambda: told.append("cancelled"))
    assert waiting.cancel()
    free.set()
    threads.start(1, lambda: told.append("next")).result(60)
    assert told == ["next"]
