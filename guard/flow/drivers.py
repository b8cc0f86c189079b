"""The driver that carries out the steps of one response; `blocking` runs it in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterable
from concurrent.futures import Future, InvalidStateError
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, TypeVar, cast

from guard.errors import Blocked
from guard.flow.abandoned import outside_collection
from guard.flow.reading_threads import ReadingThreads
from guard.flow.steps import (
    Answer,
    CallModel,
    Finish,
    Piece,
    Pull,
    Redact,
    Release,
    ReplyBuffer,
    Say,
    ScoreText,
    Step,
    Steps,
)
from guard.flow.waiting import Wait, has_loop, wait_on_loop
from guard.forks import PerProcess
from guard.records import Assessment, Outcome, Unscored, Verdict

T = TypeVar("T")
U = TypeVar("U")


Threads: TypeAlias = PerProcess[ReadingThreads]

_END = object()
_GRACE_SECONDS = 1.0
"""How long after its deadline the first scorer is waited for: it says then what it has so far."""
_LONG_CHARACTERS = 2**10
"""Texts of so many characters and more are submitted beside the event loop. A shorter one, whose
letters take 0.3 ms each at worst, holds it up for 0.3 s."""
_MILDEST_FIRST = (Verdict.RELEASED, Verdict.UNSCORED, Verdict.FLAGGED, Verdict.BLOCKED)


class ModelRaisedError(Exception):
    """A function raised `error`, for which this stands while the response path is left.

    A `StopIteration` of the function would otherwise read as the end of its reply.
    """

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error


@dataclass(kw_only=True, eq=False)
class Exchange:
    """The steps of one response on their way, and the outcome they end in.

    leave: the steps in place of those that are left where it is cut short, told `failure` as
    `cut_short` is. record: told the outcome and the same. current: a context in which the model is
    asked. threads: for long texts where an event loop waits.
    """

    call_id: str
    steps: Steps
    leave: Callable[[str], Steps]
    submit: Callable[[ScoreText], Future[Assessment]]
    record: Callable[[Outcome | None, str], None]
    threads: Threads
    current: Callable[[], AbstractContextManager[object]] = nullcontext

    def __post_init__(self) -> None:
        self._began = False
        self._stands = False  # at a step, and not failed in between
        self._failure = ""
        self.outcome: Future[Outcome | None] = Future()
        self.finish: Finish | None = None

    def next(self, answer: Answer) -> Step:
        """Answer the last step and hear the next one, up to and including `Finish`, which is kept
        in `finish`."""
        self._began, self._stands = True, False
        step = self.steps.send(answer)
        self._stands = True
        if isinstance(step, Finish):
            self.finish = step
        return step

    def detach(self, submit: Callable[[ScoreText], Future[Assessment]] | None = None) -> None:
        """After `Finish`: let the rest happen as scores arrive. Nobody has to wait for it.

        submit: in place of the one of this exchange.
        """
        self._go_on(None, submit or self.submit)

    def discard(self) -> None:
        """End it if it never began."""
        if not self._began:
            self._began = True
            self.cut_short()

    def cut_short(self, failure: str = "") -> None:
        """The caller went away or the model failed: keep what is worth keeping.

        Soon and in another thread, where garbage collection ends what the caller left.
        failure: the kind of exception that the model raised; empty where it raised none.
        """
        self._failure = failure
        outside_collection(self._leave)

    def _leave(self) -> None:
        if not self._stands:
            self._end(None)
            return
        self.steps = self.leave(self._failure)
        self.detach()

    def _go_on(self, answer: Answer, submit: Callable[[ScoreText], Future[Assessment]]) -> None:
        try:
            check = cast("ScoreText", self.steps.send(answer))
        except StopIteration as stop:
            outcome: Outcome | None = stop.value
        else:
            submit(check).add_done_callback(lambda done: self._go_on(score_of(done), submit))
            return
        self._end(outcome)

    def _end(self, outcome: Outcome | None) -> None:
        """Not while an exception that holds the outcome is handled: one that is raised here would
        take it along, texts and all, into whatever log it ends in."""
        try:
            self.record(outcome, self._failure)
        finally:
            with suppress(InvalidStateError):  # who waited for it was cancelled
                self.outcome.set_result(outcome)


def score_of(done: Future[Assessment]) -> Assessment:
    """What a scorer's future has come to. One that was cancelled counts as closed, and one that
    holds no assessment, as none should, as an error of the engine."""
    if done.cancelled():
        return Assessment(reason=Unscored.CLOSED)
    found = None if done.exception() else cast("object", done.result())
    return found if isinstance(found, Assessment) else Assessment(reason=Unscored.ENGINE_ERROR)


async def scored(step: ScoreText, asked: Future[Assessment], wait: Wait) -> Assessment:
    """What the scorer says. Whatever it does, nobody waits for it much longer than the deadline."""
    seconds = step.deadline_seconds
    if seconds is not None and not step.second:
        seconds += _GRACE_SECONDS
    try:
        done = await wait(asked, seconds)
    except BaseException:  # the caller's own: nobody waits any more
        asked.cancel()
        raise
    if not done and (asked.cancel() or asked.running()):
        return Assessment(reason=Unscored.DEADLINE)
    return score_of(asked)


async def assessed(
    step: ScoreText,
    submit: Callable[[ScoreText], Future[Assessment]],
    wait: Wait,
    threads: Threads,
) -> Assessment:
    """What the scorer says. Where an event loop waits, a long text is submitted in a thread, with
    as much time for that as for its scores."""
    if not _holds_up(len(step.text), wait):
        return await scored(step, submit(step), wait)
    submitted = threads.get().start(len(step.text), partial(submit, step))
    if not await wait(submitted, step.deadline_seconds):
        return Assessment(reason=Unscored.DEADLINE)
    return await scored(step, submitted.result(), wait)


async def outcome_of(exchange: Exchange, wait: Wait) -> Outcome:
    """What an exchange has come to, which is waited for; for those that always have an outcome."""
    await wait(exchange.outcome)
    return cast("Outcome", exchange.outcome.result())


def _holds_up(characters: int, wait: Wait) -> bool:
    """Whether looking through a text of this length would hold up an event loop."""
    return wait is wait_on_loop and characters >= _LONG_CHARACTERS and has_loop()


async def _detach(exchange: Exchange, characters: int, wait: Wait) -> None:
    """As `Exchange.detach`; what is long is submitted in a thread, for which nobody waits long."""
    if not _holds_up(characters, wait):
        exchange.detach()
        return
    submitted = list[Future[None]]()
    exchange.detach(partial(_submit_in_thread, exchange, submitted))
    if submitted:
        await asyncio.wait(map(asyncio.wrap_future, submitted), timeout=_GRACE_SECONDS)


def _submit_in_thread(
    exchange: Exchange, submitted: list[Future[None]], step: ScoreText
) -> Future[Assessment]:
    answered: Future[Assessment] = Future()

    def submit() -> None:
        asked = exchange.submit(step)
        asked.add_done_callback(lambda done: answered.set_result(score_of(done)))

    submitted.append(exchange.threads.get().start(len(step.text), submit))
    return answered


async def _cut_short(exchange: Exchange, failure: str, characters: int, wait: Wait) -> None:
    """As `Exchange.cut_short`; of a long text in a thread, which goes on where nobody waits for it
    any more."""
    if not _holds_up(characters, wait):
        exchange.cut_short(failure)
        return
    cut = exchange.threads.get().start(characters, partial(exchange.cut_short, failure))
    await asyncio.wait([asyncio.wrap_future(cut)], timeout=_GRACE_SECONDS)


async def drive_async(
    exchange: Exchange,
    pieces: ReplyBuffer[T, U],
    ask: Callable[[], AsyncIterator[T]],
    wait: Wait = wait_on_loop,
) -> AsyncGenerator[U, None]:
    """Carry out `exchange`; yields what the caller may see.

    wait: for scores and for the outcome. With `wait_blocking`, and a reply that never suspends, no
    event loop is needed. Raises `Blocked` where policy says so, and whatever the model raises,
    unchanged.
    """
    answer: Answer = None
    reply: AsyncIterator[T] | None = None
    step: Step = CallModel()
    characters = 0
    try:
        while not isinstance(step := exchange.next(answer), Finish):
            answer = None
            match step:
                case CallModel():
                    await _close(reply)
                    pieces.clear()
                    with exchange.current():
                        reply = ask()
                case Pull():
                    asking = cast("AsyncIterator[T]", reply)
                    found = await _pull(exchange, pieces, asking)
                    answer, characters = found, characters + len((found and found.text) or "")
                case ScoreText():
                    answer = await assessed(step, exchange.submit, wait, exchange.threads)
                case Release() | Redact() | Say():
                    for released in pieces.take(step):
                        yield released
    except BaseException as error:
        failure = _failure_of_model(step, error)
        await _do_last(reply, _cut_short(exchange, failure, characters, wait))
        raise
    await _do_last(reply, _detach(exchange, characters, wait))
    if step.owes_exception:
        raise Blocked(await outcome_of(exchange, wait))


async def _pull(
    exchange: Exchange, pieces: ReplyBuffer[T, U], reply: AsyncIterator[T]
) -> Piece | None:
    """The next piece; None at the end. No frame that an exception of the model passes later on may
    hold what nobody has judged: error reports show the variables of frames."""
    with exchange.current():
        piece = await anext(reply, _END)
    return None if piece is _END else pieces.add(cast("T", piece))


async def _do_last(reply: AsyncIterator[Any] | None, last: Coroutine[Any, Any, None]) -> None:
    """Do the last thing, and end the model's generator however that ends."""
    try:
        await last
    finally:
        await _close(reply)


async def _close(reply: AsyncIterator[Any] | None) -> None:
    """End a generator that was left half-way."""
    if callable(end := getattr(reply, "aclose", None)):
        await end()


def _failure_of_model(step: Step, error: BaseException) -> str:
    """The kind of exception that the model raised; empty for what it did not raise."""
    if not isinstance(step, CallModel | Pull) or not isinstance(error, Exception):
        return ""
    return type(error.error if isinstance(error, ModelRaisedError) else error).__name__


def worst_verdict(exchanges: Iterable[Exchange]) -> Verdict:
    """The most severe verdict of those that are reached; unscored where none is."""
    found = [one.finish.verdict for one in exchanges if one.finish is not None]
    known = [one or Verdict.UNSCORED for one in found] or [Verdict.UNSCORED]
    return max(known, key=_MILDEST_FIRST.index)


def call_ids(exchanges: Iterable[Exchange]) -> str:
    """The ids of the calls, in the order of the replies, as a header or a comment says them."""
    return ", ".join(one.call_id for one in exchanges)
