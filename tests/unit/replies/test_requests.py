"""What a request asks, in the shapes that servers take it in."""

from __future__ import annotations

from typing import Any

import pytest

from guard.replies.requests import (
    chat_messages,
    prompt_text,
    response_messages,
    user_text,
)

HI = {"role": "user", "content": "Hi"}


@pytest.mark.parametrize("asked", ["Hi", HI, [HI]])
def test_a_conversation_may_be_one_text_or_one_message(asked: Any) -> None:
    chat, response = {"messages": asked}, {"input": asked}
    assert chat_messages(chat) == response_messages(response) == [HI]
    assert user_text(chat, chat_messages(chat)) == "Hi"


def test_messages_may_be_in_an_object() -> None:
    assert chat_messages({"messages": {"0": HI, "1": HI}}) == [HI, HI]


@pytest.mark.parametrize("asked", [None, 3, True])
def test_what_is_no_conversation_has_no_messages(asked: Any) -> None:
    assert chat_messages({"messages": asked}) == response_messages({"input": asked}) == []


def test_instructions_come_first() -> None:
    asked = {"instructions": "Be kind.", "input": "Hi"}
    assert response_messages(asked) == [{"role": "system", "content": "Be kind."}, HI]


@pytest.mark.parametrize(
    ("prompt", "texts"),
    [
        ("Hi", "Hi"),
        (["Hi", ["Ho"]], "Hi\nHo"),
        ({"x": "Hi", "y": ["Ho"]}, "Hi\nHo"),
        ([1, 2, 3], ""),
        (None, ""),
    ],
)
def test_the_prompt_of_a_completion_is_read_in_any_shape(prompt: Any, texts: str) -> None:
    assert prompt_text({"prompt": prompt, "suffix": "End"}) == (f"{texts}\nEnd" if texts else "End")
