"""What strings say that a program joins to one, where a word goes over their ends: in code, and
in fields of documents in JSON (`insert`, `text`) whose editors show them one behind the other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from guard.text.escapes import NOTHING

Place = tuple[int, int]

_STRING = re.compile(r"'(?:[^'\\\n]|\\.){0,400}+'|\"(?:[^\"\\\n]|\\.){0,400}+\"")
_JOINT = re.compile(r"\s{0,40}+(?:\+{1,2}|\.{1,2}|&|~|\|\||<<|<>|\\\n)?\s{0,40}+")
_FIELD = re.compile(r"\"(\w{1,20})\"\s{0,8}+:\s{0,8}+(\"(?:[^\"\\\n]|\\.){1,400}+\")")
_FEWEST = 3
_BLANKS = 4
"""Of so many values one has a blank at an end, at least, where they are pieces of a text."""
_MOST_BETWEEN = 84


def joined_strings(text: str) -> str | None:
    """The contents of three strings or more that are joined, with nothing between them, and blanks
    for all else; same length. None without any of which two cut a word."""
    return _joined(text, _runs(text))


def joined_fields(text: str) -> str | None:
    """The same of the values of a field of JSON, where several have a blank at an end."""
    fields: dict[str, list[Place]] = {}
    for found in _FIELD.finditer(text):
        fields.setdefault(found[1], []).append(found.span(2))
    runs = (
        values
        for values in fields.values()
        if sum(_has_blank(text, *value) for value in values) * _BLANKS >= len(values) >= _FEWEST
    )
    return _joined(text, runs)


def _joined(text: str, runs: Iterable[Sequence[Place]]) -> str | None:
    signs = [" "] * len(text)
    found = False
    for run in runs:
        if not any(_cuts_word(text, one, other) for one, other in pairwise(run)):
            continue
        found = True
        for start, end in run:
            signs[start + 1 : end - 1] = text[start + 1 : end - 1]
        for (_, end), (start, _) in pairwise(run):
            signs[end - 1 : start + 1] = NOTHING * (start + 2 - end)
        signs[run[-1][1] - 1] = "\n"
    return "".join(signs) if found else None


def _runs(text: str) -> Iterator[Sequence[Place]]:
    run = list[Place]()
    for string in _STRING.finditer(text):
        if run and not _is_joint(text, run[-1][1], string.start()):
            if len(run) >= _FEWEST:
                yield run
            run = []
        run.append(string.span())
    if len(run) >= _FEWEST:
        yield run


def _is_joint(text: str, start: int, end: int) -> bool:
    return end - start <= _MOST_BETWEEN and _JOINT.fullmatch(text, start, end) is not None


def _cuts_word(text: str, one: Place, other: Place) -> bool:
    return text[one[1] - 2].isalpha() and text[other[0] + 1].isalpha()


def _has_blank(text: str, start: int, end: int) -> bool:
    return text[start + 1].isspace() or text[end - 2].isspace()
