"""Which ranges of a text a second scorer reads, and what stands when it has answered. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from guard.policy import (
    Decision,
    Policy,
    SecondOpinion,
    counted,
    decide,
    missing_score,
    stronger,
    strongest,
)
from guard.records import (
    Action,
    Assessment,
    LookResult,
    Passage,
    Score,
    SecondLook,
    Span,
    Unscored,
    in_context,
)
from guard.text import merged, with_neighbours

ReadRange = tuple[Span, Assessment]
"""A range of a text, and what the second scorer says about it alone."""

_NOT_ANSWERED = {Unscored.DEADLINE: LookResult.LATE, Unscored.OVERLOAD: LookResult.OVERLOADED}
_ORDER = tuple(Action)
_MOST_RANGES = 64  # more are read as one, from the first to the last
_DOUBT = (0.6, 0.95)
"""Scores in context between which what a passage says alone may change the decision; to read all of
them alone costs three times as much and decides the same."""


def ranges_to_read(text: str, policy: Policy, assessment: Assessment) -> tuple[Span, ...]:
    """The passages by which a rule acts, or nearly does, each with the sentences beside it.

    In order of the text, those that touch as one. None where there is no second scorer, or it does
    not make the scores concerned.
    """
    causes = looked_for(policy, assessment)
    if len(causes) > _MOST_RANGES:
        causes = (Span(start=causes[0].start, end=causes[-1].end),)
    return merged(with_neighbours(text, span) for span in causes)


def looked_for(policy: Policy, assessment: Assessment) -> tuple[Span, ...]:
    """The passages alone that a second look is about, in order; those that touch as one."""
    if policy.second is None:
        return ()
    scores, lowest = counted(assessment), _lowest_values(policy, policy.second)
    return merged(span for key, low in lowest.items() for span in _causes(scores, key, low))


def _causes(assessment: Assessment, key: str, low: float) -> list[Span]:
    """The sentences that reach `low`, and the window that does if none of them is in it."""
    found = [one.span for one in assessment.passages if one.values.get(key, -1.0) >= low]
    window, value = assessment.scores.get(key), assessment.value(key)
    if window is None or window.span is None or value is None or value < low:
        return found
    span = window.span
    return found if any(span.contains(one) for one in found) else [*found, span]


def passages_in_doubt(policy: Policy, found: ReadRange, causes: Iterable[Span]) -> tuple[Span, ...]:
    """The passages in a range that was read which are to be read alone as well."""
    span, part = found
    if policy.second is None or not policy.second.reads_alone:
        return ()
    low, high = _DOUBT
    values = [part.value(rule.score) for rule in policy.second.rules if rule.score in part.scores]
    if not any(value is not None and low <= value < high for value in values):
        return ()
    return tuple(one for one in causes if span.contains(one) and one != span)


def heard_alone(found: ReadRange, alone: Sequence[ReadRange]) -> ReadRange:
    """A range with what its passages, which were read alone too, are by both readings."""
    span, part = found
    passages = tuple(_by_both(part, cause.moved(-span.start), other) for cause, other in alone)
    scores = {
        key: replace(score, value=max(values)) if (values := _of_all(passages, key)) else score
        for key, score in part.scores.items()
    }
    return span, replace(part, scores=scores, passages=passages)


def _by_both(context: Assessment, place: Span, alone: Assessment) -> Passage:
    """place: of the passage, in what was read as its context."""
    lone, values = _values(alone), _values_about(place, context)
    both = {key: in_context(key, lone.get(key, value), value) for key, value in values.items()}
    return Passage(span=place, values=both)


def _of_all(passages: Iterable[Passage], key: str) -> list[float]:
    return [one.values[key] for one in passages if key in one.values]


def join_scores(found: Sequence[ReadRange], causes: Sequence[Span] = ()) -> Assessment:
    """What the second scorer says about several ranges of a text, as said about that text.

    The highest of each score; `reason` is the first there is. causes: the passages that the look
    is about: of a range of which it says nothing by the passage, they have its scores.
    """
    passages = [one for span, part in found for one in _passages(span, part, causes)]
    reasons = (part.reason for _, part in found if missing_score(part))
    return Assessment(
        scores={key: _highest(key, found) for key in found[0][1].scores},
        passages=tuple(passages),
        reason=next(reasons, None),
    )


def decide_again(policy: Policy, fast: Assessment, second: Assessment) -> Decision:
    """The decision by the second scorer, and by the fast scores where it does not make them."""
    theirs = policy.second.rules if policy.second else ()
    known = {rule.score for rule in theirs}
    ours = tuple(rule for rule in policy.rules if rule.score not in known)
    first = decide(replace(policy, rules=ours), fast)
    other = decide(replace(policy, rules=theirs), second)
    return Decision(
        action=stronger(first.action, other.action),
        fired=strongest([*first.fired, *other.fired]),
        allowed=first.allowed,
    )


def second_look(
    fast: Assessment, action: Action, found: Sequence[ReadRange], decided: Decision | None
) -> SecondLook:
    """The record of a look. action: by the fast scores. decided: None where it was not answered."""
    spans = tuple(span for span, _ in found)
    second = join_scores(found)
    return SecondLook(
        result=_not_answered(second.reason) if decided is None else _change(action, decided.action),
        action=action,
        spans=spans,
        fast=_values_within(fast, spans),
        second={} if decided is None else _values(second),
    )


def _lowest_values(policy: Policy, second: SecondOpinion) -> dict[str, float]:
    """By score, from where on a look is taken."""
    known = {rule.score for rule in second.rules}
    lowest: dict[str, float] = {}
    for rule in policy.rules:
        if rule.score in known:
            low = rule.threshold - second.margin
            lowest[rule.score] = min(low, lowest.get(rule.score, low))
    return lowest


def _passages(span: Span, part: Assessment, causes: Sequence[Span]) -> list[Passage]:
    if part.passages:
        return [replace(one, span=one.span.moved(span.start)) for one in part.passages]
    made = [
        Passage(span=cause, values=_values_about(cause.moved(-span.start), part))
        for cause in causes
        if span.contains(cause)
    ]
    return [one for one in made if one.values]


def _values_about(cause: Span, part: Assessment) -> dict[str, float]:
    """The values whose windows share a character with the passage."""
    return {
        key: score.value
        for key, score in part.scores.items()
        if score.value is not None and (score.span is None or score.span.overlaps(cause))
    }


def _highest(key: str, found: Iterable[ReadRange]) -> Score:
    scores = [(span, part.scores[key]) for span, part in found if key in part.scores]
    made = [(span, score) for span, score in scores if score.value is not None]
    if not made:
        return scores[0][1]
    span, best = max(made, key=lambda one: one[1].value or 0.0)
    return replace(best, span=best.span.moved(span.start) if best.span else span)


def _not_answered(reason: Unscored | None) -> LookResult:
    return _NOT_ANSWERED.get(reason, LookResult.FAILED) if reason else LookResult.FAILED


def _change(fast: Action, second: Action) -> LookResult:
    before, after = _ORDER.index(fast), _ORDER.index(second)
    if before == after:
        return LookResult.UPHELD if before else LookResult.PASSED
    if after > before:
        return LookResult.RAISED
    return LookResult.LOWERED if after else LookResult.OVERTURNED


def _values(assessment: Assessment) -> dict[str, float]:
    made = {key: assessment.value(key) for key in assessment.scores}
    return {key: value for key, value in made.items() if value is not None}


def _values_within(assessment: Assessment, spans: Sequence[Span]) -> dict[str, float]:
    """The highest values of the sentences in these ranges; without any, of the whole text."""
    inside = [one.values for one in assessment.passages if any(s.contains(one.span) for s in spans)]
    found: dict[str, float] = {} if inside else _values(assessment)
    for values in inside:
        found |= {key: max(value, found.get(key, 0.0)) for key, value in values.items()}
    return found
