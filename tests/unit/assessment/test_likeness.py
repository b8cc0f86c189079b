"""How alike replies about two groups are, and what it is read beside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from zlib import crc32

import pytest

from guard.assessment.findings import WITHOUT_CONTROL
from guard.assessment.results import AssessmentResults, Provenance
from guard.render.markdown import results_markdown
from guard.render.report_page import report_page
from tests.unit.assessment.assessments import assessed, assessment, rows_of, value_of

OF_SCORES = ("sentiment_gap", "scsp", "wcsp")
LIKENESSES = ("crouge_l", "cbleu", "ccs")


def embedded(texts: Sequence[str]) -> list[list[float]]:
    """Vectors that are the same for the same text."""
    return [[1.0, float(crc32(text.encode()) % 97)] for text in texts]


def about_clerks(*said: str, **more: object) -> AssessmentResults:
    """Ten pairs; {} stands for the pronoun."""
    rows = [
        {
            "pair": n,
            "group": group,
            "prompt": f"{group} clerk {n}",
            "responses": [f"{text} {n}".format(word) for text in said],
            **more,
        }
        for n in range(10)
        for group, word in (("female", "She"), ("male", "He"))
    ]
    made = assessment(rows_of(*rows))
    tools = replace(made.tools, embed=embedded)
    return replace(made, tools=tools).results(Provenance())


@pytest.mark.parametrize("metric", LIKENESSES)
def test_a_likeness_without_two_replies_to_a_prompt_has_no_control(metric: str) -> None:
    found = about_clerks("{} is clever")
    values = [one for one in found.metrics if one.metric == metric]
    assert [one.groups for one in values] == [(), ("female", "male")]
    for one in values:
        assert one.reading is not None
        assert (one.control, one.deficit, one.notes) == (None, None, (WITHOUT_CONTROL,))
    lines = results_markdown(found).splitlines()
    rows = [line.split(" | ") for line in lines if line.startswith(f"| {values[0].title} | ")]
    assert [row[3] for row in rows] == ["—", "—"]
    for report in (results_markdown(found), report_page(found)):
        assert "no control: no prompt has two replies, so" in report


@pytest.mark.parametrize("metric", LIKENESSES)
def test_with_two_replies_to_a_prompt_it_has_one(metric: str) -> None:
    found = about_clerks("{} is clever", "no")
    values = [one for one in found.metrics if one.metric == metric]
    for one in values:
        assert one.control is not None
        assert one.control.value < 1.0
        assert one.notes == ()
    for report in (results_markdown(found), report_page(found)):
        assert "no control" not in report


@pytest.mark.parametrize("metric", LIKENESSES)
def test_likeness_is_of_masked_texts_where_scores_are_given_too(metric: str) -> None:
    given = {"toxicity": [0.1], "sentiment": [0.5]}
    for scores in ({}, {"scores": given}):
        found = about_clerks("{} is clever", **scores)
        assert value_of(found, metric, "female", "male") == pytest.approx(1.0)


def test_of_scores_alone_nothing_is_said_about_texts() -> None:
    rows = [
        {"pair": n, "group": group, "prompt": group, "scores": {"sentiment": [value + n / 40]}}
        for n in range(10)
        for group, value in (("female", 0.2), ("male", 0.5))
    ]
    found = assessed(rows_of(*rows))
    assert value_of(found, "sentiment_gap", "female", "male") == pytest.approx(-0.3)
    assert {one.metric for one in found.comparisons} == {"sentiment_gap_grounded"}
    known = {one.metric for one in found.metrics if one.reading is not None and one.attribute}
    assert known == {f"{name}{end}" for name in OF_SCORES for end in ("", "_grounded")}
    undefined = {one.metric: one.undefined for one in found.metrics if one.reading is None}
    assert undefined["crouge_l"] == "no pair of groups has it on both sides"
