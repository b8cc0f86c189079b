"""What a wrapped function gives in place of an iterator: its guarded pieces."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from typing import Any, Protocol


class StreamedCall(Protocol):
    """A call that has returned an iterator."""

    def stream(self) -> Generator[Any, None, Any]:
        """Begin with the pieces."""

    def stream_async(self) -> AsyncGenerator[Any, None]:
        """The same where they are awaited."""

    def abandon(self) -> None:
        """Record that no piece was wanted."""


class _Pieces:
    """reply: the iterator that `call` returned; it is closed where nothing of it is wanted."""

    def __init__(self, call: StreamedCall, reply: Any) -> None:
        self._call = call
        self._reply = reply
        self._begun: Any = None

    def _leave(self) -> Any:
        """What has to be closed."""
        if self._begun is None:
            self._begun = ()
            self._call.abandon()
        return self._begun or self._reply


class BlockingPieces(_Pieces):
    """For `for`."""

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._begun is None:
            self._begun = self._call.stream()
        return next(iter(self._begun))

    def close(self) -> None:
        """No more is wanted."""
        if callable(close := getattr(self._leave(), "close", None)):
            close()


class AsyncPieces(_Pieces):
    """For `async for`."""

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        if self._begun is None:
            self._begun = self._call.stream_async()
        if not self._begun:
            raise StopAsyncIteration
        return await anext(self._begun)

    async def aclose(self) -> None:
        """No more is wanted."""
        if callable(close := getattr(self._leave(), "aclose", None)):
            await close()


class PiecesEitherWay(BlockingPieces, AsyncPieces):
    """For the one that is used first."""


def guarded_pieces(call: StreamedCall, reply: Any) -> BlockingPieces | AsyncPieces | None:
    """The pieces of `call`, which can be iterated as `reply` can; None where that cannot be, and of
    a text."""
    if isinstance(reply, str):
        return None
    blocks, waits = isinstance(reply, Iterator), isinstance(reply, AsyncIterator)
    if blocks and waits:
        return PiecesEitherWay(call, reply)
    if blocks:
        return BlockingPieces(call, reply)
    return AsyncPieces(call, reply) if waits else None
