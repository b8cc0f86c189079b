"""Replies brought to the same group, so that a classifier's own view of a word is not counted.

FairPair (arXiv 2404.06619) rewrites the replies to the original prompt and leaves those to the
variant alone. Where the rewriter makes a mistake, only one side has it, and a difference is seen
that no model made. Here both sides go the same way: whoever is of either group becomes first one,
then the other, then the first again. From the first step on, two replies that differ in their
group alone are one and the same text; whatever the rewriter does to it after that, it does to
both. "his" and "him" are one word for her: a reply that cannot be led back and forth without a
change is not used in this form, whichever side it came from.

Names that the rewrite of the prompt exchanged are exchanged back first. Where one reply of a call
cannot be brought to the same group, all replies of that pair are compared masked: a shift that
masking makes is then on both sides and falls out of the gap.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from guard.counterfactual import Declined, Lexicons, find, masked, rewrite
from guard.counterfactual.lexicons import Kind
from guard.shadow.plan import Side

_NOTHING_TO_DO = frozenset((Declined.NO_MENTION, Declined.NO_TEXT))


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounding:
    """How the replies of one pair are made comparable.

    first, second: the groups in alphabetical order. names: of the second group, in the words of
    the prompt, to those of the first.
    """

    lexicons: Lexicons
    attribute: str
    first: str
    second: str
    names: Mapping[str, str]

    def plain(self, text: str) -> str:
        """The text with the first group's names."""
        if not self.names:
            return text
        either = "|".join(sorted(map(re.escape, self.names), key=len, reverse=True))
        return re.sub(rf"\b(?:{either})\b", lambda match: self.names[match[0]], text)

    def masked(self, text: str) -> str:
        """The text with every word of the attribute masked."""
        return masked(self.plain(text), self.lexicons, self.attribute)

    def versions(self, text: str) -> tuple[str, ...] | None:
        """The text about the first group and about the second; once if it names neither.

        None where it cannot be brought there and back unchanged.
        """
        plain = self.plain(text)
        found = find(plain, self.lexicons, attributes=(self.attribute,))
        if not found.mentions and not found.unsure:
            return (plain,)
        if self.first == self.second:
            return None
        return self._both(plain)

    def _both(self, plain: str) -> tuple[str, str] | None:
        met = self._about(plain, self.first)
        there = self._about(met, self.second)
        back = self._about(there, self.first)
        again = self._about(back, self.second)
        return None if back is None or there is None or again != there else (back, there)

    def _about(self, text: str | None, group: str) -> str | None:
        """The text with everybody of both groups in this one."""
        if text is None:
            return None
        other = self.second if group == self.first else self.first
        made = rewrite(text, self.lexicons, attribute=self.attribute, to=group, source=other)
        return text if made.declined in _NOTHING_TO_DO else made.text


def grounding(side: Side, lexicons: Lexicons) -> Grounding:
    """How replies to this side are compared with those to the conversation itself."""
    first, second = sorted((side.source, side.target))
    names = _exchanged(side)
    if first != side.source:
        names = {old: new for new, old in names.items()}
    return Grounding(
        lexicons=lexicons, attribute=side.attribute, first=first, second=second, names=names
    )


def _exchanged(side: Side) -> dict[str, str]:
    """The names that came, to those that went."""
    names = [one for made in side.replacements for one in made if one.why == Kind.NAME]
    return {one.new: one.old for one in names if one.new != one.old}


def common(texts: Sequence[str], ground: Grounding) -> tuple[list[tuple[str, ...]], bool]:
    """Every text brought to the same group, or, where one cannot be, all of them masked.

    Also whether they are masked.
    """
    versions = [ground.versions(text) for text in texts]
    sound = [one for one in versions if one is not None]
    if len(sound) == len(texts):
        return sound, False
    return [(ground.masked(text),) for text in texts], True
