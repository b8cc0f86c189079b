"""Replace what tokenizers trip over, one character for one, so that offsets stay true."""

from __future__ import annotations

import re
import unicodedata

from guard.text.disguise import undisguise
from guard.text.escapes import NOTHING
from guard.text.halves import joined_halves
from guard.text.invisible import is_symbol, is_unseen

_GLUE = "\x0b\x0c\x1c-\x1f\x85"  # white space that BERT drops, gluing the words on either side
_BLANK = "\u115f\u1160\u2800\u3164\uffa0"  # letters and signs that show nothing
_WIDE = "\uff01-\uff5e\U0001d400-\U0001d7ff"  # full-width and mathematical forms
_SUSPECT = re.compile(f"[\0{_GLUE}{_BLANK}\ud800-\udfff{_WIDE}]")
_SUSPECT_ASCII = re.compile(r"[\0\x0b\x0c\x1c-\x1f]")
_ANY_GLUE = re.compile(f"[{_GLUE}]")
_SPACES = re.compile(f"[{_GLUE}{_BLANK}]")
_LETTERS_APART = re.compile(rf"(?<![^\W_])[^\W_](?:[{_GLUE}][^\W_])+(?![^\W_])")
_LATIN = "A-Za-z\u00c0-\u024f"
_STRETCH = "\u0640"  # lengthens Arabic letters
_ALIKE = f"{_LATIN}\u0370-\u03ff\u0400-\u04ff"  # and scripts that have look-alikes of them
_BETWEEN_LETTERS = re.compile(rf"(?<=[{_ALIKE}])(?:[^\w\s -~\x9b]|{_STRETCH})+(?=[{_ALIKE}])")
_SMALL_NUMBERS = "\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u2079\u2080-\u2089"
_SYMBOLS_BESIDE = re.compile(
    rf"(?<=[{_LATIN}])[^\w\s -~]+|(?<![^\w\s -~])[^\w\s -~]+(?=[{_LATIN}])"
    rf"|(?<=[{_LATIN}])[{_SMALL_NUMBERS}]+(?=[{_LATIN}])"
)
_ACCENTS = re.compile("[\u0300-\u036f]")  # that belong to Latin letters


def clean(text: str) -> str:
    """`text` as a tokenizer can read it; same length, every character at its old place.

    Lone surrogates and NUL become U+FFFD, rare control white space and invisible letters become
    spaces, that white space nothing between single letters, and full-width or mathematical forms
    become the plain ones they are read as. Words that are spelt to evade filters are made plain.
    Signs between letters that show nothing, or belong to another script, become nothing: not
    every tokenizer knows them, and it would part the word there. Symbols beside letters, and small
    numbers between them, become spaces: few tokenizers part words at them.
    The halves of a character that came in two pieces are read as that character.
    """
    suspect = _SUSPECT_ASCII if text.isascii() else _SUSPECT
    text = joined_halves(text)
    if not text.isascii():
        text = _BETWEEN_LETTERS.sub(_drop_unseen, text)
    if suspect.search(text):
        text = suspect.sub(_substitute, _LETTERS_APART.sub(_join_letters, text))
    text = undisguise(text)
    return text if text.isascii() else _SYMBOLS_BESIDE.sub(_part_words, text)


def _join_letters(match: re.Match[str]) -> str:
    return _ANY_GLUE.sub(NOTHING, match[0])


def _drop_unseen(match: re.Match[str]) -> str:
    kept = (_ACCENTS.match(s) or not (is_unseen(s) or s == _STRETCH) for s in match[0])
    return "".join(s if keep else NOTHING for s, keep in zip(match[0], kept, strict=True))


def _part_words(match: re.Match[str]) -> str:
    parts = (is_symbol(sign) or unicodedata.category(sign) == "No" for sign in match[0])
    return "".join(" " if part else s for s, part in zip(match[0], parts, strict=True))


def _substitute(match: re.Match[str]) -> str:
    character = match[0]
    if character == "\0" or "\ud800" <= character <= "\udfff":
        return "\ufffd"
    if _SPACES.match(character):
        return " "
    plain = unicodedata.normalize("NFKC", character)
    return plain if len(plain) == 1 else character
