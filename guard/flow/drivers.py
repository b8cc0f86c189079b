"""Two thin drivers, sync and async, that carry out the steps of one response."""

from __future__ import annotations

import asyncio
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Generator,
    Iterable,
    Iterator,
)
from concurrent.futures import CancelledError, Future
from typing import Any, Generic, TypeVar, cast

from guard.errors import Blocked
from guard.flow.steps import (
    Answer,
    CallModel,
    Finish,
    Left,
    Pull,
    Release,
    ReplyBuffer,
    Say,
    ScoreText,
    Step,
    Steps,
)
from guard.records import Assessment, Outcome, Unscored, Verdict

T = TypeVar("T")
U = TypeVar("U")

_MILDEST_FIRST = (Verdict.RELEASED, Verdict.UNSCORED, Verdict.FLAGGED, Verdict.BLOCKED)


class Exchange:
    """The steps of one response on their way, and the outcome they end in."""

    def __init__(
        self,
        steps: Steps,
        submit: Callable[[ScoreText], Future[Assessment]],
        record: Callable[[Outcome | None, bool], None],
        *,
        call_id: str = "",
    ) -> None:
        self.call_id = call_id
        self._steps = steps
        self._record = record
        self._failed = False
        self._began = False
        self.submit = submit
        self.outcome: Future[Outcome | None] = Future()
        self.finish: Finish | None = None

    def next(self, answer: Answer) -> Step:
        """Answer the last step and hear the next one, up to and including `Finish`, which is kept
        in `finish`."""
        self._began = True
        step = self._steps.send(answer)
        if isinstance(step, Finish):
            self.finish = step
        return step

    def detach(self) -> None:
        """After `Finish`: let the rest happen as scores arrive. Nobody has to wait for it."""
        self._go_on(None)

    def discard(self) -> None:
        """End it if it never began."""
        if not self._began:
            self._began = True
            self.cut_short(failed=False)

    def cut_short(self, *, failed: bool) -> None:
        """The caller went away or the model failed: keep what is worth keeping."""
        self._failed = failed
        try:
            self._steps.throw(Left(failed=failed))
        except StopIteration as stop:
            self._end(stop.value)
        except Left:
            self._end(None)
        else:
            self.detach()

    def _go_on(self, answer: Answer) -> None:
        try:
            check = cast("ScoreText", self._steps.send(answer))
        except StopIteration as stop:
            self._end(stop.value)
        else:
            self.submit(check).add_done_callback(lambda done: self._go_on(assessment_of(done)))

    def _end(self, outcome: Outcome | None) -> None:
        self._record(outcome, self._failed)
        self.outcome.set_result(outcome)


class Source(Generic[T]):
    """The model's reply as it comes, in this thread."""

    def __init__(self, ask: Callable[[], Iterator[T]], pieces: ReplyBuffer[T, Any]) -> None:
        self._ask = ask
        self._pieces = pieces
        self._reply: Iterator[T] = iter(())
        self.returned: Any = None

    def open(self) -> None:
        """Ask the model, once more if it was asked before."""
        self.close()
        self._pieces.clear()
        self._reply = self._ask()

    def pull(self) -> Answer:
        """The next piece; None at the end, and then `returned` is what a generator returned."""
        try:
            return self._pieces.add(next(self._reply))
        except StopIteration as stop:
            self.returned = stop.value
            return None

    def close(self) -> None:
        """End a generator that was left half-way."""
        if callable(end := getattr(self._reply, "close", None)):
            end()


class AsyncSource(Generic[T]):
    """The model's reply as it comes, on an event loop."""

    def __init__(self, ask: Callable[[], AsyncIterator[T]], pieces: ReplyBuffer[T, Any]) -> None:
        self._ask = ask
        self._pieces = pieces
        self._reply: AsyncIterator[T] | None = None

    async def open(self) -> None:
        """Ask the model, once more if it was asked before."""
        await self.close()
        self._pieces.clear()
        self._reply = self._ask()

    async def pull(self) -> Answer:
        """The next piece; None at the end."""
        try:
            return self._pieces.add(await anext(cast("AsyncIterator[T]", self._reply)))
        except StopAsyncIteration:
            return None

    async def close(self) -> None:
        """End a generator that was left half-way."""
        if callable(end := getattr(self._reply, "aclose", None)):
            await end()


def drive(
    exchange: Exchange, pieces: ReplyBuffer[T, U], ask: Callable[[], Iterator[T]]
) -> Generator[U, None, Any]:
    """Carry out `exchange` in this thread; yields what the caller may see.

    Returns what the model's own generator returned. Raises `Blocked` where policy says so, and
    whatever the model raises, unchanged.
    """
    source = Source(ask, pieces)
    answer: Answer = None
    step: Step = CallModel()
    try:
        while not isinstance(step := exchange.next(answer), Finish):
            answer = None
            match step:
                case CallModel():
                    source.open()
                case Pull():
                    answer = source.pull()
                case ScoreText():
                    answer = assessment_of(exchange.submit(step))
                case Release() | Say():
                    for piece in pieces.take(step):  # noqa: UP028 - a list takes no send()
                        yield piece
    except BaseException as error:
        exchange.cut_short(failed=_model_failed(step, error))
        source.close()
        raise
    exchange.detach()
    source.close()
    if step.owes_exception:
        raise Blocked(cast("Outcome", exchange.outcome.result()))
    return source.returned


async def drive_async(
    exchange: Exchange, pieces: ReplyBuffer[T, U], ask: Callable[[], AsyncIterator[T]]
) -> AsyncGenerator[U, None]:
    """Carry out `exchange` on this event loop; yields what the caller may see.

    Raises as `drive` does.
    """
    source = AsyncSource(ask, pieces)
    answer: Answer = None
    step: Step = CallModel()
    try:
        while not isinstance(step := exchange.next(answer), Finish):
            answer = None
            match step:
                case CallModel():
                    await source.open()
                case Pull():
                    answer = await source.pull()
                case ScoreText():
                    answer = await asyncio.wrap_future(exchange.submit(step))
                case Release() | Say():
                    for piece in pieces.take(step):
                        yield piece
    except BaseException as error:
        exchange.cut_short(failed=_model_failed(step, error))
        await source.close()
        raise
    exchange.detach()
    await source.close()
    if step.owes_exception:
        raise Blocked(cast("Outcome", await asyncio.wrap_future(exchange.outcome)))


def _model_failed(step: Step, error: BaseException) -> bool:
    return isinstance(step, CallModel | Pull) and isinstance(error, Exception)


def assessment_of(done: Future[Assessment]) -> Assessment:
    """The result of `done`, waited for; a cancelled one counts as closed."""
    try:
        return done.result()
    except CancelledError:
        return Assessment(reason=Unscored.CLOSED)


def worst_verdict(exchanges: Iterable[Exchange]) -> Verdict:
    """The most severe verdict. A reply that nobody has looked at yet is unscored so far."""
    found = [one.finish.verdict for one in exchanges if one.finish is not None]
    known = [one or Verdict.UNSCORED for one in found] or [Verdict.UNSCORED]
    return max(known, key=_MILDEST_FIRST.index)


def call_ids(exchanges: Iterable[Exchange]) -> str:
    """The ids of the calls, in the order of the replies, as a header or a comment says them."""
    return ", ".join(one.call_id for one in exchanges)
