"""The strings of a reply, with a marker in place of what offends."""

from __future__ import annotations

from collections.abc import Sequence

from guard.gateway.judging.strings import Leaf, Path
from guard.records import Span


def cleaned(leaves: Sequence[Leaf], spans: Sequence[Span], marker: str) -> list[str]:
    """What the strings say when the marker stands for each range of the text they make.

    leaves: all that were placed. A range that reaches into more than one is marked in the first.
    """
    texts = _apart(leaves, spans, marker)
    changed: dict[str, str] = {}
    grown: dict[Path, list[tuple[str, str]]] = {}
    for leaf, text in zip(leaves, texts, strict=True):
        if leaf.whole and not leaf.repeats:
            changed[leaf.text] = text
        elif not leaf.repeats:
            grown.setdefault(leaf.channel, []).append((leaf.text, text))
    for pairs in grown.values():
        changed["".join(old for old, _ in pairs)] = "".join(new for _, new in pairs)
    return [
        changed.get(leaf.text, "") if leaf.repeats else text
        for leaf, text in zip(leaves, texts, strict=True)
    ]


def _apart(leaves: Sequence[Leaf], spans: Sequence[Span], marker: str) -> list[str]:
    """Each string for itself; one that repeats others says nothing yet."""
    texts = [""] * len(leaves)
    placed = [at for at, leaf in enumerate(leaves) if not leaf.repeats]
    left, marked = list(spans), False
    for at in sorted(placed, key=lambda one: leaves[one].start):
        leaf = leaves[at]
        parts, behind = [], leaf.start
        while left and left[0].start < leaf.end:
            span = left[0]
            parts.append(leaf.text[behind - leaf.start : max(span.start - leaf.start, 0)])
            parts.append("" if marked else marker)
            behind, marked = max(behind, min(span.end, leaf.end)), span.end > leaf.end
            if marked:
                break
            left.pop(0)
        texts[at] = "".join([*parts, leaf.text[behind - leaf.start :]])
    return texts
