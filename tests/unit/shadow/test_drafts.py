"""What is kept of a call while more may come, and what once it has ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from guard.records import (
    Action,
    Assessment,
    Call,
    CandidateDecision,
    Case,
    Draft,
    Fired,
    Job,
    Outcome,
    Posting,
    Score,
    Stream,
    Verdict,
    marks_of,
)
from guard.shadow.drafts import DraftRecorder
from guard.shadow.examples import DailyExamples
from guard.shadow.recorder import CallRecorder
from guard.testing import HEADS

Records = Sequence[Job | Posting | Case]
STREAM = ("chat", "call-at-the-proxy")
FIRED = Fired(score="toxicity", action=Action.FLAG, threshold=0.5, value=0.9)


def ended(call_id: str) -> Outcome:
    """A reply in which a rule has fired, and which a candidate policy treats otherwise."""
    return Outcome(
        call=Call(id=call_id, use_case="chat"),
        verdict=Verdict.FLAGGED,
        text="You idiot.",
        reply="You idiot.",
        assessment=Assessment(scores={name: Score(value=0.9) for name in HEADS}),
        fired=(FIRED,),
        candidate=CandidateDecision(present=Action.FLAG, action=Action.BLOCK, fired=(FIRED,)),
    )


@dataclass
class Kept:
    """A spool. is_full: it takes no drafts."""

    records: list[Job | Posting | Case] = field(default_factory=list)
    drafts: dict[str, Draft] = field(default_factory=dict)
    finished: dict[str, Records] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    is_full: bool = False
    clock_fails: bool = False

    def put_draft(self, draft: Draft) -> bool:
        if not self.is_full:
            self.drafts[draft.id] = draft
        return not self.is_full

    def finish(self, draft_id: str, records: Records) -> bool:
        self.finished[draft_id] = records
        return True

    def replace_left(self, stream: Stream, texts: Sequence[str]) -> str:
        return "before" if (stream, texts) == (STREAM, ["Good"]) else ""

    def keep(self, record: Job | Posting | Case) -> bool:
        self.records.append(record)
        return True

    def clock(self) -> float:
        if self.clock_fails:
            raise ZeroDivisionError
        return 60.0


@pytest.fixture
def kept() -> Kept:
    return Kept()


@pytest.fixture
def recorder(kept: Kept) -> DraftRecorder:
    of_calls = CallRecorder(
        keep=kept.keep,
        heads=HEADS,
        samplings={},
        versions={},
        reviewers=lambda _: 1,
        clock=kept.clock,
        candidate_epoch=lambda _: "epoch",
        examples=DailyExamples(most=1),
    )
    return DraftRecorder(of_calls, kept, kept.failures.append)


def kinds(records: Records) -> list[str]:
    return [type(one).__name__ for one in records]


def test_a_call_without_a_draft_is_recorded_at_once(kept: Kept, recorder: DraftRecorder) -> None:
    recorder.outcome(ended("1"))
    recorder.upstream_error("chat")
    assert kinds(kept.records) == ["Posting", "Case", "Case"]
    assert (kept.drafts, kept.finished) == ({}, {})


def test_what_was_drafted_is_finished_and_not_recorded_beside(
    kept: Kept, recorder: DraftRecorder
) -> None:
    recorder.draft(ended("1"), STREAM, ["Good"])
    draft = kept.drafts["1"]
    assert (draft.stream, draft.marks, draft.replaces) == (STREAM, marks_of(["Good"]), "")
    assert kinds(draft.records) == ["Posting", "Case"]
    recorder.outcome(ended("1"))
    assert kinds(kept.finished["1"]) == ["Posting", "Case", "Case"]
    assert kept.records == []


def test_drafts_use_up_no_example_of_the_day(kept: Kept, recorder: DraftRecorder) -> None:
    for number in range(3):
        recorder.draft(ended(str(number)), STREAM, ["Good"])
    recorder.outcome(ended("2"))
    assert len(kept.finished["2"]) == 3


def test_one_draft_stands_for_another(kept: Kept, recorder: DraftRecorder) -> None:
    recorder.draft(ended("1"), STREAM, ["Good"])
    recorder.draft(ended("2"), STREAM, ["Good morning"], replaces="1")
    assert kept.drafts["2"].replaces == "1"
    assert kept.finished == {}


def test_a_draft_that_is_dropped_leaves_nothing(kept: Kept, recorder: DraftRecorder) -> None:
    recorder.draft(ended("1"), STREAM, ["Good"])
    recorder.drop("1")
    assert kept.finished == {"1": ()}


@pytest.mark.parametrize("trouble", ["is_full", "clock_fails"])
def test_a_draft_that_cannot_be_kept_is_recorded_in_the_end_all_the_same(
    kept: Kept, recorder: DraftRecorder, trouble: str
) -> None:
    recorder.draft(ended("1"), STREAM, ["Good"])
    setattr(kept, trouble, True)
    recorder.draft(ended("2"), STREAM, ["Good morning"], replaces="1")
    assert kept.finished == {"1": ()}
    assert kept.failures == (["DraftRecorder"] if trouble == "clock_fails" else [])
    setattr(kept, trouble, False)
    recorder.outcome(ended("2"))
    assert len(kept.records) == 3


def test_calls_of_dead_processes_are_asked_for(recorder: DraftRecorder) -> None:
    assert recorder.left(STREAM, ["Good"]) == "before"
    assert recorder.left(STREAM, ["Hello"]) == ""
