"""Texts whose paragraphs go from right to left, as displays show them: because an element says so
(`dir="rtl"`), or since their first letter does. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from guard.records import Span
from guard.text.bidi import in_visual_order
from guard.text.escapes import NOTHING
from guard.text.markup import as_displayed
from guard.text.tags import BLOCKS, QUOTED
from guard.text.unseen import without_unseen

_RLI, _LRI, _FSI, _PDI, _RLO, _PDF = "\u2067\u2066\u2068\u2069\u202e\u202c"
_RLM: Final = "\u200f"
_REFERENCE = re.compile(
    r"&(?:amp;)?(?:rlm|#0*(?:8207|1564|829[4-7]|823[4-8])|#[xX]0*(?:200[fF]|061[cC]|61[cC]|206[6-9]|202[a-eA-E]));"
    r"|\\u(?:200[fF]|061[cC]|206[6-9]|202[a-eA-E])"
)
_NUMBER = re.compile(r"#([xX]?)([0-9A-Fa-f]+);|\\u([0-9A-Fa-f]{4})")
_PARTING = re.compile(
    "[\u200f\u061c\u2066-\u2069]|(?<![\u0590-\u08ff])[\u0590-\u08ff]{1,2}(?![\u0590-\u08ff])"
)
_LEFTWARD = re.compile("[\u200f\u0590-\u08ff]")
_FOREIGN = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_FEWEST: Final = 3
"""Signs that part letters where they go from right to left."""
_SAYS = re.compile(r"\bdir(?:ection)?\s{0,8}[=:]\s{0,8}[\"']?rtl\b", re.IGNORECASE)
_TURNED = re.compile(r"<bdo\s[^<>]{0,400}?\bdir\s{0,8}=\s{0,8}[\"']?rtl\b", re.IGNORECASE)
_DIRECTION = re.compile(
    r"\bdir(?:ection)?\s{0,8}[=:]\s{0,8}[\"']?(?P<way>rtl|ltr|auto)\b", re.IGNORECASE
)
_OVERRIDE = re.compile(r"unicode-bidi\s{0,8}:\s{0,8}(?:isolate-|bidi-)override", re.IGNORECASE)
_OF_ITS_OWN = re.compile(
    r"unicode-bidi\s{0,8}:\s{0,8}isolate|display\s{0,8}:\s{0,8}inline-", re.IGNORECASE
)
_TOKEN = re.compile(
    rf"<(?P<end>/?)(?P<name>[A-Za-z][A-Za-z0-9-]{{0,20}}+)"
    rf"(?P<rest>(?:[^<>\"']++|{QUOTED}){{0,40}}+(?=>)|[^<>]*+)>"
    r"|(?P<line>\n\s*+)|(?P<bar>\|)"
)
_BLOCK = re.compile(rf"(?:{BLOCKS}|center|details|dialog|fieldset)\Z", re.IGNORECASE)
_CELLS = frozenset({"td", "th", "button", "option"})
_ISOLATES = frozenset({"bdi", "output", "mi", "mn", "mo", "ms", "mtext", "select", "textarea"})
_VOID = frozenset({"br", "hr", "img", "input", "wbr", "meta", "link", "col"})


def from_right_to_left(text: str) -> Iterator[tuple[str, tuple[Span, ...]]]:
    """`text` as it is shown where elements or marks have its paragraphs go from right to left, and
    which those are; same length. Nothing where that would change no order."""
    may_say = _says(text)
    if not may_say and "&" not in text and "\\" not in text and text.isascii():
        return
    plain = _REFERENCE.sub(_meant, text)
    if may_say:
        shown = in_visual_order(as_displayed(_Elements(without_unseen(plain)).marked()))
        if shown[1]:
            yield shown
    if _LEFTWARD.search(plain) is not None and len(_PARTING.findall(plain)) >= _FEWEST:
        shown = in_visual_order(as_displayed(without_unseen(plain)), leftward=True)
        known = in_visual_order(as_displayed(without_unseen(text)))
        if _letters(shown[0]) != _letters(known[0]):
            yield _FOREIGN.sub(" ", shown[0]), shown[1]


def _says(text: str) -> bool:
    """Whether an element may say so; `<bdo>` alone is read as markup."""
    found = len(_SAYS.findall(text)) if "dir" in (lower := text.lower()) else 0
    return found > 0 and (found > len(_TURNED.findall(text)) or "<bdi" in lower)


def _letters(text: str) -> str:
    return "".join(letter for letter in text if letter.isascii() and letter.isalpha())


def _meant(reference: re.Match[str]) -> str:
    number = _NUMBER.search(reference[0])
    sign = _RLM
    if number is not None:
        code = int(number[3], 16) if number[3] else int(number[2], 16 if number[1] else 10)
        sign = chr(code)
    return sign + NOTHING * (len(reference[0]) - 1)


class _Elements:
    """The elements of a text that say which way they go, as marks that say the same."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ways = list[bool]()
        self._open: defaultdict[str, list[tuple[bool, str]]] = defaultdict(list)
        self._marks = 0
        self._begins_row = False

    def marked(self) -> str:
        """The text with marks for tags; same length."""
        return _TOKEN.sub(self._mark, self._text)

    @property
    def _goes_left(self) -> bool:
        return bool(self._ways) and self._ways[-1]

    def _mark(self, token: re.Match[str]) -> str:
        if token["name"] is None:
            return self._of_text(token) if self._goes_left else token[0]
        name = token["name"].lower()
        was_inside = bool(self._ways)
        signs = self._end(name) if token["end"] else self._begin(name, token["rest"])
        if not was_inside and not self._ways:
            return token[0]
        return (signs + NOTHING * len(token[0]))[: len(token[0])] if signs else token[0]

    def _of_text(self, token: re.Match[str]) -> str:
        """A blank for the end of a line, and a mark for the border of a cell."""
        rest = token.string[token.end() : token.end() + 1]
        begins_row, self._begins_row = self._begins_row, bool(token["line"]) and rest == "|"
        if token["bar"]:
            return _RLI if begins_row else _RLM
        if self._begins_row:
            self._marks = 0
            return token[0]
        if token[0].count("\n") > 1:
            return self._paragraph() + NOTHING * (len(token[0]) - 2)
        return " " * len(token[0])

    def _paragraph(self) -> str:
        self._marks = 0
        return "\n" + (_RLI if self._goes_left else "\u200b")

    def _begin(self, name: str, rest: str) -> str:
        said = _DIRECTION.search(rest)
        way = said["way"].lower() if said else ""
        if name in _VOID:
            return self._paragraph() if name in {"br", "hr"} else ""
        parts = _BLOCK.match(name) is not None and name not in _CELLS
        before = self._end_cell(name)
        if way in {"rtl", "ltr"}:
            self._ways.append(way == "rtl")
        sign = _opening(name, way, rest)
        self._open[name].append((way in {"rtl", "ltr"}, sign))
        if parts:
            return self._paragraph() + (_RLO if sign == _RLO else "")
        if sign:
            self._marks += 1
        return before + (" " if name in _CELLS else "") + sign

    def _end_cell(self, name: str) -> str:
        """What ends a cell that nobody has ended."""
        return self._end(name) if name in {"td", "th"} and self._open[name] else ""

    def _end(self, name: str) -> str:
        if not self._open[name]:
            return ""
        turns, sign = self._open[name].pop()
        if turns and self._ways:
            self._ways.pop()
        if _BLOCK.match(name) is not None and name not in _CELLS:
            return self._paragraph()
        if not sign or not self._marks:
            return ""
        self._marks -= 1
        return _PDF if sign == _RLO else _PDI


def _opening(name: str, way: str, rest: str) -> str:
    """The mark that does what an element does."""
    if name == "bdo":
        return ""  # as markup of its own
    if way == "rtl":
        return _RLO if _OVERRIDE.search(rest) is not None else _RLI
    if way == "ltr":
        return _LRI
    if name in _CELLS or _OF_ITS_OWN.search(rest) is not None:
        return _RLI
    return _FSI if name in _ISOLATES or way == "auto" else ""
