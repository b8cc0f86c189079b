"""What is said in a chat message, in whichever of its many places. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from langchain_core.messages import AIMessageChunk, BaseMessage

from guard.records import Unread


class Channel(StrEnum):
    """A place for text in a message."""

    TEXT = "text"
    REASONING = "reasoning"
    TOOLS = "tool_calls"
    OTHER = "other"
    UNREAD = "unread"


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A stretch of text in one channel; in `UNREAD`, the name of what nobody can read."""

    channel: Channel
    text: str


_REASONING = {"reasoning", "thinking", "reasoning_content", "redacted_thinking"}
_CALLS = {"tool_use", "tool_call", "tool_call_chunk", "invalid_tool_call", "function_call"}
_CALLS |= {"custom_tool_call", "tool_calls"}
_SERVER_CALLS = {"server_tool_use", "server_tool_call", "server_tool_call_chunk", "mcp_call"}
_SERVER_CALLS |= {"mcp_tool_use", "input_json_delta"}
_ARGUMENTS = {"args", "arguments", "input", "partial_json"}
_MEDIA = {
    **dict.fromkeys(["image", "image_url", "input_image", "image_generation_call"], Unread.IMAGE),
    **dict.fromkeys(["audio", "input_audio"], Unread.AUDIO),
    **dict.fromkeys(["file", "input_file", "document", "media"], Unread.FILE),
    "video": Unread.VIDEO,
}
_SAID_ELSEWHERE = {"parsed"}
_MACHINE_KEYS = {
    *("type", "id", "index", "name", "call_id", "tool_call_id", "item_id", "container_id"),
    *("status", "role", "model", "format", "mime_type", "source_type", "phase", "caller"),
    *("data", "url", "file_id", "signature", "signatures", "thought_signature"),
    *("encrypted_content", "encrypted_index"),
}
_OF_TEXT = {"type", "text", "citations", "annotations", "logprobs"}
_FOR_PROGRAMS = re.compile(r"[!-~]*|[\w+/=\r\n-]*", re.ASCII)
"""A name, an id, an address, or bytes in base64; what somebody says has spaces in it."""
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|([^u]))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_LONGEST_WORD = 500
"""Longer runs of ASCII without white space are data."""


def passages(message: BaseMessage) -> list[Passage]:
    """Everything that is said in `message`, in order; calls of tools once, however often kept."""
    found: list[Passage] = []
    for passage in _all(message):
        if passage.text and not (passage.channel is Channel.TOOLS and passage in found):
            found.append(passage)
    return found


def calls_tools(message: BaseMessage) -> bool:
    """Whether the caller is to run a tool by it, or it holds a piece of such a call."""
    fields = ("tool_calls", "invalid_tool_calls", "tool_call_chunks")
    if any(getattr(message, name, None) for name in fields):
        return True
    kinds = {*message.additional_kwargs, *map(_type, _blocks(message))}
    return bool(kinds & _CALLS)


def is_only_text(message: BaseMessage) -> bool:
    """Whether it can be cut in two at any character: one text and nothing beside it."""
    blocks = _blocks(message)
    one = len(blocks) == 1 and (isinstance(blocks[0], str) or _type(blocks[0]) == "text")
    plain = one or isinstance(message.content, str)
    return plain and all(found.channel is Channel.TEXT for found in passages(message))


def is_media(block: object) -> bool:
    """Whether a block of content is something to see or hear, or a file."""
    return _type(block) in _MEDIA


def is_reasoning(block: object) -> bool:
    """Whether a block of content is what the model thought."""
    return _type(block) in _REASONING


def _all(message: BaseMessage) -> Iterator[Passage]:
    if isinstance(message.content, str):
        yield Passage(channel=Channel.TEXT, text=message.content)
    for block in _blocks(message):
        yield from _in_block(block)
    yield from _in_tool_calls(message)
    for key, value in message.additional_kwargs.items():
        if key not in _SAID_ELSEWHERE and not key.startswith("__"):
            yield from _in_other(key, value)


def _blocks(message: BaseMessage) -> list[Any]:
    return message.content if isinstance(message.content, list) else []


