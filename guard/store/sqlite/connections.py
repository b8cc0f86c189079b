"""Connections of one process to one file: one that writes, and as many that read as are needed."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from guard.errors import StoreError
from guard.forks import ForkGate
from guard.store.common import StoreBase, StoreOptions
from guard.store.sqlite.file_watch import FileWatch, lock_folder
from guard.store.sqlite.schema import check_ours, read_statements

BUSY_SECONDS = 20.0
"""How long one writer waits for those of other processes."""
IDLE_READERS = 8
"""Connections that are kept open between reads."""
SMALLEST: Final = 512
"""Bytes of a page at least. SQLite takes what has none for a new database, and deletes its log."""
CHECKED_WHOLE: Final = 16 * 1024 * 1024
"""Bytes up to which a file is checked whole when it is opened, or was written to: a tenth of a
second, about."""
DAMAGE: Final = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
OF_VALUES: Final = (
    sqlite3.DataError,
    sqlite3.IntegrityError,
    sqlite3.InterfaceError,
    sqlite3.ProgrammingError,
    OverflowError,
)
"""What statements raise for their values: of another type, too large, or against a rule."""
PRAGMAS = (
    "synchronous = NORMAL",
    "secure_delete = ON",
    "temp_store = MEMORY",
    "journal_size_limit = 67108864",
)
_log = logging.getLogger("guard.store")


@contextmanager
def store_errors(url: str) -> Iterator[None]:
    """Raises StoreError, which names the store and the setting, for any error of SQLite's or of
    the file system."""
    try:
        yield
    except UnicodeDecodeError as error:  # of a message that quotes what is in the file
        raise damaged(url, "it holds what is no text") from error
    except (sqlite3.Error, OSError) as error:
        if _code(error) == sqlite3.SQLITE_CORRUPT:
            raise damaged(url, " ".join(str(error).split())) from error
        raise StoreError(f"{url}: {error}{_remedy(error)} (setting store.url)") from error


def damaged(url: str, found: str) -> StoreError:
    """found: what is wrong with the file."""
    return StoreError(
        f"{url}: the file is damaged, or was overwritten: {found[:200]}; stop all"
        " processes that use it, then put a backup in its place, or move it away"
        " (setting store.url)"
    )


def check_whole(
    connection: sqlite3.Connection, url: str, size: int, *, doubted: bool = False
) -> None:
    """Read all of the file, unless it is large and nobody doubts it. size: its bytes.

    Raises StoreError when it is damaged.
    """
    if doubted or size <= CHECKED_WHOLE:
        [found] = connection.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise damaged(url, " ".join(str(found).split()))


@contextmanager
def value_errors(url: str) -> Iterator[None]:
    """Raises ValueError where statements fail for what they were given: to wait for the store and
    to try again, as after a StoreError, would not help."""
    try:
        yield
    except OF_VALUES as error:
        if _is_of_the_file(error):
            raise
        raise ValueError(f"{url}: cannot keep what it was given: {error}") from error


def _is_of_the_file(error: Exception) -> bool:
    """A trigger that others have made, or a connection that is closed, whatever the values are."""
    code = getattr(error, "sqlite_errorcode", None)
    return code == sqlite3.SQLITE_CONSTRAINT_TRIGGER or "closed" in str(error)


def _code(error: Exception) -> int:
    """Of SQLite, without what says more than its kind."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


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
    which spoils both. The same holds for a log that was deleted: what is in it is saved where
    nobody has begun another, all connections are closed, and new ones opened. A file that was
    written to by foreign hands is refused where it is seen to be damaged.
    """

    def __init__(self, url: str, file: Path) -> None:
        self._url = url
        self._file = file
        self._statements = read_statements()
        self._watch = FileWatch(file)
        self._examining = threading.Lock()
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
                self._check_kept()
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
        with store_errors(self._url):
            self._leave_lost_log()
        with self._gate.work():
            if self._gate.ended:
                raise StoreError(f"{self._url}: was shut; open it again (setting store.url)")
            with store_errors(self._url), self._doubting():
                self._check_file()
                with value_errors(self._url):
                    yield

    @contextmanager
    def _doubting(self) -> Iterator[None]:
        """After an error that only a damaged file gives, it is checked before it is used again."""
        try:
            yield
        except UnicodeDecodeError:
            self._watch.doubt()
            raise
        except sqlite3.Error as error:
            if _code(error) in DAMAGE:
                self._watch.doubt()
            raise

    def _check_file(self) -> None:
        if not self._watch.is_in_place():
            raise StoreError(
                f"{self._url}: the file was moved, deleted or replaced while it was open; put it"
                " back, or start this process again (setting store.url)"
            )
        if self._watch.is_changed():
            with self._examining:
                if self._watch.is_changed():
                    self._examine()

    def _examine(self) -> None:
        """Look into the file by a connection that remembers nothing of it. Raises StoreError."""
        seen = self._watch.size_and_time()
        if seen[0] < SMALLEST:
            raise damaged(self._url, "it is empty")
        with closing(connect(self._file, self._statements)) as connection:
            check_ours(connection, self._url)
            check_whole(connection, self._url, seen[0], doubted=self._watch.is_doubted())
        self._watch.note_sound(seen)

    def _check_kept(self) -> None:
        """What was written just now must not be in files that are gone."""
        if not (self._watch.is_in_place() and self._watch.has_companions()):
            raise StoreError(
                f"{self._url}: the file or its write-ahead log (-wal, -shm) was moved, deleted or"
                " replaced while it was written to; what was written is sent again (setting"
                " store.url)"
            )

    def _leave_lost_log(self) -> None:
        """Close all connections to a log that is not there any more, once nothing is under way."""
        if self._watch.has_companions():
            return
        with self._gate.alone() as is_alone:
            if not is_alone:
                raise StoreError(
                    f"{self._url}: its write-ahead log was deleted (setting store.url)"
                )
            if not self._watch.has_companions():
                with lock_folder(self._file.parent):
                    self._close_lost(is_saved=self._save_log())

    def _save_log(self) -> bool:
        """Bring what is in the log to the database, unless others have begun another log."""
        connection = self._writer or next(iter(self._readers), None)
        if connection is None or not (self._watch.is_in_place() and self._watch.has_no_others()):
            return False
        connection.execute("PRAGMA query_only = OFF")
        [busy, *_] = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not busy

    def _close_lost(self, *, is_saved: bool) -> None:
        if not is_saved:
            for connection in filter(None, (self._writer, *self._readers)):
                _keep_log_out(connection)
        self._close_all()
        self._watch.doubt()
        _log.error(
            "%s: its write-ahead log (-wal, -shm) was deleted or replaced while it was open; %s"
            " (setting store.url)",
            self._url,
            "what was in it is saved" if is_saved else "what nobody saved of it is lost",
        )

    def _close_all(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        while self._readers:
            self._readers.pop().close()
        self._watch.note_closed()

    def _connect(self) -> Database:
        connection = connect(self._file, self._statements)
        try:
            connection.execute("PRAGMA schema_version").fetchone()  # the first read opens the log
            self._watch.note_opened()
        except BaseException:
            connection.close()
            raise
        return connection

    def _get_writer(self) -> Database:
        if self._writer is None:
            self._writer = self._connect()
        return self._writer

    def _take_reader(self) -> Database:
        try:
            return self._readers.pop()
        except IndexError:
            connection = self._connect()
            connection.execute("PRAGMA query_only = ON")
            return connection

    def _return_reader(self, connection: Database) -> None:
        _roll_back(connection)
        if len(self._readers) < IDLE_READERS:
            self._readers.append(connection)
        else:
            connection.close()


def _keep_log_out(connection: sqlite3.Connection) -> None:
    """Have the connection not bring its log to a database that others write to by another log.

    Before Python 3.12 that cannot be said.
    """
    if (set_config := getattr(connection, "setconfig", None)) is not None:
        set_config(sqlite3.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, True)  # noqa: FBT003


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
