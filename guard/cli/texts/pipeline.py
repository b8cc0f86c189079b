"""Scores a stream of texts, in order, with a bounded number of them under way."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from guard.cli.texts.reader import BadLine, InputText, Item
from guard.records import Assessment

CHARACTERS_UNDERWAY: Final = 4_000_000
TEXTS_UNDERWAY: Final = 256

T = TypeVar("T")
Submit = Callable[[str], Future[Assessment]]
_Sent = tuple[InputText, Future[Assessment]] | BadLine


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredText:
    """A text and what the classifiers say about it."""

    text: InputText
    assessment: Assessment


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
    channel: BoundedChannel[_Sent] = BoundedChannel(CHARACTERS_UNDERWAY)
    threading.Thread(
        target=_feed, args=(items, submit, channel), name="guard-reader", daemon=True
    ).start()
    try:
        yield from map(_answered, channel)
    finally:
        channel.end()


def _answered(sent: _Sent) -> Result:
    if isinstance(sent, BadLine):
        return sent
    text, future = sent
    return ScoredText(text=text, assessment=future.result())


def _feed(items: Iterator[Item], submit: Submit, channel: BoundedChannel[_Sent]) -> None:
    try:
        for item in items:
            weight = _weight(item)
            if not channel.wait_for_room(weight):
                return
            channel.send(_sent(item, submit), weight)
    except BaseException as error:  # noqa: BLE001, RUF100 - it is raised where results are taken
        channel.end(error)
    else:
        channel.end()


def _sent(item: Item, submit: Submit) -> _Sent:
    return item if isinstance(item, BadLine) else (item, submit(item.text))


def _weight(item: Item) -> int:
    least = CHARACTERS_UNDERWAY // TEXTS_UNDERWAY
    return max(least, len(item.text)) if isinstance(item, InputText) else least
