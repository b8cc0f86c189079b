"""The scoring engine: texts in, assessments out."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from math import inf
from pathlib import Path
from threading import Thread
from time import monotonic
from types import MappingProxyType
from typing import Self

from guard.forks import PerProcess
from guard.ports import Clock
from guard.records import Assessment, Head, Unscored
from guard.scoring.assessment import AssessmentBuilder, Heads
from guard.scoring.cache import Cache
from guard.scoring.catalogue import Model, model_at
from guard.scoring.joined import answer_of, worst_of_readings
from guard.scoring.models import Classifier, open_classifier
from guard.scoring.priorities import PriorityScheduler
from guard.scoring.queue import QueueStats, RequestQueue
from guard.scoring.request import Request
from guard.scoring.workers import WorkerPool, usable_cores
from guard.text import (
    PROSE_CHARACTERS_PER_TOKEN,
    TextReading,
    load_data,
    prose_characters,
    readings_of,
)

_AHEAD_BATCHES = 4
_PROSE_CHARACTERS_PER_TOKEN = 3.81
_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """workers: threads that each run the model; None means one per usable core.
    batch_tokens: in one call of the model, padding included.
    max_open_tokens: estimated, of all texts that are not yet answered; more is refused with
        OVERLOAD. Half is for texts longer than a sixteenth of it, half for the others.
    max_text_characters: longer texts are refused with TOO_LARGE.
    cache_bytes: room for the results of recent texts; 0 for none.
    pads: texts of nearly the same length share a call of the model, the shorter ones padded.
        Without it, only those of the same length do: a score is then the same to the last bit
        whatever is scored beside it, for about 4 % more time where texts are short.
    only_scores: no sentence is read that the scores of the whole text do not need: none of a text
        of one window, and none in context. There are no passages then.
    """

    workers: int | None = None
    batch_tokens: int = 512
    max_open_tokens: int = 262_144
    max_text_characters: int = 2_000_000
    cache_bytes: int = 16 * _MIB
    pads: bool = True
    only_scores: bool = False

    def __post_init__(self) -> None:
        counts = (self.workers, self.batch_tokens, self.max_open_tokens, self.max_text_characters)
        if any(count is not None and count < 1 for count in counts) or self.cache_bytes < 0:
            raise ValueError(f"engine options must be positive: {self}")


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineStats(QueueStats):
    """The figures of the queue and of the cache (hits, misses so far; bytes that are held)."""

    cache_hits: int
    cache_misses: int
    cache_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Machinery:
    """What belongs to one process: a fork leaves threads and locks behind."""

    queue: RequestQueue
    workers: WorkerPool
    cache: Cache


class Engine:
    """Scores texts of any length with one classifier; implements `guard.ports.Scorer`.

    `submit` never waits for the model and may be called from any thread, from an event loop
    (`await asyncio.wrap_future(engine.submit(text))`) and after a fork. Callbacks of its futures
    run on a worker thread: they must be quick, and must not wait for another score.
    Ends with `close`, as a context manager, when it is forgotten, or with the interpreter.
    """

    def __init__(
        self,
        classifier: Classifier,
        options: EngineOptions | None = None,
        *,
        clock: Clock = monotonic,
    ) -> None:
        self._classifier = classifier
        self._options = options or EngineOptions()
        self._clock = clock
        self._heads = Heads.of(classifier.heads)
        cores = usable_cores()  # whoever has no descriptor left later sees no quota any more
        self._here = PerProcess(partial(_machinery, classifier, self._options, clock, cores))
        self._closed = False
        weakref.finalize(self, _close_soon, self._here).atexit = False

    @property
    def heads(self) -> Mapping[str, Head]:
        """What is scored, by flat key, in the order of the model's outputs."""
        return MappingProxyType({head.key: head for head in self._heads.heads})

    @property
    def window_characters(self) -> int:
        """How much English prose fits one window of the model, about."""
        return round(_PROSE_CHARACTERS_PER_TOKEN * self._classifier.vocabulary.size)

    def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
        """Begin scoring `text`; see `guard.ports.Scorer.submit`."""
        if (reason := self._refusal(text)) is not None:
            said = "" if reason is Unscored.NOT_TEXT else text
            return _answered(self._heads.unscored(reason, said))
        goes_on = self._until(deadline_seconds)
        if (read := readings_of(text, goes_on)) is None or not goes_on():
            return _answered(self._heads.unscored(Unscored.DEADLINE, text))
        found = [self._submit_reading(one.text, deadline_seconds) for one in read]
        if read == (TextReading(text=text),):
            return found[0]
        return answer_of(found, partial(worst_of_readings, self.heads, read))

    def beside(self, options: EngineOptions) -> Engine:
        """Another engine with the same classifier, for work that must not stand in line here."""
        return Engine(self._classifier, options, clock=self._clock)

    def stats(self) -> EngineStats:
        """How busy the engine is, in this process."""
        here = self._here.get()
        return EngineStats(
            **asdict(here.queue.stats()),
            cache_hits=here.cache.hits,
            cache_misses=here.cache.misses,
            cache_bytes=here.cache.held_bytes,
        )

    def close(self) -> None:
        """Answer what is open with CLOSED and end the threads. May be called twice."""
        self._closed = True
        _close(self._here)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _until(self, seconds: float | None) -> Callable[[], bool]:
        """Whether so much time has not passed yet, from now on; None: it never has."""
        end = inf if seconds is None else self._clock() + seconds
        return lambda: self._clock() < end

    def _submit_reading(self, text: str, deadline_seconds: float | None) -> Future[Assessment]:
        """What is known of a text is what it says by itself: other readings may say more."""
        if (cached := self._here.get().cache.get(text)) is not None:
            return _answered(cached)
        if deadline_seconds is not None and deadline_seconds <= 0:
            return _answered(self._heads.unscored(Unscored.DEADLINE, text))
        future: Future[Assessment] = Future()
        self._enqueue(self._request(text, future, deadline_seconds))
        return future

    def _refusal(self, text: object) -> Unscored | None:
        if not isinstance(text, str):
            return Unscored.NOT_TEXT
        if not text or text.isspace():
            return Unscored.EMPTY
        if len(text) > self._options.max_text_characters:
            return Unscored.TOO_LARGE
        return Unscored.CLOSED if self._closed else None

    def _request(
        self, text: str, future: Future[Assessment], deadline_seconds: float | None
    ) -> Request:
        now = self._clock()
        return Request(
            text=text,
            future=future,
            submitted_at=now,
            due_at=None if deadline_seconds is None else now + deadline_seconds,
            weight=1 + prose_characters(text) // PROSE_CHARACTERS_PER_TOKEN,
            builder=AssessmentBuilder(self._heads, only_scores=self._options.only_scores),
            vocabulary=self._classifier.vocabulary,
            source=self._classifier.windows(text),
            owner=self,
        )

    def _enqueue(self, request: Request) -> None:
        here = self._here.get()
        reason = here.queue.admit(request) if here.workers.ensure() else Unscored.ENGINE_ERROR
        if reason is None:
            request.future.add_done_callback(here.queue.withdraw)
        else:
            request.future.set_result(self._heads.unscored(reason, request.text))


