"""JSON as those read it who parse it: strings without the quotation marks around them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from guard.text.escapes import NOTHING
from guard.text.json_values import values_in_brackets
from guard.text.language import function_words
from guard.text.values import innermost, outermost, said_values, says_something

_ENTRY = re.compile(r"""[{,]\s{0,40}(["'])[^"'\n]{1,80}+\1\s{0,8}:""")
_OPENING = re.compile(r"""(?<=[{\[,:])(\s{0,40})["']""")
_CLOSING = re.compile(r"""["'](?=\s{0,40}(?:[,:}\]]|\Z))""")
_SHORT_VALUE = re.compile(
    r"""(?<=[(\[{,:])\s{0,40}(["'])((?:(?!\1)[^\\\n]|\\.){1,24})\1(?=\s{0,40}(?:[),}\]]|\Z))"""
)
_FIELD = re.compile(r"""["']([^"'\\\n]{1,40})["']\s{0,8}:\Z""")
_LONGEST_FIELD = 52
_MOST_FIELDS = 4
_CAN_HOLD = re.compile(r"[(\[{]")
_FEWEST_SMALL = 2
_FEWEST = 4
"""Short values from which on they may be the words of a sentence."""


def unquoted(text: str) -> str:
    """`text` with spaces for the quotation marks of keys and values of JSON, where it has any, and
    ends of lines for those of values that say something; same length.

    In prose they would say that somebody else is quoted, which classifiers take for milder. What
    such a value says is a sentence of its own.
    """
    said = (one for one in values_in_brackets(text) if says_something(text, *one))
    ends = {place for start, end in said if _is_of_json(text, start) for place in (start - 1, end)}
    if _ENTRY.search(text) is not None:
        text = _CLOSING.sub(" ", _OPENING.sub(r"\1 ", text))
    return "".join("\n" if at in ends else sign for at, sign in enumerate(text)) if ends else text


def _is_of_json(text: str, start: int) -> bool:
    """By the sign before the quotation mark: markup has others."""
    at = start - 2
    while at > 0 and text[at].isspace():
        at -= 1
    return text[at] in "[{,:"


def values_alone(text: str) -> Iterator[str]:
    """`text` with the values that say something alone, a line each, where it has any; where some
    are within others, once those and once these. Same length."""
    if places := said_values(text):
        for chosen in dict.fromkeys((tuple(outermost(places)), tuple(innermost(places)))):
            yield _alone(text, chosen, " ")


def short_values(text: str) -> Iterator[str]:
    """`text` with its short values alone, a line each, where they may be words or letters of a
    sentence; same length. Values of JSON, of rows of SQL, and of calls in a program.

    Programs that show a row a word take the words from there.
    """
    if _CAN_HOLD.search(text) is None:
        return
    found = _without_kinds(list(_SHORT_VALUE.finditer(text)))
    for chosen in (found, *_by_field(found)):
        if len(chosen) >= _FEWEST and _may_be_said(value[2] for value in chosen):
            yield _alone(text, [value.span(2) for value in chosen], NOTHING)


def _by_field(values: Sequence[re.Match[str]]) -> Iterator[Sequence[re.Match[str]]]:
    """Those of each field that many entries have, where they have several."""
    fields: dict[str, list[re.Match[str]]] = {}
    for value in values:
        name = _FIELD.search(value.string, max(value.start() - _LONGEST_FIELD, 0), value.start())
        fields.setdefault(name[1] if name else "", []).append(value)
    if len(fields) > 1:
        yield from sorted(fields.values(), key=len, reverse=True)[:_MOST_FIELDS]


def _without_kinds(values: Sequence[re.Match[str]]) -> Sequence[re.Match[str]]:
    """Without words that are a third of all: the kind of each entry (`keydown`)."""
    counts = Counter(value[2] for value in values if len(value[2]) > 1)
    often = {word for word, count in counts.items() if count > max(len(values) // 3, _FEWEST)}
    return [value for value in values if value[2] not in often]


def _alone(text: str, places: Iterable[tuple[int, int]], blank: str) -> str:
    """What stands at these places, a line each, and `blank` for every other character."""
    parts, done = list[str](), 0
    for start, end in places:
        parts += [blank * (start - done), text[max(start, done) : end], "\n"]
        done = end + 1
    return "".join([*parts, blank * (len(text) - done)])[: len(text)]


def _may_be_said(values: Iterable[str]) -> bool:
    """Whether these are letters, or words of a sentence: a list of names or of things has none of
    the small words that sentences are made with."""
    words = [value.strip(" .,!?'\"").lower() for value in values]
    small = sum(word in function_words()["en"] for word in words)
    letters = sum(len(word) == 1 and word.isalpha() for word in words)
    return small >= _FEWEST_SMALL or 2 * letters > len(words)
