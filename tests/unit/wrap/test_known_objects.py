"""Objects of all kinds are read whole, edited whole, and withheld in their own types."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from enum import StrEnum
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from huggingface_hub import ChatCompletionOutput, ChatCompletionStreamOutput
from langchain_core.messages import AIMessage, AIMessageChunk, ToolMessage
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from pydantic import BaseModel

from guard.errors import Blocked
from guard.flow import Release
from guard.policy import OnUnscored
from guard.records import Unscored, Verdict
from guard.testing import Recorder
from guard.wrap.known_replies import AnyReplyBuffer, UnreadNotice
from guard.wrap.reply_objects import DEEPEST
from tests.unit.wrap.test_known_replies import (
    BLOCK,
    REDACT,
    anthropic,
    chat,
    chunk,
    completion,
    gemini,
    list_until_blocked,
    words,
    wrapped,
)

WITHHOLD = replace(BLOCK, on_unscored=OnUnscored.WITHHOLD)
BAD = "Fine. You nasty thing."


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


class Tags(NamedTuple):
    first: str
    second: str


@dataclass(frozen=True)
class Message:
    content: str
    role: str = "assistant"


@dataclass(frozen=True)
class Choice:
    message: Message
    index: int = 0
    finish_reason: str = "stop"
    tags: Tags = field(default_factory=lambda: Tags("a nasty one", "b"))


@dataclass(frozen=True)
class Completion:
    """As many clients have it: more than the API, and nothing that validates."""

    choices: list[Choice]
    provider: str
    latency_seconds: float = 0.5
    made: datetime = datetime(2026, 1, 1, tzinfo=UTC)


class OwnMessage(BaseModel):
    content: str
    mood: str


class OwnChoice(BaseModel):
    message: OwnMessage
    index: int


class OwnCompletion(BaseModel):
    choices: list[OwnChoice]
    summary: str


def hugging_face(text: str) -> Any:
    usage = {"completion_tokens": 1, "prompt_tokens": 1, "total_tokens": 2}
    return ChatCompletionOutput.parse_obj_as_instance({**chat(text), "usage": usage})


OWN: dict[str, Callable[[str], Any]] = {
    "hugging face": hugging_face,
    "dataclass": lambda text: Completion([Choice(Message(text))], provider="a nasty one"),
    "pydantic": lambda text: OwnCompletion(
        choices=[OwnChoice(message=OwnMessage(content=text, mood="a nasty one"), index=0)],
        summary=text,
    ),
}
EVERY_OWN = pytest.mark.parametrize("name", OWN)


@EVERY_OWN
@pytest.mark.parametrize("policy", [BLOCK, REDACT])
def test_every_object_of_it_keeps_its_type_and_none_its_words(
    name: str, policy: Any, recorder: Recorder
) -> None:
    reply = OWN[name](BAD)
    given = wrapped(lambda: reply, recorder, policy)()
    says = given.choices[0].message.content
    assert says == ("No." if policy is BLOCK else says)
    assert (type(given), type(given.choices[0])) == (type(reply), type(reply.choices[0]))
    assert type(given.choices[0].message) is type(reply.choices[0].message)
    assert "nasty" not in repr(given)
    assert "nasty" not in (str(dict(given)) if isinstance(given, dict) else "")
    assert reply.choices[0].message.content == BAD
    assert recorder.outcomes[0].reply


def test_a_stream_of_such_objects_is_withheld_in_their_types(recorder: Recorder) -> None:
    pieces = [ChatCompletionStreamOutput.parse_obj_as_instance(chunk(one)) for one in words(BAD)]
    given = list(wrapped(lambda: iter(pieces), recorder)())
    assert "".join(one.choices[0].delta.content or "" for one in given) == "Fine. No."
    assert {type(one) for one in given} == {ChatCompletionStreamOutput}


def one_dict(texts: list[str]) -> Iterator[Any]:
    """Fills one object again and again."""
    piece = chunk("")
    for text in texts:
        piece["choices"][0]["delta"]["content"] = text
        yield piece


def one_message(texts: list[str]) -> Iterator[Any]:
    piece = AIMessageChunk(content="")
    for text in texts:
        piece.content = text
        yield piece


def one_whole_message(texts: list[str]) -> Iterator[Any]:
    piece = AIMessage(content="")
    for text in texts:
        piece.content = text
        yield piece


def one_buffer(texts: list[str], view: Callable[[bytearray], Any] = bytearray) -> Iterator[Any]:
    """Bytes of one length, as `readinto` fills them."""
    buffer = bytearray(8)
    shown = memoryview(buffer) if view is memoryview else buffer
    for text in texts:
        buffer[:] = text.encode().ljust(8)
        yield shown


def one_view(texts: list[str]) -> Iterator[Any]:
    return one_buffer(texts, memoryview)


def one_locked(texts: list[str]) -> Iterator[Any]:
    """New objects that cannot be copied."""
    for text in texts:
        yield {**chunk(text), "at": Uncopied()}


class Uncopied(date):
    def __new__(cls) -> Uncopied:
        return super().__new__(cls, 2026, 1, 1)

    def __deepcopy__(self, _: object) -> Uncopied:
        raise TypeError("cannot copy this")


def said(piece: Any) -> str:
    if isinstance(piece, AIMessage):
        return str(piece.content)
    return bytes(piece).decode() if isinstance(piece, bytearray | memoryview) else _content(piece)


def _content(piece: Any) -> str:
    text = piece["choices"][0]["delta"].get("content")
    return text or ""


def test_what_nobody_reads_is_no_copy(recorder: Recorder) -> None:
    """A sentinel is told by its identity."""
    done, said = object(), [SimpleNamespace(text="one"), chunk("Fine. "), chunk("So.")]
    given = list(wrapped(lambda: iter([*said, done]), recorder)())
    assert (given[0], given[-1]) == (said[0], done)
    assert given[0] is said[0]
    assert given[-1] is done
    assert [_content(one) for one in given[1:-1]] == ["Fine. ", "So."]


EVERY_KIND = [one_dict, one_message, one_whole_message, one_buffer, one_view, one_locked]


@pytest.mark.parametrize("make", EVERY_KIND)
def test_a_chunk_says_what_was_judged_whatever_its_generator_makes_of_it(
    make: Callable[[list[str]], Iterator[Any]], recorder: Recorder
) -> None:
    given = "".join(map(said, wrapped(lambda: make(words(BAD)), recorder)()))
    assert given.split() == ["Fine.", "No."]
    harmless = words("Fine. One more. And the last one.")
    passed = "".join(map(said, wrapped(lambda: make(harmless), recorder)()))
    assert passed.split() == "".join(harmless).split()


@pytest.mark.parametrize(
    "unknown", [SimpleNamespace(text="nasty"), iter(["nasty"]), lambda: "nasty"]
)
def test_an_object_that_nobody_knows_makes_its_reply_unread(
    unknown: Any, recorder: Recorder, caplog: pytest.LogCaptureFixture
) -> None:
    reply = chat("Fine.", note=unknown)
    with caplog.at_level(logging.WARNING, logger="guard.wrap"):
        assert wrapped(lambda: reply, recorder)() is reply
    assert f"{type(unknown).__qualname__} in it" in caplog.text
    assert recorder.outcomes[0].unscored is Unscored.NOT_TEXT
    with pytest.raises(Blocked):
        wrapped(lambda: reply, recorder, WITHHOLD)()


def test_values_of_json_are_read_however_deep_they_are(recorder: Recorder) -> None:
    for depth in (DEEPEST * 6, DEEPEST * 50):
        for said, verdict in (("kind", Verdict.RELEASED), ("nasty", Verdict.BLOCKED)):
            deep: Any = {"key": said}
            for _ in range(depth):
                deep = [deep, 1, None]
            reply = chat("Fine.", note=deep)
            wrapped(lambda reply=reply: reply, recorder)()
            assert recorder.outcomes[-1].verdict is verdict


def test_what_contains_itself_is_not_read(recorder: Recorder) -> None:
    within: list[Any] = []
    within.append(within)
    shared: Any = ["kind"]
    for _ in range(DEEPEST * 2):
        shared = [shared, shared]
    for note in (within, {"up": within}, shared):
        reply = chat("Fine.", note=note)
        assert wrapped(lambda reply=reply: reply, recorder)() is reply
        assert recorder.outcomes[-1].unscored is Unscored.NOT_TEXT


def test_other_objects_are_not_read_so_deep(recorder: Recorder) -> None:
    deep: Any = Message("kind")
    for _ in range(DEEPEST):
        deep = [deep]
    reply = chat("Fine.", note=deep)
    assert wrapped(lambda: reply, recorder)() is reply
    assert recorder.outcomes[-1].unscored is Unscored.NOT_TEXT


AHEAD: dict[str, Any] = {
    "nothing": None,
    "no words": "",
    "no choice": {"choices": []},
    "ping": {"type": "ping"},
    "empty": {},
}
PIECES: dict[str, Callable[[str], Any]] = {
    "chat": chunk,
    "completion": completion,
    "gemini": gemini,
    "object": lambda text: ChatCompletionChunk.model_validate(chunk(text)),
    "text": lambda text: text,
    "langchain": lambda text: AIMessageChunk(content=text),
}


@pytest.mark.parametrize("ahead", AHEAD)
@pytest.mark.parametrize("kind", PIECES)
def test_what_says_nothing_does_not_say_what_a_stream_is(
    ahead: str, kind: str, recorder: Recorder
) -> None:
    pieces = [AHEAD[ahead], *map(PIECES[kind], words("All is well."))]
    assert list(wrapped(lambda: iter(pieces), recorder)()) == pieces
    bad = [AHEAD[ahead], *map(PIECES[kind], words("You nasty thing."))]
    assert "nasty" not in repr(list(wrapped(lambda: iter(bad), recorder)()))
    assert [one.verdict for one in recorder.outcomes] == [Verdict.RELEASED, Verdict.BLOCKED]


@pytest.mark.parametrize("ahead", [{"object": "response", "text": "So."}, {"note": "Still here."}])
def test_what_is_not_read_does_not_say_it_either(ahead: Any, recorder: Recorder) -> None:
    pieces = [ahead, *map(chunk, words("You nasty thing."))]
    for policy in (BLOCK, WITHHOLD):
        given = list_until_blocked(wrapped(lambda: iter(pieces), recorder, policy)())
        assert "nasty" not in repr(given)
        assert recorder.outcomes[-1].assessment.reason is Unscored.NOT_TEXT


def test_a_segment_that_was_released_is_let_go(recorder: Recorder) -> None:
    buffer = AnyReplyBuffer(BLOCK, UnreadNotice("here", ""), streamed=True)
    kinds, given, said = (PIECES["text"], PIECES["chat"]), list[Any](), ""
    for at in range(100):
        said += buffer.add(kinds[at % 2]("word. ")).text or ""
        given += buffer.take(Release(len(said)))
        assert len(buffer._segments) == 1
    assert len(given) == 100


BYTES: dict[str, Callable[[bytes], Any]] = {
    "chat": lambda said: chat("", content=said),
    "beside": lambda said: chat("Fine.", raw=said),
    "gemini": lambda said: gemini(said),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
@pytest.mark.parametrize("place", BYTES)
def test_bytes_that_are_text_are_judged(
    place: str, kind: Callable[[bytes], Any], recorder: Recorder
) -> None:
    fine, bad = (BYTES[place](kind(said)) for said in (b"All is well.", b"You nasty thing."))
    assert wrapped(lambda: fine, recorder, WITHHOLD)() is fine
    for policy in (BLOCK, REDACT):
        given = wrapped(lambda policy=policy: bad, recorder, policy)()
        assert b"nasty" not in b"".join(bytes_in(given))
        assert "You nasty thing." in recorder.outcomes[-1].reply


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_bytes_are_read_as_texts_are(kind: Callable[[bytes], Any], recorder: Recorder) -> None:
    def pieces(said: str) -> list[Any]:
        return [kind(said.encode()[at : at + 5]) for at in range(0, len(said.encode()), 5)]

    fine = wrapped(lambda: iter(pieces("Grüße. Über alles gut.")), recorder, WITHHOLD)()
    assert b"".join(map(bytes, fine)).decode() == "Grüße. Über alles gut."
    assert recorder.outcomes[-1].verdict is Verdict.RELEASED
    given = list(wrapped(lambda: iter(pieces("Grüße. You nasty thing.")), recorder)())
    assert {type(one) for one in given} == {type(kind(b""))}
    assert b"".join(map(bytes, given)).decode() == "Grüße. No."
    redacted = wrapped(lambda: iter(pieces("Grüße. You nasty thing. Bye.")), recorder, REDACT)()
    assert "nasty" not in (said := b"".join(map(bytes, redacted)).decode())
    assert said.startswith("Grüße. ")
    assert said.endswith(" Bye.")
    assert wrapped(lambda: kind(b"You nasty thing."), recorder)() == b"No."


CONTROLS = [chr(code) for code in (*range(1, 9), *range(14, 32), 127, 0x85, 0x9B)]


@pytest.mark.parametrize("streamed", [False, True])
def test_signs_that_control_a_terminal_make_bytes_no_less_of_a_text(
    streamed: bool, recorder: Recorder
) -> None:
    said = "".join(f"All is well here{sign} my friend. " for sign in CONTROLS)
    pieces = [f"{said}You nasty thing.".encode()[at : at + 3] for at in range(0, 2000, 3)]
    bad = wrapped(lambda: iter(pieces) if streamed else b"".join(pieces), recorder)()
    assert b"nasty" not in (b"".join(bad) if streamed else bad)
    assert recorder.outcomes[-1].verdict is Verdict.BLOCKED


PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00\xbf\xc0\xfe\x90\xa1\xe4\xff\x88"


@pytest.mark.parametrize("image", [PNG, bytes(range(128, 256))])
def test_bytes_that_are_no_text_are_unread(image: bytes, recorder: Recorder) -> None:
    assert wrapped(lambda: image, recorder)() == image
    assert recorder.outcomes[-1].unscored is Unscored.NOT_TEXT


@pytest.mark.parametrize("kind", ["text", "chat", "gemini"])
def test_bytes_that_are_no_text_are_withheld_behind_any_other_piece(
    kind: str, recorder: Recorder
) -> None:
    pieces = [PIECES[kind]("Fine. "), bytes(range(128, 256))]
    with pytest.raises(Blocked):
        list(wrapped(lambda: iter(pieces), recorder, replace(WITHHOLD, raises=True))())
    assert recorder.outcomes[-1].unscored is Unscored.NOT_TEXT


def test_a_chunk_of_two_choices_that_is_a_whole_reply_keeps_both(recorder: Recorder) -> None:
    both = [{"index": at, "delta": {"content": said}} for at, said in enumerate(("One.", "Two."))]
    reply = {"object": "chat.completion.chunk", "choices": both}
    assert wrapped(lambda: reply, recorder, WITHHOLD)() == reply


def bytes_in(thing: Any) -> Iterator[bytes]:
    """All bytes and texts in a reply."""
    if isinstance(thing, dict | list):
        for one in thing.values() if isinstance(thing, dict) else thing:
            yield from bytes_in(one)
    elif isinstance(thing, str | bytes | bytearray | memoryview):
        yield thing.encode() if isinstance(thing, str) else bytes(thing)


class Word(StrEnum):
    """A key whose name is not what it says."""

    FINE = "You nasty thing"


def test_a_key_says_its_value(recorder: Recorder) -> None:
    call = {"name": "send", "input": {Word.FINE: 1}, "type": "tool_use", "id": "1"}
    reply = {"type": "message", "role": "assistant", "content": [call], "stop_reason": "tool_use"}
    wrapped(lambda: reply, recorder)()
    assert recorder.outcomes[-1].verdict is Verdict.BLOCKED


@pytest.mark.parametrize("silent", [None, ""])
@pytest.mark.parametrize("kind", PIECES)
def test_what_says_nothing_in_a_stream_is_not_unread(
    silent: Any, kind: str, recorder: Recorder
) -> None:
    fine, bad = (
        [one for piece in map(PIECES[kind], words(text)) for one in (piece, silent)]
        for text in ("All is well.", "You nasty thing.")
    )
    assert list(wrapped(lambda: iter(fine), recorder, WITHHOLD)()) == fine
    given = list(wrapped(lambda: iter(bad), recorder)())
    assert "nasty" not in repr(given)
    assert "No." in repr(given)
    assert [one.verdict for one in recorder.outcomes] == [Verdict.RELEASED, Verdict.BLOCKED]


MIXES = [
    ("text", "chat"),
    ("chat", "text"),
    ("object", "text", "chat"),
    ("text", "langchain", "text"),
    ("langchain", "text"),
    ("text", "gemini", "text"),
]


@pytest.mark.parametrize("kinds", MIXES)
def test_texts_and_objects_in_one_stream_are_read(
    kinds: tuple[str, ...], recorder: Recorder
) -> None:
    def stream(said: str) -> list[Any]:
        return [PIECES[kinds[at % len(kinds)]](word) for at, word in enumerate(words(said))]

    fine = stream("All is well. And so it stays. Fare well.")
    given = list(wrapped(lambda: iter(fine), recorder, WITHHOLD)())
    assert [one for one in given if isinstance(one, str)]
    assert [one for one in given if not isinstance(one, str)] == [
        one for one in fine if not isinstance(one, str)
    ]
    assert recorder.outcomes[-1].text.strip() == "All is well. And so it stays. Fare well."
    assert recorder.outcomes[-1].verdict is Verdict.RELEASED
    bad = stream("All is well. You nasty thing. Fare well.")
    given = list(wrapped(lambda: iter(bad), recorder)())
    assert "nasty" not in repr(given)
    assert "well" in repr(given)
    assert recorder.outcomes[-1].verdict is Verdict.BLOCKED
    redacted = list(wrapped(lambda: iter(bad), recorder, REDACT)())
    assert "nasty" not in repr(redacted)
    assert "Fare" in repr(redacted)
    assert "[x]" in repr(redacted)


def test_what_client_libraries_add_is_redacted_too(recorder: Recorder) -> None:
    reply = gemini(BAD)
    reply["parsed"] = {"text": BAD}
    reply["automatic_function_calling_history"] = [{"role": "model", "parts": [{"text": BAD}]}]
    reply["tokens"], reply["raw"] = [110, 97, 115], {"output_ids": [[1, 2], [3]]}
    given = wrapped(lambda: reply, recorder, REDACT)()
    assert "nasty" not in repr(given)
    assert given["candidates"][0]["content"]["parts"] == [{"text": "Fine. You [x] thing."}]
    assert (given["tokens"], given["raw"]) == ([], {"output_ids": [[], []]})


def test_a_redacted_stream_has_no_numbers_that_spell_it(recorder: Recorder) -> None:
    pieces = [{**chunk(word), "bytes": [*word.encode()]} for word in words(BAD)]
    given = list(wrapped(lambda: iter(pieces), recorder, REDACT)())
    assert [one["bytes"] for one in given] == [[*b"Fine. "], [], [], []]


@pytest.mark.parametrize("other", [{"event": "nasty"}, 3])
def test_pieces_among_messages_of_langchain_are_not_read(other: Any, recorder: Recorder) -> None:
    tool = ToolMessage("nasty", tool_call_id="1")
    for piece in (other, tool):
        pieces = [AIMessageChunk(content="Fine. "), piece, AIMessageChunk(content="So it is.")]
        assert list(wrapped(lambda pieces=pieces: iter(pieces), recorder)()) == pieces
        assert recorder.outcomes[-1].assessment.reason is Unscored.NOT_TEXT
        bad = [*pieces, AIMessageChunk(content="You nasty thing.")]
        given = list_until_blocked(wrapped(lambda bad=bad: iter(bad), recorder)())
        assert "nasty thing" not in repr(given)


class Both:
    """As LiteLLM's streams: for `for` and for `async for`."""

    def __init__(self) -> None:
        self._pieces = iter(["Fine. ", "You nasty thing."])
        self.closed = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        return next(self._pieces)

    def __aiter__(self) -> AsyncIterator[str]:
        return self

    async def __anext__(self) -> str:
        for piece in self._pieces:
            return piece
        raise StopAsyncIteration

    def close(self) -> None:
        self.closed = True

    async def aclose(self) -> None:
        self.closed = True


