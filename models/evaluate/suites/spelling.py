"""Tricks that hide a word from a filter and not from a reader."""

import re
from collections.abc import Callable

HIDDEN = re.compile(r"\*([^*]+)\*")
LEET = str.maketrans("aeioAEIO", "43104310")
HOMOGLYPHS = str.maketrans("aceiopxyABCEHKMOPTX", "асеіорхуАВСЕНКМОРТХ")
ZERO_WIDTH = "\u200b"


def leetspeak(word: str) -> str:
    return word.translate(LEET)


def spaced(word: str) -> str:
    return " ".join(word)


def dotted(word: str) -> str:
    return ".".join(word)


def zero_width(word: str) -> str:
    return ZERO_WIDTH.join(word)


def homoglyph(word: str) -> str:
    """Letters of the Cyrillic alphabet that look the same."""
    return word.translate(HOMOGLYPHS)


def doubled(word: str) -> str:
    """The first vowel drawn out."""
    return re.sub(r"[aeiouAEIOU]", lambda match: match[0] + match[0].lower() * 3, word, count=1)


def starred(word: str) -> str:
    """The first vowel hidden by an asterisk."""
    return re.sub(r"[aeiouAEIOU]", "*", word, count=1)


def swapped(word: str) -> str:
    """Two letters in the middle in the wrong order, as by a typing error."""
    middle = len(word) // 2
    return word[: middle - 1] + word[middle] + word[middle - 1] + word[middle + 1 :]


TRICKS: dict[str, Callable[[str], str]] = {
    "spelling: leetspeak": leetspeak,
    "spelling: spaces": spaced,
    "spelling: homoglyphs": homoglyph,
    "spelling: drawn-out letters": doubled,
    "spelling: dots": dotted,
    "spelling: zero width": zero_width,
    "spelling: asterisks": starred,
    "spelling: typing error": swapped,
}


def plain(frame: str) -> str:
    return HIDDEN.sub(r"\1", frame)


def disguised(frame: str, trick: Callable[[str], str]) -> str:
    """The words between asterisks rewritten, the others left."""
    return HIDDEN.sub(lambda match: trick(match[1]), frame)
