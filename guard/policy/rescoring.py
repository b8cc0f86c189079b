"""A text that fired, scored again with its allowed phrases taken out.

A rule does not fire if everything that reached its threshold holds an allowed phrase and stays
below it without that. Each such passage is scored again by itself, and the text as a whole: what
stands beside a phrase, in its sentence or in another one, is judged as ever. Whatever has no score
the second time keeps its first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from guard.policy.allow import (
    AllowedPhrase,
    ShortenedText,
    find_allowed,
    take_out,
    without_brackets,
)
from guard.policy.decision import Policy, Rule, decide, offending
from guard.records import Action, Allowance, Assessment, Passage, Score, Span, Unscored
from guard.text import merged

MOST_PASSAGES: Final = 16
"""A text with more passages to be scored again is not."""
_NOTHING: Final = Score(value=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescoring:
    """What has to be scored again. whole: the text without its allowed phrases. passages: likewise,
    by their place among those of the assessment."""

    policy: Policy
    assessment: Assessment
    found: tuple[AllowedPhrase, ...]
    whole: ShortenedText
    passages: Mapping[int, str]

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts, in the order in which `result` takes their assessments."""
        return self.whole.text, *self.passages.values()

    def result(self, answers: Sequence[Assessment]) -> Assessment:
        """The first assessment, with an allowance where something does not count any more."""
        whole, *others = map(self._of_nothing, answers)
        if whole.reason not in {None, self.assessment.reason}:
            return self.assessment
        again = [replace(one, span=self.whole.source(one.span)) for one in whole.passages]
        lower = dict(zip(self.passages, map(_values_of_whole, others), strict=True))
        passages = [
            replace(one, values=_lowered(one, lower[number], again)) if number in lower else one
            for number, one in enumerate(self.assessment.passages)
        ]
        allowance = Allowance(
            entries=self._entries(passages),
            scores=_lowered_scores(self.assessment, whole, self.found),
            passages=(*passages, *_outside(again, self.assessment)),
        )
        result = replace(self.assessment, allowance=allowance)
        return result if _makes_difference(self.policy, result) else self.assessment

    def _of_nothing(self, answer: Assessment) -> Assessment:
        """Where nothing is left there is no harm."""
        return _harmless(self.assessment) if answer.reason is Unscored.EMPTY else answer

    def _entries(self, lowered: Sequence[Passage]) -> tuple[str, ...]:
        """Of the passages that do not fire any more; of the whole text where none fired."""
        rules = self.policy.rules
        excused = [
            before.span
            for before, after in zip(self.assessment.passages, lowered, strict=True)
            if _reaches(before, rules) and not _reaches(after, rules)
        ]
        inside = [one for one in self.found if any(one.span.overlaps(span) for span in excused)]
        return tuple(sorted({one.entry for one in inside or self.found}))


def rescoring(policy: Policy, text: str, assessment: Assessment) -> Rescoring | None:
    """What has to be scored again before `policy` decides on `text`; None for nothing.

    Nothing has to where no rule fires, or where the scores of what holds an allowed phrase make no
    difference.
    """
    if not policy.allow or not decide(policy, assessment).fired:
        return None
    found = find_allowed(policy.allow, text)
    spans = merged(one.span for one in found)
    passages = {
        number: _without(text, one.span, spans)
        for number, one in enumerate(assessment.passages)
        if _reaches(one, policy.rules) and any(one.span.overlaps(span) for span in spans)
    }
    if not found or len(passages) > MOST_PASSAGES:
        return None
    best = replace(assessment, allowance=_best_case(assessment, passages, found))
    if not _makes_difference(policy, best):
        return None
    whole = take_out(text, spans)
    return Rescoring(
        policy=policy,
        assessment=assessment,
        found=found,
        whole=replace(whole, text=without_brackets(whole.text)),
        passages=passages,
    )


