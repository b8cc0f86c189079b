"""Words in pieces of a letter or a few, with signs, digits or rules of boxes between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from guard.text.escapes import NOTHING
from guard.text.invisible import is_unseen
from guard.text.omissions import vanish
from guard.text.sentence_words import says_something

_LATIN = r"A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff"
_MOST_LETTERS = 6
"""Of a piece; longer ones end a run of pieces."""
_MEAN_LETTERS = 3
_MEAN_LETTERS_OF_ONE_WORD = 2
_FEWEST_JOINS = 4
"""Places within words at which pieces meet, from which on a run is looked at."""
_LONGEST_WORD = 24
_FEW_WORDS = 3
"""So few say something without a function word."""
_LONGEST_GAP = 160
"""Two rules of a box around a long word."""

_PIECE = re.compile(rf"[{_LATIN}](?:{NOTHING}*+[{_LATIN}])*+")
# A letter and a sign that words of prose hardly have behind them.
_JOINT = re.compile(
    rf"[{_LATIN}][ {NOTHING}]*+(?:[^\s.,;:!?'\u2019/_{_LATIN}{NOTHING}-]"
    rf"|[./_\u2013-](?=[{_LATIN}])|',|\n\W)"
)
# Between words of prose there is a blank, and hardly a sign but these.
_IN_PROSE = frozenset(".,;:!?'\u2019/\u2013\u2014_-")
_WITHIN_WORDS = re.compile(r"[./_\u2013-]|[,:'\u2019\"]{2,}")
_MANY_JOINS = 8
"""Of pieces with a sign that words have in them: `I/O`, `up-to-date`."""
_TAG, _BRACKET, _SPACE = re.compile(r"<|(?<![\s>])>"), re.compile(r"[\[\]{}]"), re.compile(r"\s")
_OF_PROSE = frozenset(".,;:!?()\"'\u2018\u2019\u201c\u201d")
_BLANKS = frozenset(" \t\r\n")
_STOPS = frozenset(".!?,\n")
# Raised and lowered signs, which say nothing of the letter before them.
_RAISED_OR_LOWERED = re.compile(
    r"<(su[bp])>[^<>\n]{1,4}</\1>"
    r"|(?<=[A-Za-z])(?:[_^](?:\{[^{}\n]{1,4}\}|\d(?!\w))|\^[A-Za-z](?!\w))"
)
_FEWEST_RAISED = 4

_Pieces = Sequence[re.Match[str]]


def put_pieces_together(text: str) -> str:
    """`text` with words whole of which pieces of some letters stand each in a cell, in brackets or
    quotation marks, or before a digit or a raised or lowered sign; same length.

    Where there are more blanks, ends of lines or brackets than between most pieces, a word ends.
    """
    may_be_raised = "<su" in text or "_" in text or "^" in text
    if may_be_raised and len(_RAISED_OR_LOWERED.findall(text)) >= _FEWEST_RAISED:
        text = _RAISED_OR_LOWERED.sub(vanish, text)
    if len(_JOINT.findall(text)) < _FEWEST_JOINS:
        return text
    signs = list(text)
    for run in _runs(list(_PIECE.finditer(text))):
        if len(run) > _FEWEST_JOINS and _mean_letters(run) <= _MEAN_LETTERS:
            _join(signs, run)
    return "".join(signs)


def _runs(pieces: _Pieces) -> Iterator[_Pieces]:
    """Short pieces near each other."""
    start = 0
    for at, piece in enumerate(pieces):
        if at > start and not _is_gap(piece.string[pieces[at - 1].end() : piece.start()]):
            yield pieces[start:at]
            start = at
        if _letters(piece) > _MOST_LETTERS:
            yield pieces[start:at]
            start = at + 1
    yield pieces[start:]


def _is_gap(between: str) -> bool:
    return len(between) <= _LONGEST_GAP and _TAG.search(between) is None


def _letters(piece: re.Match[str]) -> int:
    return len(piece[0]) - piece[0].count(NOTHING)


def _mean_letters(run: _Pieces) -> float:
    return sum(map(_letters, run)) / len(run)


def _room(gap: str) -> tuple[int, int, int]:
    """How far apart it shows what is beside it: lines, blanks, and brackets of lists."""
    return gap.count("\n"), len(_SPACE.findall(gap)), len(_BRACKET.findall(gap))


def _join(signs: list[str], run: _Pieces) -> None:
    """Put the words of a run together, if it has any in pieces that say something."""
    gaps = [one.string[one.end() : after.start()] for one, after in pairwise(run)]
    least = min(map(_room, gaps))
    within = [gap for gap in gaps if _room(gap) == least]
    if len(within) < _FEWEST_JOINS or not _is_unusual(within, run):
        return
    ends = [_room(gap) != least for gap in gaps]
    if any(ends):
        letters = zip((piece[0] for piece in run), [*ends, True], strict=True)
        joined = "".join(piece + " " * end for piece, end in letters)
        told = _say_something(joined.replace(NOTHING, "").split())
    else:
        told = least[1] == 0 and _is_word(run)
    if told:
        _leave_out_gaps(signs, run, ends, frozenset("".join(within)))


def _is_unusual(gaps: Sequence[str], run: _Pieces) -> bool:
    """Whether most of what stands between pieces of words does not stand in those of prose."""
    unusual = sum(not _is_usual(gap) for gap in gaps)
    if 2 * unusual > len(gaps):
        return True
    inside = sum(_WITHIN_WORDS.fullmatch(gap) is not None for gap in gaps)
    short = _mean_letters(run) <= _MEAN_LETTERS_OF_ONE_WORD
    return len(gaps) >= _MANY_JOINS and short and 2 * inside > len(gaps)


def _is_usual(gap: str) -> bool:
    return all(sign in _IN_PROSE or sign.isspace() or is_unseen(sign) for sign in gap)


def _is_word(run: _Pieces) -> bool:
    """Neither too long for one nor letters in the order of the alphabet, nor words as they are."""
    letters = "".join(piece[0] for piece in run).replace(NOTHING, "").lower()
    long = len(letters) > _LONGEST_WORD or _mean_letters(run) > _MEAN_LETTERS_OF_ONE_WORD
    return not long and list(letters) != sorted(letters)


def _say_something(words: Sequence[str]) -> bool:
    """A few words, or more with a function word among them; no list of letters."""
    return says_something(words) if len(words) > _FEW_WORDS else max(map(len, words)) > 1


def _leave_out_gaps(
    signs: list[str], run: _Pieces, ends: Sequence[bool], within: frozenset[str]
) -> None:
    """Nothing within words; of what stands between them, what stands between words of prose."""
    for at, (piece, following) in enumerate(pairwise(run)):
        gap = piece.string[piece.end() : following.start()]
        if not ends[at]:
            read = NOTHING * len(gap)
        elif all(ends[max(at - 1, 0) : at + 2]):  # beside two whole words
            read = "".join(NOTHING if sign in within - _BLANKS else sign for sign in gap)
        else:
            read = _between_words(gap, within)
        signs[piece.end() : following.start()] = read
    around = (within - _STOPS) | {NOTHING}
    start, end = run[0].start(), run[-1].end()
    while start and signs[start - 1] in around:
        start -= 1
        signs[start] = signs[start] if signs[start] == " " else NOTHING
    while end < len(signs) and signs[end] in around:
        signs[end] = signs[end] if signs[end] == " " else NOTHING
        end += 1


def _between_words(gap: str, within: frozenset[str]) -> str:
    kept = _OF_PROSE - within
    read = "".join(" " if sign in _BLANKS else sign if sign in kept else NOTHING for sign in gap)
    return read if " " in read else f" {read[1:]}"
