"""Texts of a reply, which may be bytes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from guard.flow import Codec, Piece

_BYTES = (bytes, bytearray, memoryview)
_ESCAPED = "surrogateescape"
_MOST_CUT = 6
"""Bytes at both ends of a piece that are no whole character: it was cut in the middle of one."""


def is_text(piece: object) -> bool:
    """Whether it is a text, or bytes, which may be one."""
    return isinstance(piece, (str, *_BYTES))


def _read(piece: object) -> Piece:
    """Bytes that are no text in UTF-8 cannot be read, nor can what is neither."""
    if not isinstance(piece, _BYTES):
        return Piece(piece if isinstance(piece, str) else None)
    text = bytes(piece).decode("utf-8", _ESCAPED)
    cut = sum("\udc80" <= sign <= "\udcff" for sign in text)
    return Piece(None if cut > _MOST_CUT else text)


def _written(like: object, text: str) -> Any:
    """A text in the type of a piece like that."""
    return type(like)(text.encode("utf-8", _ESCAPED)) if isinstance(like, _BYTES) else text


TEXTS: Codec[Any] = Codec(read=_read, write=_written)
"""Whole replies."""
STREAMED_TEXTS = replace(TEXTS, read=lambda piece: Piece("") if piece is None else _read(piece))
"""Pieces of a stream; those that are None say nothing."""
