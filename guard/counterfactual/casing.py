"""The new word written as the old one was: capitals, small letters, shouting."""

from __future__ import annotations


def cased(old: str, entry: str, new: str, *, first: bool, proper: bool) -> str:
    """`new` in the manner of `old`.

    entry: the old word as its lexicon writes it. first: whether it begins a sentence.
    proper: whether the new word has its capital as a proper adjective or noun, wherever it stands.
    """
    if _shouted(old) and not _shouted(entry):
        return new.upper()
    if entry[:1].islower() and old[:1].isupper():
        return _titled(new) if _all_titled(old) else _opened(new)
    if entry[:1].isupper() and old[:1].islower():
        return new if proper else new.lower()
    return _opened(new) if first and old[:1].isupper() else new


def _shouted(word: str) -> bool:
    return word.isupper() and sum(map(str.isalpha, word)) > 1


def _opened(word: str) -> str:
    return word[:1].upper() + word[1:]


def _all_titled(words: str) -> bool:
    """ "Young Man": more than one word, each with a capital."""
    parts = words.split()
    return len(parts) > 1 and all(part[:1].isupper() for part in parts)


def _titled(words: str) -> str:
    return " ".join(_opened(word) for word in words.split(" "))
