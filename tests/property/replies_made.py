"""Replies made by chance, as each way in gets them, and what a caller reads of what it is given.

A reply is a list of parts of some kind: text, what the model thinks, a refusal, the arguments of a
tool, a field that nobody knows. Everything in it is made of words of its own (`gateway_inputs`). It
is rendered as events and as a whole answer of a chat completion, as chunks and as a message of
LangChain, as events and documents of an application, and as pieces of a function; a caller's view
of what arrives is the text of each kind, with the arguments of tools read leniently.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage

from tests.property.gateway_inputs import WORD, Words

KINDS = ("text", "text", "text", "thought", "refusal", "tool", "odd")
CHAT_KEYS = {
    "text": "content",
    "thought": "reasoning_content",
    "refusal": "refusal",
    "odd": "x_odd",
}
BLOCKS = {
    "text": ("text", "text"),
    "thought": ("thinking", "thinking"),
    "refusal": ("refusal", "refusal"),
    "odd": ("odd", "note"),
}
_ESCAPE = re.compile(r"\\u([0-9a-f]{4})")
View = dict[str, str]
"""What a caller has of one reply, by kind."""


@dataclass(frozen=True)
class Part:
    """Some of a reply. text: of it; of a tool, the source of its arguments. pieces: as it comes."""

    kind: str
    text: str
    pieces: tuple[str, ...]


def parts(words: Words, by: Random) -> list[Part]:
    """One reply."""
    made: list[Part] = []
    for kind in [by.choice(KINDS) for _ in range(by.choice((1, 1, 2, 3)))]:
        text = "".join(words.some() for _ in range(by.choice((1, 2, 4))))
        if kind == "tool":
            text = arguments(text, words, by)
        made.append(Part(kind, text, tuple(pieces(text, by))))
    return made


def arguments(text: str, words: Words, by: Random) -> str:
    """The source of a tool's arguments that say `text`: escaped here and there, with a key that
    stands twice, cut off or no JSON at all."""
    source = json.dumps({"to": text, words.word(): {"cc": [words.some()]}})
    if by.random() < 0.3:
        source = source[:-1] + f', "to": {json.dumps(words.some())}}}'
    source = escaped(source, by)
    return source[: by.randrange(1, len(source))] if by.random() < 0.3 else source


def escaped(source: str, by: Random) -> str:
    """JSON that says the same, with some of its letters spelled as escapes. Keys of the API are
    spelled plainly, as all servers do."""
    if by.random() < 0.5:
        return source
    return WORD.sub(lambda found: _spelled(found[0], by), source)


def _spelled(word: str, by: Random) -> str:
    return "".join(f"\\u{ord(one):04x}" if by.random() < 0.3 else one for one in word)


def pieces(text: str, by: Random) -> list[str]:
    """`text` cut anywhere."""
    places = sorted(by.randrange(len(text) + 1) for _ in range(by.choice((0, 1, 3, 9))))
    return [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]


def lenient(source: str) -> str:
    """What one who reads escapes finds in `source`, wherever they stand."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), source)


def words_in(view: Mapping[str, str]) -> list[str]:
    """The words that a caller finds, spelled plainly or not."""
    texts = [one for kind, text in view.items() for one in {text, _read(kind, text)}]
    return [word for text in texts for word in WORD.findall(text)]


def _read(kind: str, text: str) -> str:
    return lenient(text) if kind == "tool" else text


def view_of(reply: Sequence[Part], *, streamed: bool = False) -> View:
    """What a caller has who gets all of it. streamed: as events, of which no client joins the
    fields that it does not know."""
    view: View = {}
    for part in reply:
        said = _read(part.kind, part.text)
        if streamed and part.kind == "odd":
            said = "".join(f"{piece}\n" for piece in part.pieces if piece)
        view[part.kind] = view.get(part.kind, "") + said
    return view


def chat_events(replies: Sequence[Sequence[Part]], by: Random) -> list[Any]:
    """The events of a streamed chat completion, those of its choices mixed."""
    lanes = [list(_deltas(reply)) for reply in replies]
    events = []
    while any(lanes):
        index = by.choice([at for at, lane in enumerate(lanes) if lane])
        choice = {"index": index, "delta": lanes[index].pop(0), "finish_reason": None}
        events.append({"id": "c", "object": "chat.completion.chunk", "choices": [choice]})
    for index in range(len(replies)):
        choice = {"index": index, "delta": {}, "finish_reason": "stop"}
        events.append({"id": "c", "object": "chat.completion.chunk", "choices": [choice]})
    return events


