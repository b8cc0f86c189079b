"""A model of a few words, a clock that stands still, and an engine worked by hand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Event

import numpy as np
import pytest

from guard.records import Assessment
from guard.scoring.classifier import Classifier
from guard.scoring.crew import Crew, Manning
from guard.scoring.desk import Desk
from guard.scoring.manifest import ManifestHead
from guard.scoring.order import Batch, Order, Task
from guard.scoring.request import Request
from guard.scoring.session import Ids, Output
from guard.scoring.tally import Heads, Tally
from guard.scoring.tokens import Vocabulary

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
    toxicity = np.where((ids == BAD).any(1), 4.0, np.where((ids == MEAN).any(1), 0.0, -4.0))
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
    """A desk and a crew whose tasks are done one by one, on the test's own thread."""

    def __init__(self, classifier: Classifier, *, max_open_tokens: int = 100_000) -> None:
        self.clock = Clock()
        self.heard: dict[str, Assessment] = {}
        self.batches: list[list[str]] = []
        self._heads = Heads.of(classifier.heads, floor=0.5)
        self._vocabulary = classifier.vocabulary
        self._covers = classifier.covers
        order = Order(batch_tokens=32, ahead_tokens=64)
        self.desk = Desk(order, self._vocabulary, self.clock, max_open_tokens=max_open_tokens)
        manning = Manning(workers=1, portion_tokens=32, heard=self.heard.__setitem__)
        self.crew = Crew(self.desk, classifier, self.clock, manning=manning)

    def request(self, text: str, due_at: float | None = None) -> Request:
        return Request(
            text=text,
            future=Future(),
            submitted_at=self.clock.now,
            due_at=due_at,
            weight=1 + len(text) // 4,
            tally=Tally(self._heads),
            source=self._vocabulary.windows(text),
            covers=self._covers,
        )

    def submit(self, text: str, due_at: float | None = None) -> Future[Assessment]:
        request = self.request(text, due_at)
        assert self.desk.admit(request) is None
        request.future.add_done_callback(self.desk.withdraw)
        return request.future

    def step(self) -> Task:
        task = self.desk.next()
        assert task is not None
        if isinstance(task, Batch):
            self.batches.append([item.request.text for item in task.items])
        self.crew.perform(task)
        return task

    def batch(self) -> Batch:
        """Go on until a batch has been through the model."""
        while not isinstance(task := self.step(), Batch):
            pass
        return task

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
    def make(session: Callable[[Ids, Ids], Output] = logits, **options: int) -> Hand:
        return Hand(classify(session), **options)

    return make


@pytest.fixture
def hand(by_hand: Callable[..., Hand]) -> Hand:
    return by_hand()
