"""What a call says of itself as attributes of its span. Pure; no text of a call is in here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from guard.records import (
    Action,
    Ask,
    Call,
    Ending,
    Generated,
    Outcome,
    RequestedModel,
    TextKind,
    Verdict,
)
from guard.telemetry.opentelemetry import conventions as names

Attributes: TypeAlias = Mapping[str, Any]
"""Texts, numbers, booleans, and sequences of them."""

_FAULTS = frozenset({Ending.TIMED_OUT, Ending.FAILED})
_FILTERED = "content_filter"
_UNFINISHED = "error"


def span_name(requested: RequestedModel) -> str:
    """`chat gpt-4o`; the operation alone where the model is not known."""
    return f"{requested.operation} {requested.model}".strip()


def request_attributes(call: Call) -> Attributes:
    """What is known when the span begins, for samplers too."""
    requested = call.requested
    found: dict[str, Any] = {
        names.OPERATION: requested.operation,
        names.PROVIDER: provider_of(requested),
        names.USE_CASE: call.use_case,
    }
    if requested.model:
        found[names.REQUEST_MODEL] = requested.model
    if requested.conversation_id:
        found[names.CONVERSATION] = requested.conversation_id
    if requested.server:
        found |= {names.SERVER_ADDRESS: requested.server, names.SERVER_PORT: requested.port}
    if requested.streamed:
        found[names.REQUEST_STREAM] = True
    if requested.replies != 1:
        found[names.CHOICE_COUNT] = requested.replies
    return found


def outcome_attributes(outcome: Outcome) -> Attributes:
    """What became of the call."""
    found: dict[str, Any] = {
        names.CALL_ID: outcome.call.id,
        names.VERDICT: outcome.verdict.value,
        names.ACTION: outcome.action.value,
        names.COVERAGE: coverage(outcome),
        names.ADDED_SECONDS: outcome.added_seconds,
        names.ATTEMPTS: outcome.attempts,
    }
    if reason := finish_reason(outcome):
        found[names.FINISH_REASONS] = (reason,)
    if outcome.call.kind is not TextKind.REPLY:
        found[names.TEXT_KIND] = outcome.call.kind.value
    if outcome.observed_only:
        found[names.OBSERVED_ONLY] = True
    if outcome.fired:
        found[names.FIRED] = tuple(f"{one.score}:{one.action}" for one in outcome.fired)
    if outcome.unscored is not None:
        found[names.UNSCORED] = outcome.unscored.value
    if outcome.unread:
        found[names.UNREAD] = tuple(sorted(part.value for part in outcome.unread))
    if outcome.second_looks:
        found[names.SECOND_LOOK] = tuple(look.result.value for look in outcome.second_looks)
    return found


def coverage(outcome: Outcome) -> str:
    """Whether all, a part or none of the reply has scores."""
    assessment = outcome.assessment
    if not any(score.value is not None for score in assessment.scores.values()):
        return "none"
    partial = assessment.reason is not None or assessment.uncovered or outcome.unread
    return "part" if partial else "all"


def finish_reason(outcome: Outcome) -> str:
    """What the model's server said; of a reply that the guard ended before, why it did.

    Where the API of the model says why it stops and did not, the reply broke off.
    """
    if outcome.finish_reason:
        return outcome.finish_reason
    if outcome.verdict is Verdict.BLOCKED or outcome.action is Action.BLOCK:
        return _FILTERED
    return _UNFINISHED if outcome.call.requested.server and outcome.reply else ""


def ask_attributes(call_id: str, use_case: str, ask: Ask) -> Attributes:
    """Of one question of a shadow job."""
    model = ask.parameters.get("model")
    known = {names.REQUEST_MODEL: model} if isinstance(model, str) else {}
    return {
        names.OPERATION: "chat",
        names.PROVIDER: names.UNKNOWN_PROVIDER,
        names.CALL_ID: call_id,
        names.USE_CASE: use_case,
        names.SHADOW: True,
        **known,
    }


def reply_attributes(reply: Generated) -> Attributes:
    """Of the answer to such a question; an ending that is a fault is an error."""
    faults = {names.ERROR_TYPE: reply.ending.value} if reply.ending in _FAULTS else {}
    return {names.SHADOW_ENDING: reply.ending.value, **faults}


def provider_of(requested: RequestedModel) -> str:
    """Who runs the model: as told, or else by the address of its server.

    A server that is not known speaks the API of OpenAI, for which the conventions want that name.
    """
    if requested.provider or not requested.server:
        return requested.provider or names.UNKNOWN_PROVIDER
    server = requested.server.lower()
    by_ending = (
        name for ending, name in names.PROVIDERS_BY_ENDING.items() if server.endswith(ending)
    )
    return names.PROVIDERS.get(server) or next(by_ending, names.OPENAI)
