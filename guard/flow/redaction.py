"""What may be removed of a stretch that is to be redacted. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from guard.flow.judgement import Judgement
from guard.flow.unreleased import Spans, Unreleased
from guard.records import Action, Span
from guard.text import whole_number

_MOST_BESIDE = 4
"""Texts that are judged by themselves before less is removed."""

_STRING = r'"(?:[^"\\\n]|\\.)*+"'
_SIGNS = r"[\s,:{}\[\]]*+"
_PIECE_OF_JSON = re.compile(
    rf'(?:"(?=[\s,:}}\]]))?(?P<whole>{_SIGNS}'
    rf'(?:(?:{_STRING}(?=[\s,:}}\]])|true|false|null|[\d.eE+-]+){_SIGNS})*+)"?'
)
_KEY_OR_VALUE = re.compile(rf"({_STRING})(\s*+:)?+")
_SEVERAL_WORDS = re.compile(r"\w\W*\s\W*\w")


@dataclass(frozen=True, slots=True)
class Redaction:
    """spans: the ranges to remove. beside: what stays of wider ranges that fired too, which has to
    pass by itself: beside a marker it says less."""

    spans: Spans
    beside: tuple[str, ...] = ()


def redactions(end: Unreleased, found: Judgement) -> list[Redaction]:
    """Of JSON, which is read in several ways, the least first: of ranges that fire within one
    another the inner ones, so that it stays JSON."""
    wide = end.inside(found.causes(Action.REDACT))
    least = end.inside(found.causes(Action.REDACT, innermost=True))
    beside = tuple(_beside(end.text, wide, least))
    whole_values = len(beside) <= _MOST_BESIDE and all(map(_are_whole_values, beside))
    if least == wide or not whole_values or _breaks_json(end, wide, least):
        return [Redaction(wide)]
    return [Redaction(least, beside), Redaction(wide)]


def _beside(text: str, wide: Spans, least: Spans) -> Iterator[str]:
    """What stands in the wide ranges and in none of the others, where it says anything."""
    for outer in wide:
        inner = [one for one in least if one.overlaps(outer)]
        ends = [
            Span(start=outer.start, end=outer.start),
            *inner,
            Span(start=outer.end, end=outer.end),
        ]
        for one, other in pairwise(ends):
            part = text[one.end : other.start]
            if any(map(str.isalpha, part)):
                yield part


def _are_whole_values(part: str) -> bool:
    """Whether it is a piece of JSON with values that say something, and with none that is cut or
    may be a word of a sentence over several values."""
    piece = _PIECE_OF_JSON.fullmatch(part)
    if piece is None:
        return False
    found = _KEY_OR_VALUE.findall(piece["whole"])
    return all(key or _SEVERAL_WORDS.search(said) for said, key in found)


def _breaks_json(end: Unreleased, wide: Spans, least: Spans) -> bool:
    """Whether less of it is no JSON any more, while more is."""
    return _is_json(end.redacted(wide, "")) and not _is_json(end.redacted(least, ""))


def _is_json(text: str) -> bool:
    try:
        json.loads(text, parse_int=whole_number)
    except (ValueError, RecursionError):
        return False
    return True
