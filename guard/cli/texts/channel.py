"""A bounded hand-over from one thread to another."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Channel(Generic[T]):
    """What one thread sends, another takes, in order, at most `room` of weight in between.

    Weight counts until the receiver asks for the next item. One item may exceed the room alone.
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self._used = 0
        self._items: deque[tuple[T, int]] = deque()
        self._over = False
        self._error: BaseException | None = None
        self._changed = threading.Condition()

    def wait_for_room(self, weight: int) -> bool:
        """Wait until `weight` may be sent. False when nobody will take it any more."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._over or self._used == 0 or self._used + weight <= self._room
            )
            return not self._over

    def send(self, item: T, weight: int) -> None:
        """Hand over one item, for which there is room."""
        with self._changed:
            self._items.append((item, weight))
            self._used += weight
            self._changed.notify_all()

    def end(self, error: BaseException | None = None) -> None:
        """Nothing more is sent; `error` is raised in the receiver after the last item."""
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
