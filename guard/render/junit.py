"""An assessment as JUnit XML, for what collects the results of tests.

A comparison of groups is a test case: failed where a difference that matters was found, skipped
where the data are too few to say, so that nobody takes it for passed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from guard.assessment.results import AssessmentResults, Conclusion, GroupComparison
from guard.render.markup import Markup, element
from guard.render.missing import without_values
from guard.render.numbers import format_reading
from guard.render.ranking import OTHERS
from guard.render.visible import short_name

NAME_COLUMNS: Final = 200
TEXT_COLUMNS: Final = 1000
SKIPPED: Final = frozenset((Conclusion.UNDECIDED, Conclusion.UNTESTED))


def results_junit(results: AssessmentResults) -> str:
    """The XML document, one suite with a case per comparison and per metric without a value."""
    left = [*_not_assessed(results)]
    cases = [*(_comparison(one) for one in results.comparisons), *left]
    suite = element(
        "testsuite",
        *cases,
        name=_name(results.use_case),
        tests=str(len(cases)),
        failures=str(sum(one.conclusion is Conclusion.DIFFERENT for one in results.comparisons)),
        errors="0",
        skipped=str(len(left) + sum(map(_is_skipped, results.comparisons))),
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{element("testsuites", suite).text}\n'


def _is_skipped(one: GroupComparison) -> bool:
    return one.conclusion in SKIPPED


def _comparison(one: GroupComparison) -> Markup:
    said = short_name(one.sentence or format_reading(one.difference), TEXT_COLUMNS)
    if one.conclusion is Conclusion.DIFFERENT:
        outcome = element("failure", said, message=said, type="difference")
    elif _is_skipped(one):
        outcome = element("skipped", message=said)
    else:
        outcome = element("system-out", said)
    about = _name(f"{one.title}: {one.first} – {one.second or OTHERS}")
    return element("testcase", outcome, name=about, classname=_name(one.attribute))


def _not_assessed(results: AssessmentResults) -> Iterator[Markup]:
    for one in without_values(results):
        skipped = element("skipped", message=short_name(one.reason, TEXT_COLUMNS))
        yield element("testcase", skipped, name=_name(one.title), classname="not assessed")


def _name(text: str) -> str:
    return short_name(text, NAME_COLUMNS)
