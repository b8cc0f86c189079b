"""The checks for those who add a classifier: a good one passes, a broken promise is named."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import replace
from itertools import count, repeat

import pytest

from guard.records import Assessment, Head, Passage, Score, Span
from guard.testing import HEADS, WordScorer, answered, check_scorer, check_second_look

HARMLESS = {name: head for name, head in HEADS.items() if not head.harm}


def words() -> WordScorer:
    return WordScorer({"toxicity": {"word": 0.9}})


class Breaking(WordScorer):
    """Answers every text with the same assessment."""

    def __init__(self, assessment: Assessment) -> None:
        super().__init__({})
        self._answer = assessment

    def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
        """See `ports.Scorer`."""
        return answered(self._answer)


class WithoutHarm(WordScorer):
    """Knows how kind a text is, and nothing else."""

    heads: Mapping[str, Head] = HARMLESS

    def assess(self, text: str) -> Assessment:
        """Only the scores of these heads."""
        found = super().assess(text)
        return replace(found, scores={name: found.scores[name] for name in HARMLESS})


def scored(value: float | None) -> Assessment:
    return Assessment(scores=dict.fromkeys(HEADS, Score(value=value)))


def test_a_scorer_that_keeps_its_promises_passes() -> None:
    scorer = words()
    check_scorer(scorer)
    assert "x" * 30_000 in scorer.texts
    check_second_look(scorer, clock=lambda: 0.0)


def test_only_the_texts_that_are_named_are_tried() -> None:
    scorer = words()
    check_scorer(scorer, texts=["a word"])
    assert scorer.texts == ["a word"]


@pytest.mark.parametrize(
    ("assessment", "promise"),
    [
        (Assessment(scores={}), "a score for every head"),
        (scored(1.5), r"is in \[0, 1\] or has a reason"),
        (scored(None), r"is in \[0, 1\] or has a reason"),
        (
            replace(scored(0.1), passages=(Passage(span=Span(start=0, end=200_000), values={}),)),
            "spans lie inside the text",
        ),
    ],
)
def test_a_broken_promise_is_named(assessment: Assessment, promise: str) -> None:
    with pytest.raises(AssertionError, match=promise):
        check_scorer(Breaking(assessment))


def test_a_second_look_needs_a_harm_score() -> None:
    with pytest.raises(AssertionError, match="it makes a harm score"):
        check_second_look(WithoutHarm({}))


def test_a_second_look_returns_at_once_and_keeps_its_deadline() -> None:
    with pytest.raises(AssertionError, match="submissions return at once"):
        check_second_look(words(), clock=count().__next__)
    times = iter([0.0, 0.0, 9.0, *repeat(9.0, 9)])
    with pytest.raises(AssertionError, match=r"a deadline of 0\.0 seconds is kept by all"):
        check_second_look(words(), clock=times.__next__)
