"""What is kept of a call, and which calls become jobs."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from guard.fairness import key
from guard.fairness.catalogue import SHADOW_RESULTS, results_of
from guard.fairness.tally import merged
from guard.records import (
    Action,
    Assessment,
    Call,
    CandidateDecision,
    Case,
    CaseState,
    Fired,
    Job,
    Lane,
    LaneKind,
    Outcome,
    Posting,
    Score,
    TextKind,
    Turn,
    Unscored,
    Verdict,
    decode_response,
)
from guard.shadow.daily_cases import DAY
from guard.shadow.daily_texts import SHORT_REPLY_CHARACTERS, DailyTexts
from guard.shadow.examples import EXAMPLES_PER_DAY
from guard.shadow.recorder import CallRecorder, Sampling
from guard.shadow.response_body import PROMPT_CHARACTERS, REPLY_CHARACTERS
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


def test_a_flood_of_cases_keeps_short_texts_that_day() -> None:
    records: list[Job | Posting | Case] = []
    now = [60.0]
    recorder = CallRecorder(
        keep=lambda record: not records.append(record),  # type: ignore[func-returns-value]
        heads=HEADS,
        samplings={},
        versions={},
        reviewers=lambda _: 1,
        clock=lambda: now[0],
        texts=DailyTexts(3 * REPLY_CHARACTERS),
    )
    reply = "y" * REPLY_CHARACTERS
    calls = [replace(CALL, id=str(number), prompt="x" * 9_000) for number in range(4)]
    for call in (*calls, replace(CALL, id="b", use_case="other")):
        recorder.outcome(replace(OUTCOME, call=call, reply=reply, fired=(FIRED,)))
    now[0] += DAY
    recorder.outcome(replace(OUTCOME, call=replace(CALL, id="c"), reply=reply, fired=(FIRED,)))
    bodies = [json.loads(one.body) for one in records if isinstance(one, Case)]
    whole, short = REPLY_CHARACTERS, SHORT_REPLY_CHARACTERS
    assert [len(one["reply"]) for one in bodies] == [whole, whole, short, short, whole, whole]
    assert [len(one["prompt"]) < 1_100 for one in bodies[:4]] == [False, False, True, True]


def test_a_case_keeps_a_bounded_part_of_long_texts_and_looks_at_no_more() -> None:
    seen: list[int] = []
    records: list[Job | Posting | Case] = []
    recorder = CallRecorder(
        keep=lambda record: not records.append(record),  # type: ignore[func-returns-value]
        heads=HEADS,
        samplings={},
        versions={},
        reviewers=lambda _: 1,
        clock=lambda: 60.0,
        kept_text=lambda text: seen.append(len(text)) or text,  # type: ignore[func-returns-value]
    )
    call = replace(CALL, prompt="first " + "x" * 9_800_000 + " last")
    reply = "idiot " + "y" * 4_000_000
    recorder.outcome(replace(OUTCOME, call=call, text=reply, reply=reply, fired=(FIRED,)))
    [case] = [one for one in records if isinstance(one, Case)]
    body = json.loads(case.body)
    assert max(seen) <= REPLY_CHARACTERS
    assert len(case.body) < 2 * REPLY_CHARACTERS + 2 * PROMPT_CHARACTERS
    assert (body["reply"], body["text"]) == (reply[:REPLY_CHARACTERS],) * 2
    assert body["prompt"].startswith("first x")
    assert body["prompt"].endswith("x last")
    assert f"{len(call.prompt) - PROMPT_CHARACTERS:,} characters are left out" in body["prompt"]


LAXER = replace(
    OUTCOME,
    fired=(FIRED,),
    candidate=CandidateDecision(present=Action.FLAG, action=Action.RELEASE),
)
STRICTER = replace(
    OUTCOME, candidate=CandidateDecision(action=Action.BLOCK, fired=(replace(FIRED, value=0.95),))
)
SAME = replace(OUTCOME, candidate=CandidateDecision())


def compared(*outcomes: Outcome) -> tuple[list[Case], dict[str, float]]:
    """The examples of these calls, and how often the candidate decided how."""
    records: list[Job | Posting | Case] = []
    recorder = CallRecorder(
        keep=lambda record: not records.append(record),  # type: ignore[func-returns-value]
        heads=HEADS,
        samplings={},
        versions={},
        reviewers=lambda _: 1,
        clock=lambda: 60.0,
        kept_text=lambda text: text.upper(),
        candidate_epoch=lambda _: "candidate/1",
    )
    for number, one in enumerate(outcomes):
        recorder.outcome(replace(one, call=replace(one.call, id=str(number))))
    postings = [one for one in records if isinstance(one, Posting)]
    cases = [one for one in records if isinstance(one, Case)]
    sums = merged(one.evidence.get("candidate/1", {}) for one in postings)
    return [one for one in cases if one.first_state is CaseState.EXAMPLE], sums


def test_a_candidate_is_counted_and_what_it_treats_otherwise_is_kept_as_an_example() -> None:
    examples, sums = compared(LAXER, STRICTER, SAME, SAME, OUTCOME)
    assert sums == {"flag_to_release": 1, "release_to_block": 1, "release_to_release": 2}
    laxer, stricter = (decode_response(one.body) for one in examples)
    assert laxer is not None
    assert stricter is not None
    assert (laxer.action, laxer.candidate, laxer.reply) == ("flag", "release", "AT HOME.")
    assert (stricter.action, stricter.candidate) == ("release", "block")
    assert stricter.fired[0].value == 0.95
    assert examples[0].reasons == ("candidate/1", "flag_to_release")


def test_no_example_is_kept_of_a_client_that_opted_out() -> None:
    private = replace(STRICTER, call=replace(CALL, never_shadowed="opted_out"))
    examples, sums = compared(private)
    assert (examples, sums) == ([], {"release_to_block": 1})


def test_so_many_examples_of_a_change_are_kept_in_a_day() -> None:
    examples, sums = compared(*([STRICTER] * 30), LAXER)
    assert len(examples) == EXAMPLES_PER_DAY + 1
    assert sums["release_to_block"] == 30


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
        (replace(CALL, turns=(Turn(role="user", content="x" * 9_800_000),)), "too_long"),
        (replace(CALL, parameters={"response_format": {"note": ["x" * 9_800_000]}}), "too_long"),
        (replace(CALL, parameters={"tools": [{"x" * 300_000: 1}]}), "too_long"),
        (replace(CALL, parameters={"stop": [10**399] * 600}), "too_long"),
        (replace(CALL, parameters={"stop": [0.1234567890123456] * 9_000}), "too_long"),
        (replace(CALL, parameters={"logit_bias": dict.fromkeys("abc", [0] * 70_000)}), "too_long"),
    ],
)
def test_what_is_left_alone_is_counted(call: Call, why: str) -> None:
    outcome = replace(OUTCOME, call=call)
    assert jobs(outcome) == []
    assert reasons(outcome) == {("", why): 1.0}


def test_parameters_of_a_usual_size_go_along() -> None:
    tools = [{"name": f"t{number}", "strict": True, "top": 0.5} for number in range(200)]
    assert jobs(replace(OUTCOME, call=replace(CALL, parameters={"tools": tools})))
    bias = {50256: -100, 198: 1}
    assert jobs(replace(OUTCOME, call=replace(CALL, parameters={"logit_bias": bias})))


def test_nothing_is_kept_of_a_text_that_is_no_reply() -> None:
    said = replace(OUTCOME, fired=(FIRED,), verdict=Verdict.FLAGGED)
    assert kept(said)
    assert kept(replace(said, call=replace(CALL, kind=TextKind.TOOL_RESULT))) == []


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
