"""Formulas of TeX as KaTeX and MathJax show them, one character for one: letters, and blanks."""

from __future__ import annotations

import re

from guard.text.escapes import NOTHING

_MOST = 2000
_FORMULA = re.compile(
    rf"(?<=[^\W\d_])\$ ?\$(?=[^\W\d_])|\$\$[^$]{{1,{_MOST}}}+\$\$"
    rf"|\$(?:[^$\n]|\n(?!\n)){{2,{_MOST}}}+\$"
    rf"|(?<!\\)\\\((?:[^\\]|\\[^()]){{1,{_MOST}}}+\\\)|(?<!\\)\\\[(?:[^\\]|\\[^\[\]]){{1,{_MOST}}}+\\\]"
)
_LENGTH = r"[ \t]{0,4}+-?[\d.]{1,8}[ \t]{0,4}+(?:mu|em|ex|pt|px|cm|mm|in)"
_PART = re.compile(
    r"(?P<blank>~|\\(?:[ \n;:\\]|(?:q?quad|(?:en|nobreak|thick|med)?space)(?![A-Za-z])))"
    r"|\\char(?:\"(?P<hex>[0-9A-Fa-f]{2,6})|'(?P<octal>[0-7]{2,7})|`\\?(?P<itself>[^\s\\])"
    r"|(?P<decimal>\d{2,7})) ?"
    r"|\\unicode\{(?:x(?P<hex_code>[0-9A-Fa-f]{2,6})|(?P<code>\d{2,7}))\}"
    r"|\\(?P<named>alpha|epsilon|eta|iota|i|j|kappa|l|nu|omicron|o|rho|tau|upsilon|varepsilon|chi)"
    r"(?![A-Za-z]) ?"
    r"|(?P<nothing>%[^\n]*\n[ \t]*+"
    r"|\\(?:[hv]?phantom|[hm]?space\*?|mathstrut|label|index"
    r"|(?:text|math|cell)?colou?r|raisebox)\{(?:[^{}]|\{[^{}]{0,40}+\}){0,80}+\}"
    r"|\\rule\{[^{}]{0,40}+\}\{[^{}]{0,40}+\}"
    rf"|\\(?:m?kern|[hm]skip){_LENGTH} ?"
    rf"|\\[A-Za-z]{{1,30}}+\*?[ {NOTHING}]?|\\[^A-Za-z\s]|[{{}}$^_])"
)
_LETTERS = re.compile(r"[^\W\d_]")
_LOOKS = {
    "alpha": "a",
    "chi": "x",
    "epsilon": "e",
    "eta": "n",
    "iota": "i",
    "kappa": "k",
    "nu": "v",
    "omicron": "o",
    "rho": "p",
    "tau": "t",
    "upsilon": "u",
    "varepsilon": "e",
}
"""What letters are taken for in words."""
_FEWEST = 4
"""Letters from which on a formula could say something."""


def shown_formulas(text: str) -> str:
    """`text` with formulas as their displays show them; same length.

    Commands, braces and comments vanish, what leaves room is a blank, and letters that are named by
    their numbers are these.
    """
    if "$" not in text and "\\(" not in text and "\\[" not in text:
        return text
    return _FORMULA.sub(_shown, text)


def _shown(formula: re.Match[str]) -> str:
    written = formula[0]
    if written.strip("$ ") == "":
        return NOTHING * len(written)
    if "\\" not in written and "^" not in written and "_" not in written and "~" not in written:
        return written
    found = _PART.sub(_part, written[2:-2] if written[0] == "\\" else written)
    if written[0] == "\\":
        found = NOTHING * 2 + found + NOTHING * 2
    return found if len(_LETTERS.findall(found)) >= _FEWEST else written


def _part(match: re.Match[str]) -> str:
    room = len(match[0])
    if match["nothing"] is not None:
        return NOTHING * room
    letter = " " if match["blank"] is not None else _named(match)
    return letter + NOTHING * (room - 1)


def _named(match: re.Match[str]) -> str:
    """The letter that a number stands for; other signs vanish."""
    if match["itself"] is not None:
        return match["itself"]
    if (name := match["named"]) is not None:
        return _LOOKS.get(name, name)
    digits, base = next(
        (match[name], base)
        for name, base in (
            ("hex", 16),
            ("octal", 8),
            ("decimal", 10),
            ("hex_code", 16),
            ("code", 10),
        )
        if match[name] is not None
    )
    code = int(digits, base)
    found = chr(code) if code < 0x110000 else NOTHING
    return found if found.isalnum() or found in ".,!?'" else (" " if found.isspace() else NOTHING)
