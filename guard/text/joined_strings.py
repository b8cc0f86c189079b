"""What strings say that a program joins to one, where a word goes over their ends."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from guard.text.escapes import NOTHING

_STRING = re.compile(r"'(?:[^'\\\n]|\\.){0,400}+'|\"(?:[^\"\\\n]|\\.){0,400}+\"")
_JOINT = re.compile(r"\s{0,40}+(?:\+{1,2}|\.{1,2}|&|~|\|\||<<|<>|\\\n)?\s{0,40}+")
_FEWEST = 3
_MOST_BETWEEN = 84


def joined_strings(text: str) -> str | None:
    """The contents of three strings or more that are joined, with nothing between them, and blanks
    for all else; same length. None without any of which two cut a word."""
    signs = [" "] * len(text)
    found = False
    for run in _runs(text):
        if not any(_cuts_word(text, one, other) for one, other in pairwise(run)):
            continue
        found = True
        for string in run:
            signs[string.start() + 1 : string.end() - 1] = string[0][1:-1]
        for one, other in pairwise(run):
            signs[one.end() - 1 : other.start() + 1] = NOTHING * (other.start() + 2 - one.end())
        signs[run[-1].end() - 1] = "\n"
    return "".join(signs) if found else None


def _runs(text: str) -> Iterator[Sequence[re.Match[str]]]:
    run = list[re.Match[str]]()
    for string in _STRING.finditer(text):
        if run and not _is_joint(text, run[-1].end(), string.start()):
            if len(run) >= _FEWEST:
                yield run
            run = []
        run.append(string)
    if len(run) >= _FEWEST:
        yield run


def _is_joint(text: str, start: int, end: int) -> bool:
    return end - start <= _MOST_BETWEEN and _JOINT.fullmatch(text, start, end) is not None


def _cuts_word(text: str, one: re.Match[str], other: re.Match[str]) -> bool:
    return text[one.end() - 2].isalpha() and text[other.start() + 1].isalpha()
