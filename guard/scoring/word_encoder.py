"""Tokens of a text from those of its words, remembered from the last time they were met.

A tokenizer takes about 1.7 microseconds a token and holds the interpreter lock all the while; to
look a word up takes a tenth of that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from operator import attrgetter
from typing import Protocol, cast

from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

_WORD = re.compile(r"[^\s!-/:-@\[-`{-~]+|[!-/:-@\[-`{-~]")
"""What lies between white space and ASCII punctuation, and each mark of the latter: BERT's words,
or several of them where other marks lie between."""
_WORDS_KEPT = 16_384  # some 8 MB where all are used
_LONGEST_KEPT = 32  # characters: words that somebody made up to fill the memory are long

_ids = attrgetter("ids")


class Encoding(Protocol):
    """A piece of text as tokens, special ones left out; `tokenizers.Encoding` is one.

    offsets: first character of each token and the one after its last. word_ids: for each token a
    number that is the same for the tokens of one word; they count up from 0.
    """

    @property
    def ids(self) -> Sequence[int]: ...
    @property
    def offsets(self) -> Sequence[tuple[int, int]]: ...
    @property
    def word_ids(self) -> Sequence[int | None]: ...


Encode = Callable[[str], Encoding]


@dataclass(frozen=True, slots=True)
class _Word:
    """A word on its own."""

    ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]
    word_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _JoinedWords:
    """The tokens of `words`, which are those of `text`; an `Encoding`."""

    text: str
    words: Sequence[_Word]

    @property
    def ids(self) -> list[int]:
        return list(chain.from_iterable(map(_ids, self.words)))

    @property
    def offsets(self) -> list[tuple[int, int]]:
        starts = (found.start() for found in _WORD.finditer(self.text))
        return [
            (at + start, at + end)
            for at, word in zip(starts, self.words, strict=True)
            for start, end in word.offsets
        ]

    @property
    def word_ids(self) -> list[int]:
        found, base = list[int](), 0
        for word in self.words:
            found += [base + number for number in word.word_ids]
            base = found[-1] + 1 if found else 0
        return found


class WordEncoder:
    """Gives the encodings that `encode` gives, if its tokenizer `takes_words_apart`."""

    def __init__(self, encode: Encode) -> None:
        self._encode = encode
        self._kept = lru_cache(_WORDS_KEPT)(self._read)

    def __call__(self, text: str) -> Encoding:
        kept, read = self._kept, self._read
        words = _WORD.findall(text)
        return _JoinedWords(text, [(kept if len(w) <= _LONGEST_KEPT else read)(w) for w in words])

    def _read(self, word: str) -> _Word:
        found = self._encode(word)
        word_ids = cast("Sequence[int]", found.word_ids)  # only special tokens are part of no word
        return _Word(tuple(found.ids), tuple(found.offsets), tuple(word_ids))


def takes_words_apart(tokenizer: Tokenizer) -> bool:
    """Whether the tokens of a word never depend on what stands around it: BERT's way, where every
    special token is read as text."""
    return (
        isinstance(tokenizer.normalizer, BertNormalizer)
        and isinstance(tokenizer.pre_tokenizer, BertPreTokenizer)
        and isinstance(tokenizer.model, WordPiece)
        and tokenizer.encode_special_tokens
        and all(added.special for added in tokenizer.get_added_tokens_decoder().values())
    )
