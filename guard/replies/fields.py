"""Finds every text in a JSON value that has to be judged, with its path."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from guard.records import Unread
from guard.replies.schema import (
    ARGUMENTS,
    CONTAINERS,
    GROWING,
    KINDS,
    KNOWN_KEYS,
    MEDIA,
    MEDIA_KEYS,
    NAMES,
    OPAQUE,
    UNREAD_KIND,
    ReplyKind,
    is_data,
    is_name,
    is_opaque,
    kind_of_type,
    read_as_sentence,
)
from guard.replies.tokens import TokenTexts, are_numbers
from guard.text import spelt_over_parts

Path = tuple[str | int, ...]
Steps = tuple[str, ...]
_NO_TEXT = frozenset({int, float, bool, type(None)})
_TOKENS = frozenset({"logprobs", "prompt_logprobs"})
PARTS = frozenset({"content", "parts"})
"""Keys of lists of parts, whose texts are shown as one."""
_CHOICES = frozenset({"choices", "candidates"})
_THOUGHT = "thought"
_DELTA = "delta"
_LONGEST_INDEX = 9
_NOTHING: frozenset[Unread] = frozenset()
_INHERITED = frozenset({ReplyKind.OTHER, ReplyKind.TEXT})


class UnreadableError(Exception):
    """There is no text where one was expected."""

    def __init__(self, why: Unread) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True)
class TextField:
    """A text to be judged.

    path: where it stands in the value; of a key, that of its object. channel: the texts that a
    client joins have the same one. whole: a client joins it to nothing. fixed: no other text can be
    written in its place. source: it is JSON that somebody will parse. shown: what a usual loop
    prints one after another has the same, whatever its channel; empty for what none prints.
    """

    path: Path
    text: str = field(repr=False)
    kind: ReplyKind
    channel: Path
    whole: bool
    fixed: bool = False
    source: bool = False
    shown: Path = ()


@dataclass(frozen=True, slots=True)
class Extraction:
    """What is in one value.

    unread: what is there and is not read. has_tokens: there are tokens, whose text may come later.
    joined: names and texts that some clients join to what comes later under the same key; a text of
    its own where that is not the same once more.
    """

    fields: tuple[TextField, ...] = ()
    unread: frozenset[Unread] = frozenset()
    has_tokens: bool = False
    joined: tuple[TextField, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it."""
        return not (self.fields or self.unread or self.has_tokens)

    @property
    def is_structured(self) -> bool:
        """Whether something in it cannot be said in other words: calls of tools, speech, tokens."""
        if Unread.AUDIO in self.unread:
            return True
        return any(field.fixed or field.kind is ReplyKind.TOOL for field in self.fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How values are read.

    streamed: they are events or chunks, whose texts a client joins: those under GROWING keys, or
    under every key where `joins_every_key`. reads_data: long runs without
    white space under unknown keys are judged too. alternatives: the client asked for tokens that
    the model did not choose. prompt_tokens: it asked for those of its own prompt.
    """

    reads_reasoning: bool = True
    reads_tool_calls: bool = True
    reads_data: bool = True
    streamed: bool = False
    joins_every_key: bool = False
    alternatives: bool = False
    prompt_tokens: bool = False


def extract(
    value: Any, options: ReadOptions, *, channel: Path = (), growing: bool = False
) -> Extraction:
    """The texts of `value`, in the order in which they stand there.

    channel: of the whole value. growing: whether a client joins its texts to those of others.
    """
    return _Walk(options).through(value, channel, growing=growing)


def fields_at(document: Any, steps: Steps) -> list[TextField]:
    """The text at each place that `steps` lead to: keys, numbers of list entries, `*` for each.

    Null is an empty text. Raises UnreadableError where a step leads nowhere, or to anything else.
    """
    found = [(path, _text_of(value)) for path, value in values_at(document, steps)]
    return [TextField(path, text, ReplyKind.TEXT, path, whole=True) for path, text in found]


def values_at(document: Any, steps: Steps) -> list[tuple[Path, Any]]:
    """The value at each place that `steps` lead to. Raises as `fields_at` does."""
    found: list[tuple[Path, Any]] = [((), document)]
    for step in steps:
        found = [
            ((*path, key), value[key]) for path, value in found for key in _keys_of(value, step)
        ]
    return found


def index_of(value: object) -> int | None:
    """Which of several choices or calls an object is a piece of; None where it does not say so.

    Clients take 1, 1.0 and "1" for one key, or truth for 1, so that these are one here as well.
    """
    index = value.get("index") if isinstance(value, dict) else None
    if isinstance(index, str):
        return int(index) if index.isdecimal() and len(index) <= _LONGEST_INDEX else None
    if isinstance(index, float):
        return int(index) if index.is_integer() else None
    return int(index) if isinstance(index, int) else None


def _keys_of(value: object, step: str) -> list[Any]:
    if isinstance(value, dict) and step in value:
        return [step]
    if isinstance(value, list):
        if step == "*":
            return list(range(len(value)))
        if step.isdecimal() and int(step) < len(value):
            return [int(step)]
    raise UnreadableError(Unread.NO_FIELD)


def _text_of(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UnreadableError(Unread.NOT_TEXT)
    return value


class _Place(NamedTuple):
    """Where a value stands. known: the keys here are those of the API. media: of what it is a part.
    growing: see GROWING."""

    path: Path
    channel: Path
    key: str
    kind: ReplyKind
    known: bool
    media: Unread | None
    growing: bool


class _Walk:
    """One traversal of a value."""

    def __init__(self, options: ReadOptions) -> None:
        self._options = options
        self._fields: list[TextField] = []
        self._unread: set[Unread] = set()
        self._passed: list[str] = []
        self._tokens: list[tuple[_Place, TokenTexts]] = []
        self._joined: list[TextField] = []
        self._has_tokens = False

    def through(self, value: Any, channel: Path, *, growing: bool) -> Extraction:
        """The content of `value`. Keys of an object come before the texts in it."""
        start = _Place((), channel, "", ReplyKind.OTHER, known=True, media=None, growing=growing)
        waiting: list[tuple[_Place, Any]] = [(start, value)]
        while waiting:
            place, node = waiting.pop()
            if isinstance(node, str):
                self._take(place, node)
            elif place.key not in _TOKENS or not self._take_tokens(place, node):
                waiting += reversed(self._inside(place, node))
        if self._tokens:
            self._add_tokens()
        self._fields += _spelt(self._fields)
        unread = frozenset(self._unread) if self._unread else _NOTHING
        return Extraction(tuple(self._fields), unread, self._has_tokens, tuple(self._joined))

    def _take_tokens(self, place: _Place, node: Any) -> bool:
        """Whether `node` only repeats texts as tokens."""
        if place.known and place.key == "prompt_logprobs" and self._options.prompt_tokens:
            return True
        if place.known and place.key == "logprobs":
            self._tokens.append((place, TokenTexts(node, alternatives=self._options.alternatives)))
            self._has_tokens = True
            return True
        return False

    def _inside(self, place: _Place, node: Any) -> list[tuple[_Place, Any]]:
        if isinstance(node, list):
            self._has_tokens = self._has_tokens or are_numbers(node)
            return _elements(place, node)
        if not isinstance(node, dict):
            return []
        judged = not place.known and place.kind is ReplyKind.TOOL
        for key in node:
            if judged or not (key in KNOWN_KEYS or is_name(key)):
                self._take_key(place, key)
        if not place.known and (said := read_as_sentence([*node])):
            self._take_key(place, said)
        return self._members(place, node)

    def _members(self, place: _Place, node: dict[str, Any]) -> list[tuple[_Place, Any]]:
        kind, media = place.kind, place.media
        if kind in _INHERITED:
            kind = kind_of_type(node.get("type")) or kind
            if kind is ReplyKind.MEDIA:
                media = MEDIA[node["type"]]
                self._unread.add(media)
        path, channel, private = place.path, place.channel, place.key.startswith("__")
        found = []
        for key, value in node.items():
            if (made_of := type(value)) in _NO_TEXT:
                continue
            is_text = made_of is str
            if is_text and place.known and key in NAMES and is_name(value):
                self._take_name(place, key, value)
                continue
            inner = KINDS.get(key, kind) if place.known and kind in _INHERITED else kind
            known = place.known and (is_text or key in CONTAINERS or key.startswith("__"))
            growing = place.growing or key == _DELTA
            name = place.key if private else key
            within = MEDIA_KEYS.get(key, media) if known else media
            if within is not None and within is not media:
                self._unread.add(within)
            at = _Place((*path, key), (*channel, key), name, inner, known, within, growing)
            found.append((at, value))
        return found

    def _take(self, place: _Place, text: str) -> None:
        if not text or (place.known and self._is_for_programs(place, text)):
            return
        if self._passes(place.kind):
            self._passed.append(text)
            return
        if not self._options.reads_data and place.kind is ReplyKind.OTHER and is_data(text):
            self._unread.add(Unread.DATA)
            return
        joins = place.key in GROWING or self._options.joins_every_key
        whole = not (self._options.streamed and place.growing and joins)
        source, shown = _is_source(place, whole=whole), self._shown(place, whole=whole)
        field = TextField(
            place.path, text, place.kind, place.channel, whole, source=source, shown=shown
        )
        self._fields.append(field)
        if whole:
            self._take_joined(field)

    def _shown(self, place: _Place, *, whole: bool) -> Path:
        """The channel without numbers and names of entries. Calls of tools come one by one where
        they are whole, and so do choices, but for those of a stream."""
        if place.key not in GROWING or (whole and place.kind is ReplyKind.TOOL):
            return ()
        steps, streamed = place.channel, self._options.streamed
        before = ("", *steps)
        return tuple(
            step
            for at, step in enumerate(steps)
            if type(step) is str or (not streamed and before[at] in _CHOICES)
        )

    def _is_for_programs(self, place: _Place, text: str) -> bool:
        """Whether the text is a name or base64 data."""
        key = place.key
        if key in NAMES or key.startswith("__"):
            return is_name(text) or (key not in NAMES and is_opaque(text))
        if key in OPAQUE and is_opaque(text):
            label = OPAQUE[key]
            self._unread |= {place.media} if label and place.media else label
            return True
        return False

    def _take_name(self, place: _Place, key: str, name: str) -> None:
        path, channel = (*place.path, key), (*place.channel, key)
        self._take_joined(TextField(path, name, place.kind, channel, whole=False))

    def _take_joined(self, field: TextField) -> None:
        """Some clients join whatever comes in a `delta`."""
        options, channel = self._options, field.channel
        joins = options.streamed and (options.joins_every_key or _DELTA in channel)
        if joins and channel[-1] != "type":
            channel = (*channel, _DELTA)
            self._joined.append(replace(field, channel=channel, whole=False, fixed=True))

    def _take_key(self, place: _Place, key: str) -> None:
        if key and not self._passes(place.kind):
            channel = (*place.channel, key, "")
            field = TextField(place.path, key, place.kind, channel, whole=True, fixed=True)
            self._fields.append(field)

    def _passes(self, kind: ReplyKind) -> bool:
        options = self._options
        passes = (kind is ReplyKind.REASONING and not options.reads_reasoning) or (
            kind is ReplyKind.TOOL and not options.reads_tool_calls
        )
        if passes:
            self._unread.add(UNREAD_KIND[kind])
        return passes

    def _add_tokens(self) -> None:
        """Judge tokens that do not repeat the text beside them; a client joins those of events."""
        said = "".join([*(field.text for field in self._fields), *self._passed])
        whole = not self._options.streamed
        for (path, channel, *_), tokens in self._tokens:
            texts = [(one, channel) for one in tokens.others if one not in said]
            if not tokens.repeats(said):
                texts.insert(0, (tokens.text, channel))
                if tokens.words:
                    texts.append((tokens.words, (*channel, " ")))
            self._fields += (
                TextField(path, text, ReplyKind.OTHER, where, whole=whole, fixed=True)
                for text, where in texts
            )


def _spelt(fields: Iterable[TextField]) -> list[TextField]:
    """What the parts of a content say together, where words go over several of them."""
    contents: dict[Path, list[TextField]] = {}
    for one in fields:
        if one.whole and not one.fixed:
            channel = one.channel[:-1] if one.channel[-1:] == ("text",) else one.channel
            contents.setdefault(channel, []).append(one)
    return [
        replace(parts[0], text=text, channel=(*channel, "*"), fixed=True)
        for channel, parts in contents.items()
        if len(parts) > 1 and (text := spelt_over_parts([part.text for part in parts]))
    ]


def _elements(place: _Place, node: list[Any]) -> list[tuple[_Place, Any]]:
    path, channel, key, kind, known, media, growing = place
    joined = key in PARTS and kind is ReplyKind.TEXT
    found = []
    for at, value in enumerate(node):
        if type(value) in _NO_TEXT:
            continue
        index = index_of(value)
        which = at if index is None else index
        inner = _part_of(channel, value) if joined else (*channel, which)
        found.append((_Place((*path, at), inner, key, kind, known, media, growing), value))
    return found


def _part_of(channel: Path, part: object) -> Path:
    """The channel of a part, which is that of its list; Google's clients leave out thoughts."""
    is_thought = isinstance(part, dict) and part.get(_THOUGHT) is True
    return (*channel, _THOUGHT) if is_thought else channel


def _is_source(place: _Place, *, whole: bool) -> bool:
    """Whether it is the arguments of a tool, or a part of them in an event of the Responses API."""
    if place.kind is not ReplyKind.TOOL:
        return False
    if place.key in ARGUMENTS or (place.key == "input" and whole):
        return True
    return place.key == "delta" and bool(place.channel) and "arguments" in str(place.channel[0])
