"""Connections of one process to one file: one that writes, and as many that read as are needed."""

from __future__ import annotations

import sqlite3
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from guard.errors import StoreError
from guard.forks import ForkGate
from guard.store.common import StoreBase, StoreOptions
from guard.store.sqlite.schema import read_statements

BUSY_SECONDS = 20.0
"""How long one writer waits for those of other processes."""
IDLE_READERS = 8
"""Connections that are kept open between reads."""
PRAGMAS = (
    "synchronous = NORMAL",
    "secure_delete = ON",
    "temp_store = MEMORY",
    "journal_size_limit = 67108864",
)


@contextmanager
def store_errors(url: str) -> Iterator[None]:
    """Raises StoreError, which names the store and the setting, for any error of SQLite's or of
    the file system."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"{url}: {error}{_remedy(error)} (setting store.url)") from error


def _remedy(error: sqlite3.Error | OSError) -> str:
    text = str(error)
    if "locked" in text:
        return f": another process kept it locked for {BUSY_SECONDS:g} seconds"
    if "not a database" in text:
        return ": something else is in this file; name another one"
    if isinstance(error, OSError) or "unable to open" in text or "readonly" in text:
        return ": the folder must exist, and it and the file must be writable"
    return ""


class Database(sqlite3.Connection):
    """A connection that runs the statements of `sql/statements` by their names."""

    statements: Mapping[str, str]

    def run(
        self, name: str, values: Sequence[object] | Mapping[str, object] = ()
    ) -> sqlite3.Cursor:
        return self.execute(self.statements[name], values)

    def run_many(self, name: str, rows: Iterable[Sequence[object]]) -> sqlite3.Cursor:
        """The statement once per row of values."""
        return self.executemany(self.statements[name], rows)


def connect(file: Path, statements: Mapping[str, str]) -> Database:
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
        factory=Database,
    )
    connection.statements = statements
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

    The file must stay what and where it was. SQLite goes on to write to one that was moved or
    deleted, where nobody finds it, and shares the log of another one that has its name by then,
    which spoils both.
    """

    def __init__(self, url: str, file: Path) -> None:
        self._url = url
        self._file = file
        self._statements = read_statements()
        self._identity = _identity(file)
        self._writing = threading.Lock()
        self._writer: Database | None = None
        self._readers: deque[Database] = deque()
        self._gate = ForkGate(self._close_all)

    @contextmanager
    def writing(self) -> Iterator[Database]:
        """A transaction that may write: kept when the block ends, undone when it raises."""
        with self._in_use(), self._writing:
            connection = self._get_writer()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                _roll_back(connection)
                raise

    @contextmanager
    def reading(self) -> Iterator[Database]:
        """A transaction that sees the file as it was at its first statement."""
        with self._in_use():
            connection = self._take_reader()
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                self._return_reader(connection)

    def scrub(self) -> None:
        """Empty the write-ahead log, where older versions of pages are.

        Raises StoreError when somebody reads for too long.
        """
        with self._in_use(), self._writing:
            [busy, *_] = self._get_writer().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise StoreError(
                f"{self._url}: the texts are deleted, but are still in the write-ahead log, which"
                " another process reads; erase again (setting store.url)"
            )

    def shut(self) -> None:
        """Nothing begins any more; what has begun ends, then its connection is closed."""
        self._gate.end()

    @contextmanager
    def _in_use(self) -> Iterator[None]:
        with self._gate.work():
            if self._gate.ended:
                raise StoreError(f"{self._url}: was shut; open it again (setting store.url)")
            with store_errors(self._url):
                self._check_file()
                yield

    def _check_file(self) -> None:
        if _identity(self._file) != self._identity:
            raise StoreError(
                f"{self._url}: the file was moved, deleted or replaced while it was open; put it"
                " back, or start this process again (setting store.url)"
            )

    def _close_all(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        while self._readers:
            self._readers.pop().close()

    def _get_writer(self) -> Database:
        if self._writer is None:
            self._writer = connect(self._file, self._statements)
        return self._writer

    def _take_reader(self) -> Database:
        try:
            return self._readers.pop()
        except IndexError:
            connection = connect(self._file, self._statements)
            connection.execute("PRAGMA query_only = ON")
            return connection

    def _return_reader(self, connection: Database) -> None:
        _roll_back(connection)
        if len(self._readers) < IDLE_READERS:
            self._readers.append(connection)
        else:
            connection.close()


def _identity(file: Path) -> tuple[int, int] | None:
    """By which a file is known whatever its name; None where there is none. Raises OSError."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _roll_back(connection: Database) -> None:
    if connection.in_transaction:
        connection.execute("ROLLBACK")


class SqliteBase(StoreBase):
    """The connections to the file, and how it is kept."""

    def __init__(self, connections: Connections, options: StoreOptions) -> None:
        self._connections = connections
        super().__init__(options)
        self._reading = connections.reading
        self._writing = connections.writing

    def shut(self) -> None:
        self._connections.shut()