def _type(block: object) -> str:
    return str(block.get("type", "")) if isinstance(block, Mapping) else ""


def _in_block(block: object) -> Iterator[Passage]:
    if isinstance(block, str):
        yield Passage(channel=Channel.TEXT, text=block)
    elif isinstance(block, Mapping) and _type(block) == "text":
        yield Passage(channel=Channel.TEXT, text=str(block.get("text") or ""))
        if block.get("citations") or block.get("annotations"):
            yield Passage(channel=Channel.UNREAD, text=Unread.CITATIONS)
        yield from _in_other("", {key: block[key] for key in block if key not in _OF_TEXT})
    elif is_media(block):
        yield Passage(channel=Channel.UNREAD, text=_MEDIA[_type(block)])
    else:
        yield from _in_other(_type(block), block)


def _in_other(kind: str, value: object) -> Iterator[Passage]:
    if kind in _CALLS | _SERVER_CALLS:
        yield _tools(_arguments(value))
        return
    if kind in _MEDIA:
        yield Passage(channel=Channel.UNREAD, text=_MEDIA[kind])
    channel = Channel.REASONING if kind in _REASONING else Channel.OTHER
    for text in _strings(value):
        if channel is Channel.OTHER and _is_data(text):
            yield Passage(channel=Channel.UNREAD, text=Unread.DATA)
        else:
            yield Passage(channel=channel, text=text)


def _tools(strings: Iterable[str]) -> Passage:
    return Passage(channel=Channel.TOOLS, text="\n".join(strings))


def _in_tool_calls(message: BaseMessage) -> Iterator[Passage]:
    if isinstance(message, AIMessageChunk) and message.tool_call_chunks:
        calls: list[Any] = list(message.tool_call_chunks)
    else:
        calls = [*getattr(message, "tool_calls", ()), *getattr(message, "invalid_tool_calls", ())]
    for call in calls:
        names = _strings({key: call.get(key) for key in ("name", "id")})
        yield _tools([*names, *_argued(call.get("args"))])


def _arguments(value: object, key: object = "") -> Iterator[str]:
    """What is said in the calls of tools that stand somewhere in `value`: arguments, and whatever
    else has words in it."""
    if key in _ARGUMENTS:
        yield from _argued(value)
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _arguments(inner, name)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _arguments(inner, key)
    elif isinstance(value, str) and not _FOR_PROGRAMS.fullmatch(value):
        yield value


def _argued(value: object) -> Iterator[str]:
    """The strings in arguments; where they are JSON, as it reads, with what stands in it twice.

    Callers parse broken JSON as far as it goes, so it is also read with its escapes resolved.
    """
    if not isinstance(value, str):
        yield from _strings(value, keys=True)
        return
    try:
        yield from _strings(json.loads(value, object_pairs_hook=list, strict=False), keys=True)
    except (ValueError, RecursionError):
        yield value
        if (said := _unescaped(value)) != value:
            yield said


def _unescaped(source: str) -> str:
    """`source` with the escapes of JSON resolved, pairs of surrogates joined."""
    said = _ESCAPE.sub(lambda found: _meant(*found.groups()), source)
    return said.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _meant(number: str | None, letter: str) -> str:
    return chr(int(number, 16)) if number else _ESCAPED.get(letter, letter)


def _strings(value: object, *, keys: bool = False, named: object = "") -> Iterator[str]:
    """All strings in `value`, without those for programs under keys for programs. keys: the keys of
    mappings too, and what they lead to whatever it is. named: the key of `value`."""
    if isinstance(value, str):
        if keys or not (_is_machine(named) and _FOR_PROGRAMS.fullmatch(value)):
            yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if keys:
                yield str(key)
            yield from _strings(inner, keys=keys, named=named if _is_machine(named) else key)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner, keys=keys, named=named)


def _is_machine(key: object) -> bool:
    return key in _MACHINE_KEYS or str(key).startswith("__")


def _is_data(text: str) -> bool:
    long = len(text) > _LONGEST_WORD and text.isascii()
    return long and not any(char.isspace() for char in text)
