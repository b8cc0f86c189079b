"""Phrases and patterns that do not fire by themselves: where a text has them, and the text without.

Phrases are found whatever their case and however their letters are encoded: both sides are folded
(NFKD and full case folding, the Unicode Standard, section 3.13). Patterns are read as they are.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from guard.policy.patterns import compile_pattern, whole_words
from guard.records import Span

MOST_SEARCHED_CHARACTERS: Final = 20_000
"""In a longer text nothing is allowed: searching it would hold up other replies."""
LEAST_PHRASE_CHARACTERS: Final = 2
MOST_PHRASE_CHARACTERS: Final = 200
_BRACKETED: Final = re.compile(r"(\s*)[(\[{]([^()\[\]{}]*)[)\]}]([\s.!?]*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowEntry:
    """One entry of `allow`. name: as it is written in the settings, and a label in metrics.

    expression: finds it; of a phrase in folded text. Its groups are not allowed with it.
    start: what every match begins with, as far as it is known. Where it stands is found much faster
    than the expression.
    """

    name: str
    expression: re.Pattern[str]
    folded: bool
    start: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedPhrase:
    """A range of a text that is allowed, and by which entry."""

    span: Span
    entry: str


def allow_phrase(text: str) -> AllowEntry:
    """An entry for words as they are written. Raises ValueError."""
    words = _fold(text).text.split()
    characters = sum(map(len, words))
    if not LEAST_PHRASE_CHARACTERS <= characters <= MOST_PHRASE_CHARACTERS:
        raise ValueError(
            f"a phrase has {LEAST_PHRASE_CHARACTERS} to {MOST_PHRASE_CHARACTERS} characters beside"
            " spaces"
        )
    if not any(letter.isalnum() for letter in "".join(words)):
        raise ValueError("a phrase has a letter or a digit")
    source = r"\s{1,8}".join(map(re.escape, words))
    return AllowEntry(name=text, expression=whole_words(source), folded=True, start=words[0])


def allow_pattern(text: str) -> AllowEntry:
    """An entry for a regular expression. Raises ValueError, see `compile_pattern`."""
    return AllowEntry(name=text, expression=compile_pattern(text), folded=False)


def find_allowed(entries: Iterable[AllowEntry], text: str) -> tuple[AllowedPhrase, ...]:
    """Every allowed range of `text`, in order; ranges of several entries can overlap."""
    if len(text) > MOST_SEARCHED_CHARACTERS:
        return ()
    folded = _fold(text)
    found = [
        AllowedPhrase(span=span, entry=entry.name)
        for entry in entries
        for span in _spans(entry, text, folded)
    ]
    return tuple(sorted(found, key=lambda one: (one.span.start, one.span.end)))


def _spans(entry: AllowEntry, text: str, folded: FoldedText) -> Iterator[Span]:
    for match in _matches(entry, folded.text if entry.folded else text):
        for start, end in _outside_groups(match):
            span = folded.source(start, end) if entry.folded else Span(start=start, end=end)
            if span is not None:
                yield span


def _matches(entry: AllowEntry, text: str) -> Iterator[re.Match[str]]:
    """Every match that overlaps none before it, in order."""
    if not entry.start:
        yield from entry.expression.finditer(text)
        return
    at = text.find(entry.start)
    while at >= 0:
        match = entry.expression.match(text, at)
        if match:
            yield match
        at = text.find(entry.start, match.end() if match else at + 1)


def _outside_groups(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The parts of a match that no group captured, without the blanks around them."""
    taken = sorted(place for place in match.regs[1:] if place[0] >= 0)
    starts = [match.start(), *(end for _, end in taken)]
    ends = [*(start for start, _ in taken), match.end()]
    for start, end in zip(starts, ends, strict=True):
        part = match.string[start:end]
        left, right = len(part) - len(part.lstrip()), len(part.rstrip())
        if right > left:
            yield start + left, start + right


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedText:
    """A text without differences of case and encoding, and where its characters come from.

    origins: by character of `text`, where its letter begins in the source, and at the end the
    length of that; None where both are as long, character for character.
    """

    text: str
    origins: Sequence[int] | None = None

    def source(self, start: int, end: int) -> Span | None:
        """The range of the source; None where it would begin or end within a letter."""
        origins = self.origins
        if origins is None:
            return Span(start=start, end=end)
        if any(at > 0 and origins[at] == origins[at - 1] for at in (start, end)):
            return None
        return Span(start=origins[start], end=origins[end])


def _fold(text: str) -> FoldedText:
    simple = text.casefold()
    if text.isascii() or (len(simple) == len(text) and _is_plain(simple)):
        return FoldedText(text=simple)
    parts, origins = [], []
    for start, letter in _letters(text):
        part = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", letter).casefold())
        parts.append(part)
        origins += [start] * len(part)
    return FoldedText(text="".join(parts), origins=[*origins, len(text)])


def _is_plain(text: str) -> bool:
    """Whether every character is a letter of its own, which cannot be written otherwise."""
    decomposed = unicodedata.is_normalized("NFKD", text)
    return decomposed and not any(map(unicodedata.combining, text))


def _letters(text: str) -> Iterator[tuple[int, str]]:
    """Each character with the marks that belong to it, and where it begins."""
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or not unicodedata.category(text[at]).startswith("M"):
            yield start, text[start:at]
            start = at


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortenedText:
    """A text with ranges taken out. starts: where each stretch that is left begins in `text`;
    sources: where it begins in the source."""

    text: str
    starts: tuple[int, ...]
    sources: tuple[int, ...]

    def source(self, span: Span) -> Span:
        """Where a range of this text, which is not empty, stands in the source."""
        return Span(start=self._place(span.start), end=self._place(span.end - 1) + 1)

    def _place(self, at: int) -> int:
        number = bisect_right(self.starts, at) - 1
        return self.sources[number] + at - self.starts[number]


def take_out(text: str, spans: Iterable[Span]) -> ShortenedText:
    """`text` without these ranges. spans: as `merged` gives them.

    Nothing stands in their place: every word that was tried there lowered the score of some insult
    beside it below its threshold.
    """
    ends = [0]
    parts: list[str] = []
    for span in spans:
        parts.append(text[ends[-1] : span.start])
        ends.append(span.end)
    parts.append(text[ends[-1] :])
    starts = accumulate((len(part) for part in parts[:-1]), initial=0)
    return ShortenedText(text="".join(parts), starts=tuple(starts), sources=tuple(ends))


def without_brackets(text: str) -> str:
    """`text` with spaces for brackets around all of it: they set it apart from a phrase that is
    gone, and alone they lower the score of an insult."""
    found = _BRACKETED.fullmatch(text)
    return "{} {} {}".format(*found.groups()) if found else text
