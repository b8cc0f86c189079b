"""A sampled call as a job: what is kept of it until it was asked again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from guard.records import Job, Turn

VERSION = 1
ROLES = frozenset(("system", "user", "assistant"))


class UnreadableJobError(ValueError):
    """The payload of a job is not what this version writes; the message says what is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShadowJob:
    """One call to be asked again about other groups.

    reply: what the caller got; None where that is no reply to compare (withheld, unread).
    parameters: of the live call, in the words of the API; JSON values.
    """

    call_id: str
    use_case: str
    lane: str
    turns: tuple[Turn, ...]
    reply: str | None
    parameters: Mapping[str, object] = field(default_factory=dict)


def job_of(shadow: ShadowJob, *, offered_at: float) -> Job:
    """The job for an inbox. Its key is the call's id: a call is shadowed once."""
    payload = {
        "version": VERSION,
        "turns": [[turn.role, turn.content] for turn in shadow.turns],
        "reply": shadow.reply,
        "parameters": dict(shadow.parameters),
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
    return ShadowJob(
        call_id=job.call_id,
        use_case=job.use_case,
        lane=job.lane,
        turns=tuple(_turn(job, turn) for turn in turns),
        reply=reply,
        parameters=parameters,
    )


def _payload(job: Job) -> dict[str, object]:
    try:
        payload = json.loads(job.payload)
    except (ValueError, RecursionError) as error:
        raise UnreadableJobError(f"job {job.key}: its payload is no JSON") from error
    if not isinstance(payload, dict):
        raise UnreadableJobError(f"job {job.key}: its payload is no object")
    if payload.get("version") != VERSION:
        version = str(payload.get("version"))[:20]
        raise UnreadableJobError(
            f"job {job.key}: written by version {version}, this one reads {VERSION}"
        )
    return payload


def _turn(job: Job, turn: object) -> Turn:
    match turn:
        case [str(role), str(content)] if role in ROLES:
            return Turn(role=role, content=content)
    roles = ", ".join(sorted(ROLES))
    raise UnreadableJobError(f"job {job.key}: a turn must be a role ({roles}) and a text")
