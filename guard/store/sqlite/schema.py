"""Which file a URL names, its tables, brought from any older version to the present one, and the
statements that read and change them."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from guard.errors import SettingsError, StoreError

_PREFIX = "sqlite:///"
APPLICATION = 0x66677264
"""In the header of the file: it is one of ours ("fgrd")."""


def file_path(url: str) -> Path:
    """The absolute path: that of now, should the process go to another folder later.

    Raises SettingsError for a URL without a file.
    """
    name = url.removeprefix(_PREFIX)
    if name in {"", url, ":memory:"} or "\0" in name or name.endswith("/"):
        raise SettingsError(
            f"store.url: {url!r} names no file; allowed are sqlite:///relative.db,"
            " sqlite:////absolute/path.db, and memory: for a store in memory"
        )
    return Path(name).absolute()


def migrations() -> Sequence[str]:
    """The text of `sql/NNNN_name.sql`, in order. The n-th leads to version n."""
    folder = files("guard.store") / "sql"
    found = sorted(file.name for file in folder.iterdir() if file.name.endswith(".sql"))
    return [(folder / name).read_text(encoding="utf-8") for name in found]


def read_statements() -> Mapping[str, str]:
    """All statements of `sql/statements/*.sql` by name: each follows a line `-- name`."""
    folder = files("guard.store") / "sql" / "statements"
    text = "".join(file.read_text(encoding="utf-8") for file in folder.iterdir())
    _, *parts = re.split(r"^-- (\w+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def is_ready(connection: sqlite3.Connection, url: str, version: int) -> bool:
    """Whether the file is ours and of this version. Raises StoreError when it is another
    application's."""
    check_ours(connection, url)
    mode = connection.execute("PRAGMA journal_mode").fetchone()
    return _number(connection, "user_version") == version and mode == ("wal",)


def migrate(connection: sqlite3.Connection, url: str, steps: Sequence[str]) -> None:
    """Apply the steps that are missing, inside the transaction that is open.

    Raises StoreError when the file is another application's, or of a later version.
    """
    version = _number(connection, "user_version")
    check_ours(connection, url)
    if version > len(steps):
        raise StoreError(
            f"{url}: of version {version}, made by a later evenguard; this one knows versions up"
            f" to {len(steps)}: upgrade it, or name another file (setting store.url)"
        )
    for text in steps[version:]:
        for statement in statements(text):
            connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {len(steps)}")


def statements(text: str) -> Iterator[str]:
    """One by one, those within a trigger together: `executescript` would commit before them."""
    statement = ""
    for line in text.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def agree_on(connection: sqlite3.Connection, url: str, name: str, value: float) -> None:
    """Keep what the store is made with. Raises SettingsError when it was made otherwise."""
    asked = "SELECT value FROM made_with WHERE name = ?"
    if (row := connection.execute(asked, (name,)).fetchone()) is None:
        connection.execute("INSERT OR IGNORE INTO made_with VALUES (?, ?)", (name, value))
        row = connection.execute(asked, (name,)).fetchone()
    [kept] = row
    if kept != value:
        raise SettingsError(
            f"store.{name}: {url} was made with {kept:g}, not {value:g}; set it back, or name"
            " another file (setting store.url)"
        )


def check_ours(connection: sqlite3.Connection, url: str) -> None:
    """Raises StoreError when the file is another application's."""
    application = _number(connection, "application_id")
    [tables] = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application != APPLICATION and (application or tables):
        raise StoreError(
            f"{url}: a database of another application; name another file (setting store.url)"
        )


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    [value] = connection.execute(f"PRAGMA {pragma}").fetchone()
    return int(value)
