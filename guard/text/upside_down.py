"""Lines in letters that stand on their heads, as those read them who turn the page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from guard.records import Span
from guard.text.unigrams import english_unigrams

_TURNED: Final = "ɐqɔpǝɟƃɥᴉɾʞlɯuodbɹsʇnʌʍxʎz∀ƆƎℲפHIſ˥WNԀɹS┴∩ΛMX⅄Z¡¿˙'⅋0ƖᄅƐㄣϛ9ㄥ86"
_UPRIGHT: Final = "abcdefghijklmnopqrstuvwxyzACEFGHIJLMNPrSTUVWXYZ!?.,&0123456789"
_NAMES = str.maketrans(
    {**dict(zip(_TURNED, _UPRIGHT, strict=True)), "ı": "i", "ן": "l", "ƒ": "j", "(": ")", ")": "("}
)
_ONLY_TURNED = re.compile("[ɐɔǝɟƃɥᴉɾʞɯɹʇʌʍʎ]")
_SURELY_TURNED = re.compile("[ǝʇʞʎ]")  # phonetic writing has others of them
_FEWEST = 3
_WORD = re.compile(r"[^\W\d_]+")


def turned_upright(text: str) -> tuple[str, tuple[Span, ...]] | None:
    """`text` with its lines of turned letters upright, same length; None without any.

    They are read from their end or as they stand, whichever makes more English words. With the
    lines whose letters stand in another order than they are written in.
    """
    if text.isascii() or len(_SURELY_TURNED.findall(text)) < _FEWEST - 1:
        return None
    lines = re.finditer(r"[^\n]+", text)
    spans = [Span(start=line.start(), end=line.end()) for line in lines if _is_turned(line[0])]
    if not spans:
        return None
    forwards, backwards = (_upright(text, spans, step) for step in (1, -1))
    if _cost(forwards, spans) < _cost(backwards, spans):
        return forwards, ()
    return backwards, tuple(spans)


def _upright(text: str, spans: Sequence[Span], step: int) -> str:
    parts, done = list[str](), 0
    for span in spans:
        parts += [text[done : span.start], text[span.start : span.end].translate(_NAMES)[::step]]
        done = span.end
    return "".join([*parts, text[done:]])


def _cost(text: str, spans: Sequence[Span]) -> float:
    words = (word for span in spans for word in _WORD.findall(text, span.start, span.end))
    return english_unigrams().cost(map(str.lower, words))


def _is_turned(line: str) -> bool:
    return len(set(_ONLY_TURNED.findall(line))) >= _FEWEST
