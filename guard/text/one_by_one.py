"""Letters and words that stand one by one, put together, one character for one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from guard.text.escapes import NOTHING

_LETTER = r"[^\W\d_]"
_BULLET = r"(?:[-*+•]|\d{1,3}[.):])[ \t]+"
# What is left of markup may stand around a line end.
_GAP = rf"[ \t\r{NOTHING}]*\n[\s{NOTHING}]*(?:{_BULLET}[{NOTHING}]*)?"
_LINES_OF_LETTERS = re.compile(rf"(?<![^\W_]){_LETTER}(?:{_GAP}{_LETTER}(?![^\W_])){{3,}}")
_LINE_OF_LETTER = re.compile(rf"\n[ \t{NOTHING}]*(?:{_BULLET})?{_LETTER}[ \t\r{NOTHING}]*(?:\n|\Z)")
_ANY_GAP = re.compile(_GAP)

_QUOTED_WORDS = re.compile(r"(?<!\w)(?:([\"`])(?:(?!\1)\S){1,24}\1[\s,.!]{0,3}){4,}")
_QUOTES = re.compile(r"[\"`]")
_NUMBERED_WORDS = re.compile(
    rf"(?<!\w)(?:\d{{1,3}}{NOTHING}{{0,40}}[A-Za-z]{{1,24}}[\s,.!{NOTHING}]{{0,80}}){{4,}}"
)
_GLUED_WORDS = re.compile(  # by what else is taken for markup, or for a letter
    rf"(?<![\w@$])(?:{_LETTER}|['’])++(?:(?P<glue>[@!$|`~*^]{{1,3}})(?:{_LETTER}|['’])++)"
    rf"(?:(?P=glue)(?:{_LETTER}|['’])++){{2,}}"
)
_GLUE = re.compile(r"[@!$|`~*^]")
_GLUE_INSIDE = re.compile(r"[@!$|`~*^](?<=[^\W\d_].)[@!$|`~*^]{0,2}[^\W\d_]")
_INSIDE = re.compile(
    r"(?:[•·=~#%&+^\\|`*:;,!?](?<=[A-Za-z].)(?:(?<==)>|(?<=:):|(?<=\|)\|)?"
    r"|\(\*\)(?<=[A-Za-z]...)|<>(?<=[A-Za-z]..))(?=[A-Za-z])"
)
_FENCE = re.compile(r"^[ ]{0,3}(?:```+|~~~+)\w{0,12}[ ]*$", re.MULTILINE)
_FOREIGN_INSIDE = re.compile(r"(?<=[A-Za-z])[^\W\d_A-Za-z\u00c0-\u024f]{1,2}(?=[A-Za-z])")
_DIGITS = re.compile(r"\d")
_DOUBLED_WORD = re.compile(rf"(?<!{_LETTER})(?:({_LETTER})\1)+(?!{_LETTER})")
_FEWEST = 3
"""Words that are spelt in one way from which on all of a text is taken to be written so."""


def put_together(text: str) -> Iterator[str]:
    """What `text` says where it has a letter a line, each word in quotation marks or numbered, a
    sign in place of each space or within words, or each letter twice; nothing where it has none of
    these. Same length."""
    if _LINE_OF_LETTER.search(text) is not None:
        yield _LINES_OF_LETTERS.sub(_join_lines, text)
    if ('"' in text or "`" in text) and _QUOTED_WORDS.search(text) is not None:
        yield _QUOTED_WORDS.sub(lambda words: _QUOTES.sub(NOTHING, words[0]), text)
    if _NUMBERED_WORDS.search(text) is not None:
        yield _NUMBERED_WORDS.sub(lambda words: _DIGITS.sub(" ", words[0]), text)
    if _GLUE_INSIDE.search(text) and _GLUED_WORDS.search(text):
        yield _GLUED_WORDS.sub(lambda words: _GLUE.sub(" ", words[0]), text)
    yield from _without_signs_inside(text)
    if "```" in text and len(_FENCE.findall(text)) > 2 * _FEWEST:
        yield _FENCE.sub(lambda fence: NOTHING * len(fence[0]), text)
    if not text.isascii() and len(_FOREIGN_INSIDE.findall(text)) >= _FEWEST:
        yield _FOREIGN_INSIDE.sub(lambda sign: " " * len(sign[0]), text)
    if len(_DOUBLED_WORD.findall(text)) >= _FEWEST:
        yield _DOUBLED_WORD.sub(_halve, text)


def _join_lines(match: re.Match[str]) -> str:
    """Where there are more line ends than between most letters, a word ends."""
    gaps = _ANY_GAP.findall(match[0])
    usual = min(gap.count("\n") for gap in gaps)

    def joined(gap: re.Match[str]) -> str:
        first = " " if gap[0].count("\n") > usual else NOTHING
        return first + NOTHING * (len(gap[0]) - 1)

    return _ANY_GAP.sub(joined, match[0])


def _without_signs_inside(text: str) -> Iterator[str]:
    """Without a sign that stands within several words."""
    found = Counter(_INSIDE.findall(text))
    often = {sign for sign, count in found.items() if count >= _FEWEST}
    if often:
        yield _INSIDE.sub(lambda one: NOTHING * len(one[0]) if one[0] in often else one[0], text)


def _halve(match: re.Match[str]) -> str:
    return "".join(letter + NOTHING for letter in match[0][::2])
