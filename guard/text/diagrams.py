"""What the boxes and arrows of a Mermaid diagram say, as one text."""

from __future__ import annotations

import re
from typing import Final

from guard.text.escapes import NOTHING
from guard.text.omissions import vanish

_DIAGRAM: Final = re.compile(  # the beginning of another one ends it as well
    r"^(?P<fence>[ \t]{0,8}```mermaid[ \t]{0,8}\n)(?P<source>.{1,20000}?)(?=^[ \t]*```)",
    re.DOTALL | re.MULTILINE,
)
_LABEL: Final = re.compile(
    r"[\[({]{1,3}\"?(?P<box>[^\[\](){}\"\n]{1,600})\"?[\])}]{1,3}"
    r"|\|(?P<arrow>[^|\n]{1,200})\|"
    r"|-[-.>)x]{1,3}[ +-]{0,2}[\w ]{1,40}:[ \t](?P<message>[^\n]{1,400})"
)
_LINE_END: Final = re.compile(r"<br[ ]{0,4}/?>", re.IGNORECASE)
_FEWEST: Final = 6
"""Lines of one letter from which on they are words."""
_SPACE: Final = " " + NOTHING * 5
_OF_WORDS: Final = f".,!?'{NOTHING}"


def labels_of_diagrams(text: str) -> str:
    """`text` with nothing but the labels left of its diagrams; same length."""
    return _DIAGRAM.sub(_labels, text) if "```mermaid" in text else text


def _labels(diagram: re.Match[str]) -> str:
    source, shown, at = diagram["source"], [diagram["fence"]], 0
    for label in _LABEL.finditer(source):
        start, end = label.span(label.lastgroup or 0)
        shown += [_blank(start - at), _in_lines(source[start:end])]
        at = end
    return "".join([*shown, _blank(len(source) - at)])


def _in_lines(label: str) -> str:
    """With its line ends; where it has a letter a line, with its words."""
    lines = _LINE_END.split(label)
    if len(lines) < _FEWEST or any(len(line) > 1 and line != "&nbsp;" for line in lines):
        return _LINE_END.sub(lambda tag: "\n" + NOTHING * (len(tag[0]) - 1), label)
    joined = _LINE_END.sub(vanish, label.replace("&nbsp;", _SPACE))
    return "".join(sign if sign.isalnum() or sign in _OF_WORDS else " " for sign in joined)


def _blank(length: int) -> str:
    return " "[:length] + NOTHING * (length - 1)
