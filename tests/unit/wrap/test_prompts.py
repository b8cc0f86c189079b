"""What was asked, read from whatever arguments a function takes."""

from __future__ import annotations

from collections import UserDict
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from guard.records import Turn, Unread
from guard.wrap.question import Question, parameter_names, question

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

    assert question(("hello",), {}, fails) == UNREAD


UNREAD = Question(unread=frozenset({Unread.NOT_TEXT}))


@dataclass
class Content:
    """A message as the client of Gemini has it."""

    role: str
    parts: list[Any]


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((["first", "second"],), {}),
        (((("system", "Be kind."), ("user", "first\nsecond")),), {}),
        (([AIMessage("Hello."), HumanMessage("first"), HumanMessage("second")],), {}),
        (([HumanMessage([{"type": "text", "text": "first"}, "second"])],), {}),
        ((), {"contents": [{"role": "user", "parts": [{"text": "first"}, {"text": "second"}]}]}),
        ((), {"contents": [Content("user", [SimpleNamespace(text="first"), "second"])]}),
        ((), {"prompt": ["first", "second"], "model": "small"}),
        (({"messages": [KIND, {"role": "user", "content": "first\nsecond"}]},), {}),
        (({"text": "first", "more": [{"role": "user", "deep": ("second",)}]},), {}),
        ((UserDict(text="first", more=["second"]),), {"model": "small"}),
    ],
)
def test_what_the_user_said_is_read_in_whatever_shape(
    args: tuple[object, ...], kwargs: dict[str, object]
) -> None:
    found = question(args, kwargs)
    assert {"first", "second"} <= set(found.user_text.split()) <= {"first", "second", "firstsecond"}
    assert found.prompt == ""
    assert not found.unread


@pytest.mark.parametrize("prompt", [None, 3, b"hello", ["hello"]])
def test_a_reader_that_gives_no_text_leaves_it_unread(prompt: Any) -> None:
    assert question(("hello",), {}, lambda _: prompt) == UNREAD


@pytest.mark.parametrize(
    "asked",
    [
        b"hello",
        object(),
        [{"role": "user", "content": [{"type": "image"}]}],
        [SimpleNamespace(role="user", content=7)],
    ],
)
def test_what_holds_no_text_is_unread(asked: object) -> None:
    assert question((asked,), {"temperature": 0.5}) == UNREAD


@pytest.mark.parametrize("asked", [None, 3, True, 0.5, "", [], {}])
def test_what_asks_nothing_is_not_unread(asked: object) -> None:
    found = question((asked,), {"stream": False})
    assert (found.prompt, found.user_text, found.unread) == ("", "", frozenset())


def test_a_message_that_cannot_be_looked_at_costs_nobody_a_call() -> None:
    class Broken:
        """Whose properties fail."""

        @property
        def content(self) -> str:
            raise RuntimeError

    assert question(([Broken()],), {}) == UNREAD


def by_position(model: str, messages: Any, /, prompt: str = "") -> None:
    """As functions of users are."""


@pytest.mark.parametrize(
    ("args", "prompt"),
    [
        (("gpt-4", [HI]), "Hi"),
        (("gpt-4", None, "hello"), "hello"),
        (("gpt-4", "hello"), "hello"),
    ],
)
def test_the_name_of_a_model_is_no_prompt_by_position_either(
    args: tuple[object, ...], prompt: str
) -> None:
    assert question(args, {}, names=parameter_names(by_position)).prompt == prompt


@pytest.mark.parametrize("names", [("session",), ("session", "messages"), ()])
def test_a_prompt_by_name_comes_before_texts_by_position(names: tuple[str, ...]) -> None:
    asked = question(("session-42",), {"user": "u7", "messages": [HI]}, names=names)
    assert (asked.prompt, asked.user_text) == ("Hi", "Hi")


def test_arguments_without_a_name_come_in_order() -> None:
    assert question(("first", "second"), {"text": "third"}, names=("question",)).prompt == "first"
    assert question((3, "second"), {"text": "third"}, names=("question",)).prompt == "second"


@pytest.mark.parametrize("fn", [dict, type("No", (), {"__signature__": 3})()])
def test_a_function_that_hides_its_parameters_has_none_by_name(fn: Any) -> None:
    assert parameter_names(fn) == ()


def test_what_is_nested_without_end_is_unread() -> None:
    nested: Any = "You nasty thing."
    for _ in range(5000):
        nested = {"input": nested}
    assert question([nested], {}).unread == {Unread.NOT_TEXT}
