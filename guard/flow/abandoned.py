"""Records of streams that garbage collection ends, made outside of it.

A collection may begin on any thread, in the middle of work that holds locks. To record a call takes
the same locks, so that the thread would wait for itself: another one has to do it.
"""

from __future__ import annotations

import atexit
import gc
import logging
import sys
from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Lock, Thread, get_ident
from typing import Final

from guard.forks import PerProcess

Work = Callable[[], None]

_log = logging.getLogger(__name__)

_FAREWELL_SECONDS: Final = 5.0  # records are submitted and kept in a fraction of a second

_collecting = set[int]()
"""The thread that collects garbage now, if one does."""


def note_collections() -> None:
    """Have `outside_collection` know of collections from now on."""
    if _note not in gc.callbacks:
        gc.callbacks.append(_note)


def outside_collection(work: Work) -> None:
    """Do it now; where this thread collects garbage, soon and in another one.

    At exit no thread can be had any more: then it is done now all the same.
    """
    if get_ident() in _collecting and not sys.is_finalizing():
        _thread.get().put(work)
    else:
        work()


class RecordingThread:
    """Does what it is given, in order, in a daemon thread that begins with the first of it.

    `put` may be called while garbage is collected: it waits for no lock.
    """

    def __init__(self) -> None:
        self._waiting = SimpleQueue[Work]()
        self._begun = Lock()

    def put(self, work: Work) -> None:
        """Have it done soon, or now where no thread can be had."""
        self._waiting.put(work)
        if self._begun.acquire(blocking=False):
            self._begin()

    def finish(self, seconds: float) -> None:
        """Wait until what waits now is done, for so long at most."""
        done = Lock()
        done.acquire()
        self._waiting.put(done.release)
        done.acquire(timeout=seconds)

    def _begin(self) -> None:
        try:
            Thread(target=self._run, name="guard-abandoned", daemon=True).start()
        except RuntimeError:
            self._begun.release()
            self._do_waiting()
        except BaseException:  # of a signal's handler: if there is a thread, there will be two
            self._begun.release()
            raise
        else:
            atexit.register(_finish)

    def _run(self) -> None:
        while True:
            _do(self._waiting.get())

    def _do_waiting(self) -> None:
        while True:
            try:
                work = self._waiting.get_nowait()
            except Empty:
                return
            _do(work)


def _do(work: Work) -> None:
    try:
        work()
    except BaseException:  # nothing may end the thread
        _log.exception("an abandoned stream could not be recorded")


def _note(phase: str, _: object) -> None:
    if phase == "start":
        _collecting.add(get_ident())
    else:
        _collecting.discard(get_ident())


def _finish() -> None:
    for thread in _thread.made():
        thread.finish(_FAREWELL_SECONDS)


_thread = PerProcess(RecordingThread)
