"""Words of a text, and which of them belong to a lexicon."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from guard.fairness.tally import listed

Response: TypeAlias = str | Sequence[str]  # a text, or its words where someone has made them
Phrase: TypeAlias = tuple[str, ...]

MASK = "\ue000"  # stands for every protected word; no text has it

# Scripts without spaces are cut character by character: Thai to Khmer, kana, Han.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_UNSPACED += "\U00020000-\U0003ffff"
# What no word contains: white space, ASCII but letters, digits and apostrophes, punctuation.
_BETWEEN = r"\s\x00-&(-/:-@\[-`{-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf\xd7\xf7"
_BETWEEN += "\u2010-\u2018\u201a-\u206f\u3000-\u303f\ufe30-\ufe6f\uff01-\uff0f\uff1a-\uff20"
_WORD = re.compile(
    rf"[{_UNSPACED}]|(?:(?!['’])[^{_BETWEEN}{_UNSPACED}])+"
    rf"(?:['’](?:(?!['’])[^{_BETWEEN}{_UNSPACED}])+)*"
)
_PLAIN = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)*")


def words(text: str) -> list[str]:
    """The words of a text, in lower case and composed form, in order.

    Punctuation is left out, an apostrophe inside a word is kept, and scripts that are written
    without spaces give one word for each character.
    """
    lowered = text.lower()
    if lowered.isascii():
        return _PLAIN.findall(lowered)
    return _WORD.findall(unicodedata.normalize("NFC", lowered).replace("’", "'"))


def as_words(response: Response) -> Sequence[str]:
    """The words of a text; words stay what they are."""
    if isinstance(response, str):
        return words(response)
    return response if isinstance(response, (list, tuple)) else list(response)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Words and phrases, by their first word, ready to be found; the longest phrase wins."""

    phrases: dict[str, tuple[Phrase, ...]]

    def at(self, tokens: Sequence[str], place: int) -> int:
        """How many words of a phrase begin at this place; 0 if none does."""
        for phrase in self.phrases.get(tokens[place], ()):
            if len(phrase) == 1 or tuple(tokens[place : place + len(phrase)]) == phrase:
                return len(phrase)
        return 0


def lexicon(entries: Collection[str]) -> Lexicon:
    """The lexicon of these words and phrases; made once for each set of them."""
    return _lexicon(
        entries if isinstance(entries, frozenset) else frozenset(listed(entries, "entries"))
    )


@lru_cache(maxsize=64)
def _lexicon(entries: frozenset[str]) -> Lexicon:
    phrases: dict[str, list[Phrase]] = {}
    for phrase in sorted({tuple(words(entry)) for entry in entries} - {()}):
        phrases.setdefault(phrase[0], []).append(phrase)
    longest_first = {
        first: tuple(sorted(found, key=len, reverse=True)) for first, found in phrases.items()
    }
    return Lexicon(longest_first)


def mentions(response: Response, entries: Collection[str]) -> bool:
    """Whether any word or phrase of the lexicon occurs in the response."""
    found, tokens = lexicon(entries), as_words(response)
    firsts = found.phrases.keys()
    if firsts.isdisjoint(tokens):
        return False
    return any(found.at(tokens, place) for place, token in enumerate(tokens) if token in firsts)


def masked(response: Response, entries: Collection[str]) -> list[str]:
    """The words of a response, each protected word or phrase replaced by one neutral mark."""
    found, tokens = lexicon(entries), as_words(response)
    if found.phrases.keys().isdisjoint(tokens):
        return list(tokens)
    kept, place = [], 0
    while place < len(tokens):
        length = found.at(tokens, place)
        kept.append(MASK if length else tokens[place])
        place += length or 1
    return kept


def word_forms(entries: Iterable[str], name: str) -> frozenset[str]:
    """The entries, and each that is one word also as `words` gives it, for matching one by one."""
    given = listed(entries, name)
    made = [words(entry) for entry in given]
    return frozenset(given).union(*(found for found in made if len(found) == 1))


def mask(text: str, entries: Collection[str], mark: str = "someone") -> str:
    """The text with each protected word or phrase replaced by `mark`, the rest untouched.

    For what reads texts and not words: embeddings and sentiment.
    """
    composed = unicodedata.normalize("NFC", text)
    found = lexicon(entries)
    matches = [(m, m[0].lower().replace("’", "'")) for m in _WORD.finditer(composed)]
    tokens, pieces, end, place = [token for _, token in matches], [], 0, 0
    while place < len(tokens):
        length = found.at(tokens, place)
        if length:
            pieces += [composed[end : matches[place][0].start()], mark]
            end = matches[place + length - 1][0].end()
        place += length or 1
    return "".join([*pieces, composed[end:]])
