"""What version 0.1.0 left behind: its SQLite file, its Redis dump and its spool.

`fixtures/stored_0_1/made_by.py.txt` says how they were made and what is in them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfile, copytree
from typing import Any

from tests.servers import RedisServer

FOLDER = Path(__file__).parent / "fixtures" / "stored_0_1"


def contents(kind: str) -> dict[str, Any]:
    """What that version read of its own store. kind: sqlite or redis."""
    found: dict[str, Any] = json.loads((FOLDER / "contents.json").read_text())[kind]
    return found


def passwords() -> dict[str, str]:
    """By name, of everybody there ever was: eve was removed, fay is disabled."""
    found: dict[str, str] = json.loads((FOLDER / "contents.json").read_text())["passwords"]
    return found


def sqlite_url(folder: Path) -> str:
    """A copy of the file, under the default name of that version."""
    copyfile(FOLDER / "fairguard.db", folder / "fairguard.db")
    return f"sqlite:///{folder}/fairguard.db"


def spool_folder(folder: Path) -> Path:
    """A copy of the spool, under the default name of that version."""
    return copytree(FOLDER / "fairguard-spool", folder / "fairguard-spool")


@contextmanager
def redis_url(folder: Path) -> Iterator[str]:
    """A server that has loaded the dump."""
    copyfile(FOLDER / "dump.rdb", folder / "dump.rdb")
    server = RedisServer(folder, options=("--appendonly", "no"))
    server.start()
    try:
        yield server.url
    finally:
        server.stop()
