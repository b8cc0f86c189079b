"""What browsers show of drawings (SVG) and formulas (MathML): the kinds of content that their
elements hold."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum, auto
from typing import Final


class Content(Enum):
    """What an element holds, which says what an element within it is."""

    HTML = auto()
    POINT = auto()
    """HTML within an element of a drawing or a formula: sections of XML are text there."""
    DRAWING = auto()
    CHOICE = auto()
    """Of a drawing, elements of which the first that fits is shown."""
    LINE = auto()
    """Text of a drawing."""
    FORMULA = auto()
    CELL = auto()
    """A formula's table and its parts: text is shown there too."""
    FIRST = auto()
    """Of a formula, elements of which the first is shown."""
    REST = auto()
    """Elements behind the one that is shown."""


_AS_HTML = frozenset({Content.HTML, Content.POINT})
_MUTE = frozenset({Content.DRAWING, Content.CHOICE, Content.FORMULA, Content.FIRST, Content.REST})
_OF_DRAWINGS = frozenset({Content.DRAWING, Content.CHOICE})
_IN_DRAWING = {
    "svg": Content.DRAWING,
    "g": Content.DRAWING,
    "a": Content.DRAWING,
    "switch": Content.CHOICE,
    "text": Content.LINE,
    "foreignobject": Content.POINT,
}
_IN_LINE = {"tspan": Content.LINE, "a": Content.LINE, "textpath": Content.LINE}
_IN_FORMULA = {
    **dict.fromkeys(("mi", "mn", "mo", "ms", "mtext"), Content.POINT),
    **dict.fromkeys(("semantics", "maction"), Content.FIRST),
    **dict.fromkeys(("mtable", "mtd", "mtr"), Content.CELL),
}
_NEVER_IN_FORMULA = frozenset({"annotation", "annotation-xml", "mphantom", "mspace", "svg"})
_NEVER_IN_POINT = frozenset({"malignmark", "mglyph"})
_NOTES: Final = frozenset({"desc", "title"})
_BREAK_OUT_NAMES = (
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i"
    " img li listing menu meta nobr ol p pre ruby s small span strike strong sub sup table tt"
    " u ul var"
)
_BREAK_OUT = frozenset(_BREAK_OUT_NAMES.split())
_LINKS = frozenset({"href", "path", "xlink:href"})
"""Of these a text along a path has one, or it is not shown."""
_STYLE_OF_FONT = frozenset({"color", "face", "size"})
_NO_SIZE = re.compile(r"0*+[01]?+(?:\.\d*+)?+(?:px)?+")
_SIZE = re.compile(r"(?<![\w-])(?:min-)?(width|height)\s*+:([^;]*+)")
_LANGUAGE = re.compile(r"(?:^|[\s,])en\b", re.IGNORECASE)


def is_mute(content: Content) -> bool:
    """Whether text that stands in it, in none of its elements, is not shown."""
    return content in _MUTE


def is_html(content: Content) -> bool:
    """Whether elements in it are those of HTML."""
    return content in _AS_HTML


def breaks_out(name: str, attributes: Mapping[str, str]) -> bool:
    """Whether a tag in a drawing or a formula ends it, and is one of HTML."""
    return name in _BREAK_OUT or (
        name == "font" and not _STYLE_OF_FONT.isdisjoint(attributes.keys())
    )


def content_of(name: str, attributes: Mapping[str, str], within: Content) -> Content:
    """What an element holds."""
    if within in _AS_HTML:
        return {"svg": Content.DRAWING, "math": Content.FORMULA}.get(name, Content.HTML)
    if name in _NOTES and not _is_formula(within):
        return Content.POINT
    if within in _OF_DRAWINGS or within is Content.LINE:
        return (_IN_LINE if within is Content.LINE else _IN_DRAWING).get(name, Content.DRAWING)
    if name == "annotation-xml" and "html" in attributes.get("encoding", "").lower():
        return Content.POINT
    return _IN_FORMULA.get(name, Content.FORMULA)


def is_shown(name: str, attributes: Mapping[str, str], within: Content) -> bool:
    """Whether an element of a drawing or a formula is shown, or what stands in it is."""
    if within is Content.POINT and name in _NEVER_IN_POINT:
        return False
    if within in _AS_HTML:
        return name != "svg" or not _has_no_size(attributes)
    if within is Content.REST:
        return False
    if _is_formula(within):
        return name not in _NEVER_IN_FORMULA
    if not _LANGUAGE.search(attributes.get("systemlanguage", "en")):
        return False
    if within is Content.LINE:
        return name in _IN_LINE and (name != "textpath" or not _LINKS.isdisjoint(attributes))
    return name in _IN_DRAWING and not _is_small(name, attributes)


def behind_first(within: Content, *, shown: bool) -> Content:
    """What an element holds behind an element in it."""
    if within is Content.FIRST or (within is Content.CHOICE and shown):
        return Content.REST
    return within


def _is_formula(content: Content) -> bool:
    return content in {Content.FORMULA, Content.CELL, Content.FIRST}


def _is_small(name: str, attributes: Mapping[str, str]) -> bool:
    """Whether it is a point at most; pages in drawings have no size of their own."""
    if name == "foreignobject" and not {"width", "height"} <= _sizes(attributes).keys():
        return True
    return name in {"foreignobject", "svg"} and _has_no_size(attributes)


def _has_no_size(attributes: Mapping[str, str]) -> bool:
    return any(map(_NO_SIZE.fullmatch, _sizes(attributes).values()))


def _sizes(attributes: Mapping[str, str]) -> Mapping[str, str]:
    """Width and height, as a style says it where one does."""
    said = {one: attributes[one].strip() for one in ("width", "height") if attributes.get(one)}
    declared = _SIZE.findall(attributes.get("style", "").lower())
    return said | {name: value.strip() for name, value in declared}
