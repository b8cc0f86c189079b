"""What the user said last, among the messages of a conversation."""

from __future__ import annotations

from typing import Any

import pytest

from guard.text import said_by_user

FIRST = {"role": "user", "content": "First."}
REPLY = {"role": "assistant", "content": "Reply."}
PARTS = {"role": "user", "content": [{"type": "text", "text": "Look."}, {"type": "image_url"}]}


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([{"role": "system", "content": "Be kind."}, FIRST], "First."),
        ([FIRST, REPLY, {"role": "user", "content": "Second."}], "Second."),
        ([FIRST, REPLY], "First."),
        ([FIRST, REPLY, {"role": "user", "content": "Second."}, REPLY], "Second."),
        ([{**FIRST, "type": "any_call"}], "First."),
        ([{"role": ["user"], "content": "Hi."}], "Hi."),
        ([{"role": "user", "content": {"parts": [{"text": "Hi there."}]}}], "Hi there."),
        ([{"role": "user", "parts": [{"text": "Hi there."}]}], "Hi there."),
        ([{"role": "user", "content": [{"type": "text", "txt": "Hi there."}]}], "Hi there."),
        ([[{"role": "user", "content": "Hi there."}]], "Hi there."),
        ([{"messages": [{"role": "user", "content": "Hi there."}]}], "Hi there."),
        ([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "u:v"}}]}], ""),
        ([{"role": "user", "content": [{"type": "tool_result", "output": "It is so."}]}], ""),
        ([{"role": "HumanMessageChunk", "content": "Hi."}], "Hi."),
        ([FIRST, PARTS], "First.\nLook."),
        ([FIRST, REPLY, {"role": "tool", "content": "Found."}], ""),
        ([FIRST, {"type": "function_call", "name": "f"}, {"type": "function_call_output"}], ""),
        ([{"role": "human", "content": "Hi."}], "Hi."),
        ([FIRST, REPLY, {"role": "customer", "content": "Hi."}], "Hi."),
        ([FIRST, {"role": "Chatbot", "content": "Hi."}, {"role": "user", "content": "Ho."}], "Ho."),
        ([{"role": "developer", "content": "Be kind."}, {"role": "System", "content": "Hi."}], ""),
        ([{"role": "user", "content": [{"type": "tool_text", "text": "Hi."}]}], "Hi."),
        ([{"role": "user", "content": [{"type": "input_text", "text": "Hi."}]}], "Hi."),
        ([{"role": "user", "content": [{"type": "refusal", "refusal": "Hi."}]}], "Hi."),
        ([{"role": "user", "content": [{"type": "thinking", "thinking": "Hi."}]}], "Hi."),
        ([{"role": "user", "content": [{"type": "text", "text": {"text": ["Hi."]}}]}], "Hi."),
        ([3, None], ""),
        ([{"role": "USER ", "content": "Hi."}, {"content": "Ho."}, "Ha."], "Hi.\nHo.\nHa."),
        ([{"type": "input_text", "text": "Hi."}], "Hi."),
        ([{"role": "user", "content": [[{"text": {"value": "Hi."}}]]}], "Hi."),
        ([{"role": "user", "content": [{"type": "tool_result", "content": "Found."}]}], ""),
        ([FIRST, {"type": "function_call_output", "output": "x", "content": "y"}], "First."),
        ([{"role": "user", "content": [*"idiot"]}], "i\nd\ni\no\nt\n\nidiot"),
        ([{"role": "user", "content": ["You i", {"text": "diot."}]}], "You i\ndiot.\n\nYou idiot."),
        ([{"role": "user", "content": [*"a b c d"]}], "\n".join("a b c d") + "\n\na b c d"),
    ],
)
def test_it_is_what_came_since_the_model_spoke(messages: list[Any], said: str) -> None:
    assert said_by_user(messages) == said
