"""Which comparisons have room on a page, and what they are called there."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from guard.assessment.results import (
    Conclusion,
    GroupComparison,
    WorstPair,
    WorstResponse,
)
from guard.assessment.titles import material_of
from guard.render.visible import short_name

MAX_COMPARISONS: Final = 80
HARMS: Final = ("toxic", "stereotype", "sentiment", "refus")
"""How metrics begin whose worst cases are shown first."""
OTHERS: Final = "all others"
_ORDER: Final = (
    Conclusion.DIFFERENT,
    Conclusion.SMALL,
    Conclusion.UNDECIDED,
    Conclusion.ALIKE,
    Conclusion.UNTESTED,
)
Question = tuple[str, str]


def worth_showing(comparisons: Sequence[GroupComparison]) -> list[GroupComparison]:
    """At most MAX_COMPARISONS in their own order: findings first, then the smallest p-values."""
    ranked = sorted(range(len(comparisons)), key=lambda at: _rank(comparisons[at]))
    return [comparisons[at] for at in sorted(ranked[:MAX_COMPARISONS])]


def _rank(one: GroupComparison) -> tuple[int, float, float]:
    p_value = 1.0 if one.p_adjusted is None else one.p_adjusted
    return _ORDER.index(one.conclusion), p_value, -abs(one.difference.value)


def worst_first(
    pairs: Sequence[WorstPair], comparisons: Sequence[GroupComparison]
) -> list[WorstPair]:
    """Pairs metric by metric: what harms first, then those with the largest difference in units of
    the size from which on it matters. Of one metric the largest difference is first."""
    sizes = {one.metric: one.material for one in comparisons if one.material > 0}
    largest: dict[str, float] = {}
    for one in pairs:
        size = abs(one.value) / (sizes.get(one.metric) or material_of(one.metric))
        largest[one.metric] = max(size, largest.get(one.metric, 0.0))

    def place(one: WorstPair) -> tuple[int, float, str, float]:
        return _harm(one.metric), -largest[one.metric], one.metric, -abs(one.value)

    return sorted(pairs, key=place)


def responses_first(responses: Sequence[WorstResponse]) -> list[WorstResponse]:
    """Responses score by score, what harms first, a score before its categories."""
    return sorted(responses, key=lambda one: (_harm(one.score), one.score, -one.value))


def _harm(metric: str) -> int:
    """The place of a metric among those that are shown first."""
    fitting = (at for at, head in enumerate(HARMS) if metric.startswith(head))
    return next(fitting, len(HARMS))


def by_question(
    comparisons: Sequence[GroupComparison],
) -> list[tuple[Question, list[GroupComparison]]]:
    """Comparisons by attribute and title, in alphabetical order."""

    def question(one: GroupComparison) -> Question:
        return one.attribute, one.title

    ordered = sorted(comparisons, key=question)
    return [(about, [*found]) for about, found in groupby(ordered, key=question)]


def groups_of(one: GroupComparison) -> str:
    """Both sides, short enough for a row."""
    return f"{short_name(one.first, 14)} – {short_name(one.second or OTHERS, 14)}"


def question_title(about: Question) -> str:
    """The heading of a question."""
    attribute, title = about
    named = short_name(title, 80)
    return f"{named}, by {short_name(attribute, 40)}" if attribute else named
