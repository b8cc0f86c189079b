"""Answers of odd shapes: wherever a text stands in them, it is judged or it does not arrive."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterable

import pytest

from tests.integration.gateway_cases import CHAT, KIND, RESPONSES, SECRET, Pair, leaks
from tests.integration.gateway_shapes import (
    beside,
    chunk,
    events,
    frame,
    function,
    headed,
    item,
    message,
    put,
    says,
    stream,
    text_of,
    tool,
    whole,
    with_choices,
)
from tests.servers_openai import Act, Behaviour
from tests.servers_openai import says as answers
from tests.servers_openai.acts import PLAIN

Shape = Callable[[str], Behaviour]
"""An answer with this text somewhere in it."""


def zipped(text: str) -> Behaviour:
    opening = headed(content_type="text/event-stream", content_encoding="gzip")
    packed = gzip.compress(says(text) + frame(b"[DONE]"))
    return lambda _: [opening, PLAIN.pack(packed), b"0\r\n\r\n"]


def with_trailer(text: str) -> Behaviour:
    end = f"0\r\nx-note: {text}\r\n\r\n".encode()
    return lambda _: [PLAIN.head(), PLAIN.pack(says(KIND)), PLAIN.pack(frame(b"[DONE]")), end]


def without_end(text: str) -> Behaviour:
    return lambda _: [PLAIN.head(), PLAIN.pack(says(text).rstrip()), b"0\r\n\r\n"]


def after(first: Iterable[Act], behaviour: Behaviour) -> Behaviour:
    return lambda asked: [*first, *behaviour(asked)]


CHUNKS: dict[str, Shape] = {
    "a comment": lambda text: stream(f": {text}\n\n".encode()),
    "the name of an event": lambda text: stream(f"event: {text}\n".encode() + frame(chunk())),
    "the id of an event": lambda text: stream(f"id: {text}\n".encode() + frame(chunk())),
    "a field of no event": lambda text: stream(f"{text}: x\n".encode() + frame(chunk())),
    "an event that is a string": lambda text: stream(frame(text)),
    "an event that is a list": lambda text: stream(frame([text])),
    "a key of the delta": lambda text: stream(frame(chunk(**{text: 1}))),
    "a key deep down": lambda text: stream(frame(chunk(x={"y": [{text: None}]}))),
    "a key of the chunk": lambda text: stream(frame({**chunk(), text: 1})),
    "a choice that was not asked for": lambda text: stream(
        frame(with_choices({"index": 7, "delta": {"content": text}}))
    ),
    "an index that is a word": lambda text: stream(
        frame(with_choices({"index": "a", "delta": {"content": text}}))
    ),
    "no index": lambda text: stream(frame(with_choices({"delta": {"content": text}}))),
    "an index below zero": lambda text: stream(
        frame(with_choices({"index": -1, "delta": {"content": text}}))
    ),
    "a choice that is a string": lambda text: stream(frame(with_choices(text))),
    "choices by name": lambda text: stream(
        frame({**chunk(), "choices": {"0": {"delta": {"content": text}}}})
    ),
    "parts": lambda text: stream(frame(chunk(content=[{"type": "text", "text": text}]))),
    "a function call of old": lambda text: stream(
        frame(chunk(function_call={"name": "x", "arguments": json.dumps({"t": text})}))
    ),
    "the name of a tool": lambda text: stream(tool(**function(text, "{}"))),
    "the input of a tool": lambda text: stream(
        tool(type="custom", custom={"name": "x", "input": text})
    ),
    "what was spoken": lambda text: stream(frame(chunk(audio={"id": "a", "transcript": text}))),
    "thoughts": lambda text: stream(frame(chunk(reasoning=text))),
    "blocks of thoughts": lambda text: stream(
        frame(chunk(thinking_blocks=[{"type": "thinking", "thinking": text, "signature": "x"}]))
    ),
    "a source": lambda text: stream(
        frame(chunk(annotations=[{"type": "url_citation", "url_citation": {"title": text}}]))
    ),
    "a whole message": lambda text: stream(
        frame(with_choices({"index": 0, "message": {"content": text}}))
    ),
    "a text as of completions": lambda text: stream(
        frame(with_choices({"index": 0, "text": text}))
    ),
    "a key twice": lambda text: stream(
        b'data: {"choices":[{"index":0,"delta":{"content":"%s","content":"hi"}}]}\n\n'
        % text.encode()
    ),
    "two lines of data": lambda text: stream(
        b'data: {"choices":[{"index":0,\ndata: "delta":{"content":"%s"}}]}\n\n' % text.encode()
    ),
    "after the end": lambda text: stream(frame(b"[DONE]"), says(text)),
    "halves in two fields": lambda text: stream(says(text[:16]), frame(chunk(refusal=text[16:]))),
    "the end of the model": lambda text: stream(
        frame(with_choices({"index": 0, "delta": {}, "finish_reason": "stop", "stop": text}))
    ),
    "the account": lambda text: stream(frame({**chunk(), "usage": {"note": text}})),
    "a fingerprint": lambda text: stream(frame({**chunk(), "system_fingerprint": text})),
    "an error": lambda text: stream(frame({"error": {"message": "Busy.", "partial": text}})),
    "very deep": lambda text: stream(
        b"data: " + b'{"a":' * 3000 + json.dumps(text).encode() + b"}" * 3000 + b"\n\n"
    ),
    "a trailer": with_trailer,
    "no end of the event": without_end,
    "compressed": zipped,
    "no type": lambda text: stream(says(text), opening=headed()),
    "another type": lambda text: stream(says(text), opening=headed(content_type="text/html")),
    "another status": lambda text: stream(
        says(text), opening=PLAIN.head().replace(b" 200 OK", b" 203 Odd")
    ),
}
HARMLESS = ("parts", "a function call of old", "the input of a tool", "what was spoken", "thoughts")


@pytest.mark.parametrize("use_case", ["chat", "full"])
@pytest.mark.parametrize("shape", CHUNKS.values(), ids=CHUNKS)
def test_streams(pair: Pair, shape: Shape, use_case: str) -> None:
    assert not leaks(pair.ask(CHAT, shape(SECRET), at=use_case, stream=True))


@pytest.mark.parametrize("name", HARMLESS)
def test_kind_words_in_streams_pass(pair: Pair, name: str) -> None:
    pair.compare(CHAT, CHUNKS[name](KIND), "chat", stream=True)


WHOLE: dict[str, Shape] = {
    "a key of the message": lambda text: whole(message(**{text: 1})),
    "a key of the answer": lambda text: whole({**message(), text: 1}),
    "a key twice": lambda text: whole(
        text_of("hi").replace(b'"content"', b'"content": %s, "content"' % json.dumps(text).encode())
    ),
    "more choices than asked for": lambda text: whole(
        {**message(), "choices": [*message()["choices"], *message(content=text)["choices"]]}
    ),
    "the answer of another interface": lambda text: whole({"output": [{"text": text}]}),
    "an error with a good status": lambda text: whole({"error": {"detail": text}}),
    "accepted": lambda text: whole(message(content=text), 202),
    "partial": lambda text: whole(message(content=text), 206),
    "compressed": lambda text: whole(
        gzip.compress(text_of(text)), headers={"content-encoding": "gzip"}
    ),
    "deflated": lambda text: whole(
        zlib.compress(text_of(text)), headers={"content-encoding": "deflate"}
    ),
    "of no known coding": lambda text: whole(b"\x8b\x02", headers={"content-encoding": "odd"}),
    "UTF-16": lambda text: whole(text_of(text).decode().encode("utf-16")),
    "a mark of order": lambda text: whole(b"\xef\xbb\xbf" + text_of(text)),
    "of another type": lambda text: whole(text_of(text), content_type="text/plain"),
    "a lone surrogate": lambda text: whole(message(content=f"{text} \ud800")),
    "more behind it": lambda text: whole(text_of(KIND) + b"\n" + text_of(text)),
    "early hints": lambda text: after(
        [b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n"], whole(text_of(text))
    ),
    "two answers": lambda text: (
        lambda asked: [
            *whole(message())(asked),
            *whole(text_of(text))(asked),
        ]
    ),
    "parts": lambda text: whole(message(content=[{"type": "text", "text": text}])),
    "a field": lambda text: whole(message(content={"a": text})),
    "a stream that nobody asked for": lambda text: stream(says(text)),
    "a header": lambda text: whole(message(), headers={"x-note": text, "set-cookie": text}),
}


@pytest.mark.parametrize("use_case", ["chat", "strict"])
@pytest.mark.parametrize("shape", WHOLE.values(), ids=WHOLE)
def test_whole_answers(pair: Pair, shape: Shape, use_case: str) -> None:
    assert not leaks(pair.ask(CHAT, shape(SECRET), at=use_case))
    assert pair.ask(CHAT, whole(message()), at=use_case).json == message()


@pytest.mark.parametrize("name", ["parts", "deflated", "compressed", "of another type", "accepted"])
def test_kind_words_in_whole_answers_pass(pair: Pair, name: str) -> None:
    found = pair.ask(CHAT, WHOLE[name](KIND))
    assert found.json["choices"][0]["message"]["content"] in (
        KIND,
        [{"type": "text", "text": KIND}],
    )
    assert "content-encoding" not in found.headers


SAID = ("content", 0, "text")
EVENTS: dict[str, Shape] = {
    "the last event differs": lambda text: events(
        put("response", "output", 0, *SAID)(text), "completed"
    ),
    "the text as a whole differs": lambda text: events(put("text")(text), "output_text.done"),
    "the part differs": lambda text: events(put("part", "text")(text), "content_part.done"),
    "the item differs": lambda text: events(put("item", *SAID)(text), "output_item.done"),
    "the first event": lambda text: events(put("response", "output")(text), "created"),
    "instructions nobody gave": lambda text: events(
        put("response", "instructions")(text), "created"
    ),
    "data nobody gave": lambda text: events(put("response", "metadata")(text), "completed"),
    "an error in the end": lambda text: events(put("response", "error")(text), "completed"),
    "the text beside the items": lambda text: events(
        put("response", "output_text")(text), "completed"
    ),
    "the input of a tool": lambda text: beside(type="custom_tool_call_input.delta", delta=text),
    "arguments for a server": lambda text: beside(type="mcp_call_arguments.delta", delta=text),
    "what a server gave": lambda text: item(type="mcp_call", name="x", output=text),
    "code": lambda text: beside(type="code_interpreter_call_code.delta", delta=text),
    "what code printed": lambda text: item(
        type="code_interpreter_call", outputs=[{"type": "logs", "logs": text}]
    ),
    "what is looked for": lambda text: item(
        type="web_search_call", action={"type": "search", "query": text}
    ),
    "what was found": lambda text: item(type="file_search_call", results=[{"text": text}]),
    "what a picture shows": lambda text: item(type="image_generation_call", revised_prompt=text),
    "a picture that is none": lambda text: item(type="image_generation_call", result=text),
    "a summary of thoughts": lambda text: beside(
        type="reasoning_summary_text.delta", summary_index=0, delta=text
    ),
    "thoughts": lambda text: beside(type="reasoning_text.delta", content_index=0, delta=text),
    "thoughts that are not encrypted": lambda text: item(
        type="reasoning", summary=[], encrypted_content=text
    ),
    "a source": lambda text: beside(
        type="output_text.annotation.added", annotation={"type": "url_citation", "title": text}
    ),
    "a command": lambda text: beside(type="shell_call_command.delta", delta=text),
    "a patch": lambda text: item(type="apply_patch_call", operation={"diff": text}),
    "what was spoken": lambda text: beside(type="audio.transcript.delta", delta=text),
    "a sound that is none": lambda text: beside(type="audio.delta", delta=text),
    "an event nobody knows": lambda text: beside(type="whatever", a={"b": [text]}),
    "a key": lambda text: beside(**{"type": "whatever", text: 1}),
}


@pytest.mark.parametrize("use_case", ["chat", "full"])
@pytest.mark.parametrize("shape", EVENTS.values(), ids=EVENTS)
def test_events_of_responses(pair: Pair, shape: Shape, use_case: str) -> None:
    found = pair.ask(RESPONSES, shape(SECRET), at=use_case, stream=True)
    assert not leaks(found)
    assert found.objects[-1]["type"] == "response.incomplete"


ECHOED = {
    "instructions": SECRET,
    "metadata": {"a": SECRET},
    "tools": [{"type": "function", "name": "x", "description": SECRET, "parameters": {}}],
    "user": SECRET,
}


kindly = answers(KIND)


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("field", ECHOED)
def test_what_the_client_said_may_be_said_to_it(pair: Pair, field: str, streamed: bool) -> None:
    pair.compare(RESPONSES, kindly, "chat", stream=streamed, **{field: ECHOED[field]})
