"""Letters and words that stand one by one, put together, one character for one."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from guard.text.citations import without_citations
from guard.text.diagrams import labels_of_diagrams
from guard.text.escapes import NOTHING
from guard.text.marked_words import unmark_words
from guard.text.omissions import group_alone, vanish
from guard.text.pieces import put_pieces_together
from guard.text.repeated_markup import without_repeated_markup
from guard.text.separators import without_separators
from guard.text.word_by_word import put_words_together

_LETTER = r"[^\W\d_]"
_BULLET = r"(?:[-*+•]|\d{1,3}[.):])[ \t]+"
# What is left of markup may stand around a line end.
_GAP = rf"[ \t\r{NOTHING}]*\n[\s{NOTHING}]*(?:{_BULLET}[{NOTHING}]*)?"
_LINES_OF_LETTERS = re.compile(rf"(?<![^\W_]){_LETTER}(?:{_GAP}{_LETTER}(?![^\W_])){{3,}}")
_LINE_OF_LETTER = re.compile(rf"\n[ \t{NOTHING}]*(?:{_BULLET})?{_LETTER}[ \t\r{NOTHING}]*(?:\n|\Z)")
_ANY_GAP = re.compile(_GAP)
_ANSWERS = frozenset("ABCDEFabcdef")
"""Letters a line that answer questions."""

_NUMBERED_WORDS = re.compile(
    rf"(?<!\w)(?:\d{{1,3}}{NOTHING}{{0,40}}[A-Za-z]{{1,24}}[\s,.!{NOTHING}]{{0,80}}){{4,}}"
)
_GLUED_WORDS = re.compile(  # by what else is taken for markup, or for a letter
    rf"(?<![\w@$'’])(?:{_LETTER}|['’])++(?:(?P<glue>[@!$|`~*^]{{1,3}})(?:{_LETTER}|['’])++)"
    rf"(?:(?P=glue)(?:{_LETTER}|['’])++){{2,}}"
)
_GLUE = re.compile(r"[@!$|`~*^]")
_GLUE_INSIDE = re.compile(r"[@!$|`~*^](?<=[^\W\d_].)[@!$|`~*^]{0,2}[^\W\d_]")
_INSIDE = re.compile(
    r"(?:[•·~#%^|`*!?](?<=[A-Za-z].)(?:(?<=\|)\|)?"
    r"|\(\*\)(?<=[A-Za-z]...)|<>(?<=[A-Za-z]..))(?=[A-Za-z])"
)
_EMPHASISED_LETTERS = re.compile(
    rf"(?<![\w*~`])(?:(\*{{1,3}}|~~|`{{1,3}}|_{{1,3}}){_LETTER}\1[ {NOTHING}]{{0,2}}){{4,}}"
)
_EMPHASIS = re.compile(r"[*~`_]")
_BLOCK_OF_ONE_WORD = re.compile(
    rf"^(?P<fence>```|~~~)\w{{0,12}}+{NOTHING}*+\n"
    r"(?P<word>\S{1,24}|\S(?: \S){1,24})\n(?P=fence)$",
    re.MULTILINE,
)
_FOREIGN_INSIDE = re.compile(
    r"(?<=[A-Za-z])[^\W\d_A-Za-z\u00c0-\u024f\u1e00-\u1eff\ufb00-\ufb06]{1,2}(?=[A-Za-z])"
)
_DIGITS, _NUMBER = re.compile(r"\d"), re.compile(r"\d+")
_ORDINAL = re.compile(r"\d(?:st|nd|rd|th)\b")
_DOUBLED_WORD = re.compile(rf"(?<!{_LETTER})(?:({_LETTER})\1++)++(?!{_LETTER})", re.IGNORECASE)
_DOUBLED = re.compile(rf"({_LETTER})\1{{1,2}}", re.IGNORECASE)
_DOUBLED_APART = re.compile(
    rf"(?<!{_LETTER})(?:({_LETTER})\1[ \t\n]{{1,4}}){{7,400}}({_LETTER})\2(?!{_LETTER})",
    re.IGNORECASE,
)
# English hardly has these, nor many letters twice at the beginning of a word.
_ODDLY_DOUBLED = re.compile(
    rf"([ijhkquvxy])\1|(?<!{_LETTER})(?!ee|oo|ll)({_LETTER})\2(?={_LETTER})", re.IGNORECASE
)
_WORD = re.compile(rf"{_LETTER}+")
_WORDS_FOR_ODD_ONE = 3
"""Words of which at least one is doubled so; in other languages fewer are."""
_FEWEST = 3
"""Words that are spelt in one way from which on all of a text is taken to be written so."""


def put_together(text: str) -> str:
    """`text` as it is said where it has a letter a line, the same signs or markup between all words
    or letters (quotation marks around each, say), numbers before them, a sign or foreign letter in
    place of each space or a sign within words, emphasis on each letter, a block of code a word,
    words dealt out in lines, lists or boxes of a diagram, marks of sources between them, words in
    pieces, words with the same letter or the mark of a tokenizer before each, or some or all
    letters twice; same length.

    All in one, since each is done to other words: one reading costs the classifier less than many,
    and none of them can be crowded out by others.
    """
    text = labels_of_diagrams(text)
    if _LINE_OF_LETTER.search(text) is not None:
        text = _LINES_OF_LETTERS.sub(_join_lines, text)
    if ("```" in text or "~~~" in text) and len(_BLOCK_OF_ONE_WORD.findall(text)) > _FEWEST:
        text = _BLOCK_OF_ONE_WORD.sub(_without_fences, text)
    text = unmark_words(put_pieces_together(text))
    text = _EMPHASISED_LETTERS.sub(lambda run: _EMPHASIS.sub(NOTHING, run[0]), text)
    text = put_words_together(without_citations(text))
    text = without_separators(without_repeated_markup(text))
    text = _NUMBERED_WORDS.sub(_without_numbers, text)
    if _GLUE_INSIDE.search(text) is not None:
        text = _GLUED_WORDS.sub(lambda words: _GLUE.sub(" ", words[0]), text)
    text = _without_signs_inside(text)
    if not text.isascii() and len(_FOREIGN_INSIDE.findall(text)) >= _FEWEST:
        text = _FOREIGN_INSIDE.sub(lambda sign: " " * len(sign[0]), text)
    return _without_doubles(text)


def _join_lines(match: re.Match[str]) -> str:
    """Where there are more line ends than between most letters, a word ends."""
    gaps = _ANY_GAP.findall(match[0])
    usual = min(gap.count("\n") for gap in gaps)
    if _ANSWERS.issuperset(_ANY_GAP.sub("", match[0])):
        return match[0]

    def joined(gap: re.Match[str]) -> str:
        first = " " if gap[0].count("\n") > usual else NOTHING
        return first + NOTHING * (len(gap[0]) - 1)

    return _ANY_GAP.sub(joined, match[0])


def _without_numbers(match: re.Match[str]) -> str:
    """Where they count the words: with units and in 1st, 2nd they do not."""
    numbers = [int(number) for number in _NUMBER.findall(match[0])]
    if any(after != before + 1 for before, after in pairwise(numbers)) or _ORDINAL.search(match[0]):
        return match[0]
    return _DIGITS.sub(" ", match[0])


def _without_signs_inside(text: str) -> str:
    """`text` without a sign that stands within several words."""
    found = Counter(_INSIDE.findall(text))
    often = {sign for sign, count in found.items() if count >= _FEWEST}
    if not often:
        return text
    return _INSIDE.sub(lambda one: vanish(one) if one[0] in often else one[0], text)


def _without_fences(block: re.Match[str]) -> str:
    return group_alone(block, "word")


def _without_doubles(text: str) -> str:
    text = _DOUBLED_APART.sub(_halve, text)
    if sum(map(_is_doubled, _DOUBLED_WORD.finditer(text))) >= _FEWEST:
        return _DOUBLED_WORD.sub(_halve, text)
    return _DOUBLED.sub(_leave_one, text) if _is_oddly_doubled(text) else text


def _is_oddly_doubled(text: str) -> bool:
    if len(_ODDLY_DOUBLED.findall(text)) < _FEWEST:
        return False
    words = _WORD.findall(text)
    oddly = sum(_ODDLY_DOUBLED.search(word) is not None for word in words if len(set(word)) > 1)
    return oddly >= _FEWEST and oddly * _WORDS_FOR_ODD_ONE >= len(words)


def _is_doubled(word: re.Match[str]) -> bool:
    """Whether it is a word at all: YYYY and mm are none."""
    return len(set(word[0].lower())) > 1


def _halve(word: re.Match[str]) -> str:
    return _DOUBLED.sub(_leave_one, word[0])


def _leave_one(letters: re.Match[str]) -> str:
    return letters[1] + NOTHING * (len(letters[0]) - 1)
