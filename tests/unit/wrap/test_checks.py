"""Texts that exist already are judged: replies, and what tools bring in."""

from __future__ import annotations

import pytest

from guard import SettingsError
from guard.records import Action, TextKind, Verdict
from guard.testing import Recorder
from tests.langchain_scripted import BAD, FALLBACK, policy, scripted_guard


@pytest.mark.parametrize("kind", [TextKind.REPLY, TextKind.TOOL_RESULT])
async def test_the_policy_is_the_same_for_what_is_said_and_brought_in(kind: TextKind) -> None:
    seen = Recorder()
    guard = scripted_guard(policy(Action.BLOCK, fallback=FALLBACK), seen)
    found = [
        guard.check(f"You {BAD}.", use_case="chat", kind=kind.value),
        await guard.check_async(f"You {BAD}.", use_case="chat", kind=kind.value),
    ]
    assert [one.text for one in found] == [FALLBACK, FALLBACK]
    assert {one.verdict for one in found} == {Verdict.BLOCKED}
    assert {one.call.kind for one in seen.outcomes} == {kind}


def test_a_text_is_a_reply_where_nothing_else_is_said() -> None:
    outcome = scripted_guard(policy(Action.BLOCK)).check("Fine.", use_case="chat")
    assert (outcome.call.kind, outcome.text) == (TextKind.REPLY, "Fine.")


def test_another_kind_is_an_error_that_names_those_there_are() -> None:
    guard = scripted_guard(policy(Action.BLOCK))
    with pytest.raises(SettingsError, match="reply, tool_result, prompt, not 'tool'"):
        guard.check("Fine.", use_case="chat", kind="tool")
