"""Replace what tokenizers trip over, one character for one, so that offsets stay true."""

from __future__ import annotations

import re
import unicodedata

from guard.text.disguise import undisguised

_GLUE = "\x0b\x0c\x1c-\x1f\x85"  # white space that BERT drops, gluing the words on either side
_LOOKALIKE = "\uff01-\uff5e\U0001d400-\U0001d7ff"  # full-width and mathematical letters
_SUSPECT = re.compile(f"[\0{_GLUE}\ud800-\udfff{_LOOKALIKE}]")
_SPACES = re.compile(f"[{_GLUE}]")


def clean(text: str) -> str:
    """`text` as a tokenizer can read it; same length, every character at its old place.

    Lone surrogates and NUL become U+FFFD, rare control white space becomes a space, and
    full-width or mathematical letters become the plain ones they are read as. Words that are
    spelt to evade filters are made plain.
    """
    return undisguised(_SUSPECT.sub(_substitute, text))


def _substitute(match: re.Match[str]) -> str:
    character = match[0]
    if character == "\0" or "\ud800" <= character <= "\udfff":
        return "\ufffd"
    if _SPACES.match(character):
        return " "
    plain = unicodedata.normalize("NFKC", character)
    return plain if len(plain) == 1 else character
