"""The same driver in a thread without an event loop: its coroutines never suspend there."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Iterator
from typing import Any, TypeVar

from guard.flow.drivers import Exchange, drive_async
from guard.flow.steps import ReplyBuffer
from guard.flow.waiting import wait_blocking

T = TypeVar("T")
U = TypeVar("U")


def drive(
    exchange: Exchange, pieces: ReplyBuffer[T, U], ask: Callable[[], Iterator[T]]
) -> Generator[U, None, Any]:
    """Carry out `exchange` in this thread; see `drive_async`.

    Returns what the model's own generator returned.
    """
    returned: Any = None

    async def reply() -> AsyncGenerator[T, None]:
        nonlocal returned
        given = ask()
        try:
            while True:
                yield next(given)
        except StopIteration as stop:
            returned = stop.value
        finally:
            if callable(end := getattr(given, "close", None)):
                end()

    yield from iterate_blocking(drive_async(exchange, pieces, reply, wait_blocking))
    return returned


def run_blocking(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that never suspends."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        result: T = stop.value
        return result
    coroutine.close()
    raise RuntimeError("a blocking call suspended, which is a defect of the guard")


def iterate_blocking(items: AsyncGenerator[T, None]) -> Generator[T, None, None]:
    """The items of an asynchronous generator that never suspends; it is closed with this one."""
    try:
        while True:
            yield run_blocking(items.__anext__())
    except StopAsyncIteration:
        return
    finally:
        run_blocking(items.aclose())
