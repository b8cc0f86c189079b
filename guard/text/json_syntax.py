"""JSON as those read it who parse it: strings without the quotation marks around them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from guard.text.escapes import NOTHING
from guard.text.language import function_words

_ENTRY = re.compile(r"""[{,]\s{0,40}(["'])[^"'\n]{1,80}+\1\s{0,8}:""")
_OPENING = re.compile(r"""(?<=[{\[,:])(\s{0,40})["']""")
_CLOSING = re.compile(r"""["'](?=\s{0,40}(?:[,:}\]]|\Z))""")
_SHORT_VALUE = re.compile(
    r"""(?<=[(\[{,:])\s{0,40}(["'])((?:(?!\1)[^\\\n]|\\.){1,24})\1(?=\s{0,40}(?:[),}\]]|\Z))"""
)
_CAN_HOLD = re.compile(r"[(\[{]")
_FEWEST_SMALL = 2
_FEWEST = 4
"""Short values from which on they may be the words of a sentence."""


def unquoted(text: str) -> str:
    """`text` with spaces for the quotation marks of keys and values, where it has any; same length.

    In prose they would say that somebody else is quoted, which classifiers take for milder.
    """
    if _ENTRY.search(text) is None:
        return text
    return _CLOSING.sub(" ", _OPENING.sub(r"\1 ", text))


def short_values(text: str) -> Iterator[str]:
    """`text` with its short values alone, a line each, where they may be words or letters of a
    sentence; same length. Values of JSON, of rows of SQL, and of calls in a program.

    Programs that show a row a word take the words from there.
    """
    if _CAN_HOLD.search(text) is None:
        return
    found = list(_SHORT_VALUE.finditer(text))
    if len(found) < _FEWEST or not _may_be_said(value[2] for value in found):
        return
    parts, done = list[str](), 0
    for value in found:
        start, end = value.span(2)
        parts += [NOTHING * (start - done), value[2], "\n"]
        done = end + 1
    yield "".join([*parts, NOTHING * (len(text) - done)])


def _may_be_said(values: Iterable[str]) -> bool:
    """Whether these are letters, or words of a sentence: a list of names or of things has none of
    the small words that sentences are made with."""
    words = [value.strip(" .,!?'\"").lower() for value in values]
    small = sum(word in function_words()["en"] for word in words)
    letters = sum(len(word) == 1 and word.isalpha() for word in words)
    return small >= _FEWEST_SMALL or 2 * letters > len(words)
