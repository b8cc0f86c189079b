"""A second scorer that is in doubt about a passage among its neighbours reads it alone as well."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.flow.second_look import heard_alone, passages_in_doubt
from guard.policy import Policy, Rule, SecondOpinion
from guard.records import (
    Action,
    Assessment,
    LookResult,
    Score,
    Span,
    Unscored,
    in_context,
)
from guard.testing import Recorder, WordScorer, wrap_with

FAST = WordScorer({"toxicity": {"kill": 0.95}})
RULES = (Rule(score="toxicity", action=Action.REDACT, threshold=0.8),)
OPINION = SecondOpinion(rules=RULES, reads_alone=True)
POLICY = Policy(rules=RULES, redaction="[…]", second=OPINION)
TEXT, RANGE = "One. Two here. I kill you. Four. Five.", "Two here. I kill you. Four."
CAUSE = "kill"


class TextScorer(WordScorer):
    """One score for each text that it knows, without passages; None is none in time."""

    def __init__(self, values: dict[str, float | None]) -> None:
        super().__init__({})
        self._values = values

    def assess(self, text: str) -> Assessment:
        value = self._values[text]
        reason = Unscored.DEADLINE if value is None else None
        span = Span(start=0, end=len(text))
        score = Score(value=value, reason=reason, span=None if value is None else span)
        return Assessment(scores={"toxicity": score}, reason=reason)

    def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
        del deadline_seconds
        self.texts.append(text)
        answer = Future[Assessment]()
        answer.set_result(self.assess(text))
        return answer


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


def ask(second: TextScorer, recorder: Recorder, policy: Policy = POLICY) -> str:
    return wrap_with(lambda: TEXT, policy=policy, scorer=FAST, observer=recorder, second=second)()


@pytest.mark.parametrize(
    ("alone", "said", "result"),
    [
        (0.99, TEXT.replace("kill", "[…]"), LookResult.UPHELD),
        (0.10, TEXT, LookResult.OVERTURNED),
    ],
)
def test_in_doubt_the_passage_alone_decides(
    recorder: Recorder, alone: float, said: str, result: LookResult
) -> None:
    second = TextScorer({RANGE: 0.7, CAUSE: alone})
    assert ask(second, recorder) == said
    assert second.texts == [RANGE, CAUSE]
    (look,) = recorder.outcomes[0].second_looks
    assert look.result is result
    assert look.second["toxicity"] == in_context("toxicity", alone, 0.7)
    assert look.spans == (Span(start=5, end=5 + len(RANGE)),)


@pytest.mark.parametrize("value", [0.5, 0.97])
def test_without_doubt_the_range_decides(recorder: Recorder, value: float) -> None:
    second = TextScorer({RANGE: value})
    ask(second, recorder)
    assert second.texts == [RANGE]
    assert recorder.outcomes[0].second_looks[0].second["toxicity"] == value


def test_a_scorer_of_ones_own_reads_the_range_alone(recorder: Recorder) -> None:
    second = TextScorer({RANGE: 0.85})
    ask(second, recorder, replace(POLICY, second=replace(OPINION, reads_alone=False)))
    assert second.texts == [RANGE]


def test_the_fast_decision_stands_where_the_passage_alone_is_late(recorder: Recorder) -> None:
    assert ask(TextScorer({RANGE: 0.7, CAUSE: None}), recorder) == TEXT.replace("kill", "[…]")
    assert recorder.outcomes[0].second_looks[0].result is LookResult.LATE


def assessed(value: float, length: int) -> Assessment:
    return Assessment(scores={"toxicity": Score(value=value, span=Span(start=0, end=length))})


VALUES = st.floats(0, 1)


@given(VALUES, st.lists(VALUES, min_size=1, max_size=4))
def test_a_range_is_what_the_worst_of_its_passages_is_by_both(
    context: float, alone: list[float]
) -> None:
    span = Span(start=7, end=7 + 10 * len(alone))
    causes = [Span(start=7 + 10 * n, end=12 + 10 * n) for n in range(len(alone))]
    part = assessed(context, 10 * len(alone))
    others = [(cause, assessed(value, 5)) for cause, value in zip(causes, alone, strict=True)]
    where, heard = heard_alone((span, part), others)
    both = [in_context("toxicity", value, context) for value in alone]
    assert where == span
    assert heard.value("toxicity") == max(both)
    assert [one.values["toxicity"] for one in heard.passages] == both
    assert [one.span.moved(span.start) for one in heard.passages] == causes


@given(VALUES)
def test_a_passage_that_is_all_of_the_range_is_not_read_twice(value: float) -> None:
    span = Span(start=3, end=9)
    assert passages_in_doubt(POLICY, (span, assessed(value, 6)), [span]) == ()
