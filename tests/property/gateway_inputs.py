"""Answers of a model's server made by chance: sensible ones, odd ones and plain nonsense.

Everything that is said is made of words of its own: `ok~0007`, `bad~0008` and `slow~0009`, none of
which could be a name; the scorer here finds harm in bad words and has no score for slow ones. So it
can be told of each word in what a client gets whether somebody had looked at it before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from random import Random
from typing import Any

from guard.gateway.request import Operation
from guard.records import Assessment, Passage, Score, Span, Unscored
from guard.testing import HEADS, answered

WORD = re.compile(r"(?<!\\)(?<!\\u[0-9a-f]{3})(?:ok|bad|slow)~\d{4}")
"""The b of `bad` is none where it ends an escape of JSON, as in `\\bad` and `\\u002bad`."""
ENDS = (" ", " ", " ", ". ", ".", "! ", "\n\n", ", ", "。", '." ')
FINE = dict.fromkeys(HEADS, Score(value=0.0))
HARM = Score(value=1.0)


def _passage(found: re.Match[str]) -> Passage:
    return Passage(span=Span(start=found.start(), end=found.end()), values={"toxicity": 1.0})


class Watching:
    """A scorer that keeps the words of all texts that passed."""

    heads = HEADS
    window_characters = 480

    def __init__(self) -> None:
        self.passed: set[str] = set()

    def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
        del deadline_seconds
        if harm := tuple(_passage(found) for found in WORD.finditer(text) if "bad" in found[0]):
            return answered(Assessment(scores={**FINE, "toxicity": HARM}, passages=harm))
        if "slow" in text:
            return answered(Assessment(reason=Unscored.DEADLINE))
        self.passed.update(WORD.findall(text))
        return answered(Assessment(scores=FINE))

    def unjudged(self, given: bytes) -> list[str]:
        """The words in what a client got that no text that passed had."""
        return [
            one for one in WORD.findall(given.decode("utf-8", "replace")) if one not in self.passed
        ]


class Words:
    """Gives words nobody else has. kinds: to choose from. most: at once."""

    def __init__(self, by: Random, kinds: str, *, most: int = 5) -> None:
        self._by = by
        self._most = most
        self._kinds = kinds.split()
        self._count = 0

    def word(self) -> str:
        self._count += 1
        return f"{self._by.choice(self._kinds)}~{self._count:04d}"

    def some(self) -> str:
        """A few words and what stands behind them."""
        count = min(self._by.choice((1, 1, 1, 2, 5)), self._most)
        return "".join(self.word() + self._by.choice(ENDS) for _ in range(count))


FIELDS: tuple[Callable[[Words, Random], dict[str, Any]], ...] = (
    lambda words, by: {"content": words.some()},
    lambda words, by: {"content": words.some()},
    lambda words, by: {"content": words.some()},
    lambda words, by: {"role": "assistant", "content": ""},
    lambda words, by: {
        "content": words.some(),
        "annotations": [{"type": "url_citation", "title": words.some()}],
    },
    lambda words, by: {
        "content": [{"type": "text", "text": words.some()}, {"type": "text", "text": words.some()}]
    },
    lambda words, by: {"reasoning_content": words.some()},
    lambda words, by: {"reasoning": words.some(), "content": ""},
    lambda words, by: {"refusal": words.some()},
    lambda words, by: {"tool_calls": [_called(words, by)]},
    lambda words, by: {"tool_calls": [_called(words, by), _called(words, by)]},
    lambda words, by: {"function_call": {"name": words.some(), "arguments": words.some()}},
    lambda words, by: {"audio": {"id": "a", "data": "AAAA", "transcript": words.some()}},
    lambda words, by: {"x_more": words.some(), "content": words.some()},
    lambda words, by: {"x_more": {"deep": [words.some(), {words.some(): 1}]}},
    lambda words, by: {},
)


def _called(words: Words, by: Random) -> dict[str, Any]:
    function = {"name": words.some(), "arguments": words.some()}
    return {"index": by.randrange(2), "id": "call_1", "type": "function", "function": function}


def delta(words: Words, by: Random) -> dict[str, Any]:
    return by.choice(FIELDS)(words, by)


def chat_event(words: Words, by: Random, replies: int) -> dict[str, Any]:
    """An event of a chat completion that one may meet."""
    choices = [_choice(words, by, replies) for _ in range(by.choice((1, 1, 1, 1, 0, 2)))]
    event: dict[str, Any] = {"id": "c", "object": "chat.completion.chunk", "choices": choices}
    if by.random() < 0.05:
        event["usage"] = {"total_tokens": 3}
    if by.random() < 0.05:
        event["x_top"] = by.choice((words.some(), "eu-west", [words.some()]))
    return event


def _choice(words: Words, by: Random, replies: int) -> dict[str, Any]:
    choice: dict[str, Any] = {
        "index": by.randrange(replies) if by.random() < 0.97 else 7,
        "delta": delta(words, by),
        "finish_reason": by.choice((None, None, None, "stop")),
    }
    said = choice["delta"].get("content")
    if isinstance(said, str) and by.random() < 0.2:
        choice["logprobs"] = {"content": [{"token": said, "logprob": -0.1, "top_logprobs": []}]}
        choice["token_ids"] = [1, 2]
    return choice


def chat_whole(words: Words, by: Random, replies: int) -> dict[str, Any]:
    """A whole chat completion."""
    choices = [
        {"index": index, "message": _message(words, by), "finish_reason": "stop"}
        for index in range(replies)
    ]
    more = {"x_top": words.some()} if by.random() < 0.1 else {}
    return {
        "id": "c",
        "object": "chat.completion",
        "choices": choices,
        "usage": {"total_tokens": 3},
        **more,
    }


def _message(words: Words, by: Random) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": None}
    for _ in range(by.choice((1, 1, 2, 3))):
        message |= delta(words, by)
    return message


def completions_event(words: Words, by: Random, replies: int) -> dict[str, Any]:
    choice = {"index": by.randrange(replies), "text": words.some(), "finish_reason": None}
    if by.random() < 0.2:
        choice["logprobs"] = {
            "tokens": [choice["text"]],
            "token_logprobs": [-0.1],
            "text_offset": [0],
        }
    return {"id": "c", "object": "text_completion", "choices": [choice]}


def completions_whole(words: Words, by: Random, replies: int) -> dict[str, Any]:
    choices = [
        {"index": index, "text": words.some(), "finish_reason": "stop", "logprobs": None}
        for index in range(replies)
    ]
    return {"id": "c", "object": "text_completion", "choices": choices}


KINDS_OF_DELTA = (
    "response.output_text",
    "response.output_text",
    "response.refusal",
    "response.reasoning_summary_text",
    "response.reasoning_text",
    "response.function_call_arguments",
    "response.custom_tool_call_input",
    "response.audio.transcript",
    "response.something_new",
)


def responses_events(words: Words, by: Random) -> Iterator[dict[str, Any]]:
    """The events of a response, most of them in order."""
    items: list[dict[str, Any]] = []
    yield {"type": "response.created", "response": {"id": "r", "object": "response", "output": []}}
    for index in range(by.choice((1, 1, 2, 3))):
        kind = by.choice(KINDS_OF_DELTA)
        parts = [words.some() for _ in range(by.randrange(6))]
        item = _item(kind, "".join(parts), words, by)
        at = {"item_id": f"i{index}", "output_index": index, "content_index": 0}
        bare = {"id": item["id"], "type": item["type"], "content": []}
        yield {"type": "response.output_item.added", "output_index": index, "item": bare}
        if item["type"] == "message":
            part = {"type": "output_text", "text": ""}
            yield {"type": "response.content_part.added", **at, "part": part}
        for part in parts:
            yield {"type": f"{kind}.delta", **at, "delta": part}
        said = "".join(parts) if by.random() < 0.8 else words.some()
        yield {"type": f"{kind}.done", **at, "text": said}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
        items.append(item)
    whole = {"id": "r", "object": "response", "status": "completed", "output": items}
    yield {"type": "response.completed", "response": whole}


def _item(kind: str, said: str, words: Words, by: Random) -> dict[str, Any]:
    said = said if by.random() < 0.8 else words.some()
    if "call" in kind:
        return {"id": "fc", "type": "function_call", "arguments": said, "name": words.word()}
    if "reasoning" in kind:
        return {
            "id": "rs",
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": said}],
        }
    part = {"type": "output_text", "text": said, "annotations": []}
    return {"id": "msg", "type": "message", "role": "assistant", "content": [part]}


def responses_whole(words: Words, by: Random) -> dict[str, Any]:
    items = [
        _item(by.choice(KINDS_OF_DELTA), words.some(), words, by) for _ in range(by.randrange(4))
    ]
    return {"id": "r", "object": "response", "status": "completed", "output": items}


def events(operation: Operation, words: Words, by: Random, replies: int) -> list[Any]:
    """The events of a stream."""
    if operation is Operation.RESPONSES:
        told = list(responses_events(words, by))
        return [{**one, "sequence_number": number} for number, one in enumerate(told)]
    one = chat_event if operation is Operation.CHAT else completions_event
    return [one(words, by, replies) for _ in range(by.randrange(25))]


def whole(operation: Operation, words: Words, by: Random, replies: int) -> Any:
    """A whole answer."""
    if operation is Operation.RESPONSES:
        return responses_whole(words, by)
    made = chat_whole if operation is Operation.CHAT else completions_whole
    return made(words, by, replies)


def framed(told: list[Any], by: Random, *, odd: bool) -> bytes:
    """The events as bytes. odd: as few servers write them."""
    end = by.choice(("\n", "\r\n", "\r")) if odd else "\n"
    lines = []
    for event in told:
        if odd and by.random() < 0.1:
            lines.append(f": bad~9999 comment{end}")
        if isinstance(event, dict) and "type" in event:
            lines.append(f"event: {event['type']}{end}")
        data = json.dumps(event, ensure_ascii=by.random() < 0.5)
        if odd and by.random() < 0.1 and ", " in data:
            data = data.replace(", ", f",{end}data:", 1)
        lines.append(f"data:{' ' * (not odd or by.random() < 0.7)}{data}{end}{end}")
    if by.random() < 0.8:
        lines.append(f"data: [DONE]{end}{end}")
    made = "".join(lines)
    if odd and by.random() < 0.2:
        made = by.choice(("\ufeff", "\n", ":\n\n")) + made
    if odd and by.random() < 0.2:
        made = made.rstrip("\r\n")
    return made.encode()


def cut(data: bytes, by: Random) -> list[bytes]:
    """The same bytes in chunks."""
    if by.random() < 0.2:
        return [data]
    most = by.choice((1, 3, 30) if len(data) < 300 else (30, 300, 3000))
    chunks, at = [], 0
    while at < len(data):
        size = by.randint(1, most)
        chunks.append(data[at : at + size])
        at += size
    return chunks


_KEYS = """
    choices delta message content text refusal tool_calls function arguments name index role id
    object model finish_reason logprobs tokens token top_logprobs token_ids type reasoning
    reasoning_content audio data transcript usage error output item part response delta summary
    annotations url title encrypted_content instructions metadata x_more status code message
"""
KEYS = _KEYS.split()


def anything(words: Words, by: Random, depth: int = 0) -> Any:
    """A value of JSON, of keys one meets and others."""
    kind = by.random()
    if depth > 5 or kind < 0.3:
        return by.choice(
            (None, True, 0, -1, 1e300, "", "stop", "a" * 40, words.some(), words.some())
        )
    if kind < 0.5:
        return [anything(words, by, depth + 1) for _ in range(by.randrange(4))]
    return {_key(words, by): anything(words, by, depth + 1) for _ in range(by.randrange(5))}


def _key(words: Words, by: Random) -> str:
    return f"{words.word()} {words.word()}" if by.random() < 0.05 else by.choice(KEYS)
