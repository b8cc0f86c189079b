"""Texts as a person should see them: nothing invisible, and no longer than there is room for."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_JOINING_SCRIPTS: Final = "\u0600-\u06ff\u0900-\u0dff"  # where joiners change how letters connect
_EMOJI: Final = "#*0-9\u00a9\u00ae\u2000-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_INVISIBLE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e"
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb"
    "\ufffe\uffff\U000e0000-\U000e0fff\ud800-\udfff]"
    f"|(?<![{_JOINING_SCRIPTS}{_EMOJI}\ufe0f])[\u200c\u200d]|(?<![{_EMOJI}])\ufe0f"
)
_LINE_ENDS: Final = re.compile("\r\n?")
_SPACE: Final = re.compile(r"\s+")


def visible_text(text: str) -> str:
    """The text with its invisible characters written out as [U+XXXX].

    These are control characters, direction marks, characters without width, noncharacters and lone
    surrogates: what a person sees is all there is. The result can stand in HTML and XML.
    """
    return _INVISIBLE.sub(lambda found: f"[U+{ord(found[0]):04X}]", _LINE_ENDS.sub("\n", text))


def short_name(text: str, width: int) -> str:
    """One visible line of at most `width` columns, and an ellipsis where something is left out.

    Wide characters (of Chinese, Japanese, Korean) are two columns; at most twice `width`
    characters stay, whatever their widths.
    """
    line = visible_text(_SPACE.sub(" ", text[: 4 * width]).strip())
    if len(text) <= 4 * width and _fitting(line, width) == len(line):
        return line
    return f"{line[: _fitting(line, width - 1)]}…"


def _fitting(line: str, width: int) -> int:
    """How many of its first characters have room in so many columns."""
    used = 0
    for number, character in enumerate(line[: 2 * width]):
        used += _columns(character)
        if used > width:
            return number
    return min(len(line), 2 * width)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
