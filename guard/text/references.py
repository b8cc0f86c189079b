"""Links and footnotes of Markdown and its relatives as displays show them: the words of a link
without where it leads, and nothing for the mark of a footnote; one character for one."""

from __future__ import annotations

import re

from guard.text.dialects import without_dialects
from guard.text.omissions import shown_alone, vanish

_ITEM = r"(?:[-*+]|\d{1,3}[.)])[ \t]{1,4}+"
_LABEL = re.compile(rf"(?<![^\n])[ \t>]{{0,8}}+(?:{_ITEM})?+\[((?:[^\[\]\\]|\\.){{1,200}}+)\]:")
_REFERENCE = re.compile(
    r"!?\[(?!\^)(?P<shown>(?:[^\[\]\\]|\\.){0,200}+)\]"
    r"(?:(?P<blank> )?\[(?!\^)(?P<label>(?:[^\[\]\\]|\\.){0,200}+)\](?![(:])|(?![\[(:]))"
)
_NOTE = re.compile(r"[ \t]?\[\^([^\[\]\s]++)\](?!:)")
_SIGN_OF_NOTE = re.compile(  # with what it says, and sources of Pandoc
    r"\^\[(?<=[\w.,;:!?)*_`\"'\u2019]\^\[)[^\[\]\n]++\]|[ \t]?\[-?@[A-Za-z_][^\[\]\n]*+\]"
)
_FEWEST = 3
"""Of them in a text, of what nothing defines: that may come later."""


def without_references(text: str) -> str:
    """`text` with the words of links alone, and without marks of footnotes, where the text defines
    them or has several; same length."""
    text = without_dialects(text)
    if "[" in text:
        labels = {_plain(label) for label in _LABEL.findall(text)} if "]:" in text else set[str]()
        text = _without_notes(text, labels)
        text = _without_labels(text, labels)
    return text


def _without_notes(text: str, labels: set[str]) -> str:
    if "[^" in text:
        defined = len(_NOTE.findall(text)) < _FEWEST
        text = _NOTE.sub(
            lambda note: (
                note[0] if defined and _plain(f"^{note[1]}") not in labels else vanish(note)
            ),
            text,
        )
    if len(_SIGN_OF_NOTE.findall(text)) >= _FEWEST:
        text = _SIGN_OF_NOTE.sub(vanish, text)
    return text


def _without_labels(text: str, labels: set[str]) -> str:
    found = _REFERENCE.finditer(text)
    several = sum(1 for link in found if link["label"] and not link["blank"]) >= _FEWEST

    def shown(link: re.Match[str]) -> str:
        label = link["label"]
        known = _plain(label or link["shown"]) in labels
        is_one = known or (several and label and not link["blank"])
        return shown_alone(link) if is_one else link[0]

    return _REFERENCE.sub(shown, text) if labels or several else text


def _plain(label: str) -> str:
    """As labels are compared."""
    return " ".join(label.split()).casefold()
