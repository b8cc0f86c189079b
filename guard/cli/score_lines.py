"""The results of `guard score` as lines: JSON for machines, words for people."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from guard.cli.text_scoring import ScoredText
from guard.policy import Policy, Rule, decide, offending, stronger
from guard.records import (
    Action,
    Assessment,
    CandidateDecision,
    Fired,
    Head,
    Outcome,
    SecondLook,
    Span,
)
from guard.scoring.assessment import Highlight, highlight

DIGITS: Final = 5
LONGEST_QUOTE: Final = 160
Json = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """What texts are held to. heads: of the classifier. name: of the policy."""

    heads: Mapping[str, Head]
    name: str
    policy: Policy

    @property
    def mode(self) -> str:
        """As settings say it."""
        if self.policy.off:
            return "off"
        return "enforce" if self.policy.enforce else "observe"

    def over(self, assessment: Assessment) -> list[str]:
        """Heads at or above their shipped threshold, in the text or a sentence of it, as a policy
        would look at them."""
        rules = tuple(
            Rule(score=key, action=Action.FLAG, threshold=head.threshold)
            for key, head in self.heads.items()
            if head.harm and head.threshold is not None
        )
        found = {one.score for one in decide(Policy(rules=rules), assessment).fired}
        return [key for key in self.heads if key in found]


WriteLine = Callable[[ScoredText, Criteria], str]


def action_asked(outcome: Outcome) -> Action:
    """The strongest action that policy took, or in observe mode would have taken."""
    action = outcome.action
    for fired in outcome.fired:
        action = stronger(action, fired.action)
    return action


def json_line(scored: ScoredText, criteria: Criteria) -> str:
    """The line, in ASCII, so that any text survives in it, lone surrogates included."""
    return json.dumps(_result(scored, criteria), allow_nan=False)


def text_line(scored: ScoredText, criteria: Criteria) -> str:
    """The verdict in words: a line, and one more for every rule that fired."""
    return "\n".join(_words(scored, criteria))


def _result(scored: ScoredText, criteria: Criteria) -> Json:
    """The fields of the line.

    A key of `scores` without a value is null. `worst` and `passages` count characters of `text`.
    `unscored` says why all or a part of the text has no score.
    """
    outcome, assessment = scored.outcome, scored.outcome.assessment
    return {
        "id": scored.text.id,
        "text": scored.text.text,
        "scores": _scores(assessment),
        "policy": criteria.name,
        "mode": criteria.mode,
        "verdict": outcome.verdict.value,
        "action": action_asked(outcome).value,
        "fired": [_fired_fields(one, assessment) for one in outcome.fired],
        "allowed": list(outcome.allowed),
        "second_looks": [_look_fields(one) for one in outcome.second_looks],
        "candidate": _candidate_fields(outcome.candidate),
        "over": criteria.over(assessment),
        "worst": _worst_fields(highlight(assessment, criteria.heads)),
        "unscored": assessment.reason and assessment.reason.value,
    }


def _scores(assessment: Assessment) -> dict[str, float | None]:
    return {
        key: None if score.value is None else round(score.value, DIGITS)
        for key, score in assessment.scores.items()
    }


def _fired_fields(fired: Fired, assessment: Assessment) -> Json:
    return {
        **_rule_fields(fired),
        "passages": [_span_fields(span) for span in offending([fired], assessment)],
    }


def _rule_fields(fired: Fired) -> Json:
    return {
        "score": fired.score,
        "action": fired.action.value,
        "threshold": fired.threshold,
        "value": round(fired.value, DIGITS),
    }


def _look_fields(look: SecondLook) -> Json:
    """`action` is what the fast scores asked for; `fast` and `second` are the highest values of
    both in the ranges that were read."""
    return {
        "result": look.result.value,
        "action": look.action.value,
        "read": [_span_fields(span) for span in look.spans],
        "fast": _rounded(look.fast),
        "second": _rounded(look.second),
    }


def _candidate_fields(candidate: CandidateDecision | None) -> Json | None:
    if candidate is None:
        return None
    fired = [_rule_fields(one) for one in candidate.fired]
    return {"action": candidate.action.value, "fired": fired}


def _rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {key: round(value, DIGITS) for key, value in values.items()}


def _worst_fields(found: Highlight | None) -> Json | None:
    if found is None:
        return None
    score = {"head": found.head, "score": round(found.value, DIGITS)}
    return {**score, **_span_fields(found.span)}


def _span_fields(span: Span) -> Json:
    return {"start": span.start, "end": span.end}


def _words(scored: ScoredText, criteria: Criteria) -> Iterator[str]:
    outcome = scored.outcome
    reason = outcome.assessment.reason
    without = "" if reason is None else f", unscored for {reason.value}"
    asked = f"{action_asked(outcome).value}{without}"
    yield f"{scored.text.id}: {asked} (policy {criteria.name}, mode {criteria.mode})"
    for fired in outcome.fired:
        reached = f"{fired.score} {fired.value:.3f} >= {fired.threshold:.3g}: {fired.action.value}"
        spans = offending([fired], outcome.assessment)
        yield "; ".join([f"    {reached}", *(_quote(scored.text.text, span) for span in spans)])
    yield from _notes(outcome)


def _notes(outcome: Outcome) -> Iterator[str]:
    """What beside the scores led to the decision, and what another policy would have decided."""
    for look in outcome.second_looks:
        yield f"    second look: {look.result.value}; by the fast scores: {look.action.value}"
    if outcome.allowed:
        yield f"    without these allowed phrases more would fire: {', '.join(outcome.allowed)}"
    if outcome.candidate and outcome.candidate.differs:
        yield f"    the candidate policy would have asked for: {outcome.candidate.action.value}"


def _quote(text: str, span: Span) -> str:
    """A passage on one line, whatever characters are in it."""
    passage = text[span.start : span.end]
    shown = passage if len(passage) <= LONGEST_QUOTE else f"{passage[: LONGEST_QUOTE - 1]}…"
    return f"characters {span.start} to {span.end}: {shown!r}"
