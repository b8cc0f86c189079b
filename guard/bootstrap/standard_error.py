"""Standard error of processes that run until they are stopped: who writes to it never waits.

A reader that stalls (a stopped `tee`, a terminal after Ctrl-S, the log driver of a container) would
hold up every thread that has something to say, event loops among them.
"""

from __future__ import annotations

import atexit
import io
import os
import select
import sys
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from threading import Condition, RLock, Thread
from time import monotonic
from typing import Final, TextIO

from guard.forks import call_in_child

MOST_CHARACTERS: Final = 2**20
"""So many wait at most, a few thousand lines. What comes then is dropped."""
FAREWELL_SECONDS: Final = 1.5
"""How long a process that ends waits for what it has written to be taken."""
_AT_ONCE: Final = 2**16


def never_wait_for_readers() -> None:
    """Have a thread write what this process says on standard error, logs and tracebacks included.

    Until it ends, and for `FAREWELL_SECONDS` then. Whoever says something later (what was to run at
    exit before this was called) writes it, waits as long, and is the last where that is too short.
    Not where standard error is no file, or somebody has put something else in its place.
    """
    stream = sys.__stderr__
    if stream is None or sys.stderr is not stream:
        return
    with suppress(OSError):
        sys.stderr = queued = QueuedStream(stream)
        atexit.register(partial(queued.end, FAREWELL_SECONDS))


class QueuedStream(io.TextIOBase):
    """Lines on their way to the file of `stream`, which a daemon thread writes. Thread-safe.

    Where `most_characters` wait, further lines are dropped until half of them are written; then,
    or when all is, a line says how many. Lines that the file does not take are lost, as it is gone.
    A forked child begins with nothing that waits, and a thread of its own.
    """

    _begun: str
    encoding = "utf-8"
    errors = "backslashreplace"

    def __init__(self, stream: TextIO, *, most_characters: int = MOST_CHARACTERS) -> None:
        self._begin()
        self._most = most_characters
        self._number = stream.fileno()
        self.encoding = stream.encoding
        call_in_child(self._begin)

    def write(self, text: str, /) -> int:
        """Hand over the lines in `text`; what does not end in a line break waits for the rest."""
        with self._lock:
            lines, end, rest = (self._begun + text).rpartition("\n")
            self._begun = rest
            if end:
                self._put(lines + end)
            if len(rest) > _AT_ONCE:
                self.flush()
        return len(text)

    def flush(self) -> None:
        """Hand over what was begun as well."""
        with self._lock:
            begun, self._begun = self._begun, ""
            if begun:
                self._put(begun)

    def drain(self, seconds: float) -> bool:
        """Wait until all is written; False where that takes longer."""
        self.flush()
        with self._lock:
            return self._written.wait_for(lambda: not self._waiting, seconds)

    def end(self, seconds: float) -> None:
        """Wait as `drain` does. Where all is written then, whoever says more writes it directly and
        waits as long: a process that ends begins no thread, and stops for none."""
        with self._lock:
            self.flush()
            self._seconds = seconds
            self._direct = self.drain(seconds) if self._thread else self._write_waiting()
            self._tell_dropped()

    def writable(self) -> bool:
        """It is."""
        return True

    def fileno(self) -> int:
        """The number of the file."""
        return self._number

    def isatty(self) -> bool:
        """Whether the file is a terminal."""
        return os.isatty(self._number)

    def _begin(self) -> None:
        self._lock = RLock()  # a destructor may write in the middle of a write
        self._written = Condition(self._lock)
        self._lines = SimpleQueue[str]()
        self._begun = ""
        self._waiting = 0
        self._dropped = 0
        self._thread: Thread | None = None
        self._direct = False
        self._seconds = 0.0

    def _put(self, text: str) -> None:
        room = self._most // 2 if self._dropped else self._most
        if self._waiting and self._waiting + len(text) > room:
            self._dropped += text.count("\n") or 1
            return
        self._tell_dropped()
        self._hand_over(text)

    def _tell_dropped(self) -> None:
        dropped, self._dropped = self._dropped, 0
        if dropped:
            self._hand_over(f"guard: {dropped} lines are not shown: they were not read in time\n")

    def _hand_over(self, text: str) -> None:
        if self._direct:
            self._direct = self._write_in_time(text)
            return
        self._waiting += len(text)
        self._lines.put(text)
        if self._thread is None:
            thread = Thread(target=self._write_all, name="guard-standard-error", daemon=True)
            with suppress(RuntimeError):  # a limit of the system: the next line tries again
                thread.start()
                self._thread = thread

    def _write_waiting(self) -> bool:
        """For want of a thread."""
        text = ""
        while not self._lines.empty():
            text += self._lines.get()
        self._waiting = 0
        return self._write_in_time(text)

    def _write_in_time(self, text: str) -> bool:
        with suppress(OSError):
            content = text.encode(self.encoding, self.errors)
            return _write_in_time(self._number, content, self._seconds)
        return False

    def _write_all(self) -> None:
        while True:
            text = self._lines.get()
            while len(text) < _AT_ONCE and not self._lines.empty():
                text += self._lines.get()
            with suppress(Exception):  # whatever it is, nobody else would write what comes next
                _write(self._number, text.encode(self.encoding, self.errors))
            with self._lock:
                self._waiting -= len(text)
                if not self._waiting:
                    self._tell_dropped()
                self._written.notify_all()


def _write(number: int, content: bytes) -> None:
    """Past Python's own stream, whose lock a thread that is stuck would keep at the end."""
    left = memoryview(content)
    while left:
        try:
            left = left[os.write(number, left) :]
        except BlockingIOError:  # somebody who has the same file made it so
            poll = select.poll()
            poll.register(number, select.POLLOUT)
            poll.poll()


def _write_in_time(number: int, content: bytes, seconds: float) -> bool:
    """Whether the file took it all. As much at a time as a file that is ready takes at once."""
    end = monotonic() + seconds
    poll = select.poll()
    poll.register(number, select.POLLOUT)
    left = memoryview(content)
    while left:
        if not poll.poll(max(0.0, end - monotonic()) * 1000):
            return False
        left = left[os.write(number, left[: select.PIPE_BUF]) :]
    return True
