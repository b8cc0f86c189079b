"""From a URL to an open store: one process at a time makes the file, or brings it up to date."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from guard.store.options import Options
from guard.store.sqlite.address import file_of
from guard.store.sqlite.connections import Connections, connected
from guard.store.sqlite.migrations import agree, migrate, migrations
from guard.store.sqlite.seam import at_the_seam
from guard.store.sqlite.store import SqliteStore


def open_sqlite(url: str, options: Options) -> SqliteStore:
    """The store in the file that `url` names, made or brought up to date.

    Raises SettingsError and StoreError as `open_store` does.
    """
    path = file_of(url)
    with at_the_seam(url), _alone_in(path.parent):
        path.touch(mode=0o600)  # prompts are in it; its companions take its mode
        _made_ready(url, path, options)
    return SqliteStore(Connections(url, path), options)


def _made_ready(url: str, path: Path, options: Options) -> None:
    with closing(connected(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN IMMEDIATE")
        migrate(connection, url, migrations())
        agree(connection, url, "bucket_seconds", options.bucket_seconds)
        connection.execute("COMMIT")


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """While all others wait who open a store in this folder.

    Who changes the journal mode does not wait for others, whatever time SQLite is given.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
