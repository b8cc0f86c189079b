"""Which file a URL names."""

from __future__ import annotations

from pathlib import Path

from guard.errors import SettingsError

_PREFIX = "sqlite:///"


def file_of(url: str) -> Path:
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
