"""What browsers show nothing of: comments, elements that are never displayed, and those that their
attributes hide."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from operator import attrgetter

from guard.records import Span
from guard.text.foreign_elements import (
    Content,
    behind_first,
    breaks_out,
    content_of,
    is_html,
    is_mute,
    is_shown,
)
from guard.text.tags import QUOTED


def _names(said: str) -> frozenset[str]:
    return frozenset(said.split())


_NEVER = _names(
    "annotation annotation-xml audio canvas datalist iframe meter noembed noframes noscript"
    " progress ref rp script select style template title video"
)
_UNLESS_OPEN = frozenset({"details", "dialog"})
_HIDES = frozenset({"hidden", "popover"})
_CLASSES = _names("d-none hidden invisible screen-reader-text sr-only visually-hidden")
"""Of the style sheets that most pages have (Bootstrap, Tailwind, WordPress)."""
_FOREIGN = frozenset({"math", "svg"})
_BREAK_OUT_AT_END = frozenset({"br", "p"})
_STYLE = re.compile(
    r"\bdisplay\s*+:\s*+none\b|\bvisibility\s*+:\s*+(?:hidden|collapse)\b"
    r"|\b(?:opacity|font-size)\s*+:\s*+(?:0++(?:\.0*+)?|\.0++)(?![\d.])",
    re.IGNORECASE,
)
_STYLES = ("display", "visibility", "opacity", "font-size")
"""What attributes of SVG say as a style does."""
_SHADOW = re.compile(r"\bshadowrootmode\s*+=\s*+[\"']?(?:open|closed)\b", re.IGNORECASE)
_MAY_HIDE_IT = re.compile(
    rf"hidden|popover|{'|'.join(_STYLES)}|d-none|invisible|screen-reader|sr-only", re.IGNORECASE
)
_NAMES = sorted({*_NEVER, *_UNLESS_OPEN, "math", "object", "svg"})
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
_ENDED_BY = {
    **dict.fromkeys(_ENDS_PARAGRAPH, ("p",)),
    "li": ("li", "p"),
    **dict.fromkeys(("dd", "dt"), ("dd", "dt", "p")),
    **dict.fromkeys(("option", "optgroup"), ("option",)),
    **dict.fromkeys(("td", "th"), ("td", "th")),
    "tr": ("td", "th", "tr"),
    **dict.fromkeys(("rp", "rt"), ("rp", "rt")),
}
"""What elements end where these begin, though it is not said."""
_CELLS = frozenset({"td", "th", "tr"})
_BOUNDARIES = _names(
    "button caption desc dl foreignobject mi mn mo ms mtext object ol table td template th ul"
)
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

    content: what it holds. is_shadow: whether it is shown in place of what else stands in its
    parent.
    """

    name: str
    start: int
    hides: bool
    content: Content
    is_shadow: bool


class _Open:
    """The elements that are open, the innermost one last, as parsers of HTML keep them."""

    def __init__(self) -> None:
        self._stack = list[_Element]()
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        self._boundaries = [-1]
        self._unsaid = list[Span]()
        self.slot = -1
        """Where the last `<slot>` begins."""

    @property
    def content(self) -> Content:
        """What the innermost element holds."""
        return self._stack[-1].content if self._stack else Content.HTML

    def pass_over(self, text: Span) -> None:
        """Note text that stands between two tags."""
        if is_mute(self.content) and text.start < text.end:
            self._unsaid.append(text)

    def unsaid(self, start: int) -> Iterator[Span]:
        """Text behind `start` that drawings and formulas which have ended do not show."""
        if not is_html(self.content):
            return
        first = bisect_left(self._unsaid, start, key=attrgetter("start"))
        yield from self._unsaid[first:]
        del self._unsaid[first:]

    def hide_rest(self, start: int) -> None:
        """Of the innermost element nothing is shown from there on."""
        if self._stack and not self._stack[-1].hides:
            self._stack[-1] = replace(self._stack[-1], start=start, hides=True)

    def choose(self, *, shown: bool) -> None:
        """Note that an element begins in the innermost one."""
        if (behind := behind_first(self.content, shown=shown)) is not self.content:
            self._stack[-1] = replace(self._stack[-1], content=behind)

    def hidden(self) -> Iterator[_Element]:
        return (one for one in self._stack if one.hides)

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

    def break_out(self) -> Iterator[_Element]:
        """Drawings and formulas that an element of HTML ends."""
        while not is_html(self.content):
            yield self._pop()

    def _end_from(self, names: Collection[str], beyond: int) -> Iterator[_Element]:
        places = [self._places[name][-1] for name in names if self._places[name]]
        first = min((place for place in places if place > beyond), default=len(self._stack))
        while len(self._stack) > first:
            yield self._pop()

    def _pop(self) -> _Element:
        element = self._stack.pop()
        self._places[element.name].pop()
        if element.name in _BOUNDARIES:
            self._boundaries.pop()
        return element


