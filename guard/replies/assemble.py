"""Assembles the text that is judged from all text fields of a reply.

Invariant: a value is released whole only if each of its texts lies before the released end of the
judged text, or repeats a text that does. Once something was redacted, texts are released with the
marker in its place, and so are their repetitions. No other module changes places.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from guard.records import Span
from guard.replies.fields import Extraction, Path, TextField
from guard.replies.redactions import Redactions
from guard.replies.sources import SourceReader
from guard.text import settled_end

T = TypeVar("T")
Origin = Path | str
"""Of a text that was said before: the channel it was said in, or itself where that was in one."""

APART = "\n\n"
"""Separates texts that clients do not concatenate; it ends a sentence."""
LONGEST_DEFERRED = 1000
LONGEST_UNCUT = 32
"""Characters of a value that leaves whole or not at all while nothing is withheld: so streams of
tokens stay as they are, and one of long pieces does not wait for the end of the next."""
_UNPLACED = -1
_STOPS = tuple(".!?…\u061f\u06d4\u0964。！？｡")
_CLOSERS = "\"'’”»」』)]}）】*_"


@dataclass(slots=True, repr=False)
class _Placed:
    """A text and its place. text: as it is judged. start: of it in the text of the reply.
    fixed: nothing can be written back. repeats: where it was said before; then it has no place of
    its own."""

    field: TextField
    text: str
    fixed: bool
    start: int = _UNPLACED
    repeats: Origin | None = None

    @property
    def origin(self) -> Origin:
        """How others repeat it."""
        return self.text if self.field.whole else self.field.channel

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    def may_pass(self, end: int) -> bool:
        """Whether it can be released with the judged text before `end`."""
        if self.repeats is not None:
            return True
        return self.start != _UNPLACED and self.start + len(self.text.rstrip()) <= end


@dataclass(slots=True)
class _Part(Generic[T]):
    """A buffered value."""

    item: T
    found: Extraction
    placed: list[_Placed]
    readable: bool = True

    def may_pass(self, end: int) -> bool:
        return all(one.may_pass(end) for one in self.placed)

    @property
    def is_early(self) -> bool:
        """Whether it has tokens but no text: they must not be released before their text."""
        return self.found.has_tokens and not self.placed


class Assembly(Generic[T]):
    """Buffers the values of one reply until their texts are released. T: type of the values.

    edit: a value like the given one with other texts at these paths, and without anything beside
    its texts that could quote what was redacted. splits: whether a value may be split into one
    with the first texts and one with the second. ends_blank: whether the text that was released
    last ends in white space.
    """

    def __init__(
        self,
        edit: Callable[[T, Mapping[Path, str]], T],
        splits: Callable[[T, Mapping[Path, str], Mapping[Path, str]], bool] = lambda *_: True,
    ) -> None:
        self._edit = edit
        self._splits = splits
        self._redactions: Redactions | None = None
        self._said: dict[Origin, list[str]] = {}
        self._layout = _Layout()
        self._parts: deque[_Part[T]] = deque()
        self._complete = False
        self.ends_blank = False

    def add(self, item: T, found: Extraction) -> str:
        """Buffer a value; returns what it adds to the judged text. found: the texts in it."""
        placed, added = self._layout.place(found)
        self._parts.append(_Part(item, found, placed))
        return added

    def add_unreadable(self, item: T) -> None:
        """Buffer a value that cannot be read; it is released in order."""
        self._parts.append(_Part(item, Extraction(), [], readable=False))

    def finish(self) -> str:
        """The reply is complete; returns what that adds to the judged text."""
        self._complete = True
        return self._layout.finish()

    def release(self, end: int) -> list[T]:
        """Remove and return the next values whose texts all lie before `end`, as redacted."""
        out: list[T] = []
        while (count := self._ready(end)) > 0:
            out += [self._released(self._parts.popleft()) for _ in range(count)]
        return out

    def redact(self, spans: Sequence[Span], marker: str) -> None:
        """From now on `marker` stands for these ranges of the judged text, and in repetitions of
        what they were in. They lie behind all that was released and all that was redacted; none
        begins or ends with white space. A range that reaches into several texts is marked in the
        first."""
        if self._redactions is None:
            self._redactions = Redactions((), marker)
            self._said = {path: [text] for path, text in self._layout.grown(self._waiting())}
        self._redactions = self._redactions.with_more(spans)

    def release_silent(self) -> list[T]:
        """Remove and return the next values without any content; they are never withheld."""
        out: list[T] = []
        while self._parts and self._parts[0].readable and self._parts[0].found.is_empty:
            out.append(self._parts.popleft().item)
        return out

    @property
    def next_is_long(self) -> bool:
        """Whether the next value is so long that it should be split."""
        if not self._parts:
            return False
        texts = (one.text for one in self._parts[0].placed if one.repeats is None)
        return sum(map(len, texts)) > LONGEST_UNCUT

    def split_next(self, end: int) -> tuple[T, dict[Path, str], dict[Path, str]] | None:
        """The next value with its texts split at `end`; the second half stays buffered.

        None where it cannot be split there. Answer with `replace_next`.
        """
        placed = self._parts[0].placed if self._parts else []
        ahead = [one for one in placed if one.text and _UNPLACED < one.start < end]
        if not ahead or any(one.field.whole for one in ahead) or any(one.fixed for one in placed):
            return None
        first = {one.field.path: one.text[: end - one.start] for one in ahead}
        rest = {one.field.path: one.text[end - one.start :] for one in ahead}
        if not self._splits(self._parts[0].item, first, rest):
            return None
        first = {one.field.path: self._text_of(one, first[one.field.path]) for one in ahead}
        for one in ahead:
            one.text = rest[one.field.path]
            one.start = max(one.start, end)
        self.ends_blank = False
        return self._parts[0].item, first, rest

    def replace_next(self, item: T) -> None:
        """Replace the next value, whose beginning was released by `split_next`."""
        self._parts[0].item = item

    def drop(self) -> list[T]:
        """Remove and return all buffered values."""
        out = [part.item for part in self._parts]
        self._parts.clear()
        return out

    def _released(self, part: _Part[T]) -> T:
        texts = [self._text_of(one, one.text) for one in part.placed]
        if texts:
            self.ends_blank = texts[-1][-1:].isspace()
        if self._redactions is None or not part.readable:
            return part.item
        pairs = zip(part.placed, texts, strict=True)
        return self._edit(part.item, {one.field.path: new for one, new in pairs if new != one.text})

    def _text_of(self, one: _Placed, text: str) -> str:
        """What is said for `text`, with which `one` begins."""
        if self._redactions is None:
            return text
        if one.repeats is not None:
            return "".join(self._said.get(one.repeats, [text]))
        said = self._redactions.edit(text, one.start)
        if one.field.whole:
            self._said[one.origin] = [said]
        else:
            self._said.setdefault(one.origin, []).append(said)
        return said

    def _waiting(self) -> Iterable[_Placed]:
        """The texts that have not been released."""
        return [one for part in self._parts for one in part.placed if one.repeats is None]

    def _ready(self, end: int) -> int:
        """How many values may leave at once: the next one, and with tokens that come ahead of
        their text the one that has it."""
        for count, part in enumerate(self._parts, 1):
            if not part.may_pass(end):
                return 0
            if not part.is_early:
                return count
        return len(self._parts) if self._complete else 0


class _Layout:
    """Places every text in the judged text.

    What a client joins stands together: while a sentence is being said in one channel, what comes
    in others is deferred until it ends, or until a sentence ended elsewhere and this one did not go
    on. A text that was said before, in one piece or in many, has no place of its own.
    """

    def __init__(self) -> None:
        self._length = 0
        self._history = _History()
        self._channel: Path | None = None
        self._open = False
        self._deferred: dict[Path, _Deferred] = {}
        self._went_on = 0
        self._sources = SourceReader(self._history.said_in)
        self._pieces: dict[Path, str] = {}

    def place(self, found: Extraction) -> tuple[list[_Placed], str]:
        """The texts with their places, and what they add to the judged text."""
        added: list[str] = []
        placed = []
        for one in found.fields:
            for text_field, text in self._sources.readings(one):
                placed.append(self._add(text_field, text, added))
        for one in filter(None, map(self._going_on, found.joined)):
            placed.append(self._add(one, one.text, added))
        return placed, "".join(added)

    def finish(self) -> str:
        """What the end of the reply adds to the judged text."""
        added: list[str] = []
        self._place_deferred(len(self._deferred), added)
        return "".join(added)

    def grown(self, waiting: Iterable[_Placed]) -> Iterator[tuple[Path, str]]:
        """What was said so far in each channel, without what is waiting."""
        lengths = Counter[Path]()
        for one in waiting:
            if not one.field.whole:
                lengths[one.field.channel] += len(one.text)
        for channel, text in self._history.grown():
            yield channel, text[: len(text) - lengths[channel]]

    def _going_on(self, joined: TextField) -> TextField | None:
        """The text with what it goes on from; None for the first one and for repetitions of it."""
        before = self._pieces.setdefault(joined.channel, joined.text)
        if before == joined.text:
            return None
        self._pieces[joined.channel] = ""
        return replace(joined, text=before + joined.text)

    def _add(self, text_field: TextField, text: str, added: list[str]) -> _Placed:
        fixed = text_field.fixed or text != text_field.text
        one = _Placed(text_field, text, fixed)
        if text_field.whole and (origin := self._history.origin(text)) is not None:
            one.repeats = origin
            return one
        self._history.add(one)
        if text_field.channel == self._channel and not text_field.whole:
            self._went_on += len(text) if self._deferred else 0
            self._put([one], added)
        elif self._open or self._deferred:
            self._deferred.setdefault(text_field.channel, _Deferred()).add(one)
        else:
            self._put([one], added)
        if self._deferred:
            self._place_deferred(self._due(), added)
        return one

    def _due(self) -> int:
        """How many deferred channels can be placed now."""
        if not self._open:
            return 1
        waiting = list(self._deferred.values())
        if self._went_on + sum(one.length for one in waiting) > LONGEST_DEFERRED:
            return 1
        ended = [] if self._went_on else [one.ended for one in waiting]
        return ended.index(True) + 1 if True in ended else 0

    def _place_deferred(self, count: int, added: list[str]) -> None:
        while count and self._deferred:
            path = next(iter(self._deferred))
            self._put(self._deferred.pop(path).placed, added)
            self._went_on = 0
            count = max(count - 1, 0 if self._open else 1)

    def _put(self, placed: list[_Placed], added: list[str]) -> None:
        """Append texts of one channel to the judged text."""
        for one in placed:
            channel, whole = one.field.channel, one.field.whole
            joins = channel == self._channel and not whole
            before = "" if joins or not self._length else APART
            self._channel = channel
            one.start = self._length + len(before)
            self._length = one.end
            added += [before, one.text]
            self._open = not whole and _is_open(one.text, was=joins and self._open)


def _is_open(text: str, *, was: bool) -> bool:
    """Whether `text` ends inside a sentence. was: whether the text before it did."""
    end = text.rstrip()
    if "\n" in text[len(end) :]:
        return False
    return not end.rstrip(_CLOSERS).endswith(_STOPS) if end else was


@dataclass(slots=True)
class _Deferred:
    """Deferred texts of one channel. ended: whether they contain the end of a sentence."""

    placed: list[_Placed] = field(default_factory=list)
    length: int = 0
    ended: bool = False

    def add(self, one: _Placed) -> None:
        self.placed.append(one)
        self.length += len(one.text)
        if not self.ended and not one.field.whole:
            self.ended = settled_end("".join(other.text for other in self.placed), 0) > 0


class _History:
    """All texts so far; texts that clients concatenate count as one."""

    def __init__(self) -> None:
        self._wholes: set[str] = set()
        self._grown: dict[Path, list[str]] = {}
        self._lengths: dict[Path, int] = {}

    def add(self, one: _Placed) -> None:
        if one.field.whole:
            self._wholes.add(one.text)
            return
        channel = one.field.channel
        self._grown.setdefault(channel, []).append(one.text)
        self._lengths[channel] = self._lengths.get(channel, 0) + len(one.text)

    def said_in(self, channel: Path) -> str:
        """All that clients join there."""
        return "".join(self._grown[channel])

    def origin(self, text: str) -> Origin | None:
        """Where the text was said; None where it was not."""
        if text in self._wholes:
            return text
        same = [path for path, length in self._lengths.items() if length == len(text)]
        return next((path for path in same if "".join(self._grown[path]) == text), None)

    def grown(self) -> Iterator[tuple[Path, str]]:
        """The texts that clients join, by channel."""
        for channel, texts in self._grown.items():
            yield channel, "".join(texts)
