"""Scores into decisions."""

from __future__ import annotations

import pytest

from guard.policy import (
    OnUnscored,
    Policy,
    Rule,
    compare_candidate,
    decide,
    offending,
    redacted,
)
from guard.records import Action, Assessment, Fired, Passage, Score, Span, Unscored
from guard.text import merged


def span(start: int, end: int) -> Span:
    return Span(start=start, end=end)


def assessed(*passages: Passage, reason: Unscored | None = None, **scores: float) -> Assessment:
    return Assessment(
        scores={key: Score(value=value, span=span(0, 100)) for key, value in scores.items()},
        passages=passages,
        reason=reason,
    )


RULES = (
    Rule(score="toxicity", action=Action.FLAG, threshold=0.5),
    Rule(score="toxicity", action=Action.BLOCK, threshold=0.9),
    Rule(score="stereotype", action=Action.REDACT, threshold=0.7),
)


@pytest.mark.parametrize(
    ("toxicity", "stereotype", "action"),
    [
        (0.49, 0.69, Action.RELEASE),
        (0.5, 0.0, Action.FLAG),
        (0.5, 0.7, Action.REDACT),
        (0.9, 0.7, Action.BLOCK),
    ],
)
def test_the_strongest_rule_decides_and_a_threshold_is_inclusive(
    toxicity: float, stereotype: float, action: Action
) -> None:
    decision = decide(Policy(rules=RULES), assessed(toxicity=toxicity, stereotype=stereotype))
    assert decision.action is action


def test_every_rule_that_was_met_is_recorded_strongest_first() -> None:
    decision = decide(Policy(rules=RULES), assessed(toxicity=0.95, stereotype=0.8))
    assert [one.action for one in decision.fired] == [Action.BLOCK, Action.REDACT, Action.FLAG]
    assert decision.fired[0].value == 0.95


@pytest.mark.parametrize("reason", [Unscored.DEADLINE, Unscored.OVERLOAD, Unscored.NOT_TEXT])
def test_a_missing_score_withholds_only_when_the_policy_fails_closed(reason: Unscored) -> None:
    unscored = Assessment(reason=reason)
    closed = Policy(rules=RULES, on_unscored=OnUnscored.WITHHOLD)
    assert decide(closed, unscored).action is Action.BLOCK
    assert decide(Policy(rules=RULES), unscored).action is Action.RELEASE


def test_an_empty_text_has_nothing_to_withhold() -> None:
    closed = Policy(rules=RULES, on_unscored=OnUnscored.WITHHOLD)
    assert decide(closed, Assessment(reason=Unscored.EMPTY)).action is Action.RELEASE


@pytest.mark.parametrize(
    ("policy", "waits"),
    [
        (Policy(rules=RULES), True),
        (Policy(rules=RULES, enforce=False), False),
        (Policy(rules=RULES[:1]), False),
        (Policy(rules=RULES[:1], on_unscored=OnUnscored.WITHHOLD), True),
        (Policy(rules=RULES, enforce=False, on_unscored=OnUnscored.WITHHOLD), False),
    ],
)
def test_only_a_policy_that_can_change_a_reply_makes_callers_wait(
    policy: Policy, waits: bool
) -> None:
    assert policy.may_withhold is waits


def fired(score: str, threshold: float) -> Fired:
    return Fired(score=score, action=Action.REDACT, threshold=threshold, value=1.0)


def passage(start: int, end: int, **values: float) -> Passage:
    return Passage(span=span(start, end), values=values)


def test_the_sentences_over_the_threshold_are_the_cause() -> None:
    assessment = assessed(
        passage(0, 10, toxicity=0.1), passage(10, 20, toxicity=0.8), passage(30, 40, toxicity=0.7)
    )
    assert offending([fired("toxicity", 0.7)], assessment) == (span(10, 20), span(30, 40))


def test_the_innermost_causes_are_those_without_another_one_inside() -> None:
    assessment = assessed(
        passage(0, 20, toxicity=0.9),
        passage(5, 20, toxicity=0.8),
        passage(5, 10, toxicity=0.8),
        passage(8, 14, toxicity=0.8),
        passage(6, 7, toxicity=0.1),
        passage(30, 40, toxicity=0.8),
    )
    found = offending([fired("toxicity", 0.7)], assessment, innermost=True)
    assert found == (span(5, 14), span(30, 40))


def test_a_sentence_fires_a_rule_though_the_whole_text_dilutes_it() -> None:
    assessment = assessed(passage(0, 10, toxicity=0.95), toxicity=0.45, stereotype=0.0)
    decision = decide(Policy(rules=RULES), assessment)
    assert decision.action is Action.BLOCK
    assert decision.fired[0].value == 0.95


def test_the_worst_sentence_is_the_cause_when_none_reaches_the_threshold_alone() -> None:
    assessment = assessed(passage(0, 10, toxicity=0.1), passage(10, 20, toxicity=0.4), toxicity=0.8)
    assert offending([fired("toxicity", 0.7)], assessment) == (span(10, 20),)


def test_the_window_is_the_cause_when_no_sentence_was_looked_at() -> None:
    assert offending([fired("toxicity", 0.7)], assessed(toxicity=0.8)) == (span(0, 100),)


def test_touching_and_overlapping_spans_become_one() -> None:
    assert merged([span(5, 9), span(0, 3), span(3, 4), span(6, 7)]) == (span(0, 4), span(5, 9))


def test_redaction_puts_the_marker_in_place_of_each_span() -> None:
    assert redacted("keep bad keep worse", [span(5, 8), span(14, 19)], "[x]") == "keep [x] keep [x]"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("x", 2.0),
        ("word " * 2_000, 2.0),
        ("word " * 12_000, 12.0),
        ("1," * 5_000, 5.0),
        ("(" * 10_000, 8.0),
        ("\ud800é" * 10_000, 4.0),
        ("Q0bA" * 2_500, 10.0),
    ],
)
def test_what_takes_long_to_read_has_more_time_in_proportion(text: str, seconds: float) -> None:
    assert Policy(rules=(), deadline_seconds=2.0).deadline_of(text) == seconds
    assert Policy(rules=(), deadline_seconds=None).deadline_of(text) is None


def test_a_candidate_hears_of_passages_in_text_without_a_score() -> None:
    passage = Passage(span=Span(start=0, end=3), values={"toxicity": 0.95})
    nothing = {"toxicity": Score(value=None, reason=Unscored.LANGUAGE)}
    heard = Assessment(scores=nothing, passages=(passage,), reason=Unscored.LANGUAGE)
    policy = Policy(rules=RULES, candidate=())
    found = compare_candidate(policy, heard, decide(policy, heard), None)
    assert found is not None
    assert found.differs
    silent = Assessment(scores=nothing, reason=Unscored.LANGUAGE)
    assert compare_candidate(policy, silent, decide(policy, silent), None) is None
