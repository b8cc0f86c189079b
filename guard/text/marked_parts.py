"""Words of which a part stands in marks of its own, or that a sign cuts, put together.

`item(s)`, a formula and a quotation have such marks too, so a line counts only where several words
of it have them.
"""

from __future__ import annotations

import re

from guard.text.escapes import NOTHING

_LETTER = r"[^\W\d_]"
_PART = rf"{_LETTER}{{1,20}}"
_OPENING = r"[(\[\"'“„‘‚«‹「『（⟨【〔]"
_CLOSING = r"[)\]\"'”“’‘»›」』）⟩】〕]{1,3}"
_PLURALS = r"(?:s|es|n|en|in|innen|e|r)\)"  # as in item(s)
_IN_BRACKETS = re.compile(
    rf"{_OPENING}(?:(?<={_LETTER}.)(?!{_PLURALS}){_OPENING}{{0,2}}(?P<behind>{_PART}){_CLOSING}"
    rf"|(?<![^\W_].){_OPENING}{{0,2}}(?P<first>{_PART}){_CLOSING}(?={_LETTER}))"
)
_BETWEEN_SIGNS = re.compile(
    rf"([@:=+&|/_])(?:(?<={_LETTER}.)(?P<behind>{_PART})\1(?![^\W_])"
    rf"|(?<![^\W_].)(?P<first>{_PART})\1(?={_LETTER}))"
    rf"|--(?:(?<={_LETTER}--)(?P<behind_dashes>{_PART})--(?![^\W_])"
    rf"|(?<![^\W_]--)(?P<first_dashes>{_PART})--(?={_LETTER}))"
)
# As plain texts show it; with elements that end it is HTML.
_IN_ANGLES = re.compile(
    rf"<(?:(?<={_LETTER}<)(?P<behind>{_PART})/?>|(?<![^\W_]<)(?P<first>{_PART})/?>(?={_LETTER}))"
    rf"|>(?<={_LETTER}>)(?P<turned>{_PART})<(?![!/])"
)
_UNDERSCORE = re.compile(rf"(?<={_LETTER})(?:_{{1,3}}[-./]?|[-./]_{{1,2}})(?={_LETTER})")
_OF_CODE = re.compile(r"[=();]")
_REFERENCE = re.compile(rf"(?<={_LETTER})&(?:amp|lowbar|rsquo|apos|#95|#39);(?={_LETTER})")
# No contractions and no names: "don't", "we'll", "O'Brien", "d'Artagnan".
_APOSTROPHE = re.compile(
    rf"(?<={_LETTER})(?<!\b[odlcjnmsty])(?<!\bqu)['\u2019\u02bc\uff07]{{1,2}}"
    rf"(?=(?!(?:s|t|d|m|re|ve|ll|em|all|clock)\b){_LETTER})",
    re.IGNORECASE,
)
_SUBSCRIPT = re.compile(
    rf"_\{{(?<={_LETTER}.\{{)(?:\\[a-z]{{1,12}}\{{)?+(?P<behind>{_PART})\}}{{1,2}}"
    rf"|(?<![^\W_])_\{{(?P<first>{_PART})\}}(?={_LETTER})"
)
# Commands of LaTeX that end at a blank, as between the letters of a formula.
_NAMED = r"\\[A-Za-z]{1,20}(?:\{[^{}\n]{0,20}+\})?+ ?"
_COMMANDS = re.compile(rf"(?<={_LETTER}) ?(?:\\ )?(?:{_NAMED}){{1,4}}+(?={_LETTER})")
_BLANK = re.compile(r"\\(?:q?quad|[;:>]|hspace\*?\{[\d.]{1,4}[ec]m\})|(?<=[}$])\\ |\\ (?=\\)")
# Marks of punctuation; dashes and the ellipsis stand so in prose, and symbols are read as blanks.
_RARE = (
    r"¡§¶«»¿\u201a-\u2025\u2030-\u205e\u3001-\u303f\u30fb"
    r"\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
)
_RARE_SIGN = re.compile(
    rf"(?:【(?<={_LETTER}.)[^】\n]{{0,24}}+】|⁽(?<={_LETTER}.)[⁰¹²³⁴-⁹]{{1,3}}⁾"
    rf"|[{_RARE}](?<={_LETTER}.)[{_RARE}]{{0,2}}+|[¹²³½¼ªº](?<={_LETTER}.))(?={_LETTER})"
)
_SOURCE = re.compile(
    rf"\[(?<={_LETTER}\[)(?:\[\d{{1,3}}\]|\^?\d{{1,3}}\^?)\](?:\([^()\n]{{0,80}}+\))?(?={_LETTER})"
)
# As replies of ChatGPT have it.
_ANNOTATION = re.compile(rf"\ue200(?<={_LETTER}.)[^\ue200\ue201\n]{{0,80}}+\ue201(?={_LETTER})")
_MARKS = (
    ("\ue201", _ANNOTATION, 1),
    ("", _IN_BRACKETS, 2),
    ("", _BETWEEN_SIGNS, 3),
    ("<", _IN_ANGLES, 2),
    ("_", _UNDERSCORE, 3),
    ("&", _REFERENCE, 3),
    ("", _APOSTROPHE, 3),
    ("{", _SUBSCRIPT, 3),
    ("\\", _COMMANDS, 4),
    ("", _RARE_SIGN, 3),
    ("]", _SOURCE, 3),
)
"""What a text with them has, how they look, and how many a line has at least."""


def without_marks(text: str) -> str:
    """`text` without marks around parts of words, commands between letters, and rare signs within
    words, in lines that have several; same length."""
    found = [(one, fewest) for sign, one, fewest in _MARKS if sign in text and one.search(text)]
    if not found:
        return text
    lines = text.splitlines(keepends=True)
    for pattern, fewest in found:
        lines = [_without(pattern, fewest, line) for line in lines]
    return "".join(lines)


def nothing_or_blank(marks: re.Match[str]) -> str:
    """Nothing for commands and signs, and a blank where LaTeX is told to leave one."""
    first = " " if _BLANK.search(marks[0]) else NOTHING
    return first + NOTHING * (len(marks[0]) - 1)


def _without(pattern: re.Pattern[str], fewest: int, line: str) -> str:
    if (pattern is _IN_ANGLES and "</" in line) or (
        pattern is _UNDERSCORE and _OF_CODE.search(line)
    ):
        return line
    changed, count = pattern.subn(_part_alone, line)
    return changed if count >= fewest else line


def _part_alone(found: re.Match[str]) -> str:
    """The part of a word that is marked, if there is one."""
    part = found.lastgroup
    if part is None:
        return nothing_or_blank(found)
    start, end = found.start(part) - found.start(), found.end() - found.end(part)
    return NOTHING * start + found[part] + NOTHING * end
