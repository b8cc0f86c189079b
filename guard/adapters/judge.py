"""A scorer over any chat function: for second looks, where one reply in many is read again."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.resources import files
from queue import SimpleQueue
from threading import Lock, Semaphore, Thread, Timer
from types import MappingProxyType
from typing import Final

from guard.adapters.rewriter import strip_fence
from guard.forks import PerProcess
from guard.ports import Chat, Message
from guard.records import Assessment, Head, Score, Span, Unscored
from guard.text.json_lines import LineProblemError, json_value

THRESHOLDS: Final[Mapping[str, float]] = MappingProxyType({"toxicity": 0.5, "stereotype": 0.5})
_MOST_ANSWER_CHARACTERS = 10_000
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Question:
    """A text that waits for the chat model."""

    text: str = field(repr=False)
    future: Future[Assessment]


class ChatJudge:
    """Scores texts with a chat model; implements `guard.ports.Scorer`.

    chat: any function from messages to the text of a reply; called on threads of the judge. What it
        raises, and an answer that is not the JSON asked for, leave a text unscored.
    thresholds: the scores asked for, and from where on each counts as harmful, in (0, 1].
    threads: texts under way at once. waiting: texts that may be open; more are refused with
        OVERLOAD. seconds: a text that is not answered by then is unscored; an earlier deadline
        holds. window_characters: as much text as is worth giving at once.
    A call that has begun cannot be interrupted: give `chat` a time limit of its own.
    Raises ValueError for a bound below 1 and for a threshold outside (0, 1].
    """

    def __init__(
        self,
        chat: Chat,
        *,
        thresholds: Mapping[str, float] = THRESHOLDS,
        threads: int = 4,
        waiting: int = 64,
        seconds: float = 30.0,
        window_characters: int = 4000,
    ) -> None:
        if min(threads, waiting, window_characters) < 1 or not 0 < seconds < math.inf:
            raise ValueError("threads, waiting, seconds and window_characters must be positive")
        if not thresholds or not all(0 < one <= 1 for one in thresholds.values()):
            raise ValueError("thresholds must name a score, each with a number in (0, 1]")
        self.window_characters = window_characters
        self._heads = {
            key: Head(key=key, threshold=value, harm=True) for key, value in thresholds.items()
        }
        self._seconds = seconds
        self._here = PerProcess(partial(_Questions, chat, tuple(self._heads), threads, waiting))

    @property
    def heads(self) -> Mapping[str, Head]:
        """What is asked for, by flat key."""
        return MappingProxyType(self._heads)

    def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
        """See `guard.ports.Scorer.submit`."""
        limit = self._seconds if deadline_seconds is None else min(deadline_seconds, self._seconds)
        question = _Question(text, Future())
        if (reason := _refusal(text, limit)) is not None:
            question.future.set_result(unscored(self._heads, reason, text))
        else:
            self._here.get().ask(question, limit)
        return question.future

    def close(self) -> None:
        """Answer what is open with CLOSED and ask nothing more."""
        for questions in self._here.made():
            questions.close()


class _Questions:
    """What is open in one process, and the threads that ask. They are daemons."""

    def __init__(self, chat: Chat, heads: Sequence[str], threads: int, waiting: int) -> None:
        self._chat = chat
        self._heads = heads
        self._threads = threads
        self._room = Semaphore(waiting)
        self._queue: SimpleQueue[_Question | None] = SimpleQueue()
        self._lock = Lock()
        self._open: set[Future[Assessment]] = set()
        self._started = 0
        self._closed = False

    def ask(self, question: _Question, seconds: float) -> None:
        """Have a question answered within `seconds`, by a reason if need be."""
        future, text = question.future, question.text
        if self._closed or not self._room.acquire(blocking=False):
            reason = Unscored.CLOSED if self._closed else Unscored.OVERLOAD
            future.set_result(unscored(self._heads, reason, text))
            return
        late = Timer(
            seconds, self._answer, (future, unscored(self._heads, Unscored.DEADLINE, text))
        )
        late.daemon = True
        with self._lock:
            self._open.add(future)
        future.add_done_callback(partial(self._leave, late))
        try:
            late.start()
            self._start()
        except RuntimeError:  # a limit of the system, or the end of the process: none has started
            self._answer(future, unscored(self._heads, Unscored.OVERLOAD, text))
            return
        self._queue.put(question)

    def close(self) -> None:
        """Answer what is open, and end the threads when they have no call under way."""
        self._closed = True
        with self._lock:
            left = tuple(self._open)
        for _ in range(self._threads):
            self._queue.put(None)
        for future in left:
            self._answer(future, unscored(self._heads, Unscored.CLOSED, ""))

    def _start(self) -> None:
        with self._lock:
            while self._started < self._threads:
                try:
                    Thread(target=self._work, name="guard-judge", daemon=True).start()
                except RuntimeError:
                    if self._started:
                        return  # fewer do
                    raise
                self._started += 1

    def _work(self) -> None:
        while (question := self._queue.get()) is not None:
            try:
                if not question.future.done():
                    self._answer(question.future, self._judge(question.text))
            except BaseException:  # of who waits for the answer; nothing may end this thread
                _log.exception("what waits for a judge's answer failed")

    def _judge(self, text: str) -> Assessment:
        try:
            answer = self._chat(messages(text, self._heads))
        except BaseException:  # whatever a client raises: the text is unscored
            return unscored(self._heads, Unscored.ENGINE_ERROR, text)
        values = values_of(answer, self._heads)
        if values is None:
            return unscored(self._heads, Unscored.ENGINE_ERROR, text)
        span = Span(start=0, end=len(text))
        return Assessment(scores={key: Score(value=v, span=span) for key, v in values.items()})

    def _answer(self, future: Future[Assessment], assessment: Assessment) -> None:
        with self._lock:
            if future not in self._open:
                return
            self._open.discard(future)
        if future.set_running_or_notify_cancel():
            future.set_result(assessment)

    def _leave(self, late: Timer, future: Future[Assessment]) -> None:
        late.cancel()
        with self._lock:
            self._open.discard(future)
        self._room.release()


def _refusal(text: object, limit: float) -> Unscored | None:
    if not isinstance(text, str):
        return Unscored.NOT_TEXT
    if not text.strip():
        return Unscored.EMPTY
    return Unscored.DEADLINE if limit <= 0 else None


def unscored(heads: Iterable[str], reason: Unscored, text: str) -> Assessment:
    """An assessment without any score."""
    left = text and reason not in {Unscored.EMPTY, Unscored.NOT_TEXT}
    return Assessment(
        scores=dict.fromkeys(heads, Score(value=None, reason=reason)),
        uncovered=(Span(start=0, end=len(text)),) if left else (),
        reason=reason,
    )


@cache
def instructions() -> str:
    """What the model is told to do, read once."""
    return files("guard.adapters").joinpath("judge_instructions.txt").read_text("utf-8")


def messages(text: str, heads: Sequence[str]) -> tuple[Message, ...]:
    """The conversation that asks for the scores of a text."""
    asked = json.dumps({"text": text, "scores": list(heads)}, ensure_ascii=True)
    return ({"role": "system", "content": instructions()}, {"role": "user", "content": asked})


def values_of(answer: object, heads: Sequence[str]) -> Mapping[str, float] | None:
    """The scores in a model's answer, in [0, 1]; None if it is not the JSON that was asked for, or
    gives a key twice: then nobody knows which value is meant."""
    if not isinstance(answer, str) or len(answer) > _MOST_ANSWER_CHARACTERS:
        return None
    try:
        found = json_value(strip_fence(answer.strip()))
    except LineProblemError:
        return None
    if not isinstance(found, dict):
        return None
    values = {key: _score(found.get(key)) for key in heads}
    made = {key: value for key, value in values.items() if value is not None}
    return made if len(made) == len(values) else None


def _score(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= 1 else None
