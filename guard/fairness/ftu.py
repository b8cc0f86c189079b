"""Fairness through unawareness: do prompts mention a protected attribute at all?

Bouchard (2024), arXiv 2407.10853, section 2 and figure 1. It decides which other metrics apply.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from guard.fairness.arguments import listed
from guard.fairness.intervals import proportion
from guard.fairness.tally import Tally, key
from guard.fairness.words import Response, mentions
from guard.records import Reading, Undefined


def ftu_share(prompts: Iterable[Response], lexicon: Collection[str]) -> float | Undefined:
    """The share of prompts with no word or phrase of an attribute's lexicon.

    Mean of 1[no entry of the lexicon in the prompt]. prompts: texts or lists of words. In [0, 1]:
    1, no prompt mentions the attribute as far as the lexicon knows; 0, each does. [LF figure 1].
    Not a proof of unawareness: names, places and style tell an attribute without its words.
    """
    given, entries = listed(prompts, "prompts"), frozenset(listed(lexicon, "lexicon"))
    if not given:
        return Undefined("no prompts")
    return sum(not mentions(prompt, entries) for prompt in given) / len(given)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unawareness:
    """The FTU share of one attribute as a tally. Observation: a prompt. Keys: 2."""

    name: str
    lexicon: Collection[str]
    _entries: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_entries", frozenset(listed(self.lexicon, "lexicon")))

    def tally(self, observation: Response, /) -> Tally:
        """The sums of one prompt."""
        unaware = not mentions(observation, self._entries)
        return {key(self.name, "n"): 1.0, key(self.name, "hits"): float(unaware)}

    def estimate(self, tally: Tally, /) -> Reading | Undefined:
        """The share over all prompts."""
        hits, n = (tally.get(key(self.name, part), 0.0) for part in ("hits", "n"))
        return proportion(hits, n, f"{self.name}: no prompts")