def _answered(known: Assessment) -> Future[Assessment]:
    future: Future[Assessment] = Future()
    future.set_result(known)
    return future


def open_engine(model: Model | Path, options: EngineOptions | None = None) -> Engine:
    """An engine for a model of a catalogue, or for the model folder at a path.

    Verifies and loads the files. Raises ModelError naming file and remedy.
    """
    found = model if isinstance(model, Model) else model_at(model)
    load_data()
    return Engine(open_classifier(found, threads=1), options)


def _machinery(
    classifier: Classifier, options: EngineOptions, clock: Clock, cores: int
) -> _Machinery:
    workers = options.workers or min(cores, usable_cores())
    scheduler = PriorityScheduler(
        batch_tokens=options.batch_tokens,
        ahead_tokens=_AHEAD_BATCHES * workers * options.batch_tokens,
        pads=options.pads,
    )
    queue = RequestQueue(scheduler, clock, max_open_tokens=options.max_open_tokens)
    cache = Cache(options.cache_bytes)
    pool = WorkerPool(
        queue=queue,
        classifier=classifier,
        clock=clock,
        workers=workers,
        portion_tokens=2 * options.batch_tokens,
        on_complete=cache.put,
    )
    return _Machinery(queue=queue, workers=pool, cache=cache)


def _close(here: PerProcess[_Machinery]) -> None:
    for machinery in here.made():
        machinery.workers.close()


def _close_soon(here: PerProcess[_Machinery]) -> None:
    """For the garbage collector, which may run while a thread holds any of our locks."""
    closing = Thread(target=_close, args=(here,), name="guard-scoring-close", daemon=True)
    with suppress(RuntimeError):  # the interpreter is ending, and its daemon threads with it
        closing.start()
