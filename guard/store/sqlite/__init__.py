"""A store in one SQLite file, which any number of processes of one machine may share."""

from guard.store.sqlite.store import SqliteStore, open_sqlite

__all__ = ["SqliteStore", "open_sqlite"]
