"""The scoring engine: texts in, assessments out."""

from __future__ import annotations

import os
import weakref
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from time import monotonic
from types import MappingProxyType, TracebackType
from typing import Self

from guard.ports import Clock
from guard.records import Assessment, Head, Unscored
from guard.scoring.cache import Cache
from guard.scoring.catalogue import Model, model_at
from guard.scoring.classifier import Classifier, open_classifier
from guard.scoring.cores import usable_cores
from guard.scoring.crew import Crew, Manning
from guard.scoring.desk import Desk
from guard.scoring.options import EngineOptions, EngineStats
from guard.scoring.order import Order
from guard.scoring.request import Request
from guard.scoring.tally import Heads, Tally, unscored

_AHEAD_BATCHES = 4
_CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shop:
    """What belongs to one process: a fork leaves threads and locks behind."""

    desk: Desk
    crew: Crew
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
        self._heads = Heads.of(classifier.heads, floor=self._options.passage_floor)
        self._shops: dict[int, _Shop] = {}
        self._closed = False
        weakref.finalize(self, _close_soon, self._shops).atexit = False

    @property
    def heads(self) -> Mapping[str, Head]:
        """What is scored, by flat key, in the order of the model's outputs."""
        return MappingProxyType({head.key: head for head in self._heads.heads})

    def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
        """Begin scoring `text`; see `guard.ports.Scorer.submit`."""
        future: Future[Assessment] = Future()
        known = self._known(text, deadline_seconds)
        if known is not None:
            future.set_result(known)
        else:
            self._enqueue(self._request(text, future, deadline_seconds))
        return future

    def beside(self, options: EngineOptions) -> Engine:
        """Another engine with the same classifier, for work that must not stand in line here."""
        return Engine(self._classifier, options, clock=self._clock)

    def stats(self) -> EngineStats:
        """How busy the engine is, in this process."""
        shop = self._shop()
        levels, counts, cache = shop.desk.levels(), shop.desk.counts, shop.cache.stats()
        return EngineStats(
            queued=levels.queued,
            in_flight=levels.begun,
            open_tokens=levels.tokens,
            batches=counts.batches,
            tokens=counts.tokens,
            padded_tokens=counts.padded_tokens,
            restarts=counts.restarts,
            cancelled=counts.cancelled,
            cache_hits=cache.hits,
            cache_misses=cache.misses,
            cache_bytes=cache.held_bytes,
        )

    def close(self) -> None:
        """Answer what is open with CLOSED and end the threads. May be called twice."""
        self._closed = True
        _close_all(self._shops)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _known(self, text: str, deadline_seconds: float | None) -> Assessment | None:
        """The answer, where it takes no scoring."""
        if (reason := self._refusal(text)) is not None:
            return unscored(self._heads, reason, "" if reason is Unscored.NOT_TEXT else text)
        if (cached := self._shop().cache.get(text)) is not None:
            return cached
        if deadline_seconds is not None and deadline_seconds <= 0:
            return unscored(self._heads, Unscored.DEADLINE, text)
        return None

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
            weight=1 + len(text) // _CHARACTERS_PER_TOKEN,
            tally=Tally(self._heads),
            source=self._classifier.vocabulary.windows(text),
            covers=self._classifier.covers,
            keeper=self,
        )

    def _enqueue(self, request: Request) -> None:
        shop = self._shop()
        reason = shop.desk.admit(request) if shop.crew.ensure() else Unscored.ENGINE_ERROR
        if reason is None:
            request.future.add_done_callback(shop.desk.withdraw)
        else:
            request.future.set_result(unscored(self._heads, reason, request.text))

    def _shop(self) -> _Shop:
        process = os.getpid()
        return self._shops.get(process) or self._shops.setdefault(process, self._new_shop())

    def _new_shop(self) -> _Shop:
        options = self._options
        workers = options.workers or usable_cores()
        order = Order(
            batch_tokens=options.batch_tokens,
            ahead_tokens=_AHEAD_BATCHES * workers * options.batch_tokens,
        )
        vocabulary = self._classifier.vocabulary
        desk = Desk(order, vocabulary, self._clock, max_open_tokens=options.max_open_tokens)
        cache = Cache(options.cache_bytes)
        manning = Manning(workers=workers, portion_tokens=2 * options.batch_tokens, heard=cache.put)
        crew = Crew(desk, self._classifier, self._clock, manning=manning)
        return _Shop(desk=desk, crew=crew, cache=cache)


def open_engine(model: Model | Path, options: EngineOptions | None = None) -> Engine:
    """An engine for a model of a catalogue, or for the model folder at a path.

    Verifies and loads the files. Raises ModelError naming file and remedy.
    """
    found = model if isinstance(model, Model) else model_at(model)
    return Engine(open_classifier(found, threads=1), options)


def _close_all(shops: Mapping[int, _Shop]) -> None:
    for shop in tuple(shops.values()):
        shop.crew.close()


def _close_soon(shops: Mapping[int, _Shop]) -> None:
    """For the garbage collector, which may run while a thread holds any of our locks."""
    closing = Thread(target=_close_all, args=(shops,), name="guard-scoring-close", daemon=True)
    with suppress(RuntimeError):  # the interpreter is ending, and its daemon threads with it
        closing.start()