def test_what_can_be_iterated_in_both_ways_still_can(recorder: Recorder) -> None:
    async def collected() -> list[str]:
        return [piece async for piece in wrapped(Both, recorder)()]

    assert "".join(wrapped(Both, recorder)()) == "Fine. No."
    assert "".join(asyncio.run(collected())) == "Fine. No."


def test_a_stream_of_which_nothing_is_wanted_is_closed(recorder: Recorder) -> None:
    first, second = Both(), Both()
    given = wrapped(lambda: first, recorder)()
    given.close()
    assert list(given) == []
    asyncio.run(wrapped(lambda: second, recorder)().aclose())
    assert (first.closed, second.closed) == (True, True)


def test_a_warning_of_an_unread_object_names_it_once(
    recorder: Recorder, caplog: pytest.LogCaptureFixture
) -> None:
    pieces = [object(), chunk("Fine."), object()]
    with caplog.at_level(logging.WARNING, logger="guard.wrap"):
        list(wrapped(lambda: iter(pieces), recorder)())
    (line,) = caplog.messages
    assert "builtins.object" in line


def test_what_the_client_notes_itself_is_not_read(recorder: Recorder) -> None:
    reply = ChatCompletion.model_validate(chat("Fine."))
    reply._request_id = "req_1"
    wrapped(lambda: reply, recorder)()
    assert recorder.outcomes[0].reply == "Fine."


def test_blocks_of_another_type_are_no_pattern_for_a_text(recorder: Recorder) -> None:
    reply = anthropic(BAD)
    reply["content"].insert(0, {"type": "thinking", "thinking": "Hm.", "signature": "AAAA"})
    given = wrapped(lambda: reply, recorder)()
    assert given["content"] == [{"type": "text", "text": "No."}]
