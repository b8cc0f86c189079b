"""Errors of the driver become errors of the house here."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from guard.errors import StoreError

BUSY_SECONDS = 20.0
"""How long one writer waits for those of other processes."""


@contextmanager
def at_the_seam(url: str) -> Iterator[None]:
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
