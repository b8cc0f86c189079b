"""Lines with addresses, without them: beside one a classifier hears a sentence less."""

from __future__ import annotations

import re
from collections.abc import Iterator

from guard.text.escapes import NOTHING

_ADDRESS = re.compile(r"(?<![\w/])(?:https?://|www\.)[^\s<>\"']{1,2000}+")
_WORDS = re.compile(r"[A-Za-z]{2}[\w'\u2019]*+\W++\w++")


def without_links(text: str) -> Iterator[str]:
    """The lines of `text` with addresses without these, the end of a sentence in the place of each,
    and nothing of other lines; same length. Nothing where no such line has two words."""
    if "://" not in text and "www." not in text:
        return
    lines = list(map(_without_links, text.splitlines(keepends=True)))
    if any(map(_WORDS.search, lines)):
        yield "".join(lines)


def _without_links(line: str) -> str:
    bare, count = _ADDRESS.subn(lambda address: "." + NOTHING * (len(address[0]) - 1), line)
    return bare if count else " " * (len(line) - 1) + "\n"
