"""Words that markup cuts, of whatever language it is, put together.

There are more languages of markup than one could name, and displays of each. What they have in
common is that signs, commands and elements stand between the letters of a word. What these hold may
be shown or not, so lines are read with it and without.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from guard.text.escapes import NOTHING
from guard.text.tags import PARTING

_LETTER = r"[^\W\d_]"
_TAG = rf"<(?!/?(?i:{PARTING})\b)[^<>\n]{{0,200}}+>"
_COMMAND = (  # of LaTeX and troff; one by itself between two letters is a sign of a formula
    r"\{\\[A-Za-z]{1,20}[ \n]?|\\(?:[A-Za-z]{1,20}\*?(?:-?[\d.]{1,5}[a-z]{2}[ \n]?|(?=\{))"
    r"|f[BIPR]|[^\w\s]|[ \n])"
)
_SIGNS = (
    r"[{}`*~$^]|_(?=\{)|\[\[|\]\]|\[(?=[^\[\]\n]{0,40}\]\{)|\](?=\{)|==|\+\+|''|@@|%%|\"[-=|~]"
    r"|%\n[ \t]{0,8}|\x03[\d,]{0,5}|[\0-\x08\x0e-\x1f]"
)
_BEFORE_LAST = r"\\[A-Za-z]{1,20}\{[^{}\n]{0,60}+\}(?=\{)"
_HELD = (
    rf"<(?!(?i:{PARTING})\b)[A-Za-z][^<>]{{0,100}}+>[^<]{{0,60}}+</[A-Za-z][A-Za-z0-9]{{0,15}}\s{{0,4}}>"
    r"|\\[A-Za-z]{1,20}\*?(?:\[[^\[\]\n]{0,40}+\])?(?:\{[^{}\n]{0,60}+\}){1,3}"
    r"|\{[^{}\n]{0,40}+\}|\[\[[^\[\]|\n]{0,60}+\||\[[/^]?[\w=#]{0,24}+\](?!\[(?!/)|[({])"
)
_CUT = re.compile(
    rf"(?<={_LETTER})(?>{_BEFORE_LAST}|{_TAG}|{_COMMAND}|{_SIGNS}){{1,8}}+(?={_LETTER})"
)
_CUT_WITH_HELD = re.compile(
    rf"(?<={_LETTER})(?>{_HELD}|{_TAG}|{_COMMAND}|{_SIGNS}){{1,8}}+(?={_LETTER})"
)
_CAN_CUT = re.compile(rf"{_LETTER}[<\\{{}}\[\]`*~$^_=+'\"@%\0-\x08\x0e-\x1f]")
# A part of a word in brackets or quotation marks of its own.
_OPENING = r"[(\[\"'“„‘‚«‹「『（⟨【〔]{1,3}"
_CLOSING = r"[)\]\"'”“’‘»›」』）⟩】〕]{1,3}"
_PART = rf"{_OPENING}(?P<part>{_LETTER}{{1,20}}){_CLOSING}"
_MARKED_PART = re.compile(
    rf"(?:(?<={_LETTER})|(?<![^\W_])(?={_OPENING}{_LETTER}{{1,20}}{_CLOSING}{_LETTER})){_PART}"
)
_SAME_MARKS = r"[@:=+&|/_]|--"
_EVENLY_MARKED_PART = re.compile(
    rf"(?<={_LETTER})({_SAME_MARKS})(?P<part>{_LETTER}{{1,20}})\1(?![^\W_])"
    rf"|(?<![^\W_])({_SAME_MARKS})(?P<first>{_LETTER}{{1,20}})\3(?={_LETTER})"
)
# Commands of LaTeX that end at a blank, as between the letters of a formula.
_NAMED = r"\\[A-Za-z]{1,20}(?:\{[^{}\n]{0,20}+\})?+ ?"
_COMMANDS = re.compile(rf"(?<={_LETTER}) ?(?:\\ )?(?:{_NAMED}){{1,4}}+(?={_LETTER})")
_BLANK = re.compile(r"\\(?:q?quad|[;:>]|hspace\*?\{[\d.]{1,4}[ec]m\})|(?<=[}$])\\ |\\ (?=\\)")
# A sign in each word that is on no keyboard, and marks of sources.
_RARE_SIGN = re.compile(
    rf"(?<={_LETTER})(?:(?![\u00ad\u200b-\u200f\u2060-\u2064\ufeff])[^\w\s\0-\x7f’–—…]{{1,3}}+|[¹²³½¼ªº\uff3f]|【[^】\n]{{0,24}}+】"
    rf"|\[(?:\[\d{{1,3}}\]|\^?\d{{1,3}}\^?)\](?:\([^()\n]{{0,80}}+\))?|⁽[⁰¹²³⁴-⁹]{{1,3}}⁾)(?={_LETTER})"
)
_IN_LINES = ((_MARKED_PART, 2), (_EVENLY_MARKED_PART, 3), (_COMMANDS, 4), (_RARE_SIGN, 3))
"""How many a line has at least: with `item(s)` and most formulas it has fewer."""


def cut_words(text: str) -> Iterator[str]:
    """The lines of `text` in which markup cuts words, put together: with what it holds, and without
    it; and those in which some words have a part in brackets or quotation marks, or a command
    before each letter. Same length, all other lines blank."""
    found = list[str]()
    if _CAN_CUT.search(text) is not None:
        found += [_changed_lines(text, _without_marks(cut, text)) for cut in (_CUT, _CUT_WITH_HELD)]
    if any(pattern.search(text) is not None for pattern, _ in _IN_LINES):
        found.append(_changed_lines(text, "".join(map(_joined, text.splitlines(keepends=True)))))
    yield from dict.fromkeys(filter(None, found))


def _without_marks(cut: re.Pattern[str], text: str) -> str:
    return cut.sub(_without, text)


def _without(marks: re.Match[str]) -> str:
    """Nothing, or a blank where LaTeX is told to leave one."""
    first = " " if _BLANK.search(marks[0]) else NOTHING
    return first + NOTHING * (len(marks[0]) - 1)


def _joined(line: str) -> str:
    for pattern, fewest in _IN_LINES:
        changed, count = pattern.subn(_without_marks_around, line)
        if count >= fewest:
            line = changed
    return line


def _without_marks_around(found: re.Match[str]) -> str:
    """The part of a word that is marked, if there is one."""
    part = next((group for group in ("part", "first") if found.groupdict().get(group)), "")
    if not part:
        return _without(found)
    start, end = found.start(part) - found.start(), found.end() - found.end(part)
    return NOTHING * start + found[part] + NOTHING * end


def _changed_lines(text: str, changed: str) -> str:
    """Nothing where none is."""
    if changed == text:
        return ""
    parts, start = list[str](), 0
    for line in changed.splitlines(keepends=True):
        end = start + len(line)
        parts.append(line if line != text[start:end] else " " * (len(line) - 1) + "\n")
        start = end
    return "".join(parts)[: len(text)]
