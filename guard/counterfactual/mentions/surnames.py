"""Surnames: which words after a first name are one, and where it stands without that name."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from guard.counterfactual.mentions.protected import inside
from guard.records import Span

_PARTICLES = (
    "de la|de los|de las|del|de|da|dos|di|van der|van den|van|von|bin|ibn|al|el"
    "|von der|Van der|Van den|Von der|De la|De los|De las|Al|El|De|Del|Di|Van|Von|Ben|La|Le|St\\.?"
)
PARTICLES = frozenset(word.lower() for word in re.findall(r"[A-Za-z]+", _PARTICLES))
"""Words within surnames: "de", "la", "van"."""
_WORD = r"[^\W\d_]+(?:['’](?=[A-Z])[^\W\d_]+)?"
_SURNAME = rf"(?:(?:{_PARTICLES})[ -])?{_WORD}(?:-{_WORD})?"
_AFTER_FIRST_NAME = re.compile(rf" (?:[A-Z]\.? )?({_SURNAME})(?![\w-])")
_CELL_END = r"[\"']?\s?(?:, ?|[|;\t])\s?[\"']?"
_NICKNAMED = re.compile(rf" (?:['\"“(][^\W\d_]{{2,20}}['\"”)]) ({_SURNAME})(?![\w-])")
_CELL_BEHIND = re.compile(rf"{_CELL_END}({_SURNAME})(?=[\"']?\s?(?:[,|;\t\n]|\Z))")
_CELL_BEFORE = re.compile(
    rf"(?:\A|[\n\"'“|>(;:,]|[:|;*•-] )[ \t]?({_SURNAME})(?:, (?:[A-Z]\. )?)?{_CELL_END}\Z"
)
_INITIAL_BEFORE = re.compile(rf"\b[A-Z]\. ({_SURNAME}) \(\Z")
_FIELD = re.compile(
    r"(?i:\b(?:last|family)[ _-]?name|\bsurname|[\"']last[\"'])[\"'*]{0,3}\s?[:=|]\s?[\"'*]{0,3}"
    rf"({_SURNAME})(?![\w-])"
)
_TITLED = re.compile(
    rf"\b(?:[Mm][RrSsXx][Ss]?|[Mm]iss|[Dd][Rr]|[Pp]rof)\.? ({_SURNAME})(?![\w-])"
    rf"|\b[Tt]he ({_SURNAME}) (?:family|household|residence|account)\b"
)
_NEAR = 60  # characters before a first name in which its surname may stand
_RECORD = 150  # characters around it that are taken for its record


def surname_after(text: str, end: int, no_names: Collection[str]) -> Span | None:
    """The surname that follows the first name that ends at this character; None: there is none.

    no_names: words in lower case that are none though they have a capital ("Juan I know").
    """
    found = _AFTER_FIRST_NAME.match(text, end)
    if found is None:
        return None
    last = re.split(r"[ -]", found[1])[-1]
    if not last[0].isupper() or len(found[1]) < 2 or found[1].lower() in no_names:
        return None
    return Span(start=found.start(1), end=found.end(1))


def surnames_beside(
    text: str, name: Span, no_names: Collection[str], is_known: Callable[[str], object]
) -> Iterator[Span]:
    """The surnames that stand beside a first name as records, lists and letters write them.

    "Hernandez, Juan", "Hernandez | Juan", "Juan 'Johnny' Hernandez", "T. Robinson (Tyrone)", and
    `"last_name": "Hernandez"` near it. is_known: whether a word is known as a surname; behind the
    first name any word with a capital is one.
    """
    plain = surname_after(text, name.end, no_names)
    if plain is not None:
        yield plain
        return
    start = max(0, name.start - _NEAR)
    found = [
        _NICKNAMED.match(text, name.end),
        _CELL_BEHIND.match(text, name.end),
        _CELL_BEFORE.search(text, start, name.start),
        _INITIAL_BEFORE.search(text, start, name.start),
        *_FIELD.finditer(text, max(0, name.start - _RECORD), name.end + _RECORD),
    ]
    for match in found:
        if match is not None and is_known(match[1]):
            yield Span(start=match.start(1), end=match.end(1))


def titled_surnames(text: str) -> Collection[str]:
    """Surnames behind a title, and of families: "Mr. Hernandez", "the Hernandez family"."""
    names = (match[1] or match[2] for match in _TITLED.finditer(text))
    return dict.fromkeys(name for name in names if re.split(r"[ -]", name)[-1][0].isupper())


def places_of(
    surnames: Mapping[str, object], text: str, taken: Sequence[Span]
) -> Iterator[tuple[str, Span]]:
    """Where these surnames stand, outside the ranges that are taken, which are in order."""
    if not surnames:
        return
    starts = [span.start for span in taken]
    either = "|".join(sorted(map(re.escape, surnames), key=len, reverse=True))
    for match in re.finditer(rf"(?<![\w'’-])(?:{either})(?![\w-])", text):
        start, end = match.span()
        if not inside(taken, starts, start, end):
            yield match[0], Span(start=start, end=end)
