"""What is said in a chat message, wherever it stands."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk

from guard.wrap.langchain.contents import calls_tools, is_only_text, passages

ARGUMENTS = '{"to": "Ann", "body": "so \\u006cong", "n": 3, "body": "twice"}'


def said(message: AIMessage) -> list[tuple[str, str]]:
    return [(one.channel.value, one.text) for one in passages(message)]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("hello", [("text", "hello")]),
        ("", []),
        (["a", {"type": "text", "text": "b"}], [("text", "a"), ("text", "b")]),
        ([{"type": "text", "text": "ha"}, {"type": "text", "text": "ha"}], [("text", "ha")] * 2),
        ([{"type": "text", "text": "a", "citations": [{"x": 1}]}],
         [("text", "a"), ("unread", "citations")]),
        ([{"type": "reasoning", "reasoning": "hm"}], [("reasoning", "hm")]),
        ([{"type": "thinking", "thinking": "hm", "signature": "x"}], [("reasoning", "hm")]),
        ([{"type": "reasoning", "summary": [{"type": "summary_text", "text": "a"}],
           "encrypted_content": "zz"}], [("reasoning", "a")]),
        ([{"type": "reasoning_content", "reasoning_content": {"text": "a", "signature": "s"}}],
         [("reasoning", "a")]),
        ([{"type": "image", "base64": "aaaa"}], [("unread", "image")]),
        ([{"type": "image_url", "image_url": {"url": "data:..."}}], [("unread", "image")]),
        ([{"type": "tool_use", "id": "1", "name": "send", "input": {"name": "Ann"}}],
         [("tool_calls", "name\nAnn")]),
        ([{"type": "server_tool_use", "name": "web", "input": {"q": "x"}}],
         [("tool_calls", "q\nx")]),
        ([{"type": "refusal", "refusal": "no"}], [("other", "no")]),
        ([{"type": "non_standard", "value": {"deep": ["a", {"text": "b"}]}}],
         [("other", "a"), ("other", "b")]),
        ([{"text": "no type"}], [("other", "no type")]),
        ([{"type": "text", "text": "a", "index": 0, "id": "m-1", "aside": "b c"}],
         [("text", "a"), ("other", "b c")]),
        ([{"type": "odd", "data": "words in it", "url": "https://x", "name": {"a": "b c"}}],
         [("other", "words in it"), ("other", "b c")]),
        ([{"type": "odd", "data": "AAAA\nBBB=\n", "id": "m-1"}], []),
        ([{"type": "tool_use", "id": "1", "name": "say it", "aside": "too", "input": {"a": "b"}}],
         [("tool_calls", "say it\na\nb")]),
    ],
)  # fmt: skip
def test_every_block_is_read(content: Any, expected: list[tuple[str, str]]) -> None:
    assert said(AIMessage(content=content)) == expected
    assert said(AIMessageChunk(content=content)) == expected


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ({"reasoning_content": "hm"}, [("reasoning", "hm")]),
        ({"refusal": "no"}, [("other", "no")]),
        ({"refusal": None}, []),
        ({"audio": {"id": "1", "data": "AAAA", "transcript": "hi"}},
         [("unread", "audio"), ("other", "hi")]),
        ({"function_call": {"name": "f", "arguments": '{"a": "b"}'}}, [("tool_calls", "a\nb")]),
        ({"parsed": {"a": "copy"}}, []),
        ({"__signatures__": {"1": "AAA="}}, []),
        ({"whatever": {"note": "x"}}, [("other", "x")]),
        ({"blob": "A" * 600}, [("unread", "data")]),
        ({"words": "漢" * 600}, [("other", "漢" * 600)]),
    ],
)  # fmt: skip
def test_what_stands_beside_the_content_is_read(extra: Any, expected: Any) -> None:
    assert said(AIMessage(content="", additional_kwargs=extra)) == expected


def test_arguments_are_read_as_the_tool_will_read_them_and_all_of_them() -> None:
    piece: Any = {"name": "send", "args": ARGUMENTS, "id": "1", "index": 0}
    chunk = AIMessageChunk(content="", tool_call_chunks=[piece])
    assert said(chunk) == [("tool_calls", "to\nAnn\nbody\nso long\nn\nbody\ntwice")]


def test_a_name_of_a_tool_that_says_something_is_read() -> None:
    call: Any = {"name": "tell them that", "args": {"a": "b"}, "id": "call-1"}
    assert said(AIMessage(content="", tool_calls=[call])) == [
        ("tool_calls", "tell them that\na\nb")
    ]
    piece: Any = {"name": "send", "args": "{}", "id": "an id of words", "index": 0}
    chunk = AIMessageChunk(content="", tool_call_chunks=[piece])
    assert said(chunk) == [("tool_calls", "an id of words")]


def test_a_call_that_is_kept_in_several_places_is_read_once() -> None:
    message = AIMessage(
        content=[{"type": "tool_use", "id": "1", "name": "send", "input": {"a": "b"}}],
        tool_calls=[{"name": "send", "args": {"a": "b"}, "id": "1"}],
        additional_kwargs={"tool_calls": [{"id": "1", "function": {"arguments": '{"a":"b"}'}}]},
    )
    assert said(message) == [("tool_calls", "a\nb")]


def test_arguments_that_are_no_json_are_read_as_they_are() -> None:
    bad: Any = {"name": "x", "args": "{oh no", "id": "1", "error": None}
    assert said(AIMessage(content="", invalid_tool_calls=[bad])) == [("tool_calls", "{oh no")]
    deep = '{"a":' * 5000 + '"x"' + "}" * 5000
    bad = {**bad, "args": deep}
    assert said(AIMessage(content="", invalid_tool_calls=[bad])) == [("tool_calls", deep)]


@pytest.mark.parametrize(
    ("message", "calls", "only"),
    [
        (AIMessage(content="a"), False, True),
        (AIMessage(content=""), False, True),
        (AIMessage(content=[{"type": "text", "text": "a"}]), False, True),
        (AIMessage(content=["a", "b"]), False, False),
        (AIMessage(content=[{"type": "thinking", "thinking": "a"}]), False, False),
        (AIMessage(content="a", additional_kwargs={"reasoning_content": "b"}), False, False),
        (AIMessage(content="a", tool_calls=[{"name": "f", "args": {"a": "b"}, "id": "1"}]),
         True, False),
        (AIMessage(content=[{"type": "tool_use", "name": "f", "input": {}}]), True, False),
        (AIMessage(content="", additional_kwargs={"function_call": {"name": "f"}}), True, True),
        (AIMessage(content=[{"type": "server_tool_use", "input": {"a": "b"}}]), False, False),
    ],
)  # fmt: skip
def test_what_may_be_cut_and_what_is_kept_together(
    message: AIMessage, calls: bool, only: bool
) -> None:
    assert calls_tools(message) is calls
    assert is_only_text(message) is only
