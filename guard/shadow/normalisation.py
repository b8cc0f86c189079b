"""Normalisation: replies brought to the same group, so that a classifier's own view of a word is
not taken for the model's. Names of metrics and keys that are stored call it "grounded".

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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeAlias

from guard.counterfactual import Lexicons, Replacement, by_name, find, masked, rewrite
from guard.counterfactual.english.ages import age_in
from guard.counterfactual.lexicons.forms import Kind
from guard.counterfactual.lexicons.name_forms import NAMES
from guard.counterfactual.people import annotate, groups_of
from guard.shadow.plan import Variant

_REMEMBERED = 64
"""Texts of which the path is remembered: a pair has seldom more, and two figures ask for it."""
Steps: TypeAlias = tuple[str, str | None, str | None, str | None]


@dataclass(frozen=True, kw_only=True)
class Normalisation:
    """How the replies of one pair are made comparable.

    first, second: the groups in alphabetical order. names: of the second group, in the words of
    the prompt, to those of the first. ages: of people of both conversations, which a reply may
    repeat as bare numbers.
    """

    lexicons: Lexicons
    attribute: str
    first: str
    second: str
    names: dict[str, str]
    ages: frozenset[int] = frozenset()

    def plain(self, text: str) -> str:
        """The text with the first group's names, in small letters and capitals as they stood."""
        if not self.names:
            return text
        known = self.names | {old.upper(): new.upper() for old, new in self.names.items()}
        either = "|".join(sorted(map(re.escape, known), key=len, reverse=True))
        return re.sub(rf"\b(?:{either})\b", lambda match: known[match[0]], text)

    def masked(self, text: str) -> str:
        """The text with every word of the attribute masked, as far along the path as it goes."""
        path = [one for one in self._path(self.plain(text)) if one is not None]
        return masked(path[-1], self.lexicons, self.attribute, ages=self.ages)

    def versions(self, text: str) -> tuple[str, ...] | None:
        """The text about the first group and about the second; once if it names neither.

        None where it cannot be brought there and back unchanged, or where a mask hides more than
        a rewrite changes: letters, and records in a fence.
        """
        plain = self.plain(text)
        found = find(plain, self.lexicons, attributes=(self.attribute,))
        if not found.mentions and not found.unsure:
            return (plain,) if self.masked(text) == plain else None
        _, _, there, back = self._path(plain)
        if there is None or back is None or self._about(back, self.second) != there:
            return None
        return back, there

    @cached_property
    def _path(self) -> Callable[[str], Steps]:
        """See `_walk`."""
        return lru_cache(maxsize=_REMEMBERED)(self._walk)

    def _walk(self, plain: str) -> Steps:
        """The text, about the first group, about the second, about the first again."""
        met = self._about(plain, self.first)
        there = self._about(met, self.second)
        return plain, met, there, self._about(there, self.first)

    def _about(self, text: str | None, group: str) -> str | None:
        """The text with everybody of both groups in this one."""
        other = self.second if group == self.first else self.first
        if text is None or group == other:
            return None
        pages = annotate((text,), self.lexicons, self.attribute)
        if other not in groups_of(pages):
            return text
        made = rewrite(
            text,
            self.lexicons,
            attribute=self.attribute,
            to=group,
            source=other,
            by_name=by_name(self.attribute) in self.lexicons.attributes,
            contrasts=True,
        )
        return made.text


def normalisation(variant: Variant, lexicons: Lexicons) -> Normalisation:
    """How replies to this variant are compared with those to the conversation itself."""
    about = (variant.attribute, variant.source, variant.target, variant.replacements)
    return normalisation_between(*about, lexicons, ages=variant.ages)


def normalisation_between(
    attribute: str,
    source: str,
    target: str,
    replacements: Sequence[Sequence[Replacement]],
    lexicons: Lexicons,
    *,
    ages: frozenset[int] = frozenset(),
) -> Normalisation:
    """How replies about the target are compared with those about the source.

    replacements: what the rewrite of each turn changed. ages: of people of both conversations,
    besides those that were exchanged.
    """
    first, second = sorted((source, target))
    names = _exchanged_names(replacements)
    if first != source:
        names = {old: new for new, old in names.items()}
    return Normalisation(
        lexicons=lexicons,
        attribute=attribute,
        first=first,
        second=second,
        names=names,
        ages=ages | _exchanged_ages(replacements),
    )


def _exchanged_names(replacements: Sequence[Sequence[Replacement]]) -> dict[str, str]:
    """The names that came, to those that went."""
    names = [one for made in replacements for one in made if one.why in NAMES]
    return {one.new: one.old for one in names if one.new != one.old}


def _exchanged_ages(replacements: Sequence[Sequence[Replacement]]) -> frozenset[int]:
    """The ages that went and those that came."""
    changes = (one for made in replacements for one in made if one.why.startswith(Kind.AGE))
    years = (age_in(text.lower()) for one in changes for text in (one.old, one.new))
    return frozenset(age for age in years if age)


def normalise(texts: Sequence[str], how: Normalisation) -> tuple[list[tuple[str, ...]], bool]:
    """Every text brought to the same group, or, where one cannot be, all of them masked.

    Also whether they are masked.
    """
    versions = [how.versions(text) for text in texts]
    sound = [one for one in versions if one is not None]
    if len(sound) == len(texts):
        return sound, False
    return [(how.masked(text),) for text in texts], True
