"""Every string in a piece of an answer that has to be judged, and where it stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from guard.gateway.judging.known import (
    CONTAINERS,
    GROWING,
    KINDS,
    NAMES,
    OPAQUE,
    Kind,
    is_name,
    is_opaque,
    kind_of_type,
)
from guard.gateway.judging.tokens import Tokens
from guard.policy import Policy
from guard.records import Unread

Path = tuple[str | int, ...]
UNPLACED = -1


@dataclass(slots=True)
class Leaf:
    """A string to be judged.

    path: where it stands in the value. channel: what a client joins it to. whole: it is nothing a
    client joins. start: of its characters in the text of the reply; UNPLACED before it has a place
    there. repeats: it was said before, and gets none. fixed: it cannot be written back. source: it
    is JSON that somebody will parse, and is judged as that reads it.
    """

    path: Path
    text: str
    kind: Kind
    channel: Path
    whole: bool
    start: int = UNPLACED
    repeats: bool = False
    fixed: bool = False
    source: bool = False

    @property
    def end(self) -> int:
        """Where its characters end."""
        return self.start + len(self.text)

    def passed(self, end: int) -> bool:
        """Whether it may be given where the text before `end` may; white space always may."""
        if self.repeats:
            return True
        return self.start != UNPLACED and self.start + len(self.text.rstrip()) <= end


@dataclass(slots=True)
class Found:
    """What is in one value.

    unread: what is there that nobody reads. passed: its texts. copies: what was said, once more, as
    tokens. encoded: there are tokens, whose text may come later.
    """

    leaves: list[Leaf] = field(default_factory=list)
    unread: set[Unread] = field(default_factory=set)
    passed: list[str] = field(default_factory=list)
    copies: list[tuple[Path, str]] = field(default_factory=list)
    encoded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How answers are read.

    streamed: values are events, whose strings a client joins. asked: the body of the request.
    """

    reads_reasoning: bool = True
    reads_tool_calls: bool = True
    streamed: bool = False
    asked: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def under(cls, policy: Policy, asked: Mapping[str, Any]) -> Reading:
        """What `policy` wants read of the answer to this request."""
        return cls(
            reads_reasoning=policy.reads_reasoning,
            reads_tool_calls=policy.reads_tool_calls,
            streamed=bool(asked.get("stream")),
            asked=asked,
        )

    @property
    def wants_tokens(self) -> bool:
        """Whether the client asked what else the model could have said."""
        return bool(self.asked.get("logprobs") or self.asked.get("top_logprobs"))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a value stands. known: the keys here are those of the API. growing: see GROWING."""

    path: Path
    channel: Path
    key: str
    kind: Kind
    known: bool
    growing: bool


def strings(value: Any, reading: Reading, *, channel: Path = (), growing: bool = False) -> Found:
    """The strings of `value`, in the order in which they stand there.

    channel: of the whole value. growing: whether a client joins its strings to those of others.
    """
    found = Found()
    waiting: list[tuple[_Place, Any]] = [
        (_Place((), channel, "", Kind.OTHER, known=True, growing=growing), value)
    ]
    while waiting:
        place, node = waiting.pop()
        if isinstance(node, str):
            _take(place, node, reading, found)
        elif isinstance(node, dict | list):
            waiting += _inside(place, node, reading, found)
    _add_copies(found)
    return found


def _inside(
    place: _Place, node: dict[str, Any] | list[Any], reading: Reading, found: Found
) -> list[tuple[_Place, Any]]:
    """What stands in `node`, last first."""
    prompted = reading.asked.get("prompt_logprobs") is not None
    if place.known and place.key == "prompt_logprobs" and prompted:
        return []
    if place.known and place.key == "logprobs":
        tokens = Tokens(node, alternatives=reading.wants_tokens)
        found.copies += [(place.path, text) for text in (tokens.text, *tokens.more) if text]
        found.encoded = True
        return []
    if place.key == "token_ids":
        found.encoded = True
    inner = list(_members(place, node) if isinstance(node, dict) else _elements(place, node))
    if isinstance(node, dict):
        for key in node:
            if not (is_name(key) and (place.known or place.kind is not Kind.TOOL)):
                _take_key(place, key, reading, found)
    inner.reverse()
    return inner


def _members(place: _Place, node: dict[str, Any]) -> Iterator[tuple[_Place, Any]]:
    kind = place.kind
    if kind is Kind.OTHER or kind is Kind.TEXT:
        kind = kind_of_type(node.get("type")) or kind
    for key, value in node.items():
        if type(value) in _NO_TEXT or (place.known and _is_known_name(key, value)):
            continue
        inner = kind
        if kind is Kind.OTHER or kind is Kind.TEXT:
            inner = KINDS.get(key, kind) if place.known else kind
        yield (
            _Place(
                (*place.path, key),
                (*place.channel, key),
                key,
                inner,
                place.known and (key in CONTAINERS or isinstance(value, str)),
                place.growing or key == "delta",
            ),
            value,
        )


_NO_TEXT = frozenset({int, float, bool, type(None)})


def _elements(place: _Place, node: list[Any]) -> Iterator[tuple[_Place, Any]]:
    joined = place.key == "content" and place.kind is Kind.TEXT
    for at, value in enumerate(node):
        index = value.get("index") if isinstance(value, dict) else None
        which = index if type(index) is int else at
        channel = place.channel if joined else (*place.channel, which)
        yield (
            _Place((*place.path, at), channel, place.key, place.kind, place.known, place.growing),
            value,
        )


def _is_known_name(key: str, value: Any) -> bool:
    return key in NAMES and isinstance(value, str) and is_name(value)


def _take(place: _Place, text: str, reading: Reading, found: Found) -> None:
    if not text or (place.known and _is_known_name(place.key, text)):
        return
    if place.known and place.key in OPAQUE and is_opaque(text):
        found.unread |= OPAQUE[place.key]
        return
    if _passes(place.kind, reading):
        found.unread.add(Unread(place.kind.value))
        found.passed.append(text)
        return
    whole = not (reading.streamed and place.growing and place.key in GROWING)
    found.leaves.append(
        Leaf(place.path, text, place.kind, place.channel, whole, source=_is_source(place))
    )


def _is_source(place: _Place) -> bool:
    """Whether it is the arguments of a tool, or a part of them in an event of the Responses API."""
    event = str(place.channel[0]) if place.key == "delta" and place.channel else ""
    return place.kind is Kind.TOOL and (place.key == "arguments" or "arguments" in event)


def _take_key(place: _Place, key: str, reading: Reading, found: Found) -> None:
    if _passes(place.kind, reading):
        found.unread.add(Unread(place.kind.value))
    elif key:
        channel = (*place.channel, key, "")
        found.leaves.append(Leaf(place.path, key, place.kind, channel, whole=True, fixed=True))


def _passes(kind: Kind, reading: Reading) -> bool:
    if kind is Kind.REASONING:
        return not reading.reads_reasoning
    return kind is Kind.TOOL and not reading.reads_tool_calls


def _add_copies(found: Found) -> None:
    """Tokens that are no copy of the text beside them are judged as well."""
    if not found.copies:
        return
    said = "".join([*(leaf.text for leaf in found.leaves), *found.passed])
    for path, text in found.copies:
        if text not in said:
            found.leaves.append(Leaf(path, text, Kind.OTHER, path, whole=True, fixed=True))
