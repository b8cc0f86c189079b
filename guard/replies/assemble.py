"""Assembles the text that is judged from all text fields of a reply.

Invariant: a value is released whole only if each of its texts lies before the released end of the
judged text, or repeats a text that does. Once something was redacted, texts are released with the
marker in its place, and so are their repetitions. No other module changes places.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from guard.records import Span
from guard.replies.fields import Extraction, Path
from guard.replies.layout import Layout
from guard.replies.placed import UNPLACED, Origin, Placed
from guard.replies.redactions import Redactions

T = TypeVar("T")
LONGEST_UNCUT = 32
"""Characters of a value that leaves whole or not at all while nothing is withheld: so streams of
tokens stay as they are, and one of long pieces does not wait for the end of the next."""


@dataclass(slots=True)
class _Part(Generic[T]):
    """A buffered value."""

    item: T
    found: Extraction
    placed: list[Placed]
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
        self._layout = Layout()
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
    def cuts_words(self) -> bool:
        """Whether words come in pieces over several channels, so that what is redacted in one of
        them changes the others: all can be withheld, but nothing else can stand for a part."""
        return self._layout.cuts_words

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
        ahead = [one for one in placed if one.text and UNPLACED < one.start < end]
        if not ahead or any(one.field.whole or one.again for one in ahead):
            return None
        if any(one.fixed for one in placed):
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

    def _text_of(self, one: Placed, text: str) -> str:
        """What is said for `text`, with which `one` begins."""
        if self._redactions is None:
            return text
        said = self._redactions.edit(text, one.starts)
        if one.repeats is not None:
            before = "".join(self._said.get(one.repeats, [text]))
            return said if before == text else before
        if one.field.whole:
            self._said[one.origin] = [said]
        else:
            self._said.setdefault(one.origin, []).append(said)
        return said

    def _waiting(self) -> Iterable[Placed]:
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
