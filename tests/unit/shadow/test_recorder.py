"""What is kept of a call, and which calls become jobs."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from guard.fairness import key
from guard.fairness.catalogue import SHADOW_RESULTS, results_of
from guard.records import (
    Action,
    Assessment,
    Call,
    Case,
    Fired,
    Job,
    Lane,
    LaneKind,
    Outcome,
    Posting,
    Score,
    Turn,
    Unscored,
    Verdict,
)
from guard.shadow.recorder import CallRecorder, Sampling
from guard.testing import HEADS

CALL = Call(
    id="call-1",
    use_case="chat",
    prompt="Where is she?",
    turns=(Turn(role="user", content="Where is she?"),),
    lane=Lane(kind=LaneKind.LOCAL, name="chat"),
    parameters={"temperature": 0.5},
)
OUTCOME = Outcome(
    call=CALL,
    verdict=Verdict.RELEASED,
    text="At home.",
    reply="At home.",
    assessment=Assessment(scores={name: Score(value=0.1) for name in HEADS}),
)
FIRED = Fired(score="toxicity", action=Action.FLAG, threshold=0.5, value=0.9)


def kept(outcome: Outcome, share: float = 1.0) -> list[Job | Posting | Case]:
    records: list[Job | Posting | Case] = []
    recorder = CallRecorder(
        keep=lambda record: not records.append(record),  # type: ignore[func-returns-value]
        heads=HEADS,
        samplings={"chat": Sampling(share=share, key=b"key")},
        versions={"evenguard": "0"},
        reviewers=lambda _: 2,
        clock=lambda: 60.0,
        rule_scores=lambda _: ["toxicity", "stereotype"],
    )
    recorder.outcome(outcome)
    recorder.upstream_error("chat")
    return records


def test_a_case_keeps_what_may_be_kept_and_a_job_the_whole_prompt() -> None:
    records: list[Job | Posting | Case] = []
    recorder = CallRecorder(
        keep=lambda record: not records.append(record),  # type: ignore[func-returns-value]
        heads=HEADS,
        samplings={"chat": Sampling(share=1.0, key=b"key")},
        versions={},
        reviewers=lambda _: 1,
        clock=lambda: 60.0,
        kept_text=lambda text: "•" * len(text),
    )
    recorder.outcome(replace(OUTCOME, fired=(FIRED,)))
    [case] = [one for one in records if isinstance(one, Case)]
    [job] = [one for one in records if isinstance(one, Job)]
    body = json.loads(case.body)
    assert {*(body["prompt"] + body["reply"] + body["text"])} == {"•"}
    assert "Where is she?" in job.payload


def jobs(outcome: Outcome, share: float = 1.0) -> list[Job]:
    return [one for one in kept(outcome, share) if isinstance(one, Job)]


def reasons(outcome: Outcome) -> dict[tuple[str, str], float]:
    (posting,) = [one for one in kept(outcome) if isinstance(one, Posting)]
    return results_of(posting.evidence.get(SHADOW_RESULTS, {}))


def test_every_call_adds_its_sums() -> None:
    (posting,) = [one for one in kept(OUTCOME, share=0.0) if isinstance(one, Posting)]
    assert (posting.use_case, posting.at_seconds, posting.evidence) == ("chat", 60.0, {})
    assert posting.sums[key("toxic_fraction", "n")] == 1.0
    assert posting.sums[key("toxic_fraction", "hits")] == 0.0


def test_every_call_adds_what_rules_made_of_it() -> None:
    """A sentence met a rule while the whole reply scores low."""
    fired = replace(OUTCOME, fired=(FIRED,))
    (posting,) = [one for one in kept(fired, share=0.0) if isinstance(one, Posting)]
    assert posting.sums[key("toxic_fraction", "hits")] == 0.0
    assert posting.sums[key("policy_toxic_fraction", "hits")] == 1.0
    assert posting.sums[key("policy_stereotype_fraction", "hits")] == 0.0
    silent = replace(OUTCOME, assessment=Assessment(reason=Unscored.DEADLINE))
    (posting,) = [one for one in kept(silent, share=0.0) if isinstance(one, Posting)]
    assert posting.sums[key("policy_toxic_fraction", "unscored")] == 1.0


def test_a_sampled_call_becomes_a_job() -> None:
    (job,) = jobs(OUTCOME)
    assert (job.key, job.lane, job.use_case) == ("shadow:call-1", "local/chat", "chat")
    assert json.loads(job.payload)["reply"] == "At home."
    assert json.loads(job.payload)["parameters"] == {"temperature": 0.5}
    assert reasons(OUTCOME) == {}


def test_the_share_decides_by_the_id_alone() -> None:
    calls = [replace(OUTCOME, call=replace(CALL, id=str(number))) for number in range(2_000)]
    taken = [bool(jobs(call, 0.25)) for call in calls]
    assert taken == [bool(jobs(call, 0.25)) for call in calls]
    assert 400 < sum(taken) < 600


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (replace(CALL, never_shadowed="opted_out"), "opted_out"),
        (replace(CALL, lane=None), "nobody_to_ask"),
        (replace(CALL, turns=()), "not_text"),
        (replace(CALL, turns=(Turn(role="tool", content="3"),)), "not_text"),
    ],
)
def test_what_is_left_alone_is_counted(call: Call, why: str) -> None:
    outcome = replace(OUTCOME, call=call)
    assert jobs(outcome) == []
    assert reasons(outcome) == {("", why): 1.0}


def test_use_cases_that_are_not_shadowed_have_no_jobs() -> None:
    elsewhere = replace(OUTCOME, call=replace(CALL, use_case="other"))
    assert jobs(elsewhere) == []
    assert reasons(elsewhere) == {}


@pytest.mark.parametrize(
    "outcome",
    [
        replace(OUTCOME, assessment=Assessment(reason=Unscored.ABANDONED)),
        replace(OUTCOME, assessment=Assessment(reason=Unscored.NOT_TEXT)),
        replace(OUTCOME, partial=True),
        replace(OUTCOME, reply=""),
        replace(OUTCOME, attempts=2),
    ],
)
def test_a_reply_that_is_not_what_the_model_first_said_is_not_compared(outcome: Outcome) -> None:
    (job,) = jobs(outcome)
    assert json.loads(job.payload)["reply"] is None


def test_a_rule_that_fired_opens_a_case() -> None:
    (case,) = [one for one in kept(replace(OUTCOME, fired=(FIRED,))) if isinstance(one, Case)]
    assert (case.reasons, case.reviewers, case.opened_at) == (("toxicity",), 2, 60.0)
    assert case.call_id == "call-1"
