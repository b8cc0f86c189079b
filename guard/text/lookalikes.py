"""Characters that are read as Latin letters, made plain one for one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_LETTER = r"[^\W\d_]"
_LATIN = "A-Za-z\u00c0-\u024f\u1e00-\u1eff"
_LATIN_LETTER = re.compile(f"[{_LATIN}]")
_FEWEST_DRAWN = 2
_OF_LANGUAGES = frozenset("ªßÐðÞþłŁµ")
"""Letters of alphabets that are in use: alone they draw nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lookalikes:
    """Tables of `str.translate`, and what they are for.

    plain: Latin letters of another shape (small capitals, with a stroke, squared), everywhere.
    raised: letters above or below the line, which stand alone in formulas. foreign: letters of
    other alphabets. all: of these. raised_words, foreign_words: what the latter two are
    looked for in; strange: a letter that is neither Latin nor like one. drawn: signs and letters
    that are less like them. drawn_words: what these are looked for in.
    """

    plain: Mapping[int, str]
    raised: Mapping[int, str]
    foreign: Mapping[int, str]
    all: frozenset[str]
    raised_words: re.Pattern[str]
    foreign_words: re.Pattern[str]
    strange: re.Pattern[str]
    drawn: Mapping[int, str]
    drawn_words: re.Pattern[str]


def beyond_ascii(text: str) -> str:
    """The characters of `text` that are not ASCII, in order."""
    return "".join(_NOT_ASCII.findall(text))


def has_lookalikes(text: str) -> bool:
    """Whether a character of `text` is like a Latin letter."""
    return not lookalikes().all.isdisjoint(text)


def plain_letters(text: str) -> str:
    """`text` with look-alikes of Latin letters replaced by these; same length.

    Letters of another alphabet are replaced in words that also have Latin ones, and in words of
    look-alikes alone where no other letter of the text is foreign: a Russian sentence stays.
    """
    known = lookalikes()
    text = text.translate(known.plain)
    text = known.raised_words.sub(lambda word: word[0].translate(known.raised), text)
    if known.foreign_words.search(text) is None:
        return text
    all_alike = known.strange.search(text) is None

    def plain(word: re.Match[str]) -> str:
        alone = not any(map(str.isascii, word[0]))
        replaced = len(word[0]) > 1 and all_alike if alone else True
        return word[0].translate(known.foreign) if replaced else word[0]

    return known.foreign_words.sub(plain, text)


def drawn_letters(text: str) -> str:
    """`text` made plain where several words are drawn of signs and of letters of other alphabets,
    as programs for fancy letters do it (`ŞТЦPID`); same length, and `text` itself where none are.
    """
    known = lookalikes()
    if known.drawn.keys().isdisjoint(map(ord, beyond_ascii(text))):
        return text
    words = [word for word in known.drawn_words.findall(text) if _is_drawn(word, known)]
    marks = set("".join(words)) & {chr(code) for code in known.drawn}
    different = {known.drawn[ord(mark)] for mark in marks}  # one over and over is a separator
    if min(len(words), len(different)) < _FEWEST_DRAWN or marks <= _OF_LANGUAGES:
        return text
    return text.translate(known.drawn).translate(known.foreign)


def _is_drawn(word: str, known: _Lookalikes) -> bool:
    """Whether a word has such a letter ahead of another one, and Latin letters or signs."""
    if known.drawn.keys().isdisjoint(map(ord, word[:-1])) or not any(map(str.isalpha, word)):
        return False
    return any(
        not mark.isalpha() or ord(mark) in known.plain or _LATIN_LETTER.match(mark) for mark in word
    )


@cache
def lookalikes() -> _Lookalikes:
    """The tables of this module. Reads a file."""
    tables = _read_tables()
    marks = {name: "".join(map(chr, table)) for name, table in tables.items()}
    drawn = marks.pop("drawn")
    raised, foreign = marks["raised"], marks["foreign"]
    inside = f"(?<=[A-Za-z])[{raised}](?=[A-Za-z])"
    own = f"[A-Za-z{foreign}]"
    return _Lookalikes(
        plain=tables["latin"],
        raised=tables["raised"],
        foreign=tables["foreign"],
        all=frozenset("".join(marks.values())),
        raised_words=re.compile(f"[{raised}]{{2,}}|{inside}"),
        foreign_words=re.compile(f"(?<!{_LETTER})[A-Za-z]*[{foreign}]{own}*(?!{_LETTER})"),
        drawn=tables["drawn"],
        drawn_words=re.compile(f"[{_LATIN}{marks['latin']}{foreign}{drawn}]{{3,}}"),
        strange=re.compile(f"(?![{_LATIN}{foreign}{raised}]){_LETTER}"),
    )


def _read_tables() -> Mapping[str, Mapping[int, str]]:
    """By section of the data file: each look-alike, and the letter it is like."""
    tables: dict[str, dict[int, str]] = {}
    section: dict[int, str] = {}
    for line in (resources.files("guard.text") / "lookalikes.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            section = tables.setdefault(line.strip("[]"), {})
        elif line and not line.startswith("#"):
            letter, _, marks = line.partition(" ")
            section.update(dict.fromkeys(map(ord, marks), letter))
    return tables