def _found(text: str, *, goes_on: bool) -> Iterator[Span]:
    elements, endless, at = _Open(), set[str](), 0
    while (tag := _TAG.search(text, at)) is not None:
        elements.pass_over(Span(start=at, end=tag.start()))
        at = tag.end()
        if tag["name"] is None:
            if tag[0] == "<!--" and (end := _raw_end(text, at - 2, "--", endless)):
                yield Span(start=tag.start(), end=(at := end))
            elif tag[0].startswith(_SECTION):
                yield from _section(tag, elements)
            continue
        name, attributes = tag["name"].lower(), _attributes(tag["rest"])
        yield from _ended(tag, elements, _ended_by(tag, name, attributes, elements))
        if not tag["end"]:
            is_raw = is_html(elements.content)
            if _begin(tag, name, attributes, elements) and is_raw:
                at = _raw_end(text, at, name, endless) or at
    if goes_on:
        yield from (Span(start=one.start, end=len(text)) for one in elements.hidden())


def _section(tag: re.Match[str], elements: _Open) -> Iterator[Span]:
    """Of XML: text in drawings and formulas, and a comment elsewhere."""
    span = Span(start=tag.start(), end=tag.end())
    elements.pass_over(span)
    if elements.content is Content.HTML:
        yield span


def _ended_by(
    tag: re.Match[str], name: str, attributes: Mapping[str, str], elements: _Open
) -> Iterator[_Element]:
    if breaks_out(name, attributes) if not tag["end"] else name in _BREAK_OUT_AT_END:
        yield from elements.break_out()
    if tag["end"]:
        yield from elements.end(name)
    elif is_html(elements.content):
        yield from elements.end_before(name)


def _ended(tag: re.Match[str], elements: _Open, ended: Iterator[_Element]) -> Iterator[Span]:
    """What is not shown of elements that end at a tag."""
    end = tag.end() if tag["end"] else tag.start()
    for one in ended:
        yield from elements.unsaid(one.start)
        if one.hides:
            yield Span(start=one.start, end=end)
        elif one.is_shadow and elements.slot < one.start:
            elements.hide_rest(end)


def _begin(tag: re.Match[str], name: str, attributes: Mapping[str, str], elements: _Open) -> bool:
    """Put an element with its others that are open; whether it holds something."""
    within = elements.content
    shadow = is_html(within) and name == "template" and _SHADOW.search(tag["rest"]) is not None
    if name == "slot":
        elements.slot = tag.start()
    hides = not shadow and _hides(name, attributes, within)
    elements.choose(shown=not hides)
    if _is_empty(tag, name, within):
        return False
    held = content_of(name, attributes, within)
    elements.add(_Element(name, tag.start(), hides, held, shadow))
    return True


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


def _is_empty(tag: re.Match[str], name: str, within: Content) -> bool:
    """Elements of HTML are so by their names, those of drawings and formulas where they say so."""
    if is_html(within) and name not in _FOREIGN:
        return name in _VOID
    rest = tag["rest"]
    return rest.endswith("/") and (rest[-2:-1] in {'"', "'"} or "=" not in rest.rsplit(None, 1)[-1])


def _hides(name: str, attributes: Mapping[str, str], within: Content) -> bool:
    if not is_shown(name, attributes, within):
        return True
    if not is_html(within) or name in _FOREIGN:
        return _is_hidden_by_style(attributes)
    if name in _NEVER:
        return True
    if name in _UNLESS_OPEN:
        return "open" not in attributes
    if name == "object":  # without an address it shows what stands in it
        return "data" in attributes
    return not _HIDES.isdisjoint(attributes) or _is_hidden_by_style(attributes)


def _is_hidden_by_style(attributes: Mapping[str, str]) -> bool:
    if not _CLASSES.isdisjoint(attributes.get("class", "").split()):
        return True
    said = (attributes.get("style", ""), *(f"{one}:{attributes.get(one, '')}" for one in _STYLES))
    return any(map(_STYLE.search, said))


def _attributes(rest: str) -> Mapping[str, str]:
    """Of two of one name the first counts."""
    found = dict[str, str]()
    for one in _ATTRIBUTE.finditer(rest):
        value = one["double"] or one["single"] or one["bare"] or ""
        found.setdefault(one["name"].lower(), value)
    return found
