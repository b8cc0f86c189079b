"""Where lines of results go: standard output, or a file that appears whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from guard.cli.endings import Failure, discard_output

Write = Callable[[str], None]


@contextmanager
def to_stream(stream: BinaryIO) -> Iterator[Write]:
    """Write to an open stream, every line at once."""
    with _clear_errors("standard output", discard_output):
        yield _line_writer(stream)


@contextmanager
def to_file(path: Path) -> Iterator[Write]:
    """Write to a file that takes its name when all is written.

    What is no regular file, such as a pipe or a terminal, is written to directly.
    """
    with _clear_errors(str(path)), _opened(path) as stream:
        yield _line_writer(stream)


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            yield stream
        return
    final = path.resolve()
    partial = final.with_name(f".{final.name}.{os.getpid()}.partial")
    with _removed_unless_renamed(partial):
        with partial.open("xb") as stream:
            yield stream
            os.fsync(stream.fileno())
        if final.exists():
            shutil.copymode(final, partial)
        partial.replace(final)


def _line_writer(stream: BinaryIO) -> Write:
    def write(line: str) -> None:
        stream.write(line.encode("ascii") + b"\n")
        stream.flush()

    return write


@contextmanager
def _removed_unless_renamed(partial: Path) -> Iterator[None]:
    try:
        yield
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


@contextmanager
def _clear_errors(name: str, clean_up: Callable[[], None] = lambda: None) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        clean_up()
        raise Failure(f"cannot write results to {name}: {error.strerror}") from error
