"""What shadow jobs say: a sampled call to be asked again, and pairs of it to be confirmed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from guard.records import Case, CaseKind, Job, Turn
from guard.shadow.confirmation import FlaggedDifference

VERSION = 1
CONFIRMATION_VERSION = 2
"""Of a job that confirms: a process that does not know them must not take it for a call."""
_AS_MESSAGES = "as_messages"
_TRACE_PARENT = "trace_parent"
ROLES = frozenset(("system", "user", "assistant"))


class UnreadableJobError(ValueError):
    """The payload of a job is not what this version writes; the message says what is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShadowJob:
    """One call to be asked again about other groups.

    reply: what the caller got; None where that is no reply to compare (withheld, unread).
    parameters: of the live call, in the words of the API; JSON values. as_messages: the callable
    that is asked takes a list of messages and not a text. trace_parent: see `Call`; empty in what
    was written before there was one.
    """

    call_id: str
    use_case: str
    lane: str
    turns: tuple[Turn, ...]
    reply: str | None
    parameters: Mapping[str, object] = field(default_factory=dict)
    as_messages: bool = False
    trace_parent: str = ""


def job_of(shadow: ShadowJob, *, offered_at: float) -> Job:
    """The job for an inbox. Its key is the call's id: a call is shadowed once."""
    payload = {
        "version": VERSION,
        "turns": [[turn.role, turn.content] for turn in shadow.turns],
        "reply": shadow.reply,
        "parameters": dict(shadow.parameters),
        "as_messages": shadow.as_messages,
        **({_TRACE_PARENT: shadow.trace_parent} if shadow.trace_parent else {}),
    }
    return Job(
        key=f"shadow:{shadow.call_id}",
        lane=shadow.lane,
        use_case=shadow.use_case,
        call_id=shadow.call_id,
        payload=json.dumps(payload, sort_keys=True, allow_nan=False),
        offered_at=offered_at,
    )


def shadow_of(job: Job) -> ShadowJob:
    """The call a job is about. Raises UnreadableJobError."""
    payload = _payload(job)
    turns, reply, parameters = (payload.get(name) for name in ("turns", "reply", "parameters"))
    if not isinstance(turns, list) or not turns:
        raise UnreadableJobError(f"job {job.key}: turns must be a list that is not empty")
    if not (reply is None or isinstance(reply, str)):
        raise UnreadableJobError(f"job {job.key}: reply must be a text or null")
    if not isinstance(parameters, dict):
        raise UnreadableJobError(f"job {job.key}: parameters must be an object")
    if _AS_MESSAGES in payload:
        as_messages = payload[_AS_MESSAGES]
    else:  # written by version 0.1
        as_messages = parameters.pop(_AS_MESSAGES, False)
    trace_parent = payload.get(_TRACE_PARENT)
    return ShadowJob(
        call_id=job.call_id,
        use_case=job.use_case,
        lane=job.lane,
        turns=tuple(_turn(job, turn) for turn in turns),
        reply=reply,
        parameters=parameters,
        as_messages=as_messages is True,
        trace_parent=trace_parent if isinstance(trace_parent, str) else "",
    )


def _payload(job: Job) -> dict[str, object]:
    try:
        payload = json.loads(job.payload)
    except (ValueError, RecursionError) as error:
        raise UnreadableJobError(f"job {job.key}: its payload is no JSON") from error
    if not isinstance(payload, dict):
        raise UnreadableJobError(f"job {job.key}: its payload is no object")
    if payload.get("version") not in {VERSION, CONFIRMATION_VERSION}:
        version = str(payload.get("version"))[:20]
        raise UnreadableJobError(
            f"job {job.key}: written by version {version}, this one reads up to"
            f" {CONFIRMATION_VERSION}"
        )
    return payload


def _turn(job: Job, turn: object) -> Turn:
    match turn:
        case [str(role), str(content)] if role in ROLES:
            return Turn(role=role, content=content)
    roles = ", ".join(sorted(ROLES))
    raise UnreadableJobError(f"job {job.key}: a turn must be a role ({roles}) and a text")


@dataclass(frozen=True, slots=True, kw_only=True)
class PairToConfirm:
    """A pair that was flagged at first. source, target: the groups of the variant that was asked.

    differences: what was flagged. case: what is put before people if a difference persists; slips:
    if none does.
    """

    attribute: str
    source: str
    target: str
    differences: tuple[FlaggedDifference, ...]
    case: Case
    slips: tuple[Case, ...] = ()


def confirmation_job(job: Job, pairs: Sequence[PairToConfirm]) -> Job:
    """The job that confirms pairs of the call that `job` is about. Its key: once for each call."""
    payload = _payload(job) | {
        "version": CONFIRMATION_VERSION,
        "pairs": [asdict(pair) for pair in pairs],
    }
    text = json.dumps(payload, sort_keys=True, allow_nan=False)
    return replace(job, key=f"confirm:{job.call_id}", payload=text)


def pairs_to_confirm(job: Job) -> tuple[PairToConfirm, ...]:
    """The pairs that a job confirms; none where it asks about a call. Raises UnreadableJobError."""
    payload = _payload(job)
    if payload["version"] != CONFIRMATION_VERSION:
        return ()
    try:
        return tuple(_pair(**pair) for pair in _objects(payload["pairs"]))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UnreadableJobError(f"job {job.key}: its pairs cannot be read: {error!r}") from error


def _pair(
    differences: object, case: Mapping[str, Any], slips: object, **groups: str
) -> PairToConfirm:
    return PairToConfirm(
        differences=tuple(FlaggedDifference(**one) for one in _objects(differences)),
        case=_case(case),
        slips=tuple(map(_case, _objects(slips))),
        **groups,
    )


def _case(fields: Mapping[str, Any]) -> Case:
    lists = {name: tuple(fields[name]) for name in ("reasons", "groups")}
    return Case(**{**fields, **lists, "kind": CaseKind(fields["kind"])})


def _objects(value: object) -> list[dict[str, Any]]:
    if not (isinstance(value, list) and all(isinstance(one, dict) for one in value)):
        raise TypeError("a list of objects is wanted")
    return value
