"""Replace what tokenizers trip over and what hides words, one character for one.

So offsets stay true. What has to vanish becomes a zero-width space, which tokenizers drop.
"""

from __future__ import annotations

import re
import unicodedata

_GLUE = "\x0b\x0c\x1c-\x1f\x85"  # white space that BERT drops, gluing the words on either side
_LOOKALIKE = "\uff01-\uff5e\U0001d400-\U0001d7ff"  # full-width and mathematical letters
_SUSPECT = re.compile(f"[\0{_GLUE}\ud800-\udfff{_LOOKALIKE}]")
_SPACES = re.compile(f"[{_GLUE}]")

_NOTHING = "\u200b"

_SPELT_INSIDE = re.compile(r"([ .*_/-])\w\1\w\1")
_SPELT = re.compile(r"(?<![\w'’])[^\W\d_]([ .*_/-])[^\W\d_](?:\1[^\W\d_]){2,}(?![\w'’])")

_FOREIGN = "асеоріхуѕјАВСЕНКМОРТХІЅЈαονυιρΑΒΕΗΙΚΜΝΟΡΤΧ"
_LATIN_OF = str.maketrans(_FOREIGN, "aceopixysjABCEHKMOPTXISJaovuipABEHIKMNOPTX")
_MIXED = re.compile(
    rf"(?<![A-Za-z{_FOREIGN}])[A-Za-z{_FOREIGN}]*(?:[A-Za-z][{_FOREIGN}]|[{_FOREIGN}][A-Za-z])[A-Za-z{_FOREIGN}]*"
)

_LEET = str.maketrans("013457@$!", "oieastasi")
_LEET_INSIDE = re.compile(r"[A-Za-z][013457@$!]+[A-Za-z]")
_LEET_WORD = re.compile(r"(?<![\w@$./])[A-Za-z013457@$!]{4,}(?![\w@$]|\.\w)")


def clean(text: str) -> str:
    """`text` as a tokenizer can read it; same length, every character at its old place.

    Lone surrogates and NUL become U+FFFD, rare control white space becomes a space, and
    full-width or mathematical letters become the plain ones they are read as. Words that are
    spelt to evade filters are made plain.
    """
    return undisguise(_SUSPECT.sub(_substitute, text))


def _substitute(match: re.Match[str]) -> str:
    character = match[0]
    if character == "\0" or "\ud800" <= character <= "\udfff":
        return "\ufffd"
    if _SPACES.match(character):
        return " "
    plain = unicodedata.normalize("NFKC", character)
    return plain if len(plain) == 1 else character


def undisguise(text: str) -> str:
    """`text` with words spelt out letter by letter, in look-alike letters or digits made plain.

    Same length. Letters of another alphabet are changed only inside words that also have Latin
    ones; digits and signs only where letters stand on both sides, and not in addresses.
    """
    if _SPELT_INSIDE.search(text):
        text = _SPELT.sub(_join, text)
    if not text.isascii():
        text = _MIXED.sub(lambda match: match[0].translate(_LATIN_OF), text)
    if _LEET_INSIDE.search(text):
        text = _LEET_WORD.sub(_replace_leet, text)
    return text


def _join(match: re.Match[str]) -> str:
    return match[0].replace(match[1], _NOTHING)


def _replace_leet(match: re.Match[str]) -> str:
    word = match[0]
    if not _LEET_INSIDE.search(word):
        return word
    core = word.rstrip("!")
    return core.translate(_LEET) + word[len(core) :]