def assess_allowing(policy: Policy, text: str, score: Callable[[str], Assessment]) -> Assessment:
    """What `policy` decides on, where somebody waits for it. score: makes the scores of a text."""
    first = score(text)
    again = rescoring(policy, text, first)
    return again.result([score(one) for one in again.texts]) if again else first


def _best_case(
    assessment: Assessment, passages: Mapping[int, str], found: Iterable[AllowedPhrase]
) -> Allowance:
    """As if everything with an allowed phrase in it scored nothing."""
    return Allowance(
        entries=(),
        scores=_lowered_scores(assessment, _harmless(assessment), found),
        passages=tuple(
            replace(one, values={}) if number in passages else one
            for number, one in enumerate(assessment.passages)
        ),
    )


def _harmless(assessment: Assessment) -> Assessment:
    """With the same scores, all of them 0."""
    return Assessment(scores=dict.fromkeys(assessment.scores, _NOTHING))


def _makes_difference(policy: Policy, assessment: Assessment) -> bool:
    """Whether fewer rules fire by the allowance than without it, or less would be redacted."""
    without = replace(assessment, allowance=None)
    return _effect(policy, assessment) != _effect(policy, without)


def _effect(policy: Policy, assessment: Assessment) -> tuple[object, ...]:
    fired = decide(policy, assessment).fired
    redacting = [one for one in fired if one.action is Action.REDACT]
    rules = tuple((one.score, one.action) for one in fired)
    return rules, offending(redacting, assessment)


def _without(text: str, passage: Span, spans: Iterable[Span]) -> str:
    """A passage without what is allowed in it."""
    inside = (
        Span(start=max(one.start, passage.start), end=min(one.end, passage.end))
        for one in spans
        if one.overlaps(passage)
    )
    moved = [one.moved(-passage.start) for one in inside]
    return without_brackets(take_out(text[passage.start : passage.end], moved).text)


def _lowered_scores(
    first: Assessment, second: Assessment, found: Iterable[AllowedPhrase]
) -> dict[str, Score]:
    """The lower score of each pair, where the window of the first one holds an allowed phrase."""
    spans = [one.span for one in found]
    return {
        key: _lower(score, second.scores.get(key))
        if score.span is None or any(score.span.overlaps(span) for span in spans)
        else score
        for key, score in first.scores.items()
    }


def _lower(first: Score, second: Score | None) -> Score:
    if first.value is None or second is None or second.value is None:
        return first
    return replace(first, value=min(first.value, second.value))


def _lowered(
    passage: Passage, alone: Mapping[str, float], again: Iterable[Passage]
) -> dict[str, float]:
    """The values of a passage, or those without its phrases, by themselves and in the whole text,
    where these are lower. alone: empty where there are none."""
    inside = [one.values for one in again if passage.span.contains(one.span)]
    return {
        key: min(value, max([alone.get(key, value), *(one.get(key, 0.0) for one in inside)]))
        for key, value in passage.values.items()
    }


def _outside(again: Iterable[Passage], first: Assessment) -> Iterator[Passage]:
    """Passages where none was scored the first time, with no higher values than there were."""
    highest = _highest_values(first)
    for one in again:
        if not any(one.span.overlaps(other.span) for other in first.passages):
            values = {key: min(value, highest.get(key, 0.0)) for key, value in one.values.items()}
            yield replace(one, values=values)


def _values_of_whole(assessment: Assessment) -> dict[str, float]:
    """As `_highest_values`; empty if some of the text has no score."""
    return {} if assessment.reason is not None else _highest_values(assessment)


def _highest_values(assessment: Assessment) -> dict[str, float]:
    """By score, the highest value of a text and its sentences."""
    whole = {key: one.value for key, one in assessment.scores.items() if one.value is not None}
    return {
        key: max([value, *(one.values.get(key, 0.0) for one in assessment.passages)])
        for key, value in whole.items()
    }


def _reaches(passage: Passage, rules: Iterable[Rule]) -> bool:
    return any(passage.values.get(rule.score, -1.0) >= rule.threshold for rule in rules)
