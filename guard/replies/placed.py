"""A text of a reply and where it stands in the one that is judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from guard.replies.fields import Path, TextField
from guard.text.sentences import ends_sentence

Origin = Path | str
"""Of a text that was said before: the channel it was said in, or itself where that was in one."""
UNPLACED: Final = -1


@dataclass(slots=True, repr=False)
class Placed:
    """A text and its place. text: as it is judged. start: of it in the text of the reply.
    fixed: nothing can be written back. repeats: where it was said before; then it has no place of
    its own. again: the same text where it is judged once more, in another order."""

    field: TextField
    text: str
    fixed: bool
    start: int = UNPLACED
    repeats: Origin | None = None
    again: tuple[Placed, ...] = ()

    @property
    def origin(self) -> Origin:
        """How others repeat it."""
        return self.text if self.field.whole else self.field.channel

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def starts(self) -> tuple[int, ...]:
        """Of each of its places."""
        places = (self.start, *(one.start for one in self.again))
        return tuple(start for start in places if start != UNPLACED)

    def may_pass(self, end: int) -> bool:
        """Whether it can be released with the judged text before `end`."""
        if self.repeats is None:
            placed = self.start != UNPLACED
            if not placed or self.start + len(self.text.rstrip()) > end:
                return False
        return not self.again or all(one.may_pass(end) for one in self.again)


def is_open(text: str, *, was: bool) -> bool:
    """Whether `text` ends inside a sentence. was: whether the text before it did."""
    end = text.rstrip()
    if "\n" in text[len(end) :]:
        return False
    return not ends_sentence(end) if end else was
