"""The English words that the rules of this package ask for, and what a word may be by its look."""

from __future__ import annotations

import unicodedata
from functools import cache, cached_property, lru_cache

from guard.counterfactual.tokens import Words, is_word
from guard.text.language import WordLists, function_words, read_word_lists


def word_set(words: str) -> frozenset[str]:
    """The words of a string, which white space divides."""
    return frozenset(words.split())


class EnglishWords(WordLists):
    """The lists of `words.txt`, which says what each holds, and lists that are made of them."""

    @cached_property
    def openers(self) -> frozenset[str]:
        """Words that begin what a verb is done to: "the", "her", "it"."""
        return self.determiners | self.possessives | self.pronouns

    @cached_property
    def closed_classes(self) -> frozenset[str]:
        """Words of which there are few kinds and no new ones."""
        return self.openers | self.prepositions | self.conjunctions | self.auxiliaries

    @cached_property
    def closed(self) -> frozenset[str]:
        """Words that are no noun, verb or adjective."""
        return self.closed_classes | word_set(
            "not here there today yesterday tomorrow tonight again now then too"
        )

    @cached_property
    def never_owned(self) -> frozenset[str]:
        """After "her" none of these can be the word that it belongs to."""
        return (
            (self.determiners - word_set("such no each every both"))
            | (self.pronouns - word_set("one"))
            | word_set("his her whatever whichever whoever wherever")
            | self.wh
            | (
                self.prepositions
                - word_set("past like inside outside up down over off under out above")
            )
            | (self.conjunctions - word_set("once yet so like"))
            | (self.auxiliaries - word_set("will being can might may must ca wo having"))
            | self.unowned_adverbs
        )

    @cached_property
    def states(self) -> frozenset[str]:
        """Verbs after which "her" and an adjective stand: "made her happy", "saw her alone"."""
        return self.making | self.causatives

    @cached_property
    def participles(self) -> frozenset[str]:
        """Irregular past participles."""
        return self.have_participles | self.irregular_participles


@lru_cache(maxsize=1)
def english() -> EnglishWords:
    """The shipped lists. Reads a file, once."""
    return EnglishWords(read_word_lists("guard.counterfactual.english", "words.txt"))


def adjective(word: str) -> bool:
    """A word that may be an adjective."""
    endings = ("ed", "ful", "ous", "ive", "able", "al", "ic")
    return word in english().adjectives or word.endswith(endings)


def nounlike(word: str, *, strict: bool = False) -> bool:
    """A word that no closed class holds; strict: and that is no adverb either."""
    if not is_word(word) or word in english().closed or adverb_in_ly(word):
        return False
    return not (strict and (word in english().adverbs or word in english().times))


def adverb_in_ly(word: str) -> bool:
    """An adverb by its ending: "sadly", and not "family"."""
    return word.endswith("ly") and word not in english().not_adverbs_in_ly


def ends_as_plural(word: str) -> bool:
    """A word that may be a plural by its ending: "dogs", and not "boss", "bus" or "his"."""
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))


_FEW = 6  # words; of fewer, only the script is looked at
_LEAST_ENGLISH = 0.1  # share of words that are English function words
_MOST_FOREIGN = 0.08  # share of words that are function words of other languages
_MOST_OTHER_SCRIPT = 0.25  # share of letters


@cache
def _english() -> frozenset[str]:
    return (
        english().closed_classes
        | english().wh
        | word_set("not there here please yes hello write tell describe explain")
    )


@cache
def _foreign() -> frozenset[str]:
    """Small words of other languages that English has not got."""
    lists = function_words()
    others = (words for code, words in lists.items() if code != "en")
    return frozenset[str]().union(*others) - lists["en"] - _english() - english().shared_with_others


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
