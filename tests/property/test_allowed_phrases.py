"""An allowed phrase takes itself out of a decision and nothing that stands beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.policy import (
    Hold,
    Policy,
    Rule,
    allow_pattern,
    allow_phrase,
    decide,
    rescoring,
)
from guard.policy.allow import find_allowed, take_out
from guard.records import Action, Assessment, Passage, Score, Span, Unscored, Verdict
from guard.testing import HEADS, Recorder, answered, wrap_with
from guard.text import merged, sentences

FALLBACK = "<withheld>"
PHRASE = "Empty the Trash"
ALLOW = (allow_phrase(PHRASE), allow_pattern(r"kill (?:the )?\w{1,12} process"))
HARM = {"trash": 0.95, "kill": 0.95, "idiot": 0.97}
PIECES = ("word", "word", PHRASE, "EMPTY  the trash", "kill the child process", "idiot", "Trash")
ENDS = st.sampled_from([" ", ". ", "! ", ", ", "\n", "… ", '." '])


class SentenceScorer:
    """A sentence scores as its worst word, the whole as the mean of its sentences.

    texts: what was submitted.
    """

    heads = HEADS
    window_characters = 480

    def __init__(self) -> None:
        self.texts: list[str] = []

    def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
        del deadline_seconds
        self.texts.append(text)
        return answered(self.assess(text))

    def assess(self, text: str) -> Assessment:
        spans = sentences(text)
        if not spans:
            return Assessment(reason=Unscored.EMPTY)
        values = [worst(text[span.start : span.end]) for span in spans]
        mean = Score(value=sum(values) / len(values), span=Span(start=0, end=len(text)))
        return Assessment(
            scores={"toxicity": mean},
            passages=tuple(
                Passage(span=span, values={"toxicity": value})
                for span, value in zip(spans, values, strict=True)
            ),
        )


def worst(text: str) -> float:
    return max((HARM.get(word, 0.0) for word in re.findall(r"\w+", text.lower())), default=0.0)


@st.composite
def replies(draw: st.DrawFn) -> str:
    pieces = draw(st.lists(st.sampled_from(PIECES), min_size=1, max_size=25))
    return "".join(piece + draw(ENDS) for piece in pieces)


@st.composite
def chunkings(draw: st.DrawFn, text: str) -> list[str]:
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=12)))
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def without_allowed(text: str) -> str:
    return take_out(text, merged(one.span for one in find_allowed(ALLOW, text))).text


def policy_for(action: Action, hold: Hold, **more: object) -> Policy:
    rules = (Rule(score="toxicity", action=action, threshold=0.9),)
    plain = Policy(rules=rules, fallback=FALLBACK, redaction="[x]", hold=hold, allow=ALLOW)
    return replace(plain, **more)  # type: ignore[arg-type]


def stream(chunks: list[str], policy: Policy, seen: Recorder) -> tuple[str, SentenceScorer]:
    scorer = SentenceScorer()

    def model() -> Iterator[str]:
        yield from chunks

    return "".join(wrap_with(model, policy=policy, scorer=scorer, observer=seen)()), scorer


@pytest.mark.parametrize("action", [Action.BLOCK, Action.REDACT, Action.REGENERATE])
@pytest.mark.parametrize("hold", [Hold.SENTENCE, Hold.FULL])
@given(data=st.data())
def test_a_phrase_is_released_and_harm_beside_it_is_not(
    hold: Hold, action: Action, data: st.DataObject
) -> None:
    reply = data.draw(replies())
    seen = Recorder()
    released, _ = stream(data.draw(chunkings(reply)), policy_for(action, hold), seen)
    assert worst(without_allowed(released)) == 0.0
    (outcome,) = seen.outcomes
    if worst(without_allowed(reply)) == 0.0:
        assert released == reply
        assert outcome.verdict is Verdict.RELEASED
        assert bool(outcome.allowed) == (worst(reply) > 0.0)
    else:
        assert released != reply


@given(reply=replies())
def test_a_redaction_leaves_the_sentences_that_are_only_allowed(reply: str) -> None:
    seen = Recorder()
    released, _ = stream([reply], policy_for(Action.REDACT, Hold.FULL), seen)
    if seen.outcomes[0].action is Action.REDACT:
        kept = [reply[span.start : span.end] for span in sentences(reply)]
        assert all(one in released for one in kept if worst(without_allowed(one)) == 0.0)


@given(reply=replies())
def test_without_a_phrase_or_a_rule_that_fires_nothing_is_scored_twice(reply: str) -> None:
    policy, seen = policy_for(Action.FLAG, Hold.NONE), Recorder()
    _, scorer = stream([reply], policy, seen)
    assert (scorer.texts == [reply]) or (find_allowed(ALLOW, reply) and worst(reply) > 0.0)


VALUES = st.floats(0, 1)
RULES = (
    Rule(score="toxicity", action=Action.FLAG, threshold=0.5),
    Rule(score="toxicity", action=Action.BLOCK, threshold=0.9),
    Rule(score="stereotype", action=Action.REDACT, threshold=0.7),
)


@st.composite
def assessments(draw: st.DrawFn, text: str) -> Assessment:
    """Any scores at all: a classifier need not be reasonable."""
    if draw(st.integers(0, 9)) == 0:
        nothing = Score(value=None, reason=Unscored.DEADLINE)
        return Assessment(scores=dict.fromkeys(HEADS, nothing), reason=Unscored.DEADLINE)
    whole = Span(start=0, end=len(text))
    return Assessment(
        scores={key: Score(value=draw(VALUES), span=whole) for key in HEADS},
        passages=tuple(
            Passage(span=span, values={key: draw(VALUES) for key in HEADS})
            for span in sentences(text)
            if draw(st.booleans())
        ),
    )


@given(data=st.data())
def test_whatever_the_scores_only_passages_with_a_phrase_can_stop_firing(
    data: st.DataObject,
) -> None:
    text = data.draw(replies())
    policy = Policy(rules=RULES, allow=ALLOW)
    first = data.draw(assessments(text))
    again = rescoring(policy, text, first)
    if again is None:
        return
    answers = [data.draw(assessments(one)) for one in again.texts]
    result = again.result(answers)
    before, after = decide(policy, first).fired, decide(policy, result).fired
    assert {one.action for one in after} <= {one.action for one in before}
    assert decide(policy, result).allowed or after == before
    spans = [one.span for one in find_allowed(ALLOW, text)]
    for rule in RULES:
        fires = any(one.action is rule.action for one in after)
        for passage in first.passages:
            holds = any(
                one.start < passage.span.end and passage.span.start < one.end for one in spans
            )
            if passage.values[rule.score] >= rule.threshold and not holds:
                assert fires
    if answers[0].reason is not None:
        assert result == first


@given(text=replies())
def test_each_character_that_is_left_leads_back_to_itself(text: str) -> None:
    spans = merged(one.span for one in find_allowed(ALLOW, text))
    left = take_out(text, spans)
    back = [left.source(Span(start=at, end=at + 1)) for at in range(len(left.text))]
    assert "".join(text[one.start : one.end] for one in back) == left.text
    gone = {at for span in spans for at in range(span.start, span.end)}
    assert {one.start for one in back} == {*range(len(text))} - gone


@given(st.lists(st.sampled_from("aabB -ẞß'"), max_size=4), st.text("aabB \n-ßſ'.", max_size=30))
def test_a_phrase_is_found_wherever_its_expression_matches(words: list[str], text: str) -> None:
    entry = allow_phrase(f"a{''.join(words)}b")
    searched = replace(entry, start="")
    assert find_allowed([entry], text) == find_allowed([searched], text)
