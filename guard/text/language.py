"""Which language a text is in, for a classifier that knows only some."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources

from guard.records import Span
from guard.text.clean import clean
from guard.text.lookalikes import beyond_ascii


class WordLists:
    """The word lists of a data file, each an attribute of the name it has there. Immutable."""

    def __init__(self, lists: Mapping[str, frozenset[str]]) -> None:
        vars(self).update(lists)

    def __getattr__(self, name: str) -> frozenset[str]:
        raise AttributeError(f"there is no word list {name!r}")


def read_word_lists(package: str, file: str) -> Mapping[str, frozenset[str]]:
    """The lists in a data file of a package, by name. Lines that begin with # are comments."""
    found: dict[str, list[str]] = {}
    words: list[str] = []
    for line in (resources.files(package) / file).read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            words = found.setdefault(line.strip("[]"), [])
        elif not line.startswith("#"):
            words.extend(line.split())
    return {name: frozenset(words) for name, words in found.items()}


UNDECIDED = "und"

_LOOKED_AT = 2000  # characters
_LETTERS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_FEWEST_LETTERS = 4
_LATIN_SHARE = 0.2  # of the letters: below it the words of Latin script are guests
_FEWEST_WORDS = 3
_SHARE = 0.2
_BEYOND_ENGLISH = 3


@cache
def function_words() -> Mapping[str, frozenset[str]]:
    """The commonest small words of languages in Latin script, by code (ISO 639-1). Reads a file."""
    return read_word_lists("guard.text", "function_words.txt")


def language(text: str) -> str:
    """The language of `text`: ISO 639-1, `und-` and a script, or `und` where nothing is certain.

    Cautious: a text is said to be in another language than English only if nearly all its letters
    are of another script, or if at least three different small words of that language make up a
    fifth of its words and three times as many as English ones do. Code, names and short phrases
    stay `und`. Only the first 2,000 characters are looked at; look-alike letters are read as what
    they are like.
    """
    head = text[:_LOOKED_AT]
    found = _words(head)
    script = None if head.isascii() else _by_script("".join(found))
    if script is None:
        return _by_words(found)
    plain = _words(clean(head))
    return _by_script("".join(plain)) or _by_words(plain)


def is_in(text: str, languages: Iterable[str], *, certain: bool = False) -> bool:
    """Whether `text` is in one of these languages (ISO 639-1), as far as one can tell.

    certain: where one cannot, it is not.
    """
    found = language(text)
    return found in languages or (found == UNDECIDED and not certain)


def has_other_script(text: str) -> bool:
    """Whether a word's worth of letters is not Latin; see `language` for what is made of that."""
    found = (mark for mark in beyond_ascii(text) if _script(ord(mark)) and mark.isalpha())
    return sum(1 for _ in found) >= _FEWEST_LETTERS


def plain_words(text: str) -> list[Span | None]:
    """Where the words of `text` are that may be English; None for one that is a small word of
    another language, or in another script."""
    return [
        Span(start=found.start(), end=found.end()) if _is_plain(found[0]) else None
        for found in _LETTERS.finditer(text)
    ]


def _is_plain(word: str) -> bool:
    small = word.lower().replace("’", "'")
    return small not in _languages() and _script(ord(small[0])) is None


def _words(text: str) -> list[str]:
    return _LETTERS.findall(text.lower().replace("’", "'"))


def _by_script(letters: str) -> str | None:
    """A script in which nearly all letters are."""
    foreign = [script for letter in letters if (script := _script(ord(letter)))]
    if len(foreign) < _FEWEST_LETTERS or len(foreign) < (1 - _LATIN_SHARE) * len(letters):
        return None
    return f"{UNDECIDED}-{Counter(foreign).most_common(1)[0][0]}"


@cache
def _script(code: int) -> str | None:
    return next((name for low, high, name in _scripts() if low <= code <= high), None)


@cache
def _scripts() -> Sequence[tuple[int, int, str]]:
    """First and last character of each block that is not Latin, and its script."""
    written = (resources.files("guard.text") / "scripts.txt").read_text("utf-8").splitlines()
    rows = (line.split() for line in written if not line.startswith("#"))
    return [(int(low, 16), int(high, 16), name) for low, high, name in rows]


def language_tables() -> None:
    """Make the tables of this module ahead of their first use. Reads files."""
    _scripts()
    _languages()


def _by_words(found: Sequence[str]) -> str:
    english = sum(map(function_words()["en"].__contains__, found))
    if english and english * _BEYOND_ENGLISH >= len(found):
        return "en"
    enough = max(_SHARE * len(found), _BEYOND_ENGLISH * english + 1)
    foreign = list(filter(_languages().__contains__, found))
    code = _commonest_language(foreign, enough) if len(foreign) >= enough else None
    return code or ("en" if english else UNDECIDED)


def _commonest_language(found: Sequence[str], enough: float) -> str | None:
    """The language that most of the small words `found` belong to, if `enough` do."""
    hits, distinct = Counter[str](), Counter[str]()
    for word, count in Counter(found).items():
        hits.update(dict.fromkeys(_languages()[word], count))
        distinct.update(_languages()[word])
    [(code, count)] = hits.most_common(1)
    return code if count >= enough and distinct[code] >= _FEWEST_WORDS else None


@cache
def _languages() -> dict[str, tuple[str, ...]]:
    """For each small word the languages other than English that have it.

    Single letters say nothing: they are how words are spelt out to evade filters.
    """
    found: dict[str, tuple[str, ...]] = {}
    for code, known in function_words().items():
        for word in known if code != "en" else ():
            if len(word) > 1:
                found[word] = (*found.get(word, ()), code)
    return found
