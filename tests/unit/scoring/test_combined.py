"""Two classifiers as one scorer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import Future

import numpy as np
import pytest

from guard.records import Assessment, Passage, Score, Span, Unscored
from guard.scoring import CombinedEngine, Engine, EngineOptions, EnginePart
from guard.scoring.catalogue import ManifestHead
from guard.scoring.combined import joined_assessment
from guard.scoring.models import Classifier, Ids, Output
from guard.scoring.vocabulary import Vocabulary
from tests.unit.scoring.conftest import BAD, MEAN, PLAIN, Encoding

WORDS = {"bad": BAD, "mean": MEAN}


def encode(piece: str) -> Encoding:
    found = list(re.finditer(r"\w+", piece))
    return Encoding(
        ids=[WORDS.get(match[0], PLAIN) for match in found],
        offsets=[match.span() for match in found],
        word_ids=list(range(len(found))),
    )


def classifier(word: int, *keys: str) -> Classifier:
    """All its scores are high where a word is."""

    def logits(ids: Ids, _mask: Ids) -> Output:
        value = np.where((ids == word).any(1), 4.0, -4.0)
        return np.stack([value] * len(keys), axis=1).astype(np.float32)

    heads = [ManifestHead(key=key, scale=1.0, bias=0.0, threshold=0.5, harm=True) for key in keys]
    vocabulary = Vocabulary(encode=encode, before=(1,), after=(2,), padding=0, size=8, overlap=2)
    return Classifier(vocabulary=vocabulary, session=logits, heads=heads)


OPTIONS = EngineOptions(workers=1)


@pytest.fixture
def engine() -> Iterator[CombinedEngine]:
    parts = (
        EnginePart(
            engine=Engine(classifier(BAD, "toxicity", "stereotype"), OPTIONS),
            keys=frozenset({"toxicity"}),
        ),
        EnginePart(
            engine=Engine(classifier(MEAN, "toxicity", "stereotype"), OPTIONS),
            keys=frozenset({"stereotype"}),
        ),
    )
    with CombinedEngine(parts) as made:
        yield made


def test_each_score_comes_from_its_own_classifier(engine: CombinedEngine) -> None:
    assert list(engine.heads) == ["toxicity", "stereotype"]
    found = engine.submit("this is bad").result()
    assert (found.value("toxicity"), found.value("stereotype")) == (
        pytest.approx(0.982, abs=1e-3),
        pytest.approx(0.018, abs=1e-3),
    )
    assert found.reason is None
    with engine.beside(OPTIONS) as beside:
        assert beside.submit("so mean").result().value("stereotype") > 0.9
    assert engine.stats().batches == 2


def test_sentences_of_a_long_text_have_the_scores_of_both(engine: CombinedEngine) -> None:
    text = "All was well that day. It was bad and mean. Then they all went home together."
    found = engine.submit(text).result()
    worst = {
        key: max(found.passages, key=lambda one: one.values.get(key, 0.0)).span
        for key in engine.heads
    }
    sentence = Span(start=23, end=43)
    assert worst == {"toxicity": sentence, "stereotype": sentence}
    (both,) = [one for one in found.passages if one.span == sentence]
    assert both.values.keys() == {"toxicity", "stereotype"}


def test_a_text_that_is_empty_or_comes_too_late_has_no_score(engine: CombinedEngine) -> None:
    assert engine.submit(" ").result().reason is Unscored.EMPTY
    assert engine.submit("late", deadline_seconds=0).result().reason is Unscored.DEADLINE
    engine.close()
    assert engine.submit("closed").result().reason is Unscored.CLOSED


def part(engine: CombinedEngine, number: int) -> EnginePart:
    return engine._parts[number]


def test_what_one_has_not_covered_is_not_covered(engine: CombinedEngine) -> None:
    first = Assessment(
        scores={"toxicity": Score(value=0.2), "stereotype": Score(value=0.9)},
        uncovered=(Span(start=0, end=4), Span(start=9, end=12)),
        reason=Unscored.LANGUAGE,
        queued_seconds=0.1,
    )
    second = Assessment(
        scores={"stereotype": Score(value=0.3)},
        passages=(Passage(span=Span(start=4, end=9), values={"toxicity": 1.0}),),
        uncovered=(Span(start=3, end=5),),
        scoring_seconds=0.2,
    )
    found = joined_assessment([(part(engine, 0), first), (part(engine, 1), second)])
    assert (found.value("toxicity"), found.value("stereotype")) == (0.2, 0.3)
    assert found.uncovered == (Span(start=0, end=5), Span(start=9, end=12))
    assert (found.reason, found.passages) == (Unscored.LANGUAGE, ())
    assert (found.queued_seconds, found.scoring_seconds) == (0.1, 0.2)


def test_cancelling_drops_the_work_of_all(engine: CombinedEngine) -> None:
    asked: list[Future[Assessment]] = []

    class Waiting:
        def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
            asked.append(Future())
            return asked[-1]

    waiting = [EnginePart(engine=Waiting(), keys=frozenset())] * 2  # type: ignore[arg-type]
    assert CombinedEngine(waiting).submit("text").cancel()
    assert [future.cancelled() for future in asked] == [True, True]
