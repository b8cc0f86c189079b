"""One text dealt out in small pieces over the channels of a reply, and what the usual loop prints.

No server that means well does so: the loop takes no notice of the channel, and prints the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from random import Random
from typing import Any

from guard.gateway.request import Operation

Event = dict[str, Any]
_CHUNK = {"id": "c", "created": 1, "model": "m"}
_DELTA = {"type": "response.output_text.delta", "item_id": "i", "output_index": 0}


@dataclass(frozen=True)
class Dealt:
    """make: an event with a piece for this channel. read: what the loop prints of an event.
    operation: of the gateway; None where it is of another API."""

    make: Callable[[str, int], Event]
    read: Callable[[Event], Any]
    operation: Operation | None = None

    def printed(self, events: Iterable[Event]) -> str:
        return "".join(text for one in events if isinstance(text := self.read(one), str))


def at(*path: str | int) -> Callable[[Event], Any]:
    """Reads what stands there; None where nothing does."""

    def step(value: Any, key: str | int) -> Any:
        if isinstance(value, Mapping):
            return value.get(key)
        return value[key] if isinstance(value, list) and key in range(len(value)) else None

    return lambda event: reduce(step, path, event)


def chat(text: str, channel: int) -> Event:
    return {**_CHUNK, "choices": [{"index": channel, "delta": {"content": text}}]}


def pair(text: str, channel: int) -> Event:
    first, second = chat(text, channel)["choices"], chat("um, ", channel + 1)["choices"]
    return {**_CHUNK, "choices": [*first, *second]}


def message(text: str, channel: int) -> Event:
    return {**_CHUNK, "choices": [{"index": 0, "delta": {}, "message": {"content": text}}]}


def top(text: str, channel: int) -> Event:
    return {**_CHUNK, "choices": [{"index": 0, "delta": {}}], "content": text}


def completion(text: str, channel: int) -> Event:
    return {**_CHUNK, "choices": [{"index": channel, "text": text}]}


def block(text: str, channel: int) -> Event:
    delta = {"type": "text_delta", "text": text}
    return {"type": "content_block_delta", "index": channel, "delta": delta}


def candidate(text: str, channel: int) -> Event:
    parts = [{"text": text}]
    return {"candidates": [{"index": channel, "content": {"role": "model", "parts": parts}}]}


def thought(text: str, channel: int) -> Event:
    content = {"role": "model", "parts": [{"text": "hm", "thought": True}, {"text": text}]}
    return {"candidates": [{"index": 0, "content": content}]}


def delta(text: str, key: str, value: str | int) -> Event:
    return {**_DELTA, "delta": text, key: value}


_CONTENT, _TEXT = at("choices", 0, "delta", "content"), at("choices", 0, "text")
_PARTS = at("candidates", 0, "content", "parts")


def _without_thoughts(event: Event) -> str:
    parts = _PARTS(event) or ()
    return "".join(part["text"] for part in parts if not part.get("thought"))


def _either(event: Event) -> Any:
    return _CONTENT(event) or at("delta", "text")(event)


DEALT = {
    "choices": Dealt(chat, _CONTENT, Operation.CHAT),
    "first choices": Dealt(pair, _CONTENT, Operation.CHAT),
    "messages": Dealt(message, at("choices", 0, "message", "content"), Operation.CHAT),
    "top level": Dealt(top, at("content"), Operation.CHAT),
    "completions": Dealt(completion, _TEXT, Operation.COMPLETIONS),
    "items": Dealt(
        lambda text, channel: delta(text, "item_id", f"i{channel}"),
        at("delta"),
        Operation.RESPONSES,
    ),
    "outputs": Dealt(
        lambda text, channel: delta(text, "output_index", channel), at("delta"), Operation.RESPONSES
    ),
    "contents": Dealt(
        lambda text, channel: delta(text, "content_index", channel),
        at("delta"),
        Operation.RESPONSES,
    ),
    "blocks": Dealt(block, at("delta", "text")),
    "candidates": Dealt(candidate, _without_thoughts),
    "thoughts": Dealt(thought, _without_thoughts),
    "two APIs": Dealt(lambda text, n: (block if n % 2 else chat)(text, 0), _either),
}


def dealt(text: str, by: Random, make: Callable[[str, int], Event]) -> list[Event]:
    """The events: over two or three channels in turn, or over one for each piece."""
    channels = by.choice((2, 3, len(text)))
    events, begin = [], 0
    while begin < len(text):
        piece = text[begin : begin + by.randint(1, 4)]
        events.append(make(piece, len(events) % channels))
        begin += len(piece)
    return events
