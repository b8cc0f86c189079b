"""Tokens of a text without the characters that stand for nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tokenizers import Tokenizer

from guard.scoring.word_encoder import Encode, Encoding
from guard.text.escapes import NOTHING


@dataclass(frozen=True, slots=True)
class _PlacedEncoding:
    """An `Encoding` whose offsets are those of another text."""

    ids: Sequence[int]
    offsets: Sequence[tuple[int, int]]
    word_ids: Sequence[int | None]


@dataclass(frozen=True, slots=True)
class VisibleEncoder:
    """Gives the encoding of a text as if zero-width spaces were not in it, at its own offsets.

    WordPiece as BERT has it drops them by itself; byte-level BPE and Unigram make tokens of them,
    and so would read a word that was spelt out as anything but that word.
    """

    encode: Encode

    def __call__(self, text: str) -> Encoding:
        """`text` as tokens."""
        if NOTHING not in text:
            return self.encode(text)
        places = [at for at, character in enumerate(text) if character != NOTHING]
        found = self.encode(text.replace(NOTHING, ""))
        ends = [0, *(place + 1 for place in places)]
        starts = [*places, len(text)]
        offsets = [(starts[start], max(starts[start], ends[end])) for start, end in found.offsets]
        return _PlacedEncoding(found.ids, offsets, found.word_ids)


def drops_nothing(tokenizer: Tokenizer) -> bool:
    """Whether a tokenizer reads a word with a zero-width space in it as the word without it."""
    return tokenizer.encode(f"a{NOTHING}b").ids == tokenizer.encode("ab").ids
