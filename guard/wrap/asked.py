"""A function together with the arguments of one call, asked once or, to regenerate, again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any


class ModelRaisedError(Exception):
    """The function raised: carries the news past the iterator protocol.

    A `StopIteration` of the function's own would otherwise read as the end of its reply.
    """


class Asked:
    """Calls `fn`; the reply of `look` is kept and is the answer to the first question.

    error: what `fn` raised, unchanged, once `ModelRaisedError` was seen.
    """

    def __init__(self, fn: Callable[[], Any]) -> None:
        self._fn = fn
        self._kept: list[Any] = []
        self.error: Exception = ModelRaisedError()

    def look(self) -> Any:
        """Call the function now, to see what kind of reply it gives."""
        self._kept = [self._fn()]
        return self._kept[0]

    async def look_async(self) -> Any:
        """The same for a function whose reply is awaited, looked at before or not."""
        self._kept = [await (self._kept.pop() if self._kept else self._fn())]
        return self._kept[0]

    def one(self) -> Iterator[Any]:
        """The reply as a stream of one piece."""
        yield self._once()

    async def one_async(self) -> AsyncIterator[Any]:
        """The awaited reply as a stream of one piece."""
        yield await self._once_async()

    def many(self) -> Iterator[Any]:
        """The iterator that the function returns."""
        return iter(self._kept.pop() if self._kept else self._fn())

    def many_async(self) -> AsyncIterator[Any]:
        """The asynchronous iterator that the function returns."""
        return aiter(self._kept.pop() if self._kept else self._fn())

    async def awaited_many(self) -> AsyncIterator[Any]:
        """The asynchronous iterator that the function's coroutine returns."""
        async for piece in await self._once_async():
            yield piece

    def _once(self) -> Any:
        try:
            return self._kept.pop() if self._kept else self._fn()
        except Exception as error:
            self.error = error
        raise ModelRaisedError

    async def _once_async(self) -> Any:
        try:
            return self._kept.pop() if self._kept else await self._fn()
        except Exception as error:
            self.error = error
        raise ModelRaisedError
