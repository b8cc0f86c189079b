"""What was asked, read from whatever arguments a function takes."""

from __future__ import annotations

import pytest

from guard.records import Turn
from guard.wrap.callables import Question, question

KIND, HI = {"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi"}
USER_HELLO = (Turn(role="user", content="hello"),)


@pytest.mark.parametrize(
    ("args", "kwargs", "prompt"),
    [
        (("hello",), {}, "hello"),
        ((3, "hello"), {}, "hello"),
        ((), {"model": None, "prompt": "hello"}, "hello"),
        (([KIND, {"content": "Hi"}],), {}, "Be kind.\nHi"),
        (([{"role": "user", "content": [{"type": "image"}]}], "text"), {}, "text"),
        ((object(), 3), {}, ""),
    ],
)
def test_the_first_text_or_list_of_messages(
    args: tuple[object, ...], kwargs: dict[str, object], prompt: str
) -> None:
    assert question(args, kwargs).prompt == prompt


def test_a_text_is_one_turn() -> None:
    assert question(("hello",), {}) == Question(prompt="hello", turns=USER_HELLO, user_text="hello")


def test_messages_are_turns() -> None:
    found = question(([KIND, HI],), {})
    assert found.turns == (
        Turn(role="system", content="Be kind."),
        Turn(role="user", content="Hi"),
    )
    assert found.listed


@pytest.mark.parametrize(
    "more",
    [
        {"role": "user", "content": [{"type": "image_url"}]},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "tool", "content": "3", "tool_call_id": "x"},
        "no message",
    ],
)
def test_a_conversation_that_is_not_all_text_has_no_turns(more: object) -> None:
    assert question(([HI, more],), {}).turns == ()


def test_a_reader_of_ones_own() -> None:
    asked = question((1, "hello"), {}, lambda _, text: text)
    assert asked == Question(prompt="hello", turns=USER_HELLO, user_text="hello")


def test_a_reader_that_fails_costs_nobody_a_call() -> None:
    def fails(*args: object) -> str:
        raise KeyError(args)

    assert question(("hello",), {}, fails) == Question()
