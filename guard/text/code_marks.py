"""The marks of code in Markdown, which displays do not show and classifiers take for quotation
marks: prose between two pieces of code is not quoted."""

from __future__ import annotations

import re

_FENCES = re.compile(r"(?<!\w)`{2,}+(?!`)|(?<=\w)`{2,}+(?!\w)")
_PIECE = re.compile(r"(?<![^\s(\[*_>|—–-])`([^`\n]{1,200}+)`(?![^\s.,;:!?)\]*_|—–-])")
_LINE = re.compile(r"[^\n]+")
_BEGINS = re.compile(r"[ \t>]{0,8}+(?:(?:[-*+]|\d{1,3}[.)])[ \t]{1,4})?+`")
_WORD = re.compile(r"[^\W\d_]+")
_SPEAKS = re.compile(r"\b(?:you|your|they|them|s?he|we|us|i|me|my)\b", re.IGNORECASE)
_MOST_WORDS = 3
"""Of a piece of code; a sentence in backticks is quoted."""


def without_code_marks(text: str) -> str:
    """`text` with blanks for the backticks of fences, and of pieces of code of a few words in lines
    that begin with one or have several; same length."""
    if "`" not in text:
        return text
    text = _FENCES.sub(lambda marks: " " * len(marks[0]), text)
    return _LINE.sub(_blank_pieces, text) if "`" in text else text


def _blank_pieces(line: re.Match[str]) -> str:
    if _BEGINS.match(line[0]) is None and len(_PIECE.findall(line[0])) < 2:
        return line[0]
    return _PIECE.sub(_blank, line[0])


def _blank(piece: re.Match[str]) -> str:
    said = len(_WORD.findall(piece[1])) > _MOST_WORDS or _SPEAKS.search(piece[1])
    return piece[0] if said else f" {piece[1]} "
