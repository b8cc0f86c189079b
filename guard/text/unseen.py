"""What displays show nothing of: of HTML, of Markdown and its dialects, of terminals. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from guard.records import Span
from guard.text.escapes import NOTHING
from guard.text.ranges import merged
from guard.text.unseen_elements import unseen_elements
from guard.text.unseen_markdown import unseen_in_markdown

_ESCAPE = r"(?:\x1b|\\(?:e|0?33|x1[bB]|u001[bB]))\["
_CONCEALED = re.compile(_ESCAPE + r"(?![34]8;|[\d;]{1,16};[34]8;)(?:\d{1,3};){0,8}0?8m")
_REVEALED = re.compile(_ESCAPE + r"(?:0?|28)m")
_ERASED = re.compile(r"(?<![^\r\n])(?:[^\r\n\x1b]++|\x1b(?!\[2K))++(?:\r(?=\x1b\[0?K)|\x1b\[2K\r?)")
_WIPED = re.compile(r"(?:\x08 \x08){2,}+|\x08{10,}+")
_SECOND_SCREEN = re.compile(
    rf"(?:{_ESCAPE}|\x9b)\?(?:\d{{1,4}};){{0,4}}(?:1049|1047|47)(?:;\d{{1,4}}){{0,4}}([hl])"
)
"""Turned to and back from: what is written there goes with it."""
_MATH = re.compile(r"(</?)math(?=[\s/>])", re.IGNORECASE)
_STEP = "\x08 \x08"


def without_unseen(text: str) -> str:
    """`text` with nothing for what displays do not show of it; same length.

    What nothing ends is left: programs that take its beginning for words show what follows.
    """
    return _without(text, merged(_unseen(text)))


def without_unseen_of_wikis(text: str) -> str:
    """The same where `<math>` holds a formula of TeX, all of which is shown."""
    if _MATH.search(text) is None:
        return without_unseen(text)
    return _without(text, merged(_unseen(_MATH.sub(r"\1tex ", text))))


def without_short_unseen(text: str, longest: int) -> str:
    """The same for ranges of so many characters at most; what the end of a text that goes on ends
    as well."""
    found = (one for one in _unseen(text, goes_on=True) if one.end - one.start <= longest)
    return _without(text, merged(found))


def _without(text: str, spans: Iterable[Span]) -> str:
    parts, done = list[str](), 0
    for span in spans:
        parts += [text[done : span.start], NOTHING * (span.end - span.start)]
        done = span.end
    return "".join([*parts, text[done:]]) if parts else text


def _unseen(text: str, *, goes_on: bool = False) -> Iterator[Span]:
    yield from unseen_elements(text, goes_on=goes_on)
    yield from unseen_in_markdown(text)
    yield from _in_terminals(text)


def _in_terminals(text: str) -> Iterator[Span]:
    """What is written in no colour, and what is erased or gone back over."""
    if "\x1b" in text:
        yield from (Span(start=one.start(), end=one.end()) for one in _ERASED.finditer(text))
    if "47" in text or "1049" in text:
        yield from _on_second_screen(text)
    if "8m" in text:
        yield from _concealed(text)
    if "\x08" in text:
        for one in _WIPED.finditer(text):
            steps = len(one[0]) // len(_STEP) if " " in one[0] else len(one[0])
            start = max(one.start() - steps, text.rfind("\n", 0, one.start()) + 1)
            yield Span(start=start, end=one.end())


def _on_second_screen(text: str) -> Iterator[Span]:
    start = None
    for turn in _SECOND_SCREEN.finditer(text):
        if turn[1] == "h":
            start = turn.start() if start is None else start
        elif start is not None:
            yield Span(start=start, end=turn.end())
            start = None


def _concealed(text: str) -> Iterator[Span]:
    begun = _CONCEALED.search(text)
    while begun and (ended := _REVEALED.search(text, begun.end())):
        yield Span(start=begun.start(), end=ended.end())
        begun = _CONCEALED.search(text, ended.end())
