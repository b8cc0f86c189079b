"""What the usual loop over a stream prints: texts in the order of arrival, whatever their channel.

`print(chunk.choices[0].delta.content)` takes no notice of the number of the choice, nor
`print(event.delta)` of the item; `response.output_text` joins the texts of all items. Channels that
follow one another say nothing new that way. Where one is left in the middle of a sentence, or
after a few letters, the texts on both sides are judged once more, as they are printed.
"""

from __future__ import annotations

from collections import deque
from copy import copy
from dataclasses import replace
from typing import Final

from guard.replies.fields import PARTS, Path
from guard.replies.json_text import EscapeDecoder
from guard.replies.placed import Placed, is_open
from guard.replies.schema import ReplyKind

LONGEST_TAIL: Final = 1000
"""Characters before a change of the channel that are judged once more at most."""
SHORTEST_APART: Final = 24
"""A sentence of fewer characters does not stand for itself: it may be a piece of one."""
_FEWEST_CUT_WORDS: Final = 3
_AGAIN: Final = "(again)"
_ALL_TEXT: Final = "(text)"


class Arrivals:
    """The readings of one reply in the order of arrival."""

    def __init__(self) -> None:
        self._readings: dict[Path, _Reading] = {}
        self._beside: set[Path] = set()
        self._values = 0

    @property
    def cut_words(self) -> bool:
        """Whether words come in pieces over several channels: no reply that is meant to be read."""
        return any(one.cut_words >= _FEWEST_CUT_WORDS for one in self._readings.values())

    def begin_value(self) -> None:
        """What comes from now on stands in another event or chunk."""
        self._values += 1

    def add(self, one: Placed) -> list[Placed]:
        """What now has to be judged once more: copies, each known to its text as `again`."""
        if not one.field.shown or isinstance(one.repeats, tuple):
            return []
        channel = one.field.channel
        source = (*channel, self._values) if one.field.whole else channel
        found = [] if one.field.whole else self._at_its_place(one)
        found += self._reading(one.field.shown).add(one, source)
        if one.field.kind is ReplyKind.TEXT:
            choice = (step for step in one.field.shown if isinstance(step, int))
            found += self._reading((_ALL_TEXT, *choice)).add(one, one.field.shown)
        return found

    def _at_its_place(self, one: Placed) -> list[Placed]:
        """In the reading of those who take the first entry of each list, or the second. Where no
        list has a second one, that is the reading of all."""
        shown, places = one.field.shown, _places(one.field.path)
        if any(places) and shown not in self._beside:
            self._beside.add(shown)
            first = (*shown, *(0 for _ in places))
            self._readings[first] = self._reading(shown).copy(first)
        if shown not in self._beside:
            return []
        return self._reading((*shown, *places)).add(one, one.field.channel)

    def _reading(self, name: Path) -> _Reading:
        if name not in self._readings:
            self._readings[name] = _Reading(name)
        return self._readings[name]


class _Reading:
    """One of them. cut_words: how often a change of the channel stood within a word."""

    def __init__(self, name: Path) -> None:
        self._name = name
        self._source: Path | None = None
        self._run = 0
        self._open = False
        self._tail: deque[Placed] = deque()
        self._length = 0
        self._mixed = False
        self._times = 0
        self._ends_in_word = False
        self._decoder = EscapeDecoder()
        self.cut_words = 0

    def copy(self, name: Path) -> _Reading:
        """One that goes on from here."""
        made = copy(self)
        made._name, made._tail, made._decoder = name, self._tail.copy(), EscapeDecoder()
        return made

    def add(self, one: Placed, source: Path) -> list[Placed]:
        """The copies for this text and those before it. source: what must not change."""
        before = self._before(one, source)
        self._source = source
        self._run += len(one.text)
        self._open = _goes_on(one, was=self._open)
        self._ends_in_word = one.text[-1:].isalnum()
        made = [self._again(each) for each in (*before, one)] if self._mixed else []
        if not self._open and (self._run >= SHORTEST_APART or one.field.kind is ReplyKind.TOOL):
            self._mixed = False
            self._forget()
        elif not self._mixed:
            self._keep(one)
        return made

    def _before(self, one: Placed, source: Path) -> list[Placed]:
        """The texts before the first change of the channel within a sentence."""
        if self._source in {None, source}:
            return []
        self._run = 0
        if self._ends_in_word and one.text[:1].isalnum():
            self.cut_words += 1
        tail = self._forget()
        if self._mixed or not any(each.text.strip() for each in tail):
            return []
        self._mixed, self._decoder = True, EscapeDecoder()
        self._times += 1
        return tail

    def _again(self, one: Placed) -> Placed:
        text = self._decoder.read(one.field.text) if one.field.source else one.text
        channel = (*self._name, _AGAIN, self._times)
        made = Placed(replace(one.field, channel=channel, whole=False), text, one.fixed)
        one.again = (*one.again, made)
        return made

    def _keep(self, one: Placed) -> None:
        self._tail.append(one)
        self._length += len(one.text)
        while self._length > LONGEST_TAIL and len(self._tail) > 1:
            self._length -= len(self._tail.popleft().text)

    def _forget(self) -> list[Placed]:
        kept, self._tail, self._length = list(self._tail), deque(), 0
        return kept


def _places(path: Path) -> list[int]:
    """The numbers of entries of lists, but for parts, which are shown as one text."""
    pairs = zip(("", *path), path, strict=False)
    return [step for before, step in pairs if isinstance(step, int) and before not in PARTS]


def _goes_on(one: Placed, *, was: bool) -> bool:
    """Whether the text ends inside a sentence, or inside the arguments of a tool."""
    if one.field.kind is ReplyKind.TOOL:
        end = one.text.rstrip()
        return not end.endswith("}") if end else was
    return is_open(one.text, was=was)
