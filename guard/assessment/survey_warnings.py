"""What of the input is not compared, or not as it ought to be, in words."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from difflib import get_close_matches
from itertools import islice

from guard.assessment.results import BadRow
from guard.assessment.survey import Survey
from guard.assessment.units import UNNAMED
from guard.counterfactual import Lexicons
from guard.shadow.options import NEUTRAL

_MOST_NAMES = 8
_ALIKE = 0.9
"""Of names, from which on one may be a slip of the other."""


def survey_warnings(survey: Survey, lexicons: Lexicons, heads: Collection[str]) -> Iterator[str]:
    """A sentence for each thing that whoever made the rows ought to know.

    heads: the scores that the classifier makes.
    """
    if survey.bad_rows:
        yield bad_rows_line(survey.rows, survey.bad_rows, survey.shown)
    if survey.apart is not None:
        yield (
            f"{survey.rows_apart} rows have a `pair` that stands elsewhere as well, and were not"
            f" compared with those; the first: {survey.apart.place}: {survey.apart.problem}"
        )
    if survey.repeated is not None:
        yield (
            f"{survey.rows_repeated} rows came before, word for word, and count once more, so that"
            " intervals are too narrow; take them out. The first:"
            f" {survey.repeated.place}: {survey.repeated.problem}"
        )
    if survey.single_sided and survey.apart is None:
        yield (
            f"{survey.single_sided} values of `pair` have rows of one group only and were not"
            " compared"
        )
    for score in sorted(survey.scores - set(heads)):
        for meant in get_close_matches(score, heads, n=1, cutoff=_ALIKE):
            yield (
                f"`scores` of rows have {score!r}, which the classifier does not make; did you mean"
                f" {meant!r}?"
            )
    for attribute, rows in sorted(survey.left_out.items()):
        yield _left_out(attribute, rows)
    for attribute, groups in sorted(survey.pair_groups.items()):
        yield from _unmasked(attribute, groups, lexicons)


def _left_out(attribute: str, rows: int) -> str:
    if attribute == UNNAMED:
        return (
            f"{rows} rows do not say in `attribute` what their group is of, and were not compared,"
            " since attributes were asked for (--attributes)"
        )
    return (
        f"{rows} rows are about {attribute}, which is not among the attributes that were asked"
        " for (--attributes), and their groups were not compared"
    )


def bad_rows_line(rows: int, bad: int, shown: Sequence[BadRow]) -> str:
    """How many rows could not be used, and what is wrong with the first. shown: at least one."""
    first = shown[0]
    return f"{bad} of {rows} rows could not be used; the first: {first.place}: {first.problem}"


def _unmasked(attribute: str, groups: Collection[str], lexicons: Lexicons) -> Iterator[str]:
    known = lexicons.attributes.get(attribute)
    if known is None:
        there = ", ".join(sorted(lexicons.attributes))
        yield (
            f"{attribute}: no words of the groups {_some(groups)} could be masked before replies"
            f" were compared, since no word list has them; there are lists for {there}"
        )
    elif unknown := set(groups) - set(known):
        there = ", ".join(sorted(set(known) - {NEUTRAL}))
        yield (
            f"{attribute}: no words of the groups {_some(unknown)} could be masked or replaced"
            f" before scores were compared, since the word list does not name them; the groups"
            f" known of {attribute} are {there}"
        )


def _some(names: Collection[str]) -> str:
    shown = ", ".join(repr(one) for one in islice(sorted(names), _MOST_NAMES))
    return shown + (", ..." if len(names) > _MOST_NAMES else "")
