"""Commands of formulas of which arguments are not shown, and those that show one of several."""

from __future__ import annotations

import re
from typing import Final

from guard.text.omissions import group_alone, vanish
from guard.text.tex_numbers import GAP


def _group(depth: int) -> str:
    """Braces with others in them, so many times."""
    return rf"\{{(?:[^{{}}]++|{_group(depth - 1)})*+\}}" if depth else r"\{[^{}]*+\}"


_BRACES = _group(4)
_OPTIONS = rf"(?:{GAP}\[[^\[\]]{{0,400}}+\]){{0,3}}+"
_UNSEEN = rf"{_OPTIONS}{GAP}{_BRACES}"
_UNIT = r"(?:mu|em|ex|[pb]t|p[xct]|[cm]m|in|bp|sp|[dcn][dc])"
_SIZE = rf"[-+]?[ \t]{{0,4}}+[\d.,]{{1,8}}[ \t]{{0,4}}+{_UNIT}"
_LENGTH = rf"{GAP}(?:{_SIZE}|\{{{GAP}{_SIZE}{GAP}\}})(?:{GAP}(?:plus|minus){GAP}{_SIZE}){{0,2}}+"
# By the number of arguments that are not shown, of which each may have options before it.
_WITH_ONE = (
    r"[hv]?phantom|[hmv]?space|label|index|(?:text|math|cell|row|column)?colou?r|colorbox|raisebox"
    r"|includegraphics|enclose|mmlToken|class|cssId|style|data|href|html(?:Class|Id|Style|Data)"
    r"|require|cline|message|errmessage|@gobble|vadjust|minCDarrow(?:width|height)|(?:eq)?ref"
    r"|cite|hypertarget|hyperlink|scalebox|rotatebox"
)
SIZE_OPTION: Final = rf"(?:{GAP}\[{GAP}{_SIZE}{GAP}\])?+"
"""Room below a line, as a regular expression."""
_WITH_TWO = "rule|fcolorbox|multicolumn|multirow|resizebox"
_WITH_THREE = "Rule|Space|definecolor"
_WITH_OPTIONS = (
    r"bbox|smash|cfrac|(?:over|under)bracket|math(?:makebox|mbox)|makebox|framebox|shove(?:left"
    r"|right)|MoveEqLeft|cramped[lrc]lap|xmathstrut|ArrowBetweenLines"
)
_COLUMNS = r"(?:\{(?:[clr|:\d ]|[@!*p]\{[^{}]{0,20}+\}){0,30}+\})?+"
_BEFORE_SHOWN = rf"(?:{GAP}(?=\{{))?+"
UNSEEN_ARGUMENTS: Final = (
    rf"(?:\\(?:{_WITH_THREE})\*?{_UNSEEN}{_UNSEEN}{_UNSEEN}"
    rf"|\\(?:{_WITH_TWO})\*?{_UNSEEN}{_UNSEEN}"
    rf"|\\genfrac{_UNSEEN}{_UNSEEN}{_UNSEEN}{_UNSEEN}"
    rf"|\\(?:{_WITH_ONE})\*?{_UNSEEN}{_OPTIONS}){_BEFORE_SHOWN}"
    rf"|\\(?:{_WITH_OPTIONS})\*?(?:{GAP}\[[^\[\]]{{0,400}}+\]){{1,3}}+"
    rf"|\\(?:m?kern|[hmv]skip|[hmv]space|raise|lower|move(?:left|right)|above){_LENGTH} ?"
    rf"|\\show(?![A-Za-z]){GAP}(?:\\[A-Za-z]{{1,30}}+|[^\s\\{{}}$]) ?"
    rf"|\\skew{GAP}\d{{1,3}}"
    rf"|\\(?:begin|end) ?\{{[A-Za-z]{{1,16}}\*?\}}{_OPTIONS}{_COLUMNS}"
)
"""Commands with those of their arguments that are not shown, as a regular expression."""


def _text(depth: int) -> str:
    """Braces of a text with others in them, so many times, without empty lines."""
    inner = f"|{_text(depth - 1)}" if depth else ""
    return rf"\{{(?:[^{{}}\\\n]++|\\(?s:.)|\n(?!\n){inner})*+\}}"


_BOX = re.compile(  # of commands that show text: marks of formulas in it end none around them
    r"\\(?:text[a-z]{0,8}|[fhm]box|f?colorbox|raisebox|tag\*?|(?:short)?intertext|[clr]lap|parbox|ce)"
    rf"{_OPTIONS}{GAP}(?:\{{[^{{}}$\n]{{0,60}}+\}}{GAP}(?=\{{)){{0,2}}+{_text(6)}"
)
_MARK = re.compile(r"\\(?s:.)|\$")
_MARKS = frozenset(("$", "\\(", "\\)", "\\[", "\\]"))
_CHOSEN = re.compile(  # of commands that show one of their arguments
    rf"\\mathchoice ?(?P<block>{_BRACES}) ?(?P<line>{_BRACES}) ?{_BRACES} ?{_BRACES}"
    rf"|\\(?:@firstoftwo|html@mathml|TextOrMath) ?(?P<first>{_BRACES}) ?{_BRACES}"
    rf"|\\(?:@secondoftwo|@ifstar|@ifnextchar{GAP}(?:\\[A-Za-z]{{1,30}}+{GAP}|[^\s\\]))"
    rf" ?{_BRACES} ?(?P<second>{_BRACES})"
    rf"|\\toggle ?(?P<toggled>{_BRACES})(?: ?{_BRACES}){{1,8}}+ ?\\endtoggle"
    rf"|\\(?:text|math)tip ?(?P<tip>{_BRACES}) ?{_BRACES}"
)
_SHOWN_OPTION = re.compile(rf"\\(?:x[A-Za-z]{{2,30}}+|sqrt){GAP}\[(?P<option>[^\[\]]{{0,200}}+)\]")


def without_inner_marks(text: str) -> str:
    """`text` with nothing for marks of formulas within texts of formulas; same length."""
    return _BOX.sub(lambda box: _MARK.sub(_leave_out_mark, box[0]), text)


def _leave_out_mark(sign: re.Match[str]) -> str:
    return vanish(sign) if sign[0] in _MARKS else sign[0]


def chosen_arguments(formula: str, *, block: bool) -> str:
    """`formula` with the arguments that are shown of commands that show one of them; same length.

    block: whether it stands on lines of its own.
    """
    found = formula if block else _CHOSEN.sub(_of_line, formula)
    found = _SHOWN_OPTION.sub(_option, found) if "[" in found else found
    return _CHOSEN.sub(_of_block, found)


def _of_line(command: re.Match[str]) -> str:
    return _chosen(command, "line")


def _of_block(command: re.Match[str]) -> str:
    return _chosen(command, "block")


def _chosen(command: re.Match[str], choice: str) -> str:
    """Of a command the argument that is shown."""
    names = (choice, "first", "second", "toggled", "tip")
    return group_alone(command, next(name for name in names if command[name] is not None))


def _option(command: re.Match[str]) -> str:
    """What stands below an arrow or beside a root, without the brackets."""
    return group_alone(command, "option")
