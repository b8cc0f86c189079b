"""Of JSON that is read in several ways the least is removed, where that keeps values whole."""

from __future__ import annotations

import pytest

from guard.flow.judgement import Judgement
from guard.flow.redaction import Redaction, redactions
from guard.flow.unreleased import Unreleased
from guard.policy import Decision
from guard.records import Action, Assessment, Fired, Passage, Span

RULE = Fired(score="toxicity", action=Action.REDACT, threshold=0.9, value=1.0)


def span_of(text: str, part: str) -> Span:
    start = text.index(part)
    return Span(start=start, end=start + len(part))


def found(text: str, *parts: str) -> list[Redaction]:
    """The choices where these parts fire."""
    passages = [Passage(span=span_of(text, part), values={"toxicity": 0.95}) for part in parts]
    ordered = tuple(sorted(passages, key=lambda one: (one.span.start, one.span.end)))
    judgement = Judgement(
        text=text,
        assessment=Assessment(passages=ordered),
        decision=Decision(action=Action.REDACT, fired=(RULE,)),
    )
    return redactions(Unreleased(text=text, start=0, offset=0), judgement)


def test_the_least_is_tried_first_and_what_stays_beside_it_has_to_pass() -> None:
    text = '{"a": "It is fine.", "b": "bad words", "c": 5}'
    least, wide = found(text, "bad words", text[:37])
    assert [text[one.start : one.end] for one in least.spans] == ["bad words"]
    assert least.beside == ('{"a": "It is fine.", "b": "',)
    assert [text[one.start : one.end] for one in wide.spans] == [text[:37]]


@pytest.mark.parametrize(
    ("text", "outer"),
    [
        ("note: 'bad words'\nsummary: more of it", "note: 'bad words'\nsummary: more of it"),
        ('["such", "bad words"]', '"such", "bad words"'),
        ('{"a": "so bad words", "b": "It is fine."}', '"so bad words"'),
        ('{"a": "very", "b": "bad words"}', '"very", "b": "bad words'),
    ],
)
def test_all_goes_where_words_of_the_sentence_could_stay(text: str, outer: str) -> None:
    (only,) = found(text, "bad words", outer)
    assert [text[one.start : one.end] for one in only.spans] == [outer]


def test_all_goes_where_less_would_leave_no_json() -> None:
    text = '{"first": "You are bad", "then": "words and more."}'
    wide, inner = 'You are bad", "then": "words and more.', ', "then": "words and more.'
    (only,) = found(text, wide, inner)
    assert [text[one.start : one.end] for one in only.spans] == [wide]


def test_one_range_is_one_choice() -> None:
    (only,) = found('{"a": "bad words"}', "bad words")
    assert only.beside == ()
