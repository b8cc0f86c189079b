"""Whether a text is English, as far as grammar rules for English may touch it."""

from __future__ import annotations

import unicodedata

from guard.counterfactual import english as en
from guard.counterfactual.words import Words

_FEW = 6  # words; of fewer, only the script is looked at
_LEAST_ENGLISH = 0.1  # share of words that are English function words
_MOST_FOREIGN = 0.08  # share of words that are function words of other languages
_MOST_OTHER_SCRIPT = 0.25  # share of letters

_ENGLISH = (
    en.DETERMINERS
    | en.PRONOUNS
    | en.POSSESSIVES
    | en.PREPOSITIONS
    | en.CONJUNCTIONS
    | en.AUXILIARIES
    | en.WH
    | en.word_set("not there here please yes hello write tell describe explain")
)
# Function words of German, French, Spanish, Italian, Portuguese, Dutch; none is an English word.
_FOREIGN = en.word_set(
    "der das und ist nicht ein eine einen einem einer ich sie wir ihr mein meine auf mit für von "
    "zu dem den des sich auch wie wenn aber oder haben hat sind war wird über sein seine "
    "le les un une est et pas je nous vous ils elles mon ma ses avec dans sur que qui "
    "mais où sont était du au aux cette ce ça l' d' c' "
    "el los las una es y no_ yo él ella mi su sus con por para pero como está este esta muy "
    "il gli è e_ non sono questo questa della di che anche perché molto "
    "o_ os uma é não eu ele ela meu minha com mas muito "
    "het een is_ niet ik jij hij zij mijn zijn haar op_ met voor van maar ook"
) - en.word_set("is_ no_ e_ o_ op_ est des die den war mi met es sur non son ma un zijn los las el")


def is_english(words: Words) -> bool:
    """Whether nearly all of a text is English."""
    if _other_script(words.text) > _MOST_OTHER_SCRIPT:
        return False
    spoken = [word for word in words.lower if word[0].isalpha() or word[0] == "'"]
    if len(spoken) < _FEW:
        return True
    english = sum(word in _ENGLISH for word in spoken)
    foreign = sum(word in _FOREIGN for word in spoken)
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
