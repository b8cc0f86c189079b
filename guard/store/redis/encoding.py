"""Records as the scripts take them and as the server gives them back.

Numbers come back as text with all their bits; a list or a vote is kept as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from struct import pack
from typing import Any

from guard.records import (
    Audit,
    Case,
    CaseFilter,
    CaseKind,
    CaseRecord,
    CaseState,
    DeadLetter,
    Job,
    Posting,
    Vote,
)
from guard.store.common import StoreOptions, read_priority, read_reviewers, read_time

Fields = Mapping[str, Any]
TEXTS = ("id", "use_case", "call_id", "attribute", "body")
_TEXT, _TIME = (str,), (float, int, type(None))
STANDING: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("verdict", "holder", "decided_by", "note"), _TEXT),
    **dict.fromkeys(("closed_at", "held_until"), _TIME),
}
"""What of a case changes and nothing is looked up by, kept as one text with its votes."""
VOTED: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("case_id", "reviewer", "verdict", "reason", "note"), _TEXT),
    "at_seconds": (float, int),
    "seconds_taken": _TIME,
}


def read_job(key: str, values: Sequence[str]) -> Job:
    """values: in the order of `JOB` in parts/jobs.lua."""
    *texts, offered_at = values
    fields = dict(zip(("lane", "use_case", "call_id", "payload"), texts, strict=True))
    return Job(key=key, offered_at=float(offered_at), **fields)


def read_dead_letter(row: Sequence[Any]) -> DeadLetter:
    """row: of `buried`."""
    key, attempts, error, failed_at, values = row
    job = read_job(key, values)
    return DeadLetter(job=job, attempts=int(attempts), error=error, failed_at=float(failed_at))


def posting_fields(posting: Posting, options: StoreOptions) -> Fields:
    """For all that adds sums."""
    return {
        "use_case": posting.use_case,
        "bucket": str(options.bucket(posting.at_seconds)),
        "sums": dict(posting.sums),
        "evidence": {epoch: dict(sums) for epoch, sums in posting.evidence.items() if sums},
    }


def case_fields(case: Case) -> Fields:
    """For all that opens cases."""
    record = CaseRecord(case=case, state=case.first_state)
    fixed = {name: getattr(case, name) for name in TEXTS} | {
        "kind": case.kind,
        "reasons": _json(case.reasons),
        "groups": _json(case.groups),
        "opened_at": repr(case.opened_at),
        "reviewers": str(case.reviewers),
        "priority": repr(case.priority),
        "age": age(case.opened_at),
        "version": "0",
    }
    standing = {**standing_fields(record), "held_until": "0"}
    indexes = standing.pop("indexes")
    return {"fields": {**fixed, **standing}, "indexes": indexes}


def standing_fields(record: CaseRecord) -> dict[str, Any]:
    """What of a case changes, for `change`."""
    standing = {name: getattr(record, name) for name in STANDING}
    return {
        "state": record.state,
        "holder": record.holder,
        "held_until": record.held_until or 0.0,
        "voters": _json([vote.reviewer for vote in record.votes]),
        "indexes": indexes_of(record),
        "standing": _json(standing | {"votes": [asdict(vote) for vote in record.votes]}),
    }


def read_case_record(fields: Mapping[str, str]) -> CaseRecord:
    """fields: the whole hash of a case. Raises ValueError for what is none."""
    try:
        return _case_record(fields)
    except (AttributeError, LookupError, RecursionError, TypeError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from error


def _case_record(fields: Mapping[str, str]) -> CaseRecord:
    _check_kept(fields)
    case = Case(
        kind=CaseKind(fields["kind"]),
        reasons=_texts(fields["reasons"]),
        opened_at=read_time(fields["opened_at"]),
        groups=_texts(fields["groups"]),
        reviewers=read_reviewers(fields["reviewers"]),
        priority=read_priority(fields.get("priority")),  # cases of before 0.5 have none
        **{name: fields[name] for name in TEXTS},
    )
    standing = json.loads(fields["standing"])
    votes = tuple(Vote(**_checked(vote, VOTED)) for vote in standing.pop("votes"))
    state = CaseState(fields["state"])
    return CaseRecord(case=case, state=state, votes=votes, **_checked(standing, STANDING))


def _check_kept(fields: Mapping[str, str]) -> None:
    """What only scripts read."""
    int(fields["version"])
    int(fields["age"], 16)
    _texts(fields["indexes"])


def _texts(kept: str) -> tuple[str, ...]:
    match json.loads(kept):
        case list(texts) if all(isinstance(text, str) for text in texts):
            return tuple(texts)
        case _:
            raise ValueError(f"{kept!r:.80} is no list of texts")


def _checked(kept: Mapping[str, Any], kinds: Mapping[str, tuple[type, ...]]) -> Mapping[str, Any]:
    for name, value in kept.items():
        if not isinstance(value, kinds[name]):
            raise TypeError(f"{name} is {value!r:.80}")
    return kept


def read_audit(entry: Sequence[Any]) -> Audit:
    """entry: of the stream `audit`, as the server gives it to a script or a command."""
    number, flat = entry
    fields = dict(zip(flat[::2], flat[1::2], strict=True))
    at_seconds = float(fields.pop("at"))
    return Audit(number=int(number.partition("-")[0]), at_seconds=at_seconds, **fields)


def age(opened_at: float) -> str:
    """16 hexadecimal digits that stand in the order of the numbers."""
    bits = int.from_bytes(pack(">d", opened_at + 0.0))
    return format(bits ^ (0xFFFF_FFFF_FFFF_FFFF if bits >> 63 else 1 << 63), "016x")


def indexes_of(record: CaseRecord) -> list[str]:
    """The names of the indexes a case is in."""
    case = record.case
    names = [
        "all",
        f"state={record.state}",
        f"use_case={case.use_case}",
        f"state={record.state}/use_case={case.use_case}",
        f"kind={case.kind}",
        f"attribute={case.attribute}",
        *(f"reason={reason}" for reason in case.reasons),
    ]
    named = {"call": case.call_id, "holder": record.holder}
    if case.priority:
        names.append(queue_of(record.state))
    return names + [f"{name}={value}" for name, value in named.items() if value]


def queue_of(state: CaseState | None) -> str:
    """The name of the index of cases with a priority, the highest first."""
    return f"queue/state={state}"


def indexes_for(where: CaseFilter, holder: str | None) -> list[str]:
    """The names of indexes each of which holds all fitting cases."""
    wanted = {
        "state": where.state,
        "use_case": where.use_case,
        "kind": where.kind,
        "attribute": where.attribute,
        "reason": where.reason,
        "call": where.call_id or None,
        "holder": holder,
    }
    names = [f"{name}={value}" for name, value in wanted.items() if value is not None]
    if where.state is not None and where.use_case is not None:
        names.append(f"state={where.state}/use_case={where.use_case}")
    return ["all", *names]


def only_index_for(where: CaseFilter) -> str | None:
    """The name of an index that holds fitting cases and, but for their age, no others."""
    wanted = {
        name: value
        for name, value in filter_fields(where).items()
        if name not in {"opened_before", "opened_after"}
    }
    names = {"call_id": "call"}
    if len(wanted) > 2 or "not_voted_by" in wanted or wanted.get("call_id") == "":
        return None
    if len(wanted) == 2:
        both = wanted.keys() == {"state", "use_case"}
        return f"state={wanted['state']}/use_case={wanted['use_case']}" if both else None
    return next((f"{names.get(name, name)}={value}" for name, value in wanted.items()), "all")


def filter_fields(where: CaseFilter) -> Fields:
    """For `select`."""
    wanted = asdict(where)
    return {name: value for name, value in wanted.items() if value is not None}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
