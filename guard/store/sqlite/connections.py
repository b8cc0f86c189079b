"""Connections of one process to one file: one that writes, and as many that read as are needed."""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from guard.errors import StoreError
from guard.store.sqlite.seam import BUSY_SECONDS, at_the_seam

_PATIENCE_SECONDS = 10.0  # before a fork; transactions take milliseconds

IDLE_READERS = 8
"""Connections that are kept open between reads."""


PRAGMAS = (
    "synchronous = NORMAL",
    "secure_delete = ON",
    "temp_store = MEMORY",
    "journal_size_limit = 67108864",
)


def connected(file: Path) -> sqlite3.Connection:
    """A connection as all of them are.

    In the write-ahead log, `synchronous=NORMAL` loses nothing when a process is killed; a power
    cut may lose the last commits, never the file. What is deleted is overwritten.
    """
    connection = sqlite3.connect(
        file,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
    )
    try:
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
    except BaseException:
        connection.close()
        raise
    return connection


class Connections:
    """Thread-safe, and open across forks: before one all connections are closed.

    SQLite keeps what it knows of locks in the memory of a process. A child that inherits an open
    connection believes that it holds locks that its parent holds, even on a connection of its own.
    """

    def __init__(self, url: str, file: Path) -> None:
        self._url = url
        self._file = file
        self._writing = threading.Lock()
        self._writer: sqlite3.Connection | None = None
        self._readers: deque[sqlite3.Connection] = deque()
        self._changed = threading.Condition()
        self._users = 0
        self._is_forking = False
        self._is_shut = False
        hold, free = weakref.WeakMethod(self._hold), weakref.WeakMethod(self._free)
        os.register_at_fork(
            before=lambda: _call(hold()),
            after_in_parent=lambda: _call(free()),
            after_in_child=lambda: _call(free()),
        )

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that may write: kept when the block ends, undone when it raises."""
        with self._in_use(), self._writing:
            connection = self._the_writer()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                _undone(connection)
                raise

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A transaction that sees the file as it was at its first statement."""
        with self._in_use():
            connection = self._a_reader()
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                self._returned(connection)

    def scrub(self) -> None:
        """Empty the write-ahead log, where older versions of pages are.

        Raises StoreError when somebody reads for too long.
        """
        with self._in_use(), self._writing:
            [busy, *_] = self._the_writer().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise StoreError(
                f"{self._url}: the texts are deleted, but are still in the write-ahead log, which"
                " another process reads; erase again (setting store.url)"
            )

    def shut(self) -> None:
        """Nothing begins any more; what has begun ends, then its connection is closed."""
        with self._changed:
            self._is_shut = True
            if self._users == 0:
                self._close_all()

    @contextmanager
    def _in_use(self) -> Iterator[None]:
        with self._changed:
            self._changed.wait_for(lambda: not self._is_forking)
            self._check_open()
            self._users += 1
        try:
            with at_the_seam(self._url):
                yield
        finally:
            self._left()

    def _left(self) -> None:
        with self._changed:
            self._users -= 1
            if self._is_shut and self._users == 0:
                self._close_all()
            self._changed.notify_all()

    def _hold(self) -> None:
        """A fork is about to happen in this thread; `_free` follows."""
        self._changed.acquire()
        self._is_forking = True
        if self._changed.wait_for(lambda: self._users == 0, _PATIENCE_SECONDS):
            self._close_all()

    def _free(self) -> None:
        self._is_forking = False
        self._changed.notify_all()
        self._changed.release()

    def _close_all(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        while self._readers:
            self._readers.pop().close()

    def _the_writer(self) -> sqlite3.Connection:
        if self._writer is None:
            self._writer = connected(self._file)
        return self._writer

    def _a_reader(self) -> sqlite3.Connection:
        try:
            return self._readers.pop()
        except IndexError:
            connection = connected(self._file)
            connection.execute("PRAGMA query_only = ON")
            return connection

    def _returned(self, connection: sqlite3.Connection) -> None:
        _undone(connection)
        if len(self._readers) < IDLE_READERS:
            self._readers.append(connection)
        else:
            connection.close()

    def _check_open(self) -> None:
        if self._is_shut:
            raise StoreError(f"{self._url}: was shut; open it again (setting store.url)")


def _undone(connection: sqlite3.Connection) -> None:
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _call(method: Callable[[], None] | None) -> None:
    if method is not None:
        method()
