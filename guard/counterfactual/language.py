"""Whether a text is English, as far as grammar rules for English may touch it."""

from __future__ import annotations

import unicodedata
from functools import cache

from guard.counterfactual import english as en
from guard.counterfactual.words import Words
from guard.text.language import function_words

_FEW = 6  # words; of fewer, only the script is looked at
_LEAST_ENGLISH = 0.1  # share of words that are English function words
_MOST_FOREIGN = 0.08  # share of words that are function words of other languages
_MOST_OTHER_SCRIPT = 0.25  # share of letters

_ENGLISH = (
    en.CLOSED_CLASSES
    | en.WH
    | en.word_set("not there here please yes hello write tell describe explain")
)
_SHARED = en.word_set(
    "ai am care come dan dare de dig dog dos door el end fins ham hay hem ho hon la lang las lei"
    " len lo los ma man mas men met mi min mis mo mod mot ne nu od oh ole om ono os pa pan par pas"
    " pe per plus po pre pro ray sam see sen si sin sit son sur ta tai tak tale tem ten ter ti til"
    " tik ton tot u un v van var vi via vol volt w wake want war x y ya ye yo z ca me mine till s"
    " e o t m d c b non com hans bet pour en al co ali um sedan mon bin se ha im cum er az au"
    " sus che jo ty han mint fi"
)


@cache
def _foreign() -> frozenset[str]:
    """Small words of other languages that English has not got."""
    lists = function_words()
    others = (words for code, words in lists.items() if code != "en")
    return frozenset[str]().union(*others) - lists["en"] - _ENGLISH - _SHARED


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
    english = sum(word in _ENGLISH for word in spoken)
    foreign = sum(word in foreign_words for word in spoken)
    if foreign > _MOST_FOREIGN * len(spoken) and foreign > 2:
        return False
    return english >= _LEAST_ENGLISH * len(spoken) or foreign == 0


def _other_script(text: str) -> float:
    """The share of letters that are not Latin."""
    if text.isascii():
        return 0.0
    letters = [letter for letter in text if letter.isalpha()]
    foreign = [letter for letter in letters if letter > "\u024f" and not _latin(letter)]
    return len(foreign) / len(letters) if letters else 0.0


def _latin(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith(("LATIN", "FULLWIDTH LATIN", "MATHEMATICAL"))
