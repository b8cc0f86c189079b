"""Words that markup cuts, of whatever language it is, put together.

There are more languages of markup than one could name, and displays of each. What they have in
common is that signs, commands and elements stand between the letters of a word. What these hold may
be shown or not, so lines are read with it and without.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from guard.text.marked_parts import nothing_or_blank, without_marks
from guard.text.tags import PARTING

_LETTER = r"[^\W\d_]"
_TAG = rf"<(?!/?(?i:{PARTING})\b)[^<>\n]{{0,200}}+>"
_COMMAND = (  # of LaTeX and troff; one by itself between two letters is a sign of a formula
    r"\{\\[A-Za-z]{1,20}[ \n]?|\\(?:[A-Za-z]{1,20}\*?(?:-?[\d.]{1,5}[a-z]{2}[ \n]?|(?=\{))"
    r"|f[BIPR]|[^\w\s]|[ \n])"
)
_SIGNS = (
    r"[{}`*~$^]|\[\[|\]\]|\[(?=[^\[\]\n]{0,40}\]\{)|\](?=\{)|==|\+\+|''|@@|%%|\"[-=|~]"
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
_CAN_CUT = re.compile(rf"{_LETTER}[<\\{{}}\[\]`*~$^=+'\"@%\0-\x08\x0e-\x1f]")


def cut_words(text: str) -> Iterator[str]:
    """The lines of `text` in which markup cuts words, put together: with what it holds, and without
    it; and those in which marks cut several words. Same length, all other lines blank."""
    found = list[str]()
    if _CAN_CUT.search(text) is not None:
        found += [cut.sub(nothing_or_blank, text) for cut in (_CUT, _CUT_WITH_HELD)]
    if (marked := without_marks(text)) != text:
        found.append(_CUT.sub(nothing_or_blank, marked))
    yield from dict.fromkeys(filter(None, (_changed_lines(text, one) for one in found)))


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
