"""A model of a few words, a clock that stands still, and an engine worked by hand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from threading import Event

import numpy as np
import pytest

from guard.records import Assessment
from guard.scoring.assessment import AssessmentBuilder, Heads
from guard.scoring.batching import EngineTask, ScoreTask
from guard.scoring.catalogue import ManifestHead
from guard.scoring.models import Classifier, Ids, Output
from guard.scoring.priorities import PriorityScheduler
from guard.scoring.queue import RequestQueue
from guard.scoring.request import ReadStage, Request
from guard.scoring.vocabulary import Vocabulary
from guard.scoring.workers import WorkerPool

PLAIN, BAD, MEAN, BROKEN = 5, 6, 7, 8
WORDS = {"bad": BAD, "mean": MEAN, "nan": BROKEN}
HEADS = (
    ManifestHead(key="toxicity", scale=1.0, bias=0.0, threshold=0.8, harm=True),
    ManifestHead(key="sentiment", scale=1.0, bias=0.0, threshold=None, harm=False),
)


@dataclass(frozen=True)
class Encoding:
    ids: list[int]
    offsets: list[tuple[int, int]]
    word_ids: list[int | None]


def encode(piece: str) -> Encoding:
    """Every word is a token."""
    found = list(re.finditer(r"\S+", piece))
    return Encoding(
        ids=[WORDS.get(match[0].strip(".!").lower(), PLAIN) for match in found],
        offsets=[match.span() for match in found],
        word_ids=list(range(len(found))),
    )


def logits(ids: Ids, _mask: Ids) -> Output:
    """`bad` is toxic, `mean` comes near; sentiment falls with every other word."""
    toxicity = np.where((ids == BAD).any(1), 4.0, np.where((ids == MEAN).any(1), 0.5, -4.0))
    toxicity[(ids == BROKEN).any(1)] = np.nan
    return np.stack([toxicity, (ids == PLAIN).sum(1) * -0.1], axis=1).astype(np.float32)


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Gate:
    """A session that waits until it is opened, and remembers what it was given."""

    opened: Event = field(default_factory=Event)
    entered: Event = field(default_factory=Event)
    seen: list[Ids] = field(default_factory=list)
    raises: list[BaseException] = field(default_factory=list)

    def __call__(self, ids: Ids, mask: Ids) -> Output:
        self.seen.append(ids)
        self.entered.set()
        assert self.opened.wait(30)
        if self.raises:
            raise self.raises.pop()
        return logits(ids, mask)


class Hand:
    """A queue and a pool whose tasks are done one by one, on the test's own thread."""

    def __init__(
        self,
        classifier: Classifier,
        *,
        max_open_tokens: int = 100_000,
        pads: bool = True,
        only_scores: bool = False,
    ) -> None:
        self.clock = Clock()
        self.heard: dict[str, Assessment] = {}
        self.batches: list[list[str]] = []
        self.read: list[ReadStage] = []
        self._heads = Heads.of(classifier.heads)
        self._only_scores = only_scores
        self._classifier = classifier
        scheduler = PriorityScheduler(batch_tokens=32, ahead_tokens=64, pads=pads)
        self.queue = RequestQueue(scheduler, self.clock, max_open_tokens=max_open_tokens)
        self.pool = WorkerPool(
            queue=self.queue,
            classifier=classifier,
            clock=self.clock,
            workers=1,
            portion_tokens=32,
            on_complete=self.heard.__setitem__,
        )

    def request(self, text: str, due_at: float | None = None) -> Request:
        return Request(
            text=text,
            future=Future(),
            submitted_at=self.clock.now,
            due_at=due_at,
            weight=1 + len(text) // 4,
            builder=AssessmentBuilder(self._heads, only_scores=self._only_scores),
            vocabulary=self._classifier.vocabulary,
            source=self._classifier.windows(text),
        )

    def submit(self, text: str, due_at: float | None = None) -> Future[Assessment]:
        request = self.request(text, due_at)
        assert self.queue.admit(request) is None
        request.future.add_done_callback(self.queue.withdraw)
        return request.future

    def step(self) -> EngineTask:
        task = self.queue.next_task()
        assert task is not None
        if isinstance(task, ScoreTask):
            self.batches.append([ready.request.text for ready in task.windows])
            self.read += [ready.stage for ready in task.windows]
        self.pool.perform(task)
        return task

    def batch(self) -> ScoreTask:
        """Go on until a batch has been through the model."""
        while not isinstance(task := self.step(), ScoreTask):
            pass
        return task

    def stages(self) -> tuple[int, ...]:
        """How many windows went through the model so far, by what they were read for."""
        return tuple(self.read.count(stage) for stage in ReadStage)

    def until(self, futures: Sequence[Future[Assessment]]) -> list[Assessment]:
        while not all(future.done() for future in futures):
            self.step()
        return [future.result(0) for future in futures]

    def score(self, text: str) -> Assessment:
        return self.until([self.submit(text)])[0]


@pytest.fixture
def vocabulary() -> Vocabulary:
    return Vocabulary(encode=encode, before=(1,), after=(2,), padding=0, size=8, overlap=2)


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.opened.set()


@pytest.fixture
def classify(vocabulary: Vocabulary) -> Callable[..., Classifier]:
    def make(
        session: Callable[[Ids, Ids], Output] = logits, languages: Sequence[str] = ()
    ) -> Classifier:
        return Classifier(vocabulary=vocabulary, session=session, heads=HEADS, languages=languages)

    return make


@pytest.fixture
def by_hand(classify: Callable[..., Classifier]) -> Callable[..., Hand]:
    def make(
        session: Callable[[Ids, Ids], Output] = logits, window_tokens: int = 8, **options: int
    ) -> Hand:
        classifier = classify(session)
        vocabulary = replace(classifier.vocabulary, size=window_tokens)
        return Hand(replace(classifier, vocabulary=vocabulary), **options)

    return make


@pytest.fixture
def hand(by_hand: Callable[..., Hand]) -> Hand:
    return by_hand()
