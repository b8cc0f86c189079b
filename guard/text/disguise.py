"""Undo spelling tricks that hide a word from a filter and not from a reader.

One character for one, so that offsets stay true: what has to vanish becomes a zero-width space,
which tokenizers drop.
"""

from __future__ import annotations

import re

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


def undisguised(text: str) -> str:
    """`text` with words spelt out letter by letter, in look-alike letters or digits made plain.

    Same length. Letters of another alphabet are changed only inside words that also have Latin
    ones; digits and signs only where letters stand on both sides, and not in addresses.
    """
    if _SPELT_INSIDE.search(text):
        text = _SPELT.sub(_joined, text)
    if not text.isascii():
        text = _MIXED.sub(lambda match: match[0].translate(_LATIN_OF), text)
    if _LEET_INSIDE.search(text):
        text = _LEET_WORD.sub(_unleeted, text)
    return text


def _joined(match: re.Match[str]) -> str:
    return match[0].replace(match[1], _NOTHING)


def _unleeted(match: re.Match[str]) -> str:
    word = match[0]
    if not _LEET_INSIDE.search(word):
        return word
    core = word.rstrip("!")
    return core.translate(_LEET) + word[len(core) :]
