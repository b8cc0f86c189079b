"""What the user sends is judged before the model is asked, and is no reply of the model."""

from __future__ import annotations

from dataclasses import replace

import pytest

from guard.flow import Flow, judge_text
from guard.flow.blocking import run_blocking
from guard.flow.prompts import Refusal
from guard.flow.waiting import wait_blocking
from guard.policy import Policy, PromptMode, Rule, prompt_policy
from guard.records import Action, Call, TextKind, Unscored, Verdict
from guard.testing import HeldScorer, Recorder, WordScorer

POLICY = Policy(
    rules=(
        Rule(score="toxicity", action=Action.FLAG, threshold=0.5),
        Rule(score="toxicity", action=Action.BLOCK, threshold=0.9),
    ),
    fallback="No reply.",
)
SCORER = WordScorer({"toxicity": {"nasty": 0.95, "odd": 0.6}})
CALL = Call(id="", use_case="chat", user_text="How nasty.")


def flow_of(mode: PromptMode, seen: Recorder, **options: object) -> Flow:
    policy = replace(POLICY, prompt=prompt_policy(POLICY, mode, "No."))
    given = {"scorer": SCORER, **options}
    return Flow(
        observer=seen, policy_of=lambda _: policy, clock=lambda: 0.0, new_id=lambda: "p", **given
    )


def refusal(mode: PromptMode, call: Call = CALL) -> tuple[Refusal | None, Recorder]:
    seen = Recorder()
    return run_blocking(flow_of(mode, seen).refuses(call, wait_blocking)), seen


def test_a_blocked_prompt_has_words_of_its_own_and_a_record_of_its_kind() -> None:
    found, seen = refusal(PromptMode.BLOCK)
    assert found is not None
    assert found.text == "No."
    [outcome] = seen.outcomes
    assert outcome == found.outcome
    assert (outcome.call.kind, outcome.verdict) == (TextKind.PROMPT, Verdict.BLOCKED)
    assert (outcome.reply, outcome.text) == ("How nasty.", "No.")


@pytest.mark.parametrize(
    ("mode", "text", "verdict"),
    [
        (PromptMode.BLOCK, "How odd.", Verdict.FLAGGED),
        (PromptMode.BLOCK, "How kind.", Verdict.RELEASED),
        (PromptMode.FLAG, "How nasty.", Verdict.FLAGGED),
        (PromptMode.OBSERVE, "How nasty.", Verdict.FLAGGED),
    ],
)
def test_what_passes_is_counted_all_the_same(mode: PromptMode, text: str, verdict: Verdict) -> None:
    found, seen = refusal(mode, replace(CALL, user_text=text))
    assert found is None
    assert [(one.call.kind, one.verdict) for one in seen.outcomes] == [(TextKind.PROMPT, verdict)]


@pytest.mark.parametrize(
    ("mode", "call"), [(PromptMode.OFF, CALL), (PromptMode.BLOCK, replace(CALL, user_text=" "))]
)
def test_nothing_is_judged_where_there_is_nothing_or_nobody_wants_it(
    mode: PromptMode, call: Call
) -> None:
    found, seen = refusal(mode, call)
    assert (found, seen.outcomes) == (None, [])


def test_nobody_waits_for_scores_that_block_nothing() -> None:
    seen, scorer = Recorder(), HeldScorer()
    flow = flow_of(PromptMode.FLAG, seen, scorer=scorer)
    assert run_blocking(flow.refuses(CALL, wait_blocking)) is None
    assert (seen.outcomes, len(scorer.waiting)) == ([], 1)


def test_a_check_of_a_prompt_goes_by_its_section() -> None:
    for mode, verdict in ((PromptMode.BLOCK, Verdict.BLOCKED), (PromptMode.OFF, Verdict.UNSCORED)):
        seen = Recorder()
        exchange = flow_of(mode, seen).begin_check("chat", TextKind.PROMPT)
        run_blocking(judge_text(exchange, "How nasty.", wait_blocking))
        [outcome] = seen.outcomes
        assert outcome.verdict is verdict
        assert (outcome.unscored is Unscored.OFF) == (mode is PromptMode.OFF)
