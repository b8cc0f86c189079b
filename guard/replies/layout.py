"""Where every text of a reply stands in the one that is judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from guard.replies.arrival import Arrivals
from guard.replies.fields import Extraction, Path, TextField
from guard.replies.placed import Origin, Placed, is_open
from guard.replies.sources import SourceReader
from guard.text import settled_end

APART: Final = "\n\n"
"""Separates texts that clients do not concatenate; it ends a sentence."""
LONGEST_DEFERRED: Final = 1000
_LONGEST_CARRIED: Final = 200


class Layout:
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
        self._arrivals = Arrivals()
        self._carried: dict[Path, str] = {}
        self._others: set[Path] = set()

    @property
    def cuts_words(self) -> bool:
        """Whether words come in pieces over several channels."""
        return self._arrivals.cut_words

    def place(self, found: Extraction) -> tuple[list[Placed], str]:
        """The texts with their places, and what they add to the judged text."""
        added: list[str] = []
        placed = []
        self._arrivals.begin_value()
        for one in found.fields:
            for text_field, text in self._sources.readings(one):
                if one.source and not text_field.source:
                    self._carried.setdefault(one.channel, "")
                    self._begin_other(text_field.channel)
                placed.append(self._add(text_field, text, added))
                if text_field is one:
                    self._add_again(placed[-1], added)
        for one in filter(None, map(self._going_on, found.joined)):
            placed.append(self._add(one, one.text, added))
        return placed, "".join(added)

    def finish(self) -> str:
        """What the end of the reply adds to the judged text."""
        added: list[str] = []
        self._place_deferred(len(self._deferred), added)
        return "".join(added)

    def grown(self, waiting: Iterable[Placed]) -> Iterator[tuple[Path, str]]:
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

    def _add(self, text_field: TextField, text: str, added: list[str]) -> Placed:
        fixed = text_field.fixed or text != text_field.text
        one = Placed(text_field, text, fixed)
        if text_field.whole and (origin := self._history.origin(text)) is not None:
            one.repeats = origin
            return one
        self._history.add(one)
        self._enter(one, added)
        return one

    def _add_again(self, one: Placed, added: list[str]) -> None:
        """Place in the order of arrival what has to be judged there as well."""
        for again in self._arrivals.add(one):
            self._begin_other(again.field.channel)
            self._enter(again, added)

    def _begin_other(self, channel: Path) -> None:
        """Of texts that stand elsewhere as well: they wait where others would interrupt those."""
        self._others.add(channel)
        self._carried.setdefault(channel, "")

    def _enter(self, one: Placed, added: list[str]) -> None:
        channel, whole = one.field.channel, one.field.whole
        if channel == self._channel and not whole:
            self._went_on += len(one.text) if self._deferred else 0
            self._put([one], added)
        elif self._open or self._deferred:
            self._deferred.setdefault(channel, _Deferred()).add(
                one, ends=channel not in self._others
            )
        else:
            self._put([one], added)
        if self._deferred:
            self._place_deferred(self._due(), added)

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

    def _put(self, placed: list[Placed], added: list[str]) -> None:
        """Append texts of one channel to the judged text."""
        for one in placed:
            channel, whole = one.field.channel, one.field.whole
            joins = channel == self._channel and not whole
            before = "" if joins or not self._length else APART
            before += "" if joins else self._carried.get(channel, "")
            self._channel = channel
            one.start = self._length + len(before)
            self._length = one.end
            added += [before, one.text]
            self._open = not whole and is_open(one.text, was=joins and self._open)
            self._carry(one)

    def _carry(self, one: Placed) -> None:
        """Keep the end of a reading that may be interrupted within a word, to say it once more."""
        channel = one.field.channel
        if channel in self._carried:
            said = (self._carried[channel] + one.text)[-_LONGEST_CARRIED:]
            self._carried[channel] = said if self._open else ""


@dataclass(slots=True)
class _Deferred:
    """Deferred texts of one channel. ended: whether they contain the end of a sentence."""

    placed: list[Placed] = field(default_factory=list)
    length: int = 0
    ended: bool = False

    def add(self, one: Placed, *, ends: bool) -> None:
        """ends: whether it may interrupt another where a sentence ends in it."""
        self.placed.append(one)
        self.length += len(one.text)
        if ends and not self.ended and not one.field.whole:
            self.ended = settled_end("".join(other.text for other in self.placed), 0) > 0


class _History:
    """All texts so far; texts that clients concatenate count as one."""

    def __init__(self) -> None:
        self._wholes: set[str] = set()
        self._grown: dict[Path, list[str]] = {}
        self._lengths: dict[Path, int] = {}

    def add(self, one: Placed) -> None:
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
