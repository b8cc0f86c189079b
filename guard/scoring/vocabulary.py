"""From text to what the model reads: tokens in windows, with their place in the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import cast

from tokenizers import Tokenizer

from guard.errors import ModelError
from guard.records import Span, Unscored
from guard.scoring.known_encoder import KnownEncoder
from guard.scoring.visible_encoder import VisibleEncoder, drops_nothing
from guard.scoring.word_encoder import Encode, Encoding, WordEncoder, takes_words_apart
from guard.text import clean, segments, windows

_SEGMENT_CHARACTERS = 1024  # tokenizing holds the interpreter lock: up to a millisecond


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenWindow:
    """What the model reads at once: token ids without special ones, and their range of text.

    unread: why the model cannot be trusted about it, None where it can. Without ids it is only
    noted and not read. has_unknown: some of its words are none of the model's. They are left out of
    `ids`: a classifier hears what stands behind one as something else than it is.
    """

    span: Span
    ids: Sequence[int]
    unread: Unscored | None = None
    has_unknown: bool = False

    def moved(self, by: int) -> TokenWindow:
        """The same in a text in which its own text begins at character `by`."""
        return replace(self, span=self.span.moved(by))


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """A model's tokenizer.

    before, after: special token ids around every window. padding: the id that fills up rows.
    size: tokens a window has room for beside the special ones. overlap: tokens shared by
    neighbouring windows. unknown: the id of words that it does not have; None where it has all.
    """

    encode: Encode
    before: tuple[int, ...]
    after: tuple[int, ...]
    padding: int
    size: int
    overlap: int
    unknown: int | None = None

    def unknown_letters(self, text: str) -> int:
        """How many letters of `text` are in words that the model only knows as unknown. Signs and
        emoji, which are none, say little."""
        found = 0
        for piece in segments(text, size=_SEGMENT_CHARACTERS):
            part = text[piece.start : piece.end]
            encoding = self.encode(clean(part))
            for token, (start, end) in zip(encoding.ids, encoding.offsets, strict=True):
                if token == self.unknown:
                    found += sum(map(str.isalpha, part[start:end]))
        return found

    def windows(self, text: str) -> Iterator[TokenWindow]:
        """Windows that together cover `text`, made one by one as they are asked for.

        Nothing for a text without tokens. The first begins at 0, the last ends at its length.
        """
        pieces = segments(text, size=_SEGMENT_CHARACTERS)
        strip = _Strip(size=self.size, overlap=self.overlap)
        for piece in pieces:
            encoding = self.encode(clean(text[piece.start : piece.end]))
            is_whole = piece.end - piece.start == len(text)
            if is_whole and 0 < len(ids := encoding.ids) <= self.size:
                whole = TokenWindow(span=Span(start=0, end=len(text)), ids=ids)
                yield self._without_unknown(whole)
                return
            strip.extend(encoding, piece.start)
            yield from map(self._without_unknown, strip.shed())
        yield from map(self._without_unknown, strip.finish(len(text)))

    def _without_unknown(self, window: TokenWindow) -> TokenWindow:
        if self.unknown not in window.ids:
            return window
        known = [token for token in window.ids if token != self.unknown]
        return replace(window, ids=known, has_unknown=True)


@dataclass(slots=True, kw_only=True)
class _Strip:
    """The tokens of a text from the start of the next window on."""

    size: int
    overlap: int
    ids: list[int] = field(default_factory=list)
    offsets: list[tuple[int, int]] = field(default_factory=list)
    words: list[int] = field(default_factory=list)
    next_word: int = 0
    begun: bool = False

    def extend(self, encoding: Encoding, at: int) -> None:
        words = cast("list[int]", encoding.word_ids)  # only special tokens are part of no word
        base = self.next_word
        self.ids += encoding.ids
        self.offsets += [(at + start, at + end) for start, end in encoding.offsets]
        self.words += [base + word for word in words]
        self.next_word = base + 1 + (words[-1] if words else 0)

    def shed(self) -> list[TokenWindow]:
        """The windows that no later token changes; what only they needed is let go."""
        *settled, last = self._ranges() or [range(0)]
        made = [self._window(each, self.offsets[each.stop - 1][1]) for each in settled]
        if made:
            self._forget(last.start)
        return made

    def finish(self, length: int) -> list[TokenWindow]:
        """What is left when the text of this length has ended."""
        return [self._window(each, length) for each in self._ranges()]

    def _ranges(self) -> list[range]:
        return windows(self.words, size=self.size, overlap=self.overlap)

    def _window(self, tokens: range, end: int) -> TokenWindow:
        start = self.offsets[tokens.start][0] if self.begun else 0
        self.begun = True
        ids = self.ids[tokens.start : tokens.stop]
        return TokenWindow(span=Span(start=start, end=end), ids=ids)

    def _forget(self, count: int) -> None:
        del self.ids[:count], self.offsets[:count], self.words[:count]


def open_vocabulary(tokenizer: bytes, *, window: int, overlap: int, name: str) -> Vocabulary:
    """The vocabulary in a `tokenizer.json`. window: tokens in all, special ones included.

    Raises ModelError when the file `name` cannot be used.
    """
    try:
        loaded, padding = _loaded(tokenizer)
    except Exception as error:  # the library raises plain exceptions
        raise ModelError(f"{name}: not a tokenizer that can be read: {error}") from error
    before, after = _frame(loaded)
    unknown = _first_known(loaded, "[UNK]", "<unk>")
    encode = _encoder(loaded)
    return Vocabulary(
        encode=encode if unknown is None else KnownEncoder(encode, unknown),
        before=before,
        after=after,
        padding=padding,
        size=window - len(before) - len(after),
        overlap=overlap,
        unknown=unknown,
    )


@lru_cache(maxsize=1)
def _loaded(tokenizer: bytes) -> tuple[Tokenizer, int]:
    """The tokenizer in a file, and the id that fills up rows. The shipped models share one, which
    takes as long to read as a session to open."""
    loaded = Tokenizer.from_buffer(tokenizer)
    padding = padding_id(loaded)
    loaded.no_truncation()
    loaded.no_padding()
    loaded.encode_special_tokens = True  # "[SEP]" in a text is text
    return loaded, padding


def padding_id(tokenizer: Tokenizer) -> int:
    """The id that fills up rows: the one its file names, else that of a word for it."""
    if tokenizer.padding is not None:
        return int(tokenizer.padding["pad_id"])
    return _first_known(tokenizer, "[PAD]", "<pad>") or 0


def _first_known(tokenizer: Tokenizer, *words: str) -> int | None:
    """The id of the first of these words that the tokenizer has."""
    found = map(tokenizer.token_to_id, words)
    return next((place for place in found if place is not None), None)


def _encoder(tokenizer: Tokenizer) -> Encode:
    encode: Encode = partial(tokenizer.encode, add_special_tokens=False)
    if takes_words_apart(tokenizer):
        return WordEncoder(encode)
    return encode if drops_nothing(tokenizer) else VisibleEncoder(encode)


def _frame(tokenizer: Tokenizer) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The special tokens before and after a text: those of the empty text, halved."""
    ids = tuple(tokenizer.encode("").ids)
    middle = (len(ids) + 1) // 2
    return ids[:middle], ids[middle:]
