"""Scores a stream of texts in order, a bounded number at a time, and writes the results."""

from __future__ import annotations

import os
import shutil
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, Generic, TypeVar

from guard.cli.exits import Failure, discard_output
from guard.cli.text_reader import BadLine, InputText, Item
from guard.records import Outcome

CHARACTERS_UNDERWAY: Final = 4_000_000
TEXTS_UNDERWAY: Final = 256

T = TypeVar("T")
Submit = Callable[[str], Future[Outcome]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredText:
    """A text and what the guard says about it."""

    text: InputText
    outcome: Outcome


Result = ScoredText | BadLine


class BoundedChannel(Generic[T]):
    """A queue from one thread to another that is bounded by the weight of its items.

    An item counts until the receiver asks for the next one. A single item may exceed `room`.
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self._used = 0
        self._items: deque[tuple[T, int]] = deque()
        self._over = False
        self._error: BaseException | None = None
        self._changed = threading.Condition()

    def wait_for_room(self, weight: int) -> bool:
        """Wait until `weight` may be sent. False when the receiver has stopped."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._over or self._used == 0 or self._used + weight <= self._room
            )
            return not self._over

    def send(self, item: T, weight: int) -> None:
        """Send one item; `wait_for_room` must have said that it may be."""
        with self._changed:
            self._items.append((item, weight))
            self._used += weight
            self._changed.notify_all()

    def end(self, error: BaseException | None = None) -> None:
        """End the channel; `error` is raised in the receiver after the last item."""
        with self._changed:
            self._over = True
            self._error = self._error or error
            self._changed.notify_all()

    def __iter__(self) -> Iterator[T]:
        while (taken := self._take()) is not None:
            item, weight = taken
            yield item
            with self._changed:
                self._used -= weight
                self._changed.notify_all()

    def _take(self) -> tuple[T, int] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._items or self._over)
            if self._items:
                return self._items.popleft()
            if self._error is not None:
                raise self._error
            return None


def score_texts(items: Iterator[Item], submit: Submit) -> Generator[Result, None, None]:
    """A result for every item, in order, each as soon as it and those before it are there.

    The items are read by a thread of their own: a result never waits for the next line of an
    input that is still being written.
    """
    channel: BoundedChannel[Callable[[], Result]] = BoundedChannel(CHARACTERS_UNDERWAY)
    threading.Thread(
        target=_feed, args=(items, submit, channel), name="guard-reader", daemon=True
    ).start()
    try:
        yield from (wait_for_result() for wait_for_result in channel)
    finally:
        channel.end()


def _submit_item(item: Item, submit: Submit) -> Callable[[], Result]:
    """What waits for the result of an item."""
    if isinstance(item, BadLine):
        return lambda: item
    future = submit(item.text)
    return lambda: ScoredText(text=item, outcome=future.result())


def _feed(
    items: Iterator[Item], submit: Submit, channel: BoundedChannel[Callable[[], Result]]
) -> None:
    try:
        for item in items:
            weight = _weight(item)
            if not channel.wait_for_room(weight):
                return
            channel.send(_submit_item(item, submit), weight)
    except BaseException as error:  # noqa: BLE001, RUF100 - it is raised where results are taken
        channel.end(error)
    else:
        channel.end()


def _weight(item: Item) -> int:
    least = CHARACTERS_UNDERWAY // TEXTS_UNDERWAY
    return max(least, len(item.text)) if isinstance(item, InputText) else least


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
    with _clear_errors(str(path)), _open_target(path) as stream:
        yield _line_writer(stream)


@contextmanager
def _open_target(path: Path) -> Iterator[BinaryIO]:
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            yield stream
        return
    final = path.resolve()
    partial = final.with_name(f".{final.name}.{os.getpid()}.partial")
    try:
        with partial.open("xb") as stream:
            yield stream
            os.fsync(stream.fileno())
        if final.exists():
            shutil.copymode(final, partial)
        partial.replace(final)
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def _line_writer(stream: BinaryIO) -> Write:
    def write(line: str) -> None:
        stream.write(line.encode("utf-8", "backslashreplace") + b"\n")
        stream.flush()

    return write


@contextmanager
def _clear_errors(name: str, clean_up: Callable[[], None] = lambda: None) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        clean_up()
        raise Failure(f"cannot write results to {name}: {error.strerror}") from error
