"""Words that something cuts, put together: markup of whatever language, or a sign in most of them.

There are more languages of markup than one could name, and displays of each. What they have in
common is that signs, commands and elements stand between the letters of a word. What these hold may
be shown or not, so lines are read with it and without.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

from guard.text.escapes import NOTHING
from guard.text.tags import PARTING

_LETTER = r"[^\W\d_]"
_TAG = rf"<(?!/?(?i:{PARTING})\b)[^<>\n]{{0,200}}+>"
_COMMAND = (  # of LaTeX and troff; one by itself between two letters is a sign of a formula
    r"\{\\[A-Za-z]{1,20}[ \n]?|\\(?:[A-Za-z]{1,20}\*?(?:-?[\d.]{1,5}[a-z]{2}[ \n]?|(?=\{))"
    r"|f[BIPR]|[^\w\s]|[ \n])"
)
_SIGNS = (
    r"[{}|`*~$^]|\[\[|\]\]|\[(?=[^\[\]\n]{1,40}\]\{)|\](?=\{)|==|\+\+|''|@@|%%|\"[-=|~]"
    r"|[=%]\n[ \t]{0,8}|\x03[\d,]{0,5}|[\0-\x08\x0e-\x1f]"
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
_CAN_CUT = re.compile(rf"{_LETTER}[<\\{{}}\[\]|`*~$^=+'\"@%\0-\x08\x0e-\x1f]")
_SIGN_INSIDE = re.compile(rf"(?<={_LETTER})(?:[!-;?@\[-`{{-~‐-…]{{1,3}})(?={_LETTER})")
_FEWEST = _SHORTEST = 3


def cut_words(text: str) -> Iterator[str]:
    """The lines of `text` in which words are cut, put together: by markup, with what that holds and
    without it, and by one sign in most words of a line. Same length, all other lines blank."""
    found = list[str]()
    if _CAN_CUT.search(text) is not None:
        found = [_changed_lines(text, _without(cut)) for cut in (_CUT, _CUT_WITH_HELD)]
    if len(_SIGN_INSIDE.findall(text)) >= _FEWEST:
        found.append(_changed_lines(text, _without_frequent_sign))
    yield from dict.fromkeys(filter(None, found))


def _without(cut: re.Pattern[str]) -> Callable[[str], str]:
    return lambda text: cut.sub(lambda marks: NOTHING * len(marks[0]), text)


def _without_frequent_sign(text: str) -> str:
    return "".join(map(_without_sign, text.splitlines(keepends=True)))


def _without_sign(line: str) -> str:
    """A line in which one sign stands inside of most words, without it."""
    signs = Counter(_SIGN_INSIDE.findall(line)).most_common(1)
    if not signs or signs[0][1] < _FEWEST:
        return line
    sign = re.compile(rf"(?<={_LETTER}){re.escape(signs[0][0])}(?={_LETTER})")
    words = [word for word in line.split() if len(word) >= _SHORTEST]
    cut = sum(sign.search(word) is not None for word in words)
    return _without(sign)(line) if cut >= _FEWEST and 2 * cut >= len(words) else line


def _changed_lines(text: str, change: Callable[[str], str]) -> str:
    """Nothing where none is."""
    changed = change(text)
    if changed == text:
        return ""
    parts, start = list[str](), 0
    for line in changed.splitlines(keepends=True):
        end = start + len(line)
        parts.append(line if line != text[start:end] else " " * (len(line) - 1) + "\n")
        start = end
    return "".join(parts)[: len(text)]
