"""Replies of a model kept in one file, so that a run that was interrupted asks nothing twice."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from guard.errors import StoreError
from guard.records import Ending, Generated

_TABLE = "CREATE TABLE IF NOT EXISTS replies (key BLOB PRIMARY KEY, reply TEXT) WITHOUT ROWID"


class ReplyCache:
    """See `guard.assessment.generation.KeptReplies`. Used from one thread.

    What `put` was given is there when the process is killed right after; a power cut may lose the
    last ones, never the file. Raises StoreError for a file that cannot be used.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        with self._errors():
            self._database = sqlite3.connect(file, isolation_level=None)
            try:
                self._database.execute("PRAGMA journal_mode = WAL")
                self._database.execute("PRAGMA synchronous = NORMAL")
                self._database.execute(_TABLE)
            except sqlite3.Error:
                self._database.close()
                raise

    def get(self, key: bytes) -> Generated | None:
        with self._errors():
            row = self._database.execute("SELECT reply FROM replies WHERE key = ?", (key,))
            found = row.fetchone()
        return None if found is None else _decoded(found[0])

    def put(self, key: bytes, reply: Generated) -> None:
        row = (key, json.dumps(asdict(reply)))
        with self._errors():
            self._database.execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", row)

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(
                f"{self._file}: {error}; the replies of the model are kept there: its folder must"
                " be writable, and the file be one of ours or not exist (setting --out)"
            ) from error


def _decoded(text: str) -> Generated:
    fields = json.loads(text)
    return Generated(**{**fields, "ending": Ending(fields["ending"])})
