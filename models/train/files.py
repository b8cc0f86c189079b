"""Files that are either whole or as they were before."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def flushed(path: Path) -> None:
    """Wait until a file or folder is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A name to write to; what was written takes the place of `path` once it is on the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    yield partial
    flushed(partial)
    partial.replace(path)
    flushed(path.parent)
