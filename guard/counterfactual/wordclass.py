"""What a word may be by its look, where no dictionary is asked."""

from __future__ import annotations

from guard.counterfactual import english as en
from guard.counterfactual.words import is_word


def adjective(word: str) -> bool:
    return word in en.ADJECTIVES or word.endswith(("ed", "ful", "ous", "ive", "able", "al", "ic"))


def nounlike(word: str, *, strict: bool = False) -> bool:
    """A word that no closed class holds; strict: and that is no adverb either."""
    if not is_word(word) or word in CLOSED:
        return False
    adverb = word.endswith("ly") and word not in en.NOT_ADVERBS_IN_LY
    return not adverb and not (strict and (word in en.ADVERBS or word in en.TIMES))


CLOSED = en.CLOSED_CLASSES | en.word_set(
    "not here there today yesterday tomorrow tonight again now then too"
)
