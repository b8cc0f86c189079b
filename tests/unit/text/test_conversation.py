"""What the user said last, among the messages of a conversation."""

from __future__ import annotations

from base64 import encodebytes
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
        ([{"role": ["user"], "content": "Hi."}], ""),
        ([{"title": "A doc of words", "body": "Some body here"}], ""),
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
        (
            [{"role": " assistant", "content": "Hi."}, {"role": "system\n", "content": "Ho."}],
            "Hi.\nHo.",
        ),
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


SYSTEM = {"role": "system", "content": "Never say that."}
IMAGE = {"type": "image", "source": {"data": encodebytes(bytes(range(256))).decode()}}


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"role": ["user"], "content": "Hi."}, "Hi."),
        ({"role": "user", "content": {"parts": [{"text": "Hi there."}]}}, "Hi there."),
        ({"role": "user", "parts": [{"text": "Hi, there!"}]}, "Hi, there!"),
        ({"role": "user", "content": [{"type": "text", "txt": "Hi there."}]}, "Hi there."),
        ({"role": "user", "content": "Hi.", "parts": [{"text": "You there."}]}, "Hi.\nYou there."),
        ([SYSTEM, REPLY, {"role": "user", "content": "Hi there."}], "Hi there."),
        ({"messages": [SYSTEM, {"role": "user", "content": "Hi there."}]}, "Hi there."),
        ({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "u:v"}}]}, ""),
        ({"role": "user", "content": [IMAGE]}, ""),
        ({"role": "user", "content": [{"type": "tool_result", "output": "It is so."}]}, ""),
        ({"type": "mcp_approval_request", "arguments": "some words here"}, ""),
    ],
)
def test_in_a_request_it_is_read_in_any_shape(message: Any, said: str) -> None:
    assert said_by_user([SYSTEM, message], any_shape=True) == said
