""" "a" or "an", and the new word written as the old one was: capitals, small letters, shouting."""

from __future__ import annotations

import re

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
        return _titled(new) if _all_titled(old) else _opened(new)
    if entry[:1].isupper() and old[:1].islower():
        return new if proper else new.lower()
    return _opened(new) if first and old[:1].isupper() else new


def _in_capitals(word: str) -> bool:
    return word.isupper() and sum(map(str.isalpha, word)) > 1


def _opened(word: str) -> str:
    return word[:1].upper() + word[1:]


def _all_titled(words: str) -> bool:
    """ "Young Man": more than one word, each with a capital."""
    parts = words.split()
    return len(parts) > 1 and all(part[:1].isupper() for part in parts)


def _titled(words: str) -> str:
    return " ".join(_opened(word) for word in words.split(" "))
