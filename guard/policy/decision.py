"""From the scores of a reply to what is done with it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from guard.policy.allow import AllowEntry
from guard.records import (
    Action,
    Assessment,
    CandidateDecision,
    Fired,
    Passage,
    Span,
    Unscored,
)
from guard.text import merged, prose_characters

_ORDER = {action: rank for rank, action in enumerate(Action)}


DEADLINE_CHARACTERS: Final = 10_000
"""Of a text for which the deadline of a policy is meant; a longer one has it in proportion."""


class Hold(StrEnum):
    """How much of a streamed reply waits for its score before the caller sees it."""

    SENTENCE = "sentence"
    FULL = "full"
    NONE = "none"


class OnUnscored(StrEnum):
    """What happens to text that could not be scored: fail open or fail closed."""

    RELEASE = "release"
    WITHHOLD = "withhold"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """`action` is asked for when `score` is at or above `threshold` (in [0, 1]).

    Looked at are the score of the text and those of its sentences, as far as they were made.
    """

    score: str
    action: Action
    threshold: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondOpinion:
    """When a second scorer is asked, and what its scores mean.

    rules: those for scores that it makes, with its own thresholds where they are the shipped ones.
    margin: it also looks where a score lies less than this below the threshold of a rule.
    reads_alone: where it is in doubt about a passage among its neighbours, it reads it alone too.
    """

    rules: tuple[Rule, ...]
    margin: float = 0.0
    reads_alone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How one use case wants its replies judged.

    enforce: False means observe: everything is released at once, what would have been done
        is recorded.
    off: replies are released at once and never scored; the record says so.
    deadline_seconds: how long a caller waits for one score, see `deadline_of`; None waits for ever.
    regenerations: how often the model is asked again after a `regenerate` rule fired.
    raises: a blocked reply raises `Blocked` instead of returning `fallback`.
    allow: phrases and patterns that do not fire by themselves, see `rescoring`.
    candidate: rules that are only counted; None for none.
    reads_reasoning, reads_tool_calls: whether what a model thinks aloud, and the arguments of the
        tools it calls, are judged with the reply; otherwise they pass, and the record says so.
    second: how a second scorer decides where these rules would act; None where there is none.
    prompt: for what the user sends; None where that is not judged.
    """

    rules: tuple[Rule, ...]
    enforce: bool = True
    off: bool = False
    on_unscored: OnUnscored = OnUnscored.RELEASE
    deadline_seconds: float | None = 1.0
    fallback: str = "I am not able to share that answer."
    redaction: str = "[removed]"
    regenerations: int = 1
    raises: bool = False
    hold: Hold = Hold.SENTENCE
    reads_reasoning: bool = True
    reads_tool_calls: bool = True
    allow: tuple[AllowEntry, ...] = ()
    candidate: tuple[Rule, ...] | None = None
    second: SecondOpinion | None = None
    prompt: Policy | None = None

    def deadline_of(self, text: str) -> float | None:
        """How long a caller waits for the scores of `text`, in seconds; None is for ever.

        A long text has as much time as its pieces would have had, one after the other; one of many
        marks of punctuation counts as the longer text that takes as long to read.
        """
        if self.deadline_seconds is None:
            return None
        return self.deadline_seconds * max(1.0, prose_characters(text) / DEADLINE_CHARACTERS)

    @property
    def may_withhold(self) -> bool:
        """Whether a reply can end up different from what the model said.

        If not, nobody needs to wait for the scores.
        """
        stronger = any(rule.action is not Action.FLAG for rule in self.rules)
        withholds = stronger or self.on_unscored is OnUnscored.WITHHOLD
        return self.enforce and withholds and not self.off


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What an assessment asks for.

    fired: ordered, strongest action first. allowed: the entries of `allow` without which more would
    have fired, or been redacted.
    """

    action: Action
    fired: tuple[Fired, ...] = ()
    allowed: tuple[str, ...] = ()


def stronger(first: Action, second: Action) -> Action:
    """The more severe of two actions."""
    return max(first, second, key=_ORDER.__getitem__)


def decide(policy: Policy, assessment: Assessment) -> Decision:
    """The action `policy` asks for, ignoring whether it is enforced."""
    fired = _fired(policy.rules, assessment)
    action = fired[0].action if fired else Action.RELEASE
    if missing_score(assessment) and policy.on_unscored is OnUnscored.WITHHOLD:
        action = Action.BLOCK
    allowed = assessment.allowance.entries if assessment.allowance else ()
    return Decision(action=action, fired=fired, allowed=allowed)


def counted(assessment: Assessment) -> Assessment:
    """The scores that rules look at: allowed phrases do not count."""
    allowance = assessment.allowance
    if allowance is None:
        return assessment
    return replace(assessment, scores=allowance.scores, passages=allowance.passages, allowance=None)


def compare_candidate(
    policy: Policy, assessment: Assessment, decision: Decision, before: CandidateDecision | None
) -> CandidateDecision | None:
    """What the candidate of `policy` asks for, beside what the policy does; None without one.

    decision: of the policy on the same assessment. before: of earlier parts of the same reply,
    which stands where nothing has a score.
    """
    made = assessment.passages or any(one.value is not None for one in assessment.scores.values())
    if policy.candidate is None or not made:
        return before
    other = decide(replace(policy, rules=policy.candidate), assessment)
    before = before or CandidateDecision()
    return CandidateDecision(
        present=stronger(before.present, decision.action),
        action=stronger(before.action, other.action),
        fired=strongest([*before.fired, *other.fired]),
    )


def strongest(fired: Iterable[Fired]) -> tuple[Fired, ...]:
    """One entry per score and action, the highest value of each, strongest action first."""
    best: dict[tuple[str, Action], Fired] = {}
    for one in fired:
        key = (one.score, one.action)
        if key not in best or best[key].value < one.value:
            best[key] = one
    return tuple(sorted(best.values(), key=_severity))


def missing_score(assessment: Assessment) -> bool:
    """Whether text that has something to score was left without a score."""
    return assessment.reason not in {None, Unscored.EMPTY}


def offending(
    fired: Iterable[Fired], assessment: Assessment, *, innermost: bool = False
) -> tuple[Span, ...]:
    """The ranges to remove so that the fired rules no longer have a cause, in order, merged.
    innermost: without those that have another one inside, which may be all that is wrong in them.

    The sentences that reach a rule's threshold; when none does on its own, the worst sentence of
    the window that did; when no sentence was looked at, that whole window.
    """
    scores = counted(assessment)
    spans = [span for rule in fired for span in _causes(rule, scores)]
    return merged(_innermost(spans) if innermost else spans)


def _innermost(spans: Iterable[Span]) -> Iterator[Span]:
    """Those with none of the others inside."""
    first_end = math.inf  # of those that begin later, or there and end earlier
    for span in sorted(set(spans), key=lambda one: (-one.start, one.end)):
        if span.end < first_end:
            yield span
        first_end = min(first_end, span.end)


def redacted(text: str, spans: Iterable[Span], marker: str) -> str:
    """`text` with each span replaced by `marker`. Spans are ordered and do not overlap."""
    parts, at = [], 0
    for span in spans:
        parts += [text[at : span.start], marker]
        at = span.end
    return "".join([*parts, text[at:]])


def highest(assessment: Assessment, score: str) -> float | None:
    """What rules for `score` look at: the highest over the windows and the sentences in them, since
    harm thins out among harmless sentences. None where there is no such score."""
    assessment = counted(assessment)
    sentences = [one.values[score] for one in assessment.passages if score in one.values]
    whole = assessment.value(score)
    return max([*sentences, *([] if whole is None else [whole])], default=None)


def _fired(rules: Iterable[Rule], assessment: Assessment) -> tuple[Fired, ...]:
    met = [
        Fired(score=rule.score, action=rule.action, threshold=rule.threshold, value=value)
        for rule in rules
        if (value := highest(assessment, rule.score)) is not None and value >= rule.threshold
    ]
    return tuple(sorted(met, key=_severity))


def _severity(fired: Fired) -> tuple[int, str]:
    return -_ORDER[fired.action], fired.score


def _causes(rule: Fired, assessment: Assessment) -> list[Span]:
    def value(passage: Passage) -> float:
        return passage.values.get(rule.score, 0.0)

    reached = [one.span for one in assessment.passages if value(one) >= rule.threshold]
    if reached:
        return reached
    known = assessment.scores.get(rule.score)
    window = known.span if known else None
    inside = [one for one in assessment.passages if window is None or one.span.overlaps(window)]
    if inside:
        return [max(inside, key=value).span]
    return [window] if window is not None else []
