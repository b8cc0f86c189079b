"""What a caller gets for a prompt that is blocked, in the way in which the function replies."""

from __future__ import annotations

import typing
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Generator,
    Iterable,
    Iterator,
    Sequence,
)
from typing import Any, Self

from guard.errors import may_be_signal

_ITERATED = frozenset({Iterable, Iterator, Generator})
_ITERATED_ASYNC = frozenset({AsyncIterable, AsyncIterator, AsyncGenerator})
_AWAITED = frozenset({Awaitable, Coroutine})


class TextEitherWay(str):
    """A text for a caller of whom nobody knows whether a text was expected, one in pieces, or one
    to be awaited: it can be used as either, and is its only piece."""

    __slots__ = ("_given",)

    def __iter__(self) -> Iterator[str]:
        return iter([str(self)])

    def __next__(self) -> str:
        if getattr(self, "_given", False):
            raise StopIteration
        self._given = True
        return str(self)

    async def __aiter__(self) -> AsyncIterator[str]:
        yield str(self)

    async def __anext__(self) -> str:
        try:
            return next(self)
        except StopIteration:
            raise StopAsyncIteration from None

    def __await__(self) -> Generator[None, None, Self]:
        yield from ()
        return self

    def close(self) -> None:
        """No more is wanted."""

    async def aclose(self) -> None:
        """No more is wanted."""


def given_as_declared(fn: Callable[..., Any], pieces: Sequence[Any]) -> Any:
    """`pieces`, said in place of a reply, as `fn` is declared to return its replies: iterated,
    awaited, or the last of them. A text can be used in every way unless a text is declared."""
    declared = _declared(fn)
    last = pieces[-1] if declared is str else _usable_either_way(pieces[-1])
    if declared in _ITERATED_ASYNC:
        return _in_pieces_async(pieces)
    if declared in _ITERATED:
        return (piece for piece in pieces)
    return _awaited(last) if declared in _AWAITED else last


def _usable_either_way(piece: Any) -> Any:
    """Of a text; anything else as it is."""
    return TextEitherWay(piece) if type(piece) is str else piece


def _declared(fn: Callable[..., Any]) -> Any:
    """The type that `fn` is declared to return; None for none, or one that cannot be found."""
    try:
        found = typing.get_type_hints(fn).get("return")
    except Exception as error:  # names that exist for type checkers only
        if may_be_signal(error):
            raise
        return None
    return typing.get_origin(found) or found


async def _in_pieces_async(pieces: Sequence[Any]) -> AsyncIterator[Any]:
    for piece in pieces:
        yield piece


async def _awaited(piece: Any) -> Any:
    return piece
