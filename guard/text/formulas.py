"""Formulas of TeX as KaTeX and MathJax show them, one character for one: letters, and blanks."""

from __future__ import annotations

import re

from guard.text.escapes import NOTHING
from guard.text.formula_commands import (
    SIZE_OPTION,
    UNSEEN_ARGUMENTS,
    chosen_arguments,
    without_inner_marks,
)
from guard.text.formula_letters import NAMED_LETTERS, OPERATORS
from guard.text.formula_marks import without_repeated_words
from guard.text.omissions import vanish
from guard.text.tex_numbers import NUMBERED, character

_ENVIRONMENT = (
    r"(?:equation|align(?:at|ed|edat)?|flalign|gather(?:ed)?|multlined?|eqnarray|displaymath|math|subequations"
    r"|d?array|subarray|split|[dr]{0,2}cases|(?:[bBpvV]|small)?matrix|CD)\*?"
)
# What may not end ends where another one begins, so that nothing is looked through over and over.
_FORMULA = re.compile(
    r"(?<=[^\W\d_])\$ ?\$(?=[^\W\d_])|(?<!\\)\$\$(?:[^$\\]++|\\(?s:.)|\$(?!\$))++\$\$"
    r"|(?<!\\)\$(?:[^$\\\n]|\\[^\n]|\n(?!\n)|\\\n(?!\n)){2,}+\$"
    r"|(?<!\\)\\\((?:[^\\]++|\\[^()])++\\\)|(?<!\\)\\\[(?:[^\\]++|\\[^\[\]])++\\\]"
    r"|(?<!\\)\\\\\((?:[^\\\n]++|\\(?!\\[()]|\n))++\\\\\)"
    r"|(?<!\\)\\\\\[(?:[^\\]++|\\(?!\\[\[\]]))++\\\\\]"
    rf"|\\begin ?\{{(?P<named>{_ENVIRONMENT})\}}"
    r"(?:[^\\]++|\\(?!(?:begin|end) ?\{(?P=named)\}))++\\end ?\{(?P=named)\}"
    r"|(?<![^\n])[ \t>]{0,8}+```(?:math|latex|tex|katex)[ \t]*+\n(?:[^`]++|`(?!``))++```"
    r"|<script\s[^<>]{0,40}?math/tex[^<>]{0,40}+>[^<]++</script>"
    r"|<(?P<tag>math|chem|ce)(?:\s[^<>]{0,80}+)?+>[^<]++</(?P=tag)>"
)
_EDGES = re.compile(
    r"\A(?:\\{1,2}[(\[]|[ \t>]*+```[a-z]+|<[^>]*+>)|(?:\\{1,2}[)\]]|```|</[a-z]++>)\Z"
)
_DISPLAYED = ("$$", "\\[", "\\\\[", "\\begin", "```")
"""How formulas begin that stand on lines of their own."""
_PART = re.compile(
    r"(?P<blank>~|\\(?:[ \n;:]|(?:q?quad|cr|newline|(?:en|nobreak|thick|med)?space)(?![A-Za-z]))"
    rf"|\\\\\*?{SIZE_OPTION})"
    rf"|(?P<numbered>{NUMBERED})"
    rf"|\\(?P<named>{'|'.join(NAMED_LETTERS)})(?![A-Za-z]) ?"
    rf"|\\(?<=[A-Za-z{{]\\)(?P<operator>{OPERATORS})(?![A-Za-z])"
    r"|(?P<nothing>%[^\n]{0,2000}+\n[ \t]*+"
    rf"|{UNSEEN_ARGUMENTS}"
    rf"|\\@?[A-Za-z]{{1,30}}+\*?[ {NOTHING}]?|\\[^A-Za-z\s]|[{{}}$^_&])"
)
_DOUBLED = re.compile(  # backslashes, as Markdown has them
    r"(?<!\\)\\\\(?=(?:text[a-z]{0,8}|math(?:rm|bf|it|sf|tt|normal)|[fhm]box|f?colou?r(?:box)?|raise"
    r"|rule|kern|enclose|q?quad|phantom|operatorname)(?![A-Za-z]))"
)
_NAMED = re.compile(rf"\\(?:{'|'.join(NAMED_LETTERS)})(?![A-Za-z])")
_BEGINNINGS_OF_FORMULAS, _ENDS_OF_FORMULAS = ("$", "\\(", "\\\\("), ("$", "\\)")
_REACH = 3
"""Characters beside a formula in which another one ends or begins: two of them may be blanks."""
_MAY_HOLD = re.compile(
    r"\$|\\[(\[]|\\begin ?\{|```(?:math|latex|tex|katex)|math/tex|<(?:math|chem|ce)\b"
)
_LETTERS = re.compile(r"[^\W\d_]")
_FEWEST = 4
"""Letters from which on a formula could say something by itself."""
_IN_WORD = re.compile(rf"[^\W\d_]{NOTHING}*+(?=[^\W\d_])")


def shown_formulas(text: str) -> str:
    """`text` with formulas as their displays show them; same length.

    Commands, braces and comments vanish, what leaves room is a blank, and letters that are named by
    their numbers are these.
    """
    if _MAY_HOLD.search(text) is None:
        return text
    parts, at, flat = [], 0, without_inner_marks(text) if "\\" in text else text
    for formula in _FORMULA.finditer(flat):
        shown = _shown(formula)
        if shown != formula[0]:
            parts += [text[at : formula.start()], shown]
            at = formula.end()
    return "".join((*parts, text[at:]))


def _shown(formula: re.Match[str]) -> str:
    written = formula[0]
    if written.strip("$ ") == "":
        return NOTHING * len(written)
    if "\\" not in written and "^" not in written and "_" not in written and "~" not in written:
        return written
    found = _DOUBLED.sub(f"{NOTHING}\\\\", written)
    found = chosen_arguments(found, block=written.startswith(_DISPLAYED))
    found = without_repeated_words(_PART.sub(_part, _EDGES.sub(vanish, found)))
    letters = len(_LETTERS.findall(found))
    may_belong = letters > 0 or not any(map(str.isalnum, found))
    is_said = letters >= _FEWEST or (may_belong and _belongs_to_word(formula, found))
    return found if is_said else written


def _belongs_to_word(formula: re.Match[str], shown: str) -> bool:
    """Whether letters or other formulas stand beside it, or letters by name beside others in it."""
    text, (start, end) = formula.string, formula.span()
    before, after = text[max(start - _REACH, 0) : start], text[end : end + _REACH]
    if before[-1:].isalpha() or before.rstrip(" ").endswith(_ENDS_OF_FORMULAS):
        return True
    if after[:1].isalpha() or after.lstrip(" ").startswith(_BEGINNINGS_OF_FORMULAS):
        return True
    return _IN_WORD.search(shown) is not None and _NAMED.search(formula[0]) is not None


def _part(match: re.Match[str]) -> str:
    room = len(match[0])
    if match["nothing"] is not None:
        return NOTHING * room
    letters = " " if match["blank"] is not None else _named(match)
    return letters + NOTHING * (room - len(letters))


def _named(match: re.Match[str]) -> str:
    """The letters that a name or a number stands for; other signs vanish."""
    if (itself := match["operator"]) is not None:
        return itself
    if (name := match["named"]) is not None:
        return NAMED_LETTERS[name]
    found = character(match) or NOTHING
    return found if found.isalnum() or found in ".,!?'" else (" " if found.isspace() else NOTHING)
