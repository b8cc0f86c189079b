"""Two thin drivers, sync and async, that carry out the steps of one response."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from concurrent.futures import CancelledError, Future
from typing import Any, TypeVar, cast

from guard.errors import Blocked
from guard.flow.pieces import Pieces
from guard.flow.steps import Answer, Ask, Check, Finish, Left, Pull, Release, Say, Step, Steps
from guard.records import Assessment, Outcome, Unscored

T = TypeVar("T")


class Exchange:
    """The steps of one response on their way, and the outcome they end in."""

    def __init__(
        self,
        steps: Steps,
        submit: Callable[[Check], Future[Assessment]],
        record: Callable[[Outcome | None, bool], None],
    ) -> None:
        self._steps = steps
        self._record = record
        self._failed = False
        self.submit = submit
        self.outcome: Future[Outcome | None] = Future()

    def next(self, answer: Answer) -> Step:
        """Answer the last step and hear the next one, up to and including `Finish`."""
        return self._steps.send(answer)

    def detach(self) -> None:
        """After `Finish`: let the rest happen as scores arrive. Nobody has to wait for it."""
        self._go_on(None)

    def cut_short(self, *, failed: bool) -> None:
        """The caller went away or the model failed: keep what is worth keeping."""
        self._failed = failed
        try:
            self._steps.throw(Left(failed=failed))
        except StopIteration as stop:
            self._end(cast("Outcome | None", stop.value))
        except Left:
            self._end(None)
        else:
            self.detach()

    def _go_on(self, answer: Answer) -> None:
        try:
            check = cast("Check", self._steps.send(answer))
        except StopIteration as stop:
            self._end(cast("Outcome | None", stop.value))
            return
        self.submit(check).add_done_callback(lambda done: self._go_on(_assessment(done)))

    def _end(self, outcome: Outcome | None) -> None:
        self._record(outcome, self._failed)
        self.outcome.set_result(outcome)


def drive(
    exchange: Exchange, pieces: Pieces[T], ask: Callable[[], Iterator[T]]
) -> Generator[T, None, Any]:
    """Carry out `exchange` in this thread; yields what the caller may see.

    Returns what the model's own generator returned.
    """
    source: Iterator[T] = iter(())
    returned: Any = None
    answer: Answer = None
    step: Step = Ask()
    try:
        while not isinstance(step := exchange.next(answer), Finish):
            answer = None
            match step:
                case Ask():
                    close(source)
                    pieces.clear()
                    source = ask()
                case Pull():
                    try:
                        answer = pieces.add(next(source))
                    except StopIteration as stop:
                        returned = stop.value
                case Check():
                    answer = _assessment(exchange.submit(step))
                case Release(end):
                    yield from pieces.release(end)
                case Say(text):
                    yield pieces.say(text)
    except BaseException as error:
        close(source)
        exchange.cut_short(failed=_model_failed(step, error))
        raise
    close(source)
    exchange.detach()
    if step.owes_exception:
        raise Blocked(cast("Outcome", exchange.outcome.result()))
    return returned


async def drive_async(
    exchange: Exchange, pieces: Pieces[T], ask: Callable[[], AsyncIterator[T]]
) -> AsyncGenerator[T, None]:
    """Carry out `exchange` on this event loop; yields what the caller may see."""
    source: AsyncIterator[T] | None = None
    answer: Answer = None
    step: Step = Ask()
    try:
        while not isinstance(step := exchange.next(answer), Finish):
            answer = None
            match step:
                case Ask():
                    await close_async(source)
                    pieces.clear()
                    source = ask()
                case Pull():
                    try:
                        answer = pieces.add(await anext(cast("AsyncIterator[T]", source)))
                    except StopAsyncIteration:
                        answer = None
                case Check():
                    answer = await asyncio.wrap_future(exchange.submit(step))
                case Release(end):
                    for piece in pieces.release(end):
                        yield piece
                case Say(text):
                    yield pieces.say(text)
    except BaseException as error:
        exchange.cut_short(failed=_model_failed(step, error))
        await close_async(source)
        raise
    exchange.detach()
    await close_async(source)
    if step.owes_exception:
        raise Blocked(cast("Outcome", await asyncio.wrap_future(exchange.outcome)))


def close(source: object) -> None:
    """Close an iterator that can be closed; a generator that was left half-way is ended."""
    if callable(end := getattr(source, "close", None)):
        end()


async def close_async(source: object) -> None:
    """The same for an asynchronous iterator."""
    if callable(end := getattr(source, "aclose", None)):
        await end()


def _model_failed(step: Step, error: BaseException) -> bool:
    return isinstance(step, Ask | Pull) and isinstance(error, Exception)


def _assessment(done: Future[Assessment]) -> Assessment:
    try:
        return done.result()
    except CancelledError:
        return Assessment(reason=Unscored.CLOSED)