def _deltas(reply: Sequence[Part]) -> Iterator[Any]:
    for number, part in enumerate(reply):
        for at, piece in enumerate(part.pieces):
            if part.kind == "tool":
                name = {} if at else {"name": "send"}
                call = {"index": number, "function": {**name, "arguments": piece}}
                yield {"tool_calls": [call]}
            else:
                yield {CHAT_KEYS[part.kind]: piece}


def chat_whole(replies: Sequence[Sequence[Part]]) -> Any:
    """A whole chat completion."""
    choices = []
    for index, reply in enumerate(replies):
        message: dict[str, Any] = {"role": "assistant", "content": None}
        for part in reply:
            if part.kind == "tool":
                call = {"id": "c", "type": "function"}
                function = {"name": "send", "arguments": part.text}
                message.setdefault("tool_calls", []).append({**call, "function": function})
            else:
                key = CHAT_KEYS[part.kind]
                message[key] = (message.get(key) or "") + part.text
        choices.append({"index": index, "message": message, "finish_reason": "stop"})
    return {"id": "c", "object": "chat.completion", "choices": choices}


def chat_view(values: Sequence[Any], count: int) -> list[View]:
    """What a client has of each reply in these events, or in this whole answer."""
    views: list[View] = [{} for _ in range(count)]
    calls: list[dict[int, str]] = [{} for _ in range(count)]
    for choice in [one for value in values for one in value.get("choices", ())]:
        index, said = choice.get("index"), choice.get("delta") or choice.get("message") or {}
        index = index if index in range(count) else 0
        for kind, key in CHAT_KEYS.items():
            if isinstance(said.get(key), str) and said[key]:
                end = "\n" if kind == "odd" and "delta" in choice else ""
                views[index][kind] = views[index].get(kind, "") + said[key] + end
        for at, call in enumerate(said.get("tool_calls") or ()):
            number = call.get("index", at)
            source = call.get("function", {}).get("arguments", "")
            calls[index][number] = calls[index].get(number, "") + source
    for view, found in zip(views, calls, strict=True):
        if found:
            view["tool"] = "".join(map(lenient, found.values()))
    return views


def langchain_chunks(reply: Sequence[Part]) -> list[AIMessageChunk]:
    """The chunks of a LangChain model."""
    made = [AIMessageChunk(content=[])]
    for number, part in enumerate(reply):
        for at, piece in enumerate(part.pieces):
            if part.kind == "tool":
                name, call_id = (None, None) if at else ("send", f"call-{number}")
                call: Any = {"name": name, "id": call_id, "args": piece, "index": number}
                call["type"] = "tool_call_chunk"
                made.append(AIMessageChunk(content=[], tool_call_chunks=[call]))
            else:
                kind, key = BLOCKS[part.kind]
                block: Any = {"type": kind, key: piece, "index": number}
                made.append(AIMessageChunk(content=[block]))
    return made


def langchain_view(message: BaseMessage) -> View:
    """What a caller has of a message: of its content, and of its calls as LangChain parses them."""
    view: View = {}
    content = message.content if isinstance(message.content, list) else [message.content]
    for block in content:
        named: Any = {"type": "text", "text": block} if isinstance(block, str) else block
        for kind, (name, key) in BLOCKS.items():
            if named.get("type") == name:
                view[kind] = view.get(kind, "") + str(named.get(key, ""))
    if isinstance(message, AIMessageChunk):
        sources = [str(one["args"] or "") for one in message.tool_call_chunks]
    elif isinstance(message, AIMessage):
        sources = [str(one["args"]) for one in message.invalid_tool_calls]
    else:
        sources = []
    parsed = [json.dumps(call["args"]) for call in getattr(message, "tool_calls", ())]
    if found := "".join(map(lenient, sources)) + "".join(parsed):
        view["tool"] = found
    return view


def plain_pieces(reply: Sequence[Part]) -> list[str]:
    """The reply of a function, which is one text: what a tool's arguments say is said as it reads.

    An escape that is cut in two would be none: such a part comes as one piece.
    """
    return [
        piece
        for part in reply
        for piece in ([lenient(part.text)] if part.kind == "tool" else part.pieces)
    ]
