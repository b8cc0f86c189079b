"""The text of one reply, made of strings that stand in many places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from guard.gateway.judging.strings import Leaf, Path
from guard.records import Span

_APART = "\n\n"
"""Between strings that nobody joins: a sentence ends there."""


class Text:
    """Gives every string its place in the text that is judged.

    A string that was said before, in one piece or in many, has no place of its own.
    """

    def __init__(self) -> None:
        self.length = 0
        self._channel: Path | None = None
        self._wholes: set[str] = set()
        self._grown: dict[Path, list[str]] = {}
        self._lengths: dict[Path, int] = {}

    def place(self, leaves: Iterable[Leaf]) -> str:
        """What these strings add to the text."""
        return "".join([self._added(leaf) for leaf in leaves])

    def _added(self, leaf: Leaf) -> str:
        if leaf.whole and self._said(leaf.text):
            leaf.start, leaf.repeats = self.length, True
            return ""
        joins = leaf.channel == self._channel and not leaf.whole
        before = "" if joins or not self.length else _APART
        self._channel = leaf.channel
        leaf.start = self.length + len(before)
        self.length = leaf.end
        self._keep(leaf)
        return before + leaf.text

    def _keep(self, leaf: Leaf) -> None:
        if leaf.whole:
            self._wholes.add(leaf.text)
            return
        self._grown.setdefault(leaf.channel, []).append(leaf.text)
        self._lengths[leaf.channel] = self._lengths.get(leaf.channel, 0) + len(leaf.text)

    def _said(self, text: str) -> bool:
        if text in self._wholes:
            return True
        same = [path for path, length in self._lengths.items() if length == len(text)]
        return any("".join(self._grown[path]) == text for path in same)


def cleaned(leaves: Sequence[Leaf], spans: Sequence[Span], marker: str) -> list[str]:
    """What the strings say when a marker stands for each of the ranges `spans` of their text.

    leaves, spans: in order. A range that reaches into more than one string is marked in the first.
    """
    changed: dict[str, str] = {}
    grown: dict[Path, list[tuple[str, str]]] = {}
    open_spans = list(spans)
    texts = []
    for leaf in leaves:
        texts.append("" if leaf.repeats else _without(leaf, open_spans, marker))
        if leaf.whole and not leaf.repeats:
            changed[leaf.text] = texts[-1]
        elif not leaf.repeats:
            grown.setdefault(leaf.channel, []).append((leaf.text, texts[-1]))
    for pairs in grown.values():
        changed["".join(old for old, _ in pairs)] = "".join(new for _, new in pairs)
    return [
        changed.get(leaf.text, "") if leaf.repeats else text
        for leaf, text in zip(leaves, texts, strict=True)
    ]


def _without(leaf: Leaf, spans: list[Span], marker: str) -> str:
    """Spans that were marked lose their first part, so that they are marked once."""
    parts, at = [], leaf.start
    for which, span in enumerate(spans):
        start, end = max(span.start, leaf.start), min(span.end, leaf.end)
        if start >= end:
            continue
        parts += [leaf.text[at - leaf.start : start - leaf.start]]
        if span.start >= 0:
            parts.append(marker)
            spans[which] = Span(start=-1, end=span.end)
        at = end
    return "".join([*parts, leaf.text[at - leaf.start :]])
