"""What scores and compared pairs say, as events. Pure; explanations quote no text of a call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from guard.policy import Rule, highest
from guard.records import Fired, Head, LookResult, Outcome, PairResult, Score, SecondLook, TextKind
from guard.telemetry.opentelemetry import conventions as names
from guard.telemetry.opentelemetry.attributes import Attributes


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceEvent:
    """One event, to be a log record on the span of what it is about."""

    name: str
    attributes: Attributes


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluators:
    """Who makes the scores. heads: with the shipped thresholds. first, second: name and version, as
    in `bundled 0.4`; empty where there is none."""

    heads: Mapping[str, Head] = field(default_factory=dict)
    first: str = ""
    second: str = ""


def score_events(
    outcome: Outcome, rules: Sequence[Rule], evaluators: Evaluators
) -> Iterator[TraceEvent]:
    """One for each score of the reply, and of second looks. rules: of the use case."""
    kind = outcome.call.kind
    said = {} if kind is TextKind.REPLY else {names.TEXT_KIND: kind.value}
    for key, score in outcome.assessment.scores.items():
        threshold = _threshold(key, rules, evaluators)
        about = _made_by(evaluators.first, threshold) | {names.CALL_ID: outcome.call.id} | said
        judged = _judged(outcome, key, score, threshold)
        yield _evaluation(key, about | judged)
    for look in outcome.second_looks:
        yield from _second_look_events(look, outcome.call.id, evaluators)


def pair_event(pair: PairResult, call_id: str) -> TraceEvent:
    """A conversation compared with the same one about another group."""
    flagged = ", ".join(pair.flags)
    about = f"{pair.first} and {pair.second} ({pair.attribute})"
    differences = {names.PAIR_DIFFERENCE + name: value for name, value in pair.differences.items()}
    return _evaluation(
        names.PAIR_NAME,
        {
            names.EVALUATION_LABEL: names.REACHED if pair.flags else names.BELOW,
            names.EVALUATION_EXPLANATION: f"{about}: {flagged or 'nothing'} flagged",
            names.CALL_ID: call_id,
            names.PAIR_ATTRIBUTE: pair.attribute,
            names.PAIR_GROUPS: (pair.first, pair.second),
            names.PAIR_SOURCE: pair.source,
            **({names.PAIR_FLAGS: pair.flags} if pair.flags else {}),
            **differences,
        },
    )


def _threshold(key: str, rules: Sequence[Rule], evaluators: Evaluators) -> float | None:
    """The lowest of the use case's rules for a score, or else the one its classifier came with."""
    set_here = [rule.threshold for rule in rules if rule.score == key]
    head = evaluators.heads.get(key)
    return min(set_here, default=head.threshold if head is not None else None)


def _judged(outcome: Outcome, key: str, score: Score, threshold: float | None) -> dict[str, object]:
    if score.value is None:
        reason = score.reason.value if score.reason is not None else "_OTHER"
        return {names.ERROR_TYPE: reason, names.EVALUATION_EXPLANATION: f"not scored: {reason}"}
    fired = [one for one in outcome.fired if one.score == key]
    found: dict[str, object] = {names.EVALUATION_VALUE: score.value}
    if threshold is not None:
        seen = max([score.value, highest(outcome.assessment, key) or 0.0])
        has_failed = bool(fired) or seen >= threshold
        found[names.EVALUATION_LABEL] = names.REACHED if has_failed else names.BELOW
        found[names.EVALUATION_EXPLANATION] = _explain(fired, seen, threshold, score.value)
    return found


def _explain(fired: Sequence[Fired], seen: float, threshold: float, whole: float) -> str:
    where = " in a sentence" if seen > whole else ""
    if fired:
        actions = ", ".join(one.action.value for one in fired)
        value = max(one.value for one in fired)
        return f"{value:.3f}{where} reaches the threshold of a rule: {actions}"
    if seen >= threshold:
        return f"{seen:.3f}{where} reaches {threshold:g}; no rule fired"
    return f"{seen:.3f}{where} is below {threshold:g}"


def _second_look_events(
    look: SecondLook, call_id: str, evaluators: Evaluators
) -> Iterator[TraceEvent]:
    about = _made_by(evaluators.second, None)
    for key, value in look.second.items():
        yield _evaluation(
            key,
            about
            | {
                names.EVALUATION_VALUE: value,
                names.EVALUATION_EXPLANATION: _explain_look(look.result),
                names.CALL_ID: call_id,
                names.SECOND_LOOK: (look.result.value,),
            },
        )


def _explain_look(result: LookResult) -> str:
    return f"a second look at what the first scores would act on: {result.value}"


def _made_by(evaluator: str, threshold: float | None) -> dict[str, object]:
    name, _, version = evaluator.rpartition(" ")
    made: dict[str, object] = {names.EVALUATOR: name or version}
    if name:
        made[names.EVALUATOR_VERSION] = version
    return made if threshold is None else made | {names.THRESHOLD: threshold}


def _evaluation(key: str, attributes: Mapping[str, object]) -> TraceEvent:
    return TraceEvent(
        name=names.EVALUATION_EVENT, attributes={names.EVALUATION_NAME: key, **attributes}
    )
