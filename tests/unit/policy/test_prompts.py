"""The policy for prompts is that for replies, as far as a prompt can be treated so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from guard.policy import OnUnscored, Policy, PromptMode, Rule, SecondOpinion, prompt_policy
from guard.records import Action

RULES = (
    Rule(score="toxicity", action=Action.FLAG, threshold=0.5),
    Rule(score="toxicity", action=Action.REDACT, threshold=0.7),
    Rule(score="stereotype", action=Action.REGENERATE, threshold=0.8),
)
POLICY = Policy(
    rules=RULES, on_unscored=OnUnscored.WITHHOLD, second=SecondOpinion(rules=RULES[1:]), raises=True
)


@pytest.mark.parametrize(
    ("mode", "most", "enforced", "waits"),
    [
        (PromptMode.OBSERVE, Action.BLOCK, False, False),
        (PromptMode.FLAG, Action.FLAG, True, False),
        (PromptMode.BLOCK, Action.BLOCK, True, True),
    ],
)
def test_thresholds_stay_and_what_a_prompt_cannot_have_blocks(
    mode: PromptMode, most: Action, enforced: bool, waits: bool
) -> None:
    found = prompt_policy(POLICY, mode, "No.")
    assert found is not None
    assert found.rules == (RULES[0], *(replace(one, action=most) for one in RULES[1:]))
    assert found.second is not None
    assert found.second.rules == found.rules[1:]
    assert (found.enforce, found.may_withhold, found.fallback) == (enforced, waits, "No.")
    assert (found.raises, found.regenerations, found.prompt) == (False, 0, None)


def test_a_use_case_that_observes_blocks_no_prompt() -> None:
    found = prompt_policy(replace(POLICY, enforce=False), PromptMode.BLOCK, "No.")
    assert found is not None
    assert not found.may_withhold


@pytest.mark.parametrize(
    ("policy", "mode"), [(POLICY, PromptMode.OFF), (replace(POLICY, off=True), PromptMode.BLOCK)]
)
def test_off_is_off(policy: Policy, mode: PromptMode) -> None:
    assert prompt_policy(policy, mode, "No.") is None
