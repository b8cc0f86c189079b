"""Formulas of TeX as KaTeX and MathJax show them, one character for one: letters, and blanks."""

from __future__ import annotations

import re

from guard.text.escapes import NOTHING
from guard.text.formula_letters import NAMED_LETTERS, OPERATORS

_ENVIRONMENT = (
    r"(?:equation|align(?:at|ed|edat)?|flalign|gather(?:ed)?|multline|eqnarray|displaymath|math"
    r"|array|split|cases|[bBpvV]?matrix|CD)\*?"
)
# What may not end ends where another one begins, so that nothing is looked through over and over.
_FORMULA = re.compile(
    r"(?<=[^\W\d_])\$ ?\$(?=[^\W\d_])|(?<!\\)\$\$(?:[^$\\]++|\\(?s:.)|\$(?!\$))++\$\$"
    r"|(?<!\\)\$(?:[^$\\\n]|\\[^\n]|\n(?!\n)|\\\n(?!\n)){2,}+\$"
    r"|(?<!\\)\\\((?:[^\\]++|\\[^()])++\\\)|(?<!\\)\\\[(?:[^\\]++|\\[^\[\]])++\\\]"
    rf"|\\begin\{{(?P<named>{_ENVIRONMENT})\}}"
    r"(?:[^\\]++|\\(?!(?:begin|end)\{(?P=named)\}))++\\end\{(?P=named)\}"
    r"|(?<![^\n])[ \t>]{0,8}+```(?:math|latex|tex|katex)[ \t]*+\n[^`]++```"
    r"|<script\s[^<>]{0,40}?math/tex[^<>]{0,40}+>[^<]++</script>"
)
_EDGES = re.compile(r"\A(?:\\[(\[]|[ \t>]*+```[a-z]+|<script[^>]*+>)|(?:\\[)\]]|```|</script>)\Z")
_DISPLAYED = ("$$", "\\[", "\\begin", "```")
"""How formulas begin that stand on lines of their own."""


def _group(depth: int) -> str:
    """Braces with others in them, so many times."""
    return rf"\{{(?:[^{{}}]++|{_group(depth - 1)})*+\}}" if depth else r"\{[^{}]*+\}"


_BRACES = _group(4)
_CHOSEN = re.compile(  # of commands that show one of their arguments
    rf"\\mathchoice ?(?P<block>{_BRACES}) ?(?P<line>{_BRACES}) ?{_BRACES} ?{_BRACES}"
    rf"|\\@firstoftwo ?(?P<first>{_BRACES}) ?{_BRACES}"
    rf"|\\@secondoftwo ?{_BRACES} ?(?P<second>{_BRACES})"
    rf"|\\toggle ?(?P<toggled>{_BRACES})(?: ?{_BRACES}){{1,8}}+ ?\\endtoggle"
    rf"|\\(?:text|math)tip ?(?P<tip>{_BRACES}) ?{_BRACES}"
)
_LENGTH = r"[ \t]{0,4}+-?[\d.]{1,8}[ \t]{0,4}+(?:mu|em|ex|pt|px|cm|mm|in)"
_PART = re.compile(
    r"(?P<blank>~|\\(?:[ \n;:\\]|(?:q?quad|(?:en|nobreak|thick|med)?space)(?![A-Za-z])))"
    r"|\\char(?:\"(?P<hex>[0-9A-Fa-f]{2,6})|'(?P<octal>[0-7]{2,7})|`\\?(?P<itself>[^\s\\])"
    r"|(?P<decimal>\d{2,7})) ?"
    r"|\\unicode\{(?:x(?P<hex_code>[0-9A-Fa-f]{2,6})|(?P<code>\d{2,7}))\}"
    rf"|\\(?P<named>{'|'.join(NAMED_LETTERS)})(?![A-Za-z]) ?"
    rf"|\\(?<=[A-Za-z{{]\\)(?P<operator>{OPERATORS})(?![A-Za-z])"
    r"|(?P<nothing>%[^\n]{0,2000}+\n[ \t]*+"
    r"|\\(?:begin|end)\{[A-Za-z]{1,16}\*?\}(?:\{[clr|\d ]{0,30}+\})?+"
    r"|\\(?:[hv]?phantom|[hm]?space\*?|mathstrut|label|index"
    rf"|(?:text|math|cell)?colou?r|raisebox|includegraphics(?:\[[^\[\]]{{0,400}}+\])?+){_BRACES}"
    r"|\\rule\{[^{}]{0,40}+\}\{[^{}]{0,40}+\}"
    rf"|\\(?:m?kern|[hm]skip){_LENGTH} ?"
    rf"|\\[A-Za-z]{{1,30}}+\*?[ {NOTHING}]?|\\[^A-Za-z\s]|[{{}}$^_&])"
)
_NAMED = re.compile(rf"\\(?:{'|'.join(NAMED_LETTERS)})(?![A-Za-z])")
_BEGINNINGS_OF_FORMULAS, _ENDS_OF_FORMULAS = ("$", "\\("), ("$", "\\)")
_REACH = 3
"""Characters beside a formula in which another one ends or begins: two of them may be blanks."""
_MAY_HOLD = re.compile(r"\$|\\[(\[]|\\begin\{|```(?:math|latex|tex|katex)|math/tex")
_LETTERS = re.compile(r"[^\W\d_]")
_FEWEST = 4
"""Letters from which on a formula could say something by itself."""
_IN_WORD = re.compile(rf"[^\W\d_]{NOTHING}*+(?=[^\W\d_])")


def shown_formulas(text: str) -> str:
    """`text` with formulas as their displays show them; same length.

    Commands, braces and comments vanish, what leaves room is a blank, and letters that are named by
    their numbers are these.
    """
    return _FORMULA.sub(_shown, text) if _MAY_HOLD.search(text) else text


def _shown(formula: re.Match[str]) -> str:
    written = formula[0]
    if written.strip("$ ") == "":
        return NOTHING * len(written)
    if "\\" not in written and "^" not in written and "_" not in written and "~" not in written:
        return written
    found = _CHOSEN.sub(_of_line, written) if not written.startswith(_DISPLAYED) else written
    found = _PART.sub(_part, _EDGES.sub(_vanish, _CHOSEN.sub(_of_block, found)))
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


def _vanish(match: re.Match[str]) -> str:
    return NOTHING * len(match[0])


def _of_line(command: re.Match[str]) -> str:
    return _chosen(command, "line")


def _of_block(command: re.Match[str]) -> str:
    return _chosen(command, "block")


def _chosen(command: re.Match[str], choice: str) -> str:
    """Of a command the argument that is shown."""
    names = (choice, "first", "second", "toggled", "tip")
    shown = next(name for name in names if command[name] is not None)
    before, after = command.start(shown) - command.start(), command.end() - command.end(shown)
    return NOTHING * before + command[shown] + NOTHING * after


def _part(match: re.Match[str]) -> str:
    room = len(match[0])
    if match["nothing"] is not None:
        return NOTHING * room
    letters = " " if match["blank"] is not None else _named(match)
    return letters + NOTHING * (room - len(letters))


def _named(match: re.Match[str]) -> str:
    """The letters that a name or a number stands for; other signs vanish."""
    if (itself := match["itself"] or match["operator"]) is not None:
        return itself
    if (name := match["named"]) is not None:
        return NAMED_LETTERS[name]
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
