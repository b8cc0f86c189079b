"""Whether the files of a database still are what its connections have open.

Nothing here opens the database itself: to close a second descriptor of it would end the locks that
SQLite holds on the first.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeAlias

Identity: TypeAlias = tuple[int, int] | None
"""By which a file is known whatever its name: device and inode; None where there is none."""
COMPANIONS: Final = ("-wal", "-shm")
"""What SQLite keeps beside a database that is open: the write-ahead log, and its index."""


class FileWatch:
    """Looks at the database and its companions from outside. Raises OSError.

    The database must stay the same file for good, its companions for as long as a connection has
    them open. What is in it changes when SQLite empties the log into it, and otherwise by foreign
    hands: then, and after errors, somebody has to look into it.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._identity = identity(file)
        self._companions: tuple[Identity, ...] | None = None
        self._seen: tuple[int, int] | None = self.size_and_time()
        self._size = file.stat().st_size

    def is_in_place(self) -> bool:
        """Whether the name is still that of the file."""
        return identity(self._file) == self._identity

    def note_opened(self) -> None:
        """A connection has opened the companions."""
        if self._companions is None:
            self._companions = self._look_beside()

    def note_closed(self) -> None:
        """No connection of this process is left."""
        self._companions = None

    def has_companions(self) -> bool:
        """Whether those that connections have open are there."""
        return self._companions is None or self._look_beside() == self._companions

    def has_no_others(self) -> bool:
        """Whether companions are missing alone: nobody has begun new ones."""
        pairs = zip(self._look_beside(), self._companions or (), strict=False)
        return all(now in {None, before} for now, before in pairs)

    def size_and_time(self) -> tuple[int, int]:
        """Bytes of the database, and when it was last written to, in nanoseconds."""
        found = self._file.stat()
        return found.st_size, found.st_mtime_ns

    def is_changed(self) -> bool:
        """Whether it was written to since the last look into it, or is in doubt."""
        return self.size_and_time() != self._seen

    def is_doubted(self) -> bool:
        """Whether it was found damaged, or is smaller than it was: a store never shrinks."""
        return self._seen is None or self._file.stat().st_size < self._size

    def doubt(self) -> None:
        """Something in it was wrong."""
        self._seen = None

    def note_sound(self, seen: tuple[int, int]) -> None:
        """It was looked into, and all is well. seen: its size and time before that."""
        self._seen = seen
        self._size = seen[0]

    def _look_beside(self) -> tuple[Identity, ...]:
        return tuple(identity(self._file.with_name(self._file.name + end)) for end in COMPANIONS)


def identity(file: Path) -> Identity:
    """Raises OSError."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """While all others wait who open a store in this folder.

    Who changes the journal mode does not wait for others, whatever time SQLite is given.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
