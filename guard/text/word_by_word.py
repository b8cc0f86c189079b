"""Sentences dealt out a few words at a time: in lines of one shape, in lists, in chains, between
asides."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile, zip_longest
from operator import eq

from guard.text.escapes import NOTHING
from guard.text.sentence_words import says_something

_FEWEST = 4
"""Lines or items from which on they are taken for one sentence."""
_MOST_WORDS = 3
"""In a line, beside what all lines have."""

LINE = re.compile(r"(?<![^\r\n])[^\S\r\n]*+\S[^\r\n]*+")
_UNSEEN = f"\u00ad{NOTHING}"
_TOKEN = re.compile(rf"[\w{_UNSEEN}]+|\s+|[^\w\s]")
_NUMBER_OR_UNSEEN = re.compile(rf"[\d{_UNSEEN}]")
_NO_SIGHT = dict.fromkeys(map(ord, _UNSEEN))
_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|['\u2019])*")
_OPENING, _CLOSING = (
    r"[\"'`\u00ab\u201c\u201e\u2018\[(*]{1,2}",
    r"[\"'`\u00bb\u201d\u2019\])*]{1,2}",
)
_ITEM = rf"{_OPENING} ?[^\W\d_][\w'\u2019-]{{0,23}}+[.!?]? ?{_CLOSING}"
_LIST = re.compile(rf"{_ITEM}(?:[\s,;.+|&>\u2192-]{{0,4}}{_ITEM}){{{_FEWEST - 1},}}")
_CHAIN = re.compile(
    r"(?<![\w.-])[A-Za-z']{1,24}(?:(?P<link>[_+\u00b7\u2022-]|%20)[A-Za-z']{1,24})"
    r"(?:(?P=link)[A-Za-z']{1,24}){2,}+(?![\w(/])"
)
_SAID = r"[A-Za-z][A-Za-z ]{1,22}"
_SAID_SHORTLY = r"[A-Za-z]{1,12}(?: [A-Za-z]{1,12}){0,2}"
_ASIDE = re.compile(
    rf"(?<![^\s.,;:!?])(?:\({_SAID}\)|\[{_SAID}\]|\*{_SAID}\*)"
    rf"|(?P<sign>[-/|;:,.\u2026\u2013\u2014]{{1,3}}) ?{_SAID_SHORTLY} ?(?P=sign)(?=\s)"
)
_NEAR_CHARACTERS = 32
"""An aside between other signs than brackets stands after every few words, which differ."""
# One line prints or adds what the next one goes on with.
_BETWEEN_STRINGS = re.compile(
    r"(?<=[\w,])\s?(?P<quote>[\"'])(?:[^\w\"'\n,]|\\n){0,6}(?:, end=[\"'] ?[\"']\))?"
    r"\n[^\"'\n]{0,32}(?<!\w)(?P=quote)(?=\s?\w)"
)
_NO_LETTER = re.compile(r"[^\w'\u2019]|_")


@dataclass(frozen=True, slots=True)
class _TokenLine:
    """A line that is not blank. tokens: with all numbers as 0. ends: where each token ends."""

    start: int
    tokens: tuple[str, ...]
    ends: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Frame:
    """What lines begin and end with. tail: from the last token on."""

    head: tuple[str, ...] = ()
    tail: tuple[str, ...] = ()

    @classmethod
    def of(cls, line: _TokenLine) -> _Frame:
        return cls(head=line.tokens, tail=line.tokens[::-1])

    @property
    def size(self) -> int:
        return len(self.head) + len(self.tail)

    def with_line(self, line: _TokenLine) -> _Frame:
        return _Frame(
            head=_shared(self.head, line.tokens), tail=_shared(self.tail, line.tokens[::-1])
        )

    def fits(self, line: _TokenLine) -> bool:
        """Whether a few words are left of a line between them."""
        inside = line.tokens[len(self.head) : len(line.tokens) - len(self.tail)]
        return 1 <= sum(token.isalpha() for token in inside) <= _MOST_WORDS

    def middle(self, line: _TokenLine) -> tuple[int, int]:
        """Where in the text the rest of a line stands."""
        start = line.ends[len(self.head) - 1] if self.head else line.start
        return start, line.ends[len(line.tokens) - len(self.tail) - 1]


def _shared(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    """What both begin with."""
    return first[: sum(takewhile(bool, map(eq, first, second)))]


def put_words_together(text: str) -> str:
    """`text` without what stands between words that are dealt out; same length.

    Left alone is what has no function word in it: lists of names, of insults that are explained.
    """
    text = _without_asides(text)
    if "\n" in text and ('"' in text or "'" in text):
        text = _BETWEEN_STRINGS.sub(lambda gap: blank(gap[0]), text)
    text = _LIST.sub(_without_signs, text)
    text = _CHAIN.sub(_without_signs, text)
    return _lines_together(text) if text.count("\n") >= _FEWEST - 1 else text


def _without_asides(text: str) -> str:
    """`text` without what is said in brackets, between asterisks or other signs over and over."""
    found = list(_ASIDE.finditer(text))
    counts = Counter(one[0] for one in found)
    parted: dict[str, set[str]] = {}
    for one, other in pairwise(found):
        if one[0] == other[0] and other.start() - one.end() <= _NEAR_CHARACTERS:
            parted.setdefault(one[0], set()).add(text[one.end() : other.start()])
    often = {
        said
        for said, count in counts.items()
        if count >= _FEWEST and (said[0] in "([*" or len(parted.get(said, ())) >= _FEWEST - 1)
    }
    if not often:
        return text
    return _ASIDE.sub(lambda one: blank(one[0]) if one[0] in often else one[0], text)


def blank(text: str) -> str:
    """One space that is as long as `text`, which is not empty."""
    return " " + NOTHING * (len(text) - 1)


def _without_signs(found: re.Match[str]) -> str:
    words = _WORD.findall(found[0].replace("_", " ").replace("%20", " "))
    if not says_something(words):
        return found[0]
    return _NO_LETTER.sub(" ", found[0].replace("%20", "   "))


def _lines_together(text: str) -> str:
    lines = [_read_line(found) for found in LINE.finditer(text)]
    counts = Counter(line.tokens for line in lines)
    told = [line for line in lines if counts[line.tokens] < _FEWEST]
    signs = list(text)
    for run in _runs(told, framed=len(told) == len(lines)):
        _keep_middles(signs, text, run)
    return "".join(signs)


def _read_line(found: re.Match[str]) -> _TokenLine:
    pieces = list(_TOKEN.finditer(found[0]))
    tokens = [piece[0] for piece in pieces]
    if _NUMBER_OR_UNSEEN.search(found[0]) is not None:
        tokens = [_NUMBER.sub("0", token.translate(_NO_SIGHT)) for token in tokens]
    ends = (found.start() + piece.end() for piece in pieces)
    return _TokenLine(start=found.start(), tokens=tuple(tokens), ends=tuple(ends))


def _runs(lines: Sequence[_TokenLine], *, framed: bool) -> Iterator[list[tuple[int, int]]]:
    """Ranges in which successive lines differ. framed: lines that share nothing are no run."""
    run: list[_TokenLine] = []
    frame = _Frame()
    for line, next_line in zip_longest(lines, lines[1:]):
        own = _Frame.of(line)
        common = frame.with_line(line) if run else own
        ahead = own.with_line(next_line).size if next_line else 0
        fits = common.fits(line) and _goes_on(run, frame, common, framed=framed, ahead=ahead)
        if run and not fits:
            yield from _middles(run, frame)
            run, common = [], own
        run.append(line)
        frame = common
    yield from _middles(run, frame)


def _goes_on(
    run: Sequence[_TokenLine], frame: _Frame, common: _Frame, *, framed: bool, ahead: int
) -> bool:
    """Whether the next line is of the shape of those before it, and not more like the one behind
    it. common: what it shares with them. ahead: how much it shares with that one."""
    if common == frame:
        return True
    if len(run) >= _FEWEST or common.size < min(frame.size, ahead) or (framed and not common.size):
        return False
    return all(map(common.fits, run))


def _middles(run: Sequence[_TokenLine], frame: _Frame) -> Iterator[list[tuple[int, int]]]:
    if len(run) >= _FEWEST:
        yield [frame.middle(line) for line in run]


def _keep_middles(signs: list[str], text: str, middles: Sequence[tuple[int, int]]) -> None:
    shown = " ".join(text[slice(*part)] for part in middles).translate(_NO_SIGHT)
    if not says_something(_WORD.findall(shown)):
        return
    for (_, end), (start, _) in pairwise(middles):
        signs[end:start] = blank(text[end:start])
