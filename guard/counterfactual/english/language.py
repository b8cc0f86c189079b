"""Whether a text is English, as far as grammar rules for English may touch it."""

from __future__ import annotations

import unicodedata
from functools import cache

from guard.counterfactual.english.words import english as en
from guard.counterfactual.english.words import word_set
from guard.counterfactual.tokens import Words
from guard.text.language import function_words

_FEW = 6  # words; of fewer, only the script is looked at
_LEAST_ENGLISH = 0.1  # share of words that are English function words
_MOST_FOREIGN = 0.08  # share of words that are function words of other languages
_MOST_OTHER_SCRIPT = 0.25  # share of letters


@cache
def _english() -> frozenset[str]:
    return (
        en().closed_classes
        | en().wh
        | word_set("not there here please yes hello write tell describe explain")
    )


@cache
def _foreign() -> frozenset[str]:
    """Small words of other languages that English has not got."""
    lists = function_words()
    others = (words for code, words in lists.items() if code != "en")
    return frozenset[str]().union(*others) - lists["en"] - _english() - en().shared_with_others


def is_english(words: Words) -> bool:
    """Whether nearly all of a text is English."""
    if _other_script(words.text) > _MOST_OTHER_SCRIPT:
        return False
    foreign_words = _foreign()
    if foreign_words.isdisjoint(words.vocabulary):
        return True
    spoken = [word for word in words.lower if word[0].isalpha() or word[0] == "'"]
    if len(spoken) < _FEW:
        return True
    known = _english()
    share = sum(word in known for word in spoken)
    foreign = sum(word in foreign_words for word in spoken)
    if foreign > _MOST_FOREIGN * len(spoken) and foreign > 2:
        return False
    return share >= _LEAST_ENGLISH * len(spoken) or foreign == 0


def _other_script(text: str) -> float:
    """The share of letters that are not Latin."""
    if text.isascii():
        return 0.0
    letters = [letter for letter in text if letter.isalpha()]
    foreign = [letter for letter in letters if letter > "\u024f" and not _latin(letter)]
    return len(foreign) / len(letters) if letters else 0.0


def _latin(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith(("LATIN", "FULLWIDTH LATIN", "MATHEMATICAL"))
