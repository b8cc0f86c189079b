"""Masks of a pair for reviewers: each person has one number, in both conversations and replies."""

from __future__ import annotations

from dataclasses import dataclass

from guard.counterfactual import Lexicons, PersonMasks, person_masks
from guard.shadow.comparison import ComparedPair
from guard.shadow.normalisation import Normalisation, normalisation_between


@dataclass(frozen=True, slots=True, kw_only=True)
class PairMasks:
    """How the texts of one pair are masked."""

    how: Normalisation
    people: PersonMasks

    def masked(self, text: str) -> str:
        """The text with the first group's names, each person masked by a number."""
        return self.people.masked(self.how.plain(text))


def pair_masks(pair: ComparedPair, lexicons: Lexicons) -> PairMasks:
    """The masks of this pair. People are numbered as the first group's conversation names them."""
    about = pair.replies
    target = about.second if about.source == about.first else about.first
    compared = (about.attribute, about.source, target, pair.replacements)
    how = normalisation_between(*compared, lexicons)
    conversation = [how.plain(turn.content) for turn in pair.first_turns]
    replies = [how.plain(one.text) for side in about.sides for one in side]
    groups = (about.first, about.second)
    people = person_masks(conversation, replies, lexicons, about.attribute, groups, ages=how.ages)
    return PairMasks(how=how, people=people)
