"""How much of a stream is checked at once, and with how much context, before release. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from guard.text import settled_end, shown_length, shown_lengths

LONGEST_HELD_CHARACTERS = 1000
"""A longer sentence is checked in pieces, so that a stream without stops still flows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """The end of a growing reply: stretches that were checked, then text that waits.

    window_characters: how much text the model reads at once, which is how far back the check of a
    sentence looks. context: checked stretches of whole sentences, oldest first, as many as can
    matter. pending: text that nobody has checked. begins: the context begins with the reply.
    """

    window_characters: int
    context: tuple[str, ...] = ()
    pending: str = ""
    begins: bool = True

    def grown(self, piece: str) -> Held:
        """With `piece` added to what waits."""
        return replace(self, pending=self.pending + piece)

    def ready(self) -> int:
        """How many pending characters may be checked now; 0 while no sentence has ended.

        They are whole sentences that later text cannot change or, where none ends in the longest
        stretch that is held, whole words.
        """
        end = settled_end(self.pending, 0)
        if end > 0 or shown_length(self.pending) <= LONGEST_HELD_CHARACTERS:
            return end
        space = self.pending.rfind(" ")
        return space if space > 0 else len(self.pending)

    def window(self, count: int) -> str:
        """The text to score for the first `count` pending characters: earlier text, then they."""
        return "".join([*self._read_again(count), self.pending[:count]])

    def settled(self, count: int) -> int:
        """How many characters of `window(count)` were judged before with what stands around them.

        What was checked last had nothing after it yet, and is judged again with what follows, as
        far as the window still has what came before it.
        """
        stretches = self._read_again(count)
        whole = len(stretches) > 1 or (self.begins and stretches == self.context)
        return sum(map(len, stretches[:-1] if whole else stretches))

    def checked(self, count: int, said: str | None = None) -> Held:
        """With the first `count` pending characters turned into context.

        said: what the caller got in their place, where that is something else.
        """
        stretches = (*self.context, self.pending[:count] if said is None else said)
        context = _latest(stretches, self.window_characters)
        begins = self.begins and context == stretches
        return replace(self, context=context, pending=self.pending[count:], begins=begins)

    def _read_again(self, count: int) -> tuple[str, ...]:
        """The stretches that are read before the first `count` pending characters."""
        return _latest(self.context, self.window_characters, self.pending[:count])


def _latest(stretches: tuple[str, ...], room: int, following: str = "") -> tuple[str, ...]:
    """As many of the last stretches as fit into `room` characters, together with what follows."""
    *lengths, taken = shown_lengths((*stretches, following))
    for index in range(len(stretches) - 1, -1, -1):
        taken += lengths[index]
        if taken > room:
            return stretches[index + 1 :]
    return stretches
