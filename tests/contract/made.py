"""Jobs, sums and cases with everything filled in."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from guard.ports import Inbox
from guard.records import Case, CaseKind, Job, Lease, Posting, Vote
from tests.contract.clock import START

LANES = ("http", "python")
BUCKET = 16_666_666
"""The bucket of START at 60 seconds."""
NEARBY = range(BUCKET - 1000, BUCKET + 1000)


def job(key: str = "j1", **changes: Any) -> Job:
    made = Job(
        key=key,
        lane="http",
        use_case="support-chat",
        call_id=f"call-of-{key}",
        payload='{"prompt": "Where is she? \\ud83d\\ude00"}',
        offered_at=START,
    )
    return replace(made, **changes)


def case(case_id: str = "c1", **changes: Any) -> Case:
    made = Case(
        id=case_id,
        kind=CaseKind.PAIR,
        use_case="support-chat",
        call_id=f"call-of-{case_id}",
        reasons=("refusal", "toxicity"),
        opened_at=START,
        body='{"left": "He is \\ud83d\\ude00", "right": "She is"}',
        attribute="gender",
        groups=("female", "male"),
        reviewers=1,
    )
    return replace(made, **changes)


def posting(at_seconds: float = START, use_case: str = "support-chat", **sums: float) -> Posting:
    return Posting(use_case=use_case, at_seconds=at_seconds, sums=sums or {"n": 1.0})


def vote(case_id: str = "c1", reviewer: str = "ann", **changes: Any) -> Vote:
    made = Vote(
        case_id=case_id,
        reviewer=reviewer,
        verdict="biased",
        at_seconds=START,
        reason="stereotype",
        note="a secretary, of course",
        seconds_taken=12.5,
    )
    return replace(made, **changes)


def leased(
    store: Inbox,
    limit: int = 1,
    *,
    seconds: float = 60.0,
    worker: str = "w1",
    lanes: Collection[str] = LANES,
) -> list[Lease]:
    return list(store.lease(lanes, worker=worker, limit=limit, seconds=seconds))


def keys(leases: Collection[Lease]) -> list[str]:
    return [lease.job.key for lease in leases]
