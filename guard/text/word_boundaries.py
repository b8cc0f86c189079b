"""Blanks where they belong: in sentences without any, and in those that have them elsewhere.

Whatever stands between the letters of a sentence, people who read it find its words. So does this,
where the letters of several tokens, most of them no English words, are a run of common ones.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from guard.text.escapes import NOTHING
from guard.text.sentence_words import says_something
from guard.text.unigrams import Segmentation, Unigrams, english_unigrams, segment

_WORD = re.compile(r"[a-z]+")
_INSIDE = rf"['\u2019{NOTHING}]"
_TOKEN = re.compile(rf"[A-Za-z]++(?:{_INSIDE}++[A-Za-z]++)*+")
_NO_LETTERS = re.compile(_INSIDE)
_FENCE = re.compile(r"```\w{0,12}|~~~\w{0,12}")
_CODE = re.compile(r"[(_=]")
"""Signs beside names in programs, of which letters are no words."""
_BLANKS = re.compile(r"[\s.,;:!?]+")
_APOSTROPHES = frozenset("'\u2019")
_CUT_BY_APOSTROPHE = re.compile(
    r"(?<![\w'\u2019])([A-Za-z]{2,24})(['\u2019])((?!re\b|ve\b|ll\b)[A-Za-z]{2,24})(?![\w'\u2019])"
)
_ENGLISH = 2.45
"""Cost of English sentences at most (nats a letter); names and other languages cost more."""
_FEWEST_LETTERS = 8
_FEWEST_ODD = 4
"""Of them, letters of words that are odd."""
_BRIDGE = 10
"""Letters of words that may stand between odd ones."""
_BESIDE = 3
"""Words on either side that may be parts of words as well."""
_WIDEST = 24
"""Signs that may stand between two tokens."""
_FEWEST_JOINED = 2
"""Words put together of several tokens."""
_FEWEST, _FEWEST_IN_NAMES = 3, 5
"""Words of one token; of a name in a program, or of an address, it takes more to be a sentence."""
_BEFORE_NAMES, _BEHIND_NAMES = frozenset("/._"), frozenset("/(_=")
_TELLING: Final = frozenset({
    "always", "are", "deserve", "he", "her", "him", "his", "is", "never", "our", "she", "should",
    "their", "them", "they", "us", "was", "we", "were", "who", "you", "your", "youre",
})  # fmt: skip
"""Names of things in programs have hardly any of these behind their first word."""
_TELLING_IN_NAMES = _TELLING - {"always", "is", "never", "should", "was"}


@dataclass(frozen=True, slots=True)
class _OddRun:
    """Tokens of which most are no common words. letters: of all, small. places: where each of them
    stands in `text`. starts: which of them begin a token."""

    text: str
    letters: str
    places: Sequence[int]
    starts: Sequence[int]

    def tokens(self) -> Iterator[tuple[int, int]]:
        """The first letter of each token, and the one behind its last."""
        return pairwise((*self.starts, len(self.letters)))

    def words(self) -> Iterator[str]:
        return (self.letters[start:end] for start, end in self.tokens())


def put_blanks_right(text: str) -> tuple[str, tuple[int, ...]]:
    """`text` with blanks and nothing in the place of what stands between letters, where that makes
    a sentence of them; same length, and the places before which blanks are missing, in order."""
    unigrams = english_unigrams()
    if not _has_odd_words(text, unigrams.common):
        return text, ()
    signs, missing = list(_without_apostrophes(text, unigrams.common)), list[int]()
    for run in _odd_runs(text, unigrams.common):
        found = segment(run.letters, unigrams)
        starts = {start for start, _ in found.bounds()}
        for part in _sentences(run, found, unigrams):
            missing += _rewrite(signs, run, starts, part)
    return "".join(signs), tuple(missing)


def _without_apostrophes(text: str, common: frozenset[str]) -> str:
    """Where one cuts a common word; contractions and names have others."""

    def joined(word: re.Match[str]) -> str:
        cut = (word[1] + word[3]).lower() in common
        return word[1] + NOTHING + word[3] if cut else word[0]

    return _CUT_BY_APOSTROPHE.sub(joined, text)


def _has_odd_words(text: str, common: frozenset[str]) -> bool:
    odd = (
        len(word) for word in _WORD.findall(text.replace(NOTHING, "").lower()) if word not in common
    )
    return sum(odd) >= _FEWEST_ODD


def _odd_runs(text: str, common: frozenset[str]) -> Iterator[_OddRun]:
    """Where much is odd, with a few tokens on either side: parts of words may be words as well."""
    tokens = list(_TOKEN.finditer(text))
    words = [_NO_LETTERS.sub("", token[0]).lower() for token in tokens]
    odd = [word not in common for word in words]
    done = 0
    for first, end in _stretches(tokens, words, odd):
        sizes = [0, 0]
        for at in range(first, end):
            sizes[odd[at]] += len(words[at])
        wide = slice(max(first - _BESIDE, done), end + _BESIDE)
        letters = "".join(words[wide])
        if sizes[True] >= max(sizes[False], _FEWEST_ODD) and len(letters) >= _FEWEST_LETTERS:
            yield _odd_run(text, tokens[wide], letters)
            done = wide.stop


def _stretches(
    tokens: Sequence[re.Match[str]], words: Sequence[str], odd: Sequence[bool]
) -> Iterator[tuple[int, int]]:
    """From one odd token to another, with hardly any letters of others between."""
    first = last = -1
    between = 0
    for at, token in enumerate(tokens):
        if last >= 0 and (between > _BRIDGE or not _is_near(tokens[at - 1], token)):
            yield first, last + 1
            first = last = -1
        if odd[at]:
            first, last, between = (at if first < 0 else first), at, 0
        else:
            between += len(words[at])
    if last >= 0:
        yield first, last + 1


def _is_near(token: re.Match[str], following: re.Match[str]) -> bool:
    between = following.string[token.end() : following.start()]
    return len(between) <= _WIDEST and not between[-1].isdigit() and _CODE.search(between) is None


def _odd_run(text: str, tokens: Sequence[re.Match[str]], letters: str) -> _OddRun:
    places, starts = list[int](), list[int]()
    for token in tokens:
        starts.append(len(places))
        places += [at for at in range(token.start(), token.end()) if text[at].isalpha()]
    return _OddRun(text, letters, places, starts)


def _sentences(run: _OddRun, found: Segmentation, unigrams: Unigrams) -> Iterator[tuple[int, int]]:
    """The letters of all of it where it is one, else of each of its tokens that is one."""
    if _is_put_together(run, found, unigrams):
        yield 0, len(run.letters)
        return
    starts = [start for start, _ in found.bounds()]
    for start, end in run.tokens():
        first, last = bisect_left(starts, start), bisect_right(starts, end) - 1
        words = found.words[first : last + (end == len(run.letters))]
        if _is_sentence(run, words, start, end, unigrams):
            yield start, end


def _is_put_together(run: _OddRun, found: Segmentation, unigrams: Unigrams) -> bool:
    """Whether parts of words in it are a sentence, likelier than as they stand there."""
    if found.cost > min(_ENGLISH * len(run.letters), unigrams.cost(run.words())):
        return False
    starts = set(run.starts)
    joined = (any(at in starts for at in range(start + 1, end)) for start, end in found.bounds())
    return sum(joined) >= _FEWEST_JOINED and says_something(found.words)


def _is_sentence(
    run: _OddRun, words: Sequence[str], start: int, end: int, unigrams: Unigrams
) -> bool:
    """words: those within the token from start to end."""
    before = run.text[max(run.places[start] - 1, 0) : run.places[start]]
    behind = run.text[run.places[end - 1] + 1 : run.places[end - 1] + 2]
    named = before in _BEFORE_NAMES or behind in _BEHIND_NAMES
    telling, fewest = (_TELLING_IN_NAMES, _FEWEST_IN_NAMES) if named else (_TELLING, _FEWEST)
    if len(words) < fewest or telling.isdisjoint(words):
        return False
    return unigrams.cost(words) <= _ENGLISH * (end - start)


def _rewrite(
    signs: list[str], run: _OddRun, starts: set[int], part: tuple[int, int]
) -> Iterator[int]:
    """Where a blank is missing that no sign stands in the place of. Fences around it vanish.

    starts: letters that words start with. part: those that are rewritten, from and to."""
    places = run.places[slice(*part)]
    for fence in _FENCE.finditer(run.text, max(places[0] - _WIDEST, 0), places[-1] + _WIDEST):
        signs[slice(*fence.span())] = NOTHING * len(fence[0])
    for at, (place, following) in enumerate(pairwise(places), part[0] + 1):
        between = run.text[place + 1 : following]
        if at not in starts:
            signs[place + 1 : following] = [s if s in _APOSTROPHES else NOTHING for s in between]
        elif not between.strip(NOTHING):
            yield following
        elif _BLANKS.fullmatch(between) is None:
            signs[place + 1 : following] = [" ", *NOTHING * (len(between) - 1)]
