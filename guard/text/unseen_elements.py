"""What browsers show nothing of: comments, elements that are never displayed, and those that their
attributes hide."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from guard.records import Span
from guard.text.tags import QUOTED


def _names(said: str) -> frozenset[str]:
    return frozenset(said.split())


_NEVER = _names(
    "annotation annotation-xml audio canvas datalist iframe meter mphantom mspace noembed noframes"
    " noscript progress ref rp script select style template title video"
)
_NEVER_IN_SVG = _names(
    "animate animatemotion animatetransform circle clippath defs desc discard ellipse filter"
    " image line lineargradient marker mask metadata mpath path pattern polygon polyline"
    " radialgradient rect set stop symbol use view"
)
_GROUPS_IN_SVG = frozenset({"a", "g", "switch"})
"""They show no text of their own, no more than the drawing does."""
_NO_SIZE = re.compile(r"0*+[01]?+(?:\.\d*+)?+(?:px)?+")
_UNLESS_OPEN = frozenset({"details", "dialog"})
_HIDES = frozenset({"hidden", "popover"})
_CLASSES = _names("d-none hidden invisible screen-reader-text sr-only visually-hidden")
"""Of the style sheets that most pages have (Bootstrap, Tailwind, WordPress)."""
_STYLE = re.compile(
    r"\bdisplay\s*+:\s*+none\b|\bvisibility\s*+:\s*+(?:hidden|collapse)\b"
    r"|\b(?:opacity|font-size)\s*+:\s*+(?:0++(?:\.0*+)?|\.0++)(?![\d.])",
    re.IGNORECASE,
)
_STYLES = ("display", "visibility", "opacity", "font-size")
"""What attributes of SVG say as a style does."""
_SHADOW = re.compile(r"\bshadowrootmode\s*+=\s*+[\"']?(?:open|closed)\b", re.IGNORECASE)
_SLOT = re.compile(r"<slot\b", re.IGNORECASE)
_MAY_HIDE_IT = re.compile(
    rf"hidden|popover|{'|'.join(_STYLES)}|d-none|invisible|screen-reader|sr-only", re.IGNORECASE
)
_NAMES = sorted({*_NEVER, *_UNLESS_OPEN, "object", "svg"})
_MAY_HOLD = re.compile(rf"<(?:!--|!\[CDATA\[|(?:{'|'.join(_NAMES)})\b)", re.IGNORECASE)
_TAG = re.compile(
    rf"<(?:!--|[!?][^>]{{0,400}}+>|(?P<end>/?)(?P<name>[A-Za-z][^\s/<>]*+)"
    rf"(?P<rest>(?:[^<>\"']++|{QUOTED}){{0,40}}+(?=>)|[^<>]*+)>)"
)
_ATTRIBUTE = re.compile(
    r"(?P<name>[^\s/=\"']++)"
    r"(?:\s*+=\s*+(?:\"(?P<double>[^\"]*+)\"?|'(?P<single>[^']*+)'?|(?P<bare>[^\s\"']++)))?+"
)
_SECTION = "<![CDATA["
"""Begins a comment in HTML, and text in XML."""
_COMMENT_END = re.compile(r"--!?>")
_RAW = _names("iframe noembed noframes noscript script style textarea title xmp")
"""Elements in which nothing but their own end is a tag."""
_VOID = _names(
    "area base basefont bgsound br col embed frame hr img input link meta param source track wbr"
)
_ENDS_PARAGRAPH = _names(
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure"
    " footer form h1 h2 h3 h4 h5 h6 header hgroup hr li dd dt listing main menu nav ol p plaintext"
    " pre search section summary table ul xmp"
)
_ENDS_DRAWING = _names(
    "b big blockquote br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 hr i img li listing"
    " menu nobr ol p pre ruby s small span strike strong sub sup table tt u ul var"
)
_ENDED_BY: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_ENDS_PARAGRAPH, ("p",)),
    "li": ("li", "p"),
    **dict.fromkeys(("dd", "dt"), ("dd", "dt", "p")),
    **dict.fromkeys(("option", "optgroup"), ("option",)),
    **dict.fromkeys(("td", "th"), ("td", "th")),
    "tr": ("td", "th", "tr"),
    **dict.fromkeys(("rp", "rt"), ("rp", "rt")),
}
_ENDED_BY |= {name: (*_ENDED_BY.get(name, ()), "svg") for name in _ENDS_DRAWING}
"""What elements end where these begin, though it is not said."""
_CELLS = frozenset({"td", "th", "tr"})
_BOUNDARIES = _names("button caption desc dl foreignobject object ol table td template th ul")
"""Elements in which nothing ends one outside of them without saying so."""


def unseen_elements(text: str, *, goes_on: bool = False) -> Iterator[Span]:
    """Comments and hidden elements, each where it ends, so that those within one come before it.

    goes_on: those that are open at the end of the text as well.
    """
    if "<" not in text or ">" not in text:
        return
    if _MAY_HOLD.search(text) is not None or _MAY_HIDE_IT.search(text) is not None:
        yield from _found(text, goes_on=goes_on)


@dataclass(frozen=True, slots=True)
class _Element:
    """One that is open: its name, where it begins, and whether it is not shown.

    is_mute: whether text that stands in it, in none of its elements, is not shown. is_shadow:
    whether it is shown in place of what else stands in its parent.
    """

    name: str
    start: int
    hides: bool
    is_mute: bool
    is_shadow: bool


class _Open:
    """The elements that are open, the innermost one last, as parsers of HTML keep them."""

    def __init__(self) -> None:
        self._stack = list[_Element]()
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        self._boundaries = [-1]
        self._unsaid = list[Span]()

    @property
    def is_mute(self) -> bool:
        return bool(self._stack) and self._stack[-1].is_mute

    def pass_over(self, text: Span) -> None:
        """Note text that stands between two tags."""
        if self.is_mute:
            self._unsaid.append(text)

    def unsaid(self) -> Iterator[Span]:
        """Text that drawings which have ended do not show."""
        if self._unsaid and not self.has("svg"):
            yield from self._unsaid
            self._unsaid = []

    def hide_rest(self, start: int) -> None:
        """Of the innermost element nothing is shown from there on."""
        if self._stack and not self._stack[-1].hides:
            self._stack[-1] = replace(self._stack[-1], start=start, hides=True)

    def hidden(self) -> Iterator[_Element]:
        return (one for one in self._stack if one.hides)

    def has(self, name: str) -> bool:
        return bool(self._places[name])

    def add(self, element: _Element) -> None:
        self._places[element.name].append(len(self._stack))
        if element.name in _BOUNDARIES:
            self._boundaries.append(len(self._stack))
        self._stack.append(element)

    def end(self, name: str) -> Iterator[_Element]:
        """Those that a closing tag ends: no template from within."""
        outer = self._places["template"][-1:] if name != "template" else ()
        return self._end_from([name], max(outer, default=-1))

    def end_before(self, name: str) -> Iterator[_Element]:
        """Those that end where another one begins."""
        beyond = self._boundaries[-1]
        if name in _CELLS:
            beyond = max([*self._places["table"][-1:], *self._places["template"][-1:]], default=-1)
        return self._end_from(_ENDED_BY.get(name, ()), beyond)

    def _end_from(self, names: Collection[str], beyond: int) -> Iterator[_Element]:
        places = [self._places[name][-1] for name in names if self._places[name]]
        first = min((place for place in places if place > beyond), default=len(self._stack))
        while len(self._stack) > first:
            element = self._stack.pop()
            self._places[element.name].pop()
            if element.name in _BOUNDARIES:
                self._boundaries.pop()
            yield element


def _found(text: str, *, goes_on: bool) -> Iterator[Span]:
    elements, endless, at = _Open(), set[str](), 0
    while (tag := _TAG.search(text, at)) is not None:
        elements.pass_over(Span(start=at, end=tag.start()))
        at = tag.end()
        if tag["name"] is None:
            if tag[0] == "<!--" and (end := _raw_end(text, at - 2, "--", endless)):
                yield Span(start=tag.start(), end=(at := end))
            elif tag[0].startswith(_SECTION) and not _is_foreign(elements):
                yield Span(start=tag.start(), end=at)
            continue
        name = tag["name"].lower()
        ended = elements.end(name) if tag["end"] else elements.end_before(name)
        end = tag.end() if tag["end"] else tag.start()
        for one in ended:
            if one.hides:
                yield Span(start=one.start, end=end)
            elif one.is_shadow and not _SLOT.search(text, one.start, end):
                elements.hide_rest(end)
        yield from elements.unsaid()
        if not tag["end"] and not _is_empty(tag, name, elements):
            elements.add(_element(tag, name, elements))
            at = _raw_end(text, at, name, endless) or at
    if goes_on:
        yield from (Span(start=one.start, end=len(text)) for one in elements.hidden())


def _element(tag: re.Match[str], name: str, elements: _Open) -> _Element:
    shadow = name == "template" and _SHADOW.search(tag["rest"]) is not None
    return _Element(
        name=name,
        start=tag.start(),
        hides=not shadow and _hides(tag, name, elements),
        is_mute=name == "svg" or (name in _GROUPS_IN_SVG and elements.is_mute),
        is_shadow=shadow,
    )


def _raw_end(text: str, at: int, name: str, endless: set[str]) -> int | None:
    """Where a comment or an element without tags in it ends, the latter before its closing tag.

    endless: names that have no end from here on, so that none is looked for again.
    """
    if name in endless or not (name == "--" or name in _RAW):
        return None
    if name == "--":
        found = _COMMENT_END.search(text, at)
    else:
        found = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(text, at)
    if found is None:
        endless.add(name)
        return None
    return found.end() if name == "--" else found.start()


def _is_empty(tag: re.Match[str], name: str, elements: _Open) -> bool:
    return name in _VOID or (tag["rest"].endswith("/") and _is_foreign(elements))


def _is_foreign(elements: _Open) -> bool:
    """Whether elements of XML are open, in which HTML has its rules."""
    return elements.has("svg") or elements.has("math")


def _hides(tag: re.Match[str], name: str, elements: _Open) -> bool:
    if name in _NEVER or (name in _NEVER_IN_SVG and elements.has("svg")):
        return True
    if name == "svg" and _has_no_size(tag["rest"]):
        return True
    if name in _UNLESS_OPEN:
        return "open" not in dict(_attributes(tag["rest"]))
    if name == "object":  # without an address it shows what stands in it
        return "data" in dict(_attributes(tag["rest"]))
    return _MAY_HIDE_IT.search(tag["rest"]) is not None and _is_hidden(tag["rest"])


def _has_no_size(rest: str) -> bool:
    """Whether it is a point at most."""
    attributes = dict(_attributes(rest))
    sizes = (attributes.get(one, "") for one in ("width", "height"))
    return any(size and _NO_SIZE.fullmatch(size) for size in sizes)


def _is_hidden(rest: str) -> bool:
    """Whether attributes say so."""
    attributes = dict(_attributes(rest))
    if not _HIDES.isdisjoint(attributes) or not _CLASSES.isdisjoint(
        attributes.get("class", "").split()
    ):
        return True
    said = (attributes.get("style", ""), *(f"{one}:{attributes.get(one, '')}" for one in _STYLES))
    return any(map(_STYLE.search, said))


def _attributes(rest: str) -> Iterator[tuple[str, str]]:
    for one in _ATTRIBUTE.finditer(rest):
        yield one["name"].lower(), one["double"] or one["single"] or one["bare"] or ""
