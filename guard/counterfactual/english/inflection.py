"""How an English word is written in its place: "a" or "an", capitals, and the form of a verb.

Verbs agree with "he", "she" and "they"; a new word gets the capitals, or none, of the old one.
"""

from __future__ import annotations

import re

from guard.counterfactual.english.words import english as en

_TO_PLURAL = {
    "is": "are",
    "was": "were",
    "has": "have",
    "does": "do",
    "isnt": "arent",
    "wasnt": "werent",
    "hasnt": "havent",
    "doesnt": "dont",
}
_TO_SINGULAR = {plural: single for single, plural in _TO_PLURAL.items()} | {"am": "is"}


def plural_form(verb: str) -> str | None:
    """What follows "they" for what follows "she": "is" to "are", "tries" to "try".

    None where the form is the same, or the word is no verb in the third person.
    """
    if verb in _TO_PLURAL:
        return _TO_PLURAL[verb]
    if len(verb) < 3 or not verb.endswith("s") or verb.endswith(("ss", "us", "is", "'s")):
        return None
    return None if verb in en().not_verbs_in_s or not verb.isalpha() else _base(verb)


def _base(verb: str) -> str:
    if verb in en().verbs_dropping_s:
        return verb[:-1]
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if verb in en().verbs_dropping_es or verb.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return verb[:-2]
    return verb[:-1]


def singular_form(verb: str) -> str | None:
    """What follows "she" for what follows "they"; None where the form is the same."""
    if verb in _TO_SINGULAR:
        return _TO_SINGULAR[verb]
    if verb in en().modals or verb in en().auxiliaries or in_past(verb) or not verb.isalpha():
        return None
    return _third_person(verb)


def _third_person(verb: str) -> str:
    if verb.endswith("y") and verb[-2:-1] not in ("a", "e", "o", "u"):
        return verb[:-1] + "ies"
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es"
    return verb + "s"


def in_past(verb: str) -> bool:
    """Whether the form is a past tense, which is the same for every subject but for "was"."""
    return verb in en().past_forms or (
        verb.endswith("ed") and verb not in ("need", "feed", "bleed", "speed")
    )


def known_verb(verb: str) -> bool:
    """Whether this base form is a verb often enough to be taken for one."""
    return (
        verb in en().base_verbs | en().more_verbs
        or verb in _TO_SINGULAR
        or _third_person(verb) in en().only_verbs
    )


def is_participle(verb: str) -> bool:
    """A past participle, by its form."""
    return verb in en().participles or (verb.endswith("ed") and len(verb) > 3 and verb != "need")


_SPOKEN_WITH_CONSONANT = re.compile(
    r"(?:uni(?!n|m|d)|un[ai]t|us[aeiu]|usu|ut[aeio]|u[krb][aeiour]|ur[aeiou]|eu|ewe|one(?!\w*ir)"
    r"|once|ubi|uk\b|u-|ufo|uga|uto|oui)",
    re.IGNORECASE,
)
_SILENT_H = ("hour", "honest", "honor", "honour", "heir")
_LETTERS_WITH_VOWEL = frozenset("AEFHILMNORSX")
_NUMBER = re.compile(r"\d+")


def takes_an(word: str) -> bool:
    """Whether "an" stands before this word: "an Asian", "a European", "an 18-year-old"."""
    if not word:
        return False
    if word[0].isdigit():
        return _number_takes_an(word)
    if word.isupper() and word.isalpha() and len(word) <= 4 and not _VOWEL.search(word):
        return word[0] in _LETTERS_WITH_VOWEL  # spelt letter by letter: "an LGBT group"
    lowered = word.lower()
    if lowered.startswith(_SILENT_H):
        return True
    return lowered[0] in "aeiou" and not _SPOKEN_WITH_CONSONANT.match(lowered)


_VOWEL = re.compile(r"[AEIOU]")


def _number_takes_an(word: str) -> bool:
    """ "an 8", "an 11", "an 18th", "an 80"."""
    found = _NUMBER.match(word)
    digits = found[0] if found else ""
    return digits.startswith("8") or (
        digits in ("11", "18") or (len(digits) == 5 and digits[:2] in ("11", "18"))
    )


def article(written: str, old: str, new: str) -> str | None:
    """The article before `new` where `written` stood before `old`; None where it stays.

    An article that was wrong before stays as it was: nothing but the group changes.
    """
    if takes_an(old) == takes_an(new) or (written.lower() == "an") != takes_an(old):
        return None
    if takes_an(new):
        return written + ("N" if written == "A" and _shouted(new) else "n")
    return written[0]


def _shouted(word: str) -> bool:
    return word.isupper() and len(word) > 1


def match_case(old: str, entry: str, new: str, *, first: bool, proper: bool) -> str:
    """`new` in the manner of `old`.

    entry: the old word as its lexicon writes it. first: whether it begins a sentence.
    proper: whether the new word has its capital as a proper adjective or noun, wherever it stands.
    """
    if _in_capitals(old) and not _in_capitals(entry):
        return new.upper()
    if entry[:1].islower() and old[:1].isupper():
        return _title_case(new) if _all_titled(old) else _capitalise(new)
    if entry[:1].isupper() and old[:1].islower():
        return new if proper else new.lower()
    return _capitalise(new) if first and old[:1].isupper() else new


def _in_capitals(word: str) -> bool:
    return word.isupper() and sum(map(str.isalpha, word)) > 1


def _capitalise(word: str) -> str:
    return word[:1].upper() + word[1:]


def _all_titled(words: str) -> bool:
    """ "Young Man": more than one word, each with a capital."""
    parts = words.split()
    return len(parts) > 1 and all(part[:1].isupper() for part in parts)


def _title_case(words: str) -> str:
    return " ".join(_capitalise(word) for word in words.split(" "))
