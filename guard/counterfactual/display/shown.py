"""A text as a display shows it: what is analysed, with the way back to what is written.

Markup shows nothing, a line that is wrapped shows a blank, `&quot;` shows a quotation mark. So
that the rules of grammar see those words beside each other that a reader sees so, they read
`ShownText.text`; changes are made in `ShownText.written`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from guard.counterfactual.display.letters import fold_names, read_letters
from guard.counterfactual.display.line_breaks import AHEAD, TAIL, shown_break
from guard.counterfactual.display.markup import has_markup, shown_as, special
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.mentions.protected import protected
from guard.records import Span


@dataclass(frozen=True, slots=True)
class ShownPiece:
    """`written[start:end]`, which is shown as `text`."""

    start: int
    end: int
    text: str

    @property
    def aligned(self) -> bool:
        """Whether each character has its own place in both."""
        return len(self.text) == self.end - self.start


@dataclass(frozen=True, slots=True)
class ShownText:
    """A text as it is shown, and as it is written.

    untouchable: ranges of the shown text in which no word is a mention. pieces: what it is made
    of, places: where these begin; none where everything is shown as it is written.
    """

    text: str
    written: str
    untouchable: tuple[Span, ...]
    pieces: tuple[ShownPiece, ...] = ()
    places: tuple[int, ...] = ()

    def in_written(self, start: int, end: int) -> Span:
        """Where this range of the shown text, which is not empty, is written."""
        if not self.pieces:
            return Span(start=start, end=end)
        number = bisect_right(self.places, start) - 1
        first, begin = self.pieces[number], self.places[number]
        number = bisect_left(self.places, end) - 1
        last, last_begin = self.pieces[number], self.places[number]
        return Span(
            start=first.start + (start - begin if first.aligned else 0),
            end=last.start + end - last_begin if last.aligned else last.end,
        )


def as_shown(text: str, lexicons: Lexicons) -> ShownText:
    """The text as it is shown, in time linear in its length."""

    def is_name(word: str) -> bool:
        people = lexicons.people
        return bool(people.surnames.background(word)) or people.first.record(word) is not None

    untouchable, letters = protected(text), fold_names(read_letters(text), is_name)
    if not has_markup(letters):
        return ShownText(letters, text, untouchable)

    pieces = tuple(one for one in _pieces(letters, untouchable, is_name) if one.text)
    sizes = accumulate((len(one.text) for one in pieces), initial=0)
    shown = ShownText("".join(one.text for one in pieces), text, (), pieces, tuple(sizes)[:-1])
    return replace(shown, untouchable=tuple(_moved(shown, untouchable)))


def _pieces(
    text: str, untouchable: Sequence[Span], is_name: Callable[[str], bool]
) -> Iterator[ShownPiece]:
    """The text in pieces, those that are shown otherwise than they are written by themselves."""
    starts = [span.start for span in untouchable]
    opened: set[str] = set()
    end, tail = 0, ""
    for match in special(text):
        start = match.start()
        if start < end or _is_code(match, untouchable, starts):
            continue
        before = (tail + text[max(end, start - TAIL) : start])[-TAIL:]
        new = _shown(match, before, opened, is_name)
        if new is None:
            continue
        yield ShownPiece(end, start, text[end:start])
        end, tail = match.end(), (before + new)[-TAIL:]
        if tail.endswith(" ") and text.startswith(" ", end):
            end += 1  # of the blanks on both sides of a mark one is enough
        yield ShownPiece(start, end, new)
    yield ShownPiece(end, len(text), text[end:])


def _shown(
    match: re.Match[str], before: str, opened: set[str], is_name: Callable[[str], bool]
) -> str | None:
    if match.lastgroup != "line":
        return shown_as(match, opened)
    ahead = match.string[match.end() : match.end() + AHEAD]
    new = shown_break(before, match[0], ahead, is_name)
    if "\n" in new:
        opened.clear()  # no emphasis goes on in another paragraph
    return new


def _is_code(match: re.Match[str], untouchable: Sequence[Span], starts: list[int]) -> bool:
    """Whether it stands in a range that nothing may touch; a tag is such a range itself."""
    number = bisect_right(starts, match.start()) - 1
    if number < 0 or untouchable[number].end <= match.start():
        return False
    span = untouchable[number]
    return span.start < match.start() or span.end > match.end()


def _moved(shown: ShownText, spans: Sequence[Span]) -> Iterator[Span]:
    """Where ranges of the written text are shown, those that are not shown left out."""
    starts = [piece.start for piece in shown.pieces]

    def place(written: int) -> int:
        number = bisect_right(starts, written) - 1
        if number < 0:
            return 0
        piece, at = shown.pieces[number], shown.places[number]
        within = written - piece.start if piece.aligned else len(piece.text)
        return at + min(within, len(piece.text))

    for span in spans:  # a tag that is shown as a blank is none any more
        start, end = place(span.start), place(span.end)
        if start < end:
            yield Span(start=start, end=end)
