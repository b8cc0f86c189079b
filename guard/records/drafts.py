"""What is known of a call of which more may come, so that it outlives its process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from zlib import crc32

from guard.records.stored import Case, Job, Posting

Stream = tuple[str, str]
"""A use case, and the id of the call at the proxy that asks."""

Mark = tuple[int, int]
"""How long a text was, and a checksum of how it ended."""

MARKED_TEXTS = 16
MARKED_CHARACTERS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What is recorded of a call unless more comes of it.

    id: of the call. stream: which reply it is a part of. marks: of the texts so far. replaces: id
    of the draft that counts for nothing from now on; empty for none.
    """

    id: str
    stream: Stream
    marks: tuple[Mark, ...]
    replaces: str = ""
    records: tuple[Job | Posting | Case, ...] = field(default=(), repr=False)

    def goes_on_in(self, texts: Sequence[str]) -> bool:
        """Whether `texts` are, as far as can be told, those of the draft with more at their ends.

        Not compared in full: a draft holds no text for this alone.
        """
        pairs = zip(texts, self.marks, strict=False)
        return len(texts) >= len(self.marks) and all(
            len(text) >= length and _mark(text, length) == (length, checksum)
            for text, (length, checksum) in pairs
        )


def marks_of(texts: Sequence[str]) -> tuple[Mark, ...]:
    """The marks of the first texts: enough to tell another reply from one that goes on."""
    return tuple(_mark(text, len(text)) for text in texts[:MARKED_TEXTS])


def _mark(text: str, length: int) -> Mark:
    end = text[max(length - MARKED_CHARACTERS, 0) : length]
    return length, crc32(end.encode("utf-8", "surrogatepass"))
