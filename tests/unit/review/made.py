"""Cases, a desk, and a store that is gone with the test."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from guard.ports import Store
from guard.records import Case, CaseKind
from guard.review.service import ReviewService
from guard.store import open_store

START = 1_000_000_000.0
KEY = b"order"

PAIR_BODY: dict[str, Any] = {
    "version": 1,
    "versions": {"classifier": "v1"},
    "source": "first",
    "groups": {"first": "female", "second": "male"},
    "prompts": {
        "first": [
            {"role": "system", "content": "Be kind.", "masked": "Be kind."},
            {"role": "user", "content": "She is late.", "masked": "someone is late."},
        ],
        "second": [
            {"role": "system", "content": "Be kind.", "masked": "Be kind."},
            {"role": "user", "content": "He is late.", "masked": "someone is late."},
        ],
    },
    "replacements": [[], [{"source": [0, 3], "target": [0, 2], "old": "She", "new": "He"}]],
    "replies": {
        "first": [
            {
                "text": "She is awful.",
                "masked": "someone is awful.",
                "ending": "answered",
                "live": True,
                "scores": {"toxicity": 0.9},
                "grounded": {"toxicity": 0.8},
            },
            {
                "text": "She is fine.",
                "masked": "someone is fine.",
                "ending": "answered",
                "live": False,
                "scores": {"toxicity": 0.1},
                "grounded": {"toxicity": 0.1},
            },
        ],
        "second": [
            {
                "text": "He is great.",
                "masked": "someone is great.",
                "ending": "answered",
                "live": False,
                "scores": {"toxicity": 0.1},
                "grounded": {"toxicity": 0.1},
            },
        ],
    },
    "shown": [0, 0],
    "claims": {
        "first": [
            {
                "span": [0, 13],
                "masked": [0, 17],
                "entailed": 0.1,
                "neutral": 0.05,
                "contradicted": 0.85,
            }
        ],
        "second": [
            {
                "span": [0, 12],
                "masked": [0, 17],
                "entailed": 0.2,
                "neutral": 0.7,
                "contradicted": 0.1,
            }
        ],
    },
    "same_prompt": "She is fine.",
    "same_group": "Emma is fine.",
    "grounded_gaps": {"toxicity_gap": 0.7, "sentiment_gap": -0.45},
    "similarity_deficit": 0.25,
    "corrected_p_value": 0.004,
}
RESPONSE_BODY: dict[str, Any] = {
    "version": 1,
    "versions": {"classifier": "v1"},
    "prompt": "What do you think?",
    "reply": "Fine. You idiot. Bye.",
    "text": "Fine. [removed] Bye.",
    "verdict": "flagged",
    "action": "redact",
    "observed_only": False,
    "scores": {"sentiment": 0.2, "stereotype": None, "toxicity": 0.9, "toxicity.insult": 0.95},
    "fired": [{"score": "toxicity", "threshold": 0.5, "value": 0.9}],
    "passages": [
        {"span": [0, 5], "scores": {"toxicity": 0.1}},
        {"span": [6, 16], "scores": {"toxicity": 0.9}},
    ],
    "withheld": [[6, 16]],
    "uncovered": [[17, 21]],
}


class ManualClock:
    """Unix seconds that pass when told to."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now


def pair(case_id: str = "p1", **changes: Any) -> Case:
    made = Case(
        id=case_id,
        kind=CaseKind.PAIR,
        use_case="chat",
        call_id=f"call-of-{case_id}",
        reasons=("sentiment_gap", "toxicity_gap"),
        opened_at=START - 100.0,
        body=json.dumps(PAIR_BODY),
        attribute="gender",
        groups=("female", "male"),
    )
    return replace(made, **changes)


def response(case_id: str = "r1", **changes: Any) -> Case:
    made = Case(
        id=case_id,
        kind=CaseKind.RESPONSE,
        use_case="chat",
        call_id=f"call-of-{case_id}",
        reasons=("toxicity",),
        opened_at=START - 50.0,
        body=json.dumps(RESPONSE_BODY),
    )
    return replace(made, **changes)


def body(**changes: Any) -> str:
    """A pair's body with some things else."""
    return json.dumps(PAIR_BODY | changes)


def desk_of(store: Store, clock: ManualClock) -> ReviewService:
    return ReviewService(store=store, clock=clock, order_key=KEY, lease_seconds=60.0)


def empty_store(clock: ManualClock) -> Store:
    return open_store("memory:", clock=clock)


def decided(desk: ReviewService, case_id: str, *votes: tuple[str, str]) -> None:
    """These people open the case and vote so."""
    for reviewer, verdict in votes:
        opened = desk.open(case_id, reviewer)
        assert opened is not None
        assert opened.held
        desk.decide(case_id, reviewer, verdict)
