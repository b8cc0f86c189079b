"""What is said in a chat message, wherever it stands, and edited copies of messages."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, ChatMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk

from guard.flow import Redact, Release
from guard.policy import OnUnscored, Policy
from guard.records import Span, Unread
from guard.replies.assemble import Assembly
from guard.replies.fields import Extraction, ReadOptions
from guard.wrap.langchain.messages import calls_tools, redacted, replacement, texts_of
from guard.wrap.langchain.reply_buffer import ChatReplyBuffer

ARGUMENTS = '{"to": "Ann", "body": "so \\u006cong", "n": 3, "body": "twice"}'
OPTIONS = ReadOptions(reads_data=False, streamed=True, joins_every_key=True)
WITHHOLD = Policy(rules=(), on_unscored=OnUnscored.WITHHOLD)


def found(message: AIMessage) -> Extraction:
    return texts_of(ChatGeneration(message=message), OPTIONS, growing_calls=False)


def said(message: AIMessage) -> list[tuple[str, str]]:
    """The kind and the text of each field, then what is not read."""
    result = found(message)
    fields = [(field.kind.value, field.text) for field in result.fields]
    return [*fields, *(("unread", label.value) for label in sorted(result.unread))]


def judged(message: AIMessage) -> list[str]:
    """The text that is judged, by paragraphs."""
    assembly: Assembly[None] = Assembly(lambda value, _: value)
    text = assembly.add(None, found(message)) + assembly.finish()
    return text.split("\n\n")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("hello", [("text", "hello")]),
        ("", []),
        (["a", {"type": "text", "text": "b"}], [("text", "a"), ("text", "b")]),
        ([{"type": "text", "text": "ha"}, {"type": "text", "text": "ha"}], [("text", "ha")] * 2),
        ([{"type": "text", "text": "a", "citations": [{"cited_text": "b c"}]}],
         [("text", "a"), ("text", "b c")]),
        ([{"type": "reasoning", "reasoning": "hm"}], [("reasoning", "hm")]),
        ([{"type": "thinking", "thinking": "hm", "signature": "x"}], [("reasoning", "hm")]),
        ([{"type": "reasoning", "summary": [{"type": "summary_text", "text": "a"}],
           "encrypted_content": "zz"}], [("reasoning", "a")]),
        ([{"type": "reasoning_content", "reasoning_content": {"text": "a", "signature": "s"}}],
         [("reasoning", "a")]),
        ([{"type": "image", "base64": "aaaa"}], [("unread", "image")]),
        ([{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}],
         [("unread", "image")]),
        ([{"type": "tool_use", "id": "1", "name": "send", "input": {"name": "Ann"}}],
         [("tool", "send"), ("tool", "name"), ("tool", "Ann")]),
        ([{"type": "server_tool_use", "name": "web", "input": {"q": "x"}}],
         [("tool", "web"), ("tool", "q"), ("tool", "x")]),
        ([{"type": "refusal", "refusal": "no"}], [("text", "no")]),
        ([{"type": "non_standard", "value": {"deep": ["a", {"text": "b"}]}}],
         [("text", "a"), ("text", "b")]),
        ([{"text": "no type"}], [("text", "no type")]),
        ([{"type": "text", "text": "a", "index": 0, "id": "m-1", "aside": "b c"}],
         [("text", "a"), ("text", "b c")]),
        ([{"type": "odd", "data": "words in it", "id": "m-1", "name": {"a": "b c"}}],
         [("text", "words in it"), ("text", "b c")]),
        ([{"type": "tool_use", "id": "1", "name": "say it", "aside": "too", "input": {"a": "b"}}],
         [("tool", "say it"), ("tool", "too"), ("tool", "a"), ("tool", "b")]),
    ],
)  # fmt: skip
def test_every_block_is_read(content: Any, expected: list[tuple[str, str]]) -> None:
    assert said(AIMessage(content=content)) == expected
    assert said(AIMessageChunk(content=content)) == expected


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ({"reasoning_content": "hm"}, [("reasoning", "hm")]),
        ({"refusal": "no"}, [("text", "no")]),
        ({"refusal": None}, []),
        ({"audio": {"id": "1", "data": "AAAA", "transcript": "hi"}},
         [("text", "hi"), ("unread", "audio")]),
        ({"function_call": {"name": "f", "arguments": '{"a": "b"}'}},
         [("tool", "f"), ("tool", '{"a": "b"}')]),
        ({"parsed": {"a": "no copy"}}, [("other", "no copy")]),
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
    assert judged(chunk) == [
        "send",
        '{"to": "Ann", "body": "so long", "n": 3, "body": "twice"}',
        "to body n body ",
        "to Ann body so long n body twice ",
    ]


def test_a_name_of_a_tool_that_says_something_is_read() -> None:
    call: Any = {"name": "tell them that", "args": {"a": "b"}, "id": "call-1"}
    assert judged(AIMessage(content="", tool_calls=[call])) == ["tell them that", "a", "b"]
    piece: Any = {"name": "send", "args": "{}", "id": "an id of words", "index": 0}
    chunk = AIMessageChunk(content="", tool_call_chunks=[piece])
    assert judged(chunk) == ["send", "{}", "an id of words"]


def test_a_call_that_is_kept_in_several_places_is_read_once() -> None:
    raw = {"id": "1", "function": {"name": "send", "arguments": '{"a":"b"}'}}
    message = AIMessage(
        content=[{"type": "tool_use", "id": "1", "name": "send", "input": {"a": "b"}}],
        tool_calls=[{"name": "send", "args": {"a": "b"}, "id": "1"}],
        additional_kwargs={"tool_calls": [raw]},
    )
    assert judged(message) == ["send", "a", "b"]
    assert message.additional_kwargs["tool_calls"] == [raw]


def test_a_call_that_says_more_where_it_is_raw_is_read_there_too() -> None:
    raw = {"id": "1", "function": {"name": "send", "arguments": '{"a": "x", "a": "b"}'}}
    message = AIMessage(
        content="",
        tool_calls=[{"name": "send", "args": {"a": "b"}, "id": "1"}],
        additional_kwargs={"tool_calls": [raw]},
    )
    assert '{"a": "x", "a": "b"}' in judged(message)


def test_arguments_that_are_no_json_are_read_as_they_are() -> None:
    bad: Any = {"name": "x", "args": "{oh no", "id": "1", "error": None}
    assert judged(AIMessage(content="", invalid_tool_calls=[bad])) == ["x", "{oh no"]
    deep = '{"a":' * 5000 + '"x"' + "}" * 5000
    bad = {**bad, "args": deep}
    assert judged(AIMessage(content="", invalid_tool_calls=[bad])) == ["x", deep]
    bad = {**bad, "args": "{oh n\\u006f"}
    assert judged(AIMessage(content="", invalid_tool_calls=[bad])) == [
        "x", "{oh n\\u006f", "{oh no",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("message", "calls"),
    [
        (AIMessage(content="a"), False),
        (AIMessage(content=""), False),
        (AIMessage(content=[{"type": "thinking", "thinking": "a"}]), False),
        (AIMessage(content="a", additional_kwargs={"reasoning_content": "b"}), False),
        (AIMessage(content="a", tool_calls=[{"name": "f", "args": {"a": "b"}, "id": "1"}]), True),
        (AIMessage(content=[{"type": "tool_use", "name": "f", "input": {}}]), True),
        (AIMessage(content="", additional_kwargs={"function_call": {"name": "f"}}), True),
        (AIMessage(content=[{"type": "server_tool_use", "input": {"a": "b"}}]), False),
    ],
)
def test_only_calls_that_the_caller_runs_are_kept_together(message: AIMessage, calls: bool) -> None:
    assert calls_tools(message) is calls


def chunk(content: Any, **fields: Any) -> ChatGenerationChunk:
    return ChatGenerationChunk(message=AIMessageChunk(content=content, **fields))


TWO_SENTENCES = "A first sentence. A second"


@pytest.mark.parametrize(
    ("content", "head", "tail"),
    [
        (TWO_SENTENCES, "A first sentence.", " A second"),
        ([TWO_SENTENCES], ["A first sentence."], [" A second"]),
        (
            [{"type": "text", "text": TWO_SENTENCES, "index": 2, "citations": [{"x": 1}]}],
            [{"type": "text", "text": "A first sentence.", "index": 2}],
            [{"type": "text", "text": " A second", "index": 2, "citations": [{"x": 1}]}],
        ),
        (
            [{"type": "thinking", "thinking": TWO_SENTENCES, "index": 0}],
            [{"type": "thinking", "thinking": "A first sentence.", "index": 0}],
            [{"type": "thinking", "thinking": " A second", "index": 0}],
        ),
    ],
)
def test_a_chunk_is_cut_at_the_end_of_what_may_leave(content: Any, head: Any, tail: Any) -> None:
    buffer = ChatReplyBuffer(WITHHOLD)
    tokens = {"content": [{"token": TWO_SENTENCES, "logprob": -0.1}]}
    buffer.add(chunk(content, response_metadata={"logprobs": tokens, "model_provider": "p"}))
    (first,) = buffer.take(Release(len("A first sentence.")))
    (rest,) = buffer.take(Release(len(TWO_SENTENCES)))
    assert (first.message.content, rest.message.content) == (head, tail)
    assert first.message.response_metadata == {"model_provider": "p"}
    assert rest.message.response_metadata["logprobs"] == tokens


def test_a_reply_is_redacted_where_its_words_stand() -> None:
    buffer = ChatReplyBuffer(WITHHOLD)
    text = buffer.add(
        chunk(
            [
                {"type": "thinking", "thinking": "A bad thought."},
                {"type": "text", "text": "A bad word."},
                {"type": "image", "base64": "AAAA"},
            ],
            additional_kwargs={"parsed": "A bad copy."},
            response_metadata={"logprobs": [{"token": "A bad word."}], "finish_reason": "stop"},
        )
    ).text
    assert text is not None
    starts = [at for at in range(len(text)) if text.startswith("bad", at)]
    spans = tuple(Span(start=at, end=at + 3) for at in starts)
    buffer.add(None)
    (given,) = buffer.take(Redact(len(text), spans, "[removed]"))
    assert given.message.content == [
        {"type": "thinking", "thinking": "A [removed] thought."},
        {"type": "text", "text": "A [removed] word."},
        {"type": "image", "base64": "AAAA"},
    ]
    assert given.message.additional_kwargs == {}
    assert given.message.response_metadata == {"finish_reason": "stop"}


def test_calls_that_do_not_fit_together_are_no_text() -> None:
    buffer = ChatReplyBuffer(WITHHOLD)
    called = AIMessage(content="", tool_calls=[{"name": "f", "args": {}, "id": "1"}])
    for _ in range(2):
        assert buffer.add(ChatGeneration(message=called)).text == ""
    assert buffer.add(None).text is None
    assert len(buffer.take(Release(0))) == 2


def test_what_is_not_read_has_the_labels_of_every_reply() -> None:
    message = AIMessage(content=[{"type": "image_url"}, {"type": "file"}, {"type": "video"}])
    assert found(message).unread == {Unread.IMAGE, Unread.FILE, Unread.VIDEO}


SAYS = "So bad."


def usage_of(key: str) -> Any:
    return {
        "input_tokens": 1,
        "output_tokens": 1,
        "total_tokens": 2,
        "input_token_details": {key: 1},
    }


BESIDE = [
    {"note": SAYS},
    {"usage_metadata": usage_of(SAYS)},
    {"usage_metadata": {**usage_of("cache_read"), "note": SAYS}},
]


@pytest.mark.parametrize("beside", BESIDE)
def test_fields_that_the_class_does_not_have_and_keys_of_the_usage_are_read(beside: Any) -> None:
    assert SAYS in [text for _, text in said(AIMessage("ok", **beside))]


@pytest.mark.parametrize("beside", BESIDE)
def test_what_is_beside_a_reply_is_in_nothing_that_stands_for_it(beside: Any) -> None:
    reply = ChatGeneration(message=AIMessage("A bad word.", name="bad_name", **beside))
    (edit,) = redacted((reply,), {("content",): "A [removed] word."})
    instead = replacement("withheld", [reply], [])
    assert (edit.message.content, instead.message.content) == ("A [removed] word.", "withheld")
    for made in (edit, instead):
        assert SAYS not in repr(made)
    assert instead.message.name is None
    kept = replacement("withheld", [chunk("x", usage_metadata=usage_of("cache_read"))], [])
    assert kept.message.usage_metadata == usage_of("cache_read")


def test_a_role_that_says_something_is_read_and_kept_back() -> None:
    spoken = ChatMessage("A bad word.", role=SAYS)
    assert SAYS in [text for _, text in said(spoken)]  # type: ignore[arg-type]
    reply = ChatGeneration(message=spoken)
    (edit,) = redacted((reply,), {("content",): "A [removed] word."})
    for made in (edit, replacement("withheld", [reply], [])):
        assert SAYS not in repr(made)
    plain = ChatGeneration(message=ChatMessage("A bad word.", role="critic"))
    (edit,) = redacted((plain,), {("content",): "A [removed] word."})
    assert isinstance(edit.message, ChatMessage)
    assert edit.message.role == "critic"
    assert "critic" not in [text for _, text in said(plain.message)]  # type: ignore[arg-type]
