"""The text of one reply, made of strings that stand in many places."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from guard.gateway.judging.escapes import Unescaper, unescaped
from guard.gateway.judging.strings import Leaf, Path
from guard.text import settled_end

APART = "\n\n"
"""Between strings that nobody joins: a sentence ends there."""
LONGEST_PUT_OFF = 1000
_STOPS = tuple(".!?…\u061f\u06d4\u0964。！？｡")
_CLOSERS = "\"'’”»」』)]}）】*_"


class Text:
    """Gives every string its place in the text that is judged.

    What a client joins stands together: while a sentence is being said in one channel, what comes
    in others is put off until it ends, or until a sentence ended elsewhere and this one did not go
    on. A string that was said before, in one piece or in many, has no place of its own.
    """

    def __init__(self) -> None:
        self.length = 0
        self._said = _Said()
        self._channel: Path | None = None
        self._open = False
        self._put_off: dict[Path, _PutOff] = {}
        self._went_on = 0
        self._unescapers: dict[Path, Unescaper] = {}

    def place(self, leaves: Iterable[Leaf]) -> str:
        """What the text grows by, now that these strings have come."""
        added: list[str] = []
        for leaf in leaves:
            self._take(leaf, added)
        return "".join(added)

    def finish(self) -> str:
        """What the text grows by, now that nothing more comes."""
        added: list[str] = []
        self._place_put_off(len(self._put_off), added)
        return "".join(added)

    def _take(self, leaf: Leaf, added: list[str]) -> None:
        if leaf.source:
            self._read(leaf)
        if leaf.whole and self._said.knows(leaf.text):
            leaf.repeats = True
            return
        self._said.keep(leaf)
        if leaf.channel == self._channel and not leaf.whole:
            self._went_on += len(leaf.text) if self._put_off else 0
            self._put([leaf], added)
        elif self._open or self._put_off:
            self._put_off.setdefault(leaf.channel, _PutOff()).add(leaf)
        else:
            self._put([leaf], added)
        if self._put_off:
            self._place_put_off(self._due(), added)

    def _read(self, leaf: Leaf) -> None:
        """Have it judged as it will be parsed; then it cannot be cut any more."""
        source = leaf.text
        if leaf.whole:
            leaf.text = unescaped(source)
        else:
            leaf.text = self._unescapers.setdefault(leaf.channel, Unescaper()).read(source)
        leaf.fixed = leaf.fixed or leaf.text != source

    def _due(self) -> int:
        """How many channels need not wait any longer."""
        if not self._open:
            return 1
        waiting = list(self._put_off.values())
        if self._went_on + sum(one.length for one in waiting) > LONGEST_PUT_OFF:
            return 1
        ended = [] if self._went_on else [one.ended for one in waiting]
        return ended.index(True) + 1 if True in ended else 0

    def _place_put_off(self, count: int, added: list[str]) -> None:
        while count and self._put_off:
            path = next(iter(self._put_off))
            self._put(self._put_off.pop(path).leaves, added)
            self._went_on = 0
            count = max(count - 1, 0 if self._open else 1)

    def _put(self, leaves: list[Leaf], added: list[str]) -> None:
        """Leaves of one channel, at the end of the text."""
        for leaf in leaves:
            joins = leaf.channel == self._channel and not leaf.whole
            before = "" if joins or not self.length else APART
            self._channel = leaf.channel
            leaf.start = self.length + len(before)
            self.length = leaf.start + len(leaf.text)
            added += [before, leaf.text]
            self._open = not leaf.whole and _is_open(leaf.text, was=joins and self._open)


def _is_open(text: str, *, was: bool) -> bool:
    """Whether a sentence is under way behind `text`. was: whether one was before it."""
    end = text.rstrip()
    if "\n" in text[len(end) :]:
        return False
    return not end.rstrip(_CLOSERS).endswith(_STOPS) if end else was


@dataclass(slots=True)
class _PutOff:
    """Strings of a channel that have to wait. ended: whether a sentence has, there."""

    leaves: list[Leaf] = field(default_factory=list)
    length: int = 0
    ended: bool = False

    def add(self, leaf: Leaf) -> None:
        self.leaves.append(leaf)
        self.length += len(leaf.text)
        if not self.ended and not leaf.whole:
            self.ended = settled_end("".join(one.text for one in self.leaves), 0) > 0


class _Said:
    """The strings that have come, those a client joins as one."""

    def __init__(self) -> None:
        self._wholes: set[str] = set()
        self._grown: dict[Path, list[str]] = {}
        self._lengths: dict[Path, int] = {}

    def keep(self, leaf: Leaf) -> None:
        if leaf.whole:
            self._wholes.add(leaf.text)
            return
        self._grown.setdefault(leaf.channel, []).append(leaf.text)
        self._lengths[leaf.channel] = self._lengths.get(leaf.channel, 0) + len(leaf.text)

    def knows(self, text: str) -> bool:
        if text in self._wholes:
            return True
        same = [path for path, length in self._lengths.items() if length == len(text)]
        return any("".join(self._grown[path]) == text for path in same)
