"""What the boxes and arrows of a Mermaid diagram say, as one text."""

from __future__ import annotations

import re
from typing import Final

from guard.text.escapes import NOTHING

_DIAGRAM: Final = re.compile(  # the beginning of another one ends it as well
    r"^(?P<fence>[ \t]{0,8}```mermaid[ \t]{0,8}\n)(?P<source>.{1,20000}?)(?=^[ \t]*```)",
    re.DOTALL | re.MULTILINE,
)
_LABEL: Final = re.compile(
    r"[\[({]{1,3}\"?(?P<box>[^\[\](){}\"\n]{1,200})\"?[\])}]{1,3}"
    r"|\|(?P<arrow>[^|\n]{1,200})\|"
    r"|-[-.>)x]{1,3}[ +-]{0,2}[\w ]{1,40}:[ \t](?P<message>[^\n]{1,400})"
)


def labels_of_diagrams(text: str) -> str:
    """`text` with nothing but the labels left of its diagrams; same length."""
    return _DIAGRAM.sub(_labels, text) if "```mermaid" in text else text


def _labels(diagram: re.Match[str]) -> str:
    source, shown, at = diagram["source"], [diagram["fence"]], 0
    for label in _LABEL.finditer(source):
        start, end = label.span(label.lastgroup or 0)
        shown += [_blank(start - at), source[start:end]]
        at = end
    return "".join([*shown, _blank(len(source) - at)])


def _blank(length: int) -> str:
    return " "[:length] + NOTHING * (length - 1)
