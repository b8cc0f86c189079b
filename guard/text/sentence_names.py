"""Sentences as names: of functions, classes of style sheets, files, parts of addresses, and calls.

Amid a program a classifier hears nothing in `def you_are_welcome_here():`, and people do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

_FEWEST = 5
_YOU = frozenset({"you", "your", "youre", "yourself"})
_NOBODY = frozenset({
    "here", "how", "if", "that", "there", "these", "they", "those", "we", "what", "when", "where",
    "which", "who",
})  # fmt: skip
"""Before `are` these say of things what they are: names of functions do."""
_JOINT = r"(?:[_.-]{1,2}|\(\)\.|\(|, ?)"
_NAME = re.compile(rf"(?<![A-Za-z0-9])[A-Za-z]{{1,24}}+(?:{_JOINT}[A-Za-z]{{1,24}}+){{4,}}+")
_WORD = re.compile(r"[A-Za-z]+")
_NOT_LETTERS = re.compile(r"[^A-Za-z]")


def sentence_names(text: str) -> Iterator[str]:
    """`text` with the names alone that are sentences, a line each and in words, where it has any;
    same length."""
    found = [name for name in _NAME.finditer(text) if _is_sentence(name[0])]
    if not found:
        return
    lines = [" "] * len(text)
    for name in found:
        lines[slice(*name.span())] = _NOT_LETTERS.sub(" ", name[0])
        if name.end() < len(text):
            lines[name.end()] = "\n"
    yield "".join(lines)


def _is_sentence(name: str) -> bool:
    """Whether it speaks to somebody, or of a group: names of things kill children, too."""
    if "," in name and "(" not in name:
        return False
    words = _WORD.findall(name.lower())
    of_group = any(b == "are" and a not in _NOBODY for a, b in pairwise(words))
    return len(words) >= _FEWEST and (of_group or not _YOU.isdisjoint(words))
