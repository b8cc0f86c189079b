"""Sentences as names: of functions, classes of style sheets, files, parts of addresses, and calls.

Amid a program a classifier hears nothing in `def you_are_welcome_here():`, and people do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from guard.text.word_boundaries import TELLING_IN_NAMES

_FEWEST = 4
_JOINT = r"(?:[_.-]{1,2}|\(\)\.|\(|, ?)"
_NAME = re.compile(rf"(?<![A-Za-z0-9])[A-Za-z]{{1,24}}+(?:{_JOINT}[A-Za-z]{{1,24}}+){{3,}}+")
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
    if "," in name and "(" not in name:
        return False
    words = _WORD.findall(name.lower())
    return len(words) >= _FEWEST and not TELLING_IN_NAMES.isdisjoint(words)
