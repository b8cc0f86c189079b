"""Text in a language that the model does not know has no score, and says so."""

from __future__ import annotations

import pytest

from guard.records import Span, Unscored
from guard.scoring import Engine, EngineOptions

GERMAN = "das ist nicht so wie du"  # six words: a window of the test's vocabulary
ENGLISH = "this is not what you said"


@pytest.fixture
def engine(classify):
    with Engine(classify(languages=["en"]), EngineOptions(workers=1)) as engine:
        yield engine


def test_a_text_in_another_language_is_unscored(engine) -> None:
    found = engine.submit(GERMAN).result(30)
    assert found.reason is Unscored.LANGUAGE
    assert found.uncovered == (Span(start=0, end=len(GERMAN)),)
    assert all(score.value is None for score in found.scores.values())
    assert {score.reason for score in found.scores.values()} == {Unscored.LANGUAGE}


def test_english_is_scored(engine) -> None:
    assert engine.submit(ENGLISH).result(30).reason is None


def test_the_english_part_of_a_mixed_text_is_scored_and_the_rest_named(engine) -> None:
    text = f"{ENGLISH}. {' '.join([GERMAN] * 4)}"
    found = engine.submit(text).result(30)
    assert found.reason is Unscored.LANGUAGE
    assert found.scores["toxicity"].value is not None
    assert found.uncovered
    assert found.uncovered[0].start >= len(ENGLISH) - len("you said")
    assert found.uncovered[-1].end == len(text)


def test_a_model_that_names_no_language_scores_any(classify) -> None:
    with Engine(classify(), EngineOptions(workers=1)) as engine:
        assert engine.submit(GERMAN).result(30).reason is None


def test_an_unscored_text_is_not_remembered_as_scored(engine) -> None:
    first, second = (engine.submit(GERMAN).result(30) for _ in range(2))
    assert first.reason is second.reason is Unscored.LANGUAGE
    assert engine.stats().cache_hits == 0


def test_an_insult_behind_foreign_words_fires_and_the_text_stays_unscored(engine) -> None:
    found = engine.submit("mean bad person das nicht wie du ist").result(30)
    assert found.reason is Unscored.LANGUAGE
    assert found.value("toxicity") is None
    [passage] = found.passages
    assert passage.span == Span(start=0, end=len("mean bad person"))
    assert passage.values["toxicity"] > 0.9
