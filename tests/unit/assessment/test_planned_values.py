"""What cannot be assessed is an error; all that is planned has a value or a reason."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from guard.assessment.planned_values import planned_sentences, valueless
from guard.assessment.results import Direction, MetricValue, PlannedMetric
from guard.errors import AssessmentInputError
from tests.unit.assessment.assessments import assessed, metric_of, rows_of
from tests.unit.assessment.test_input_warnings import CASES, pairs

CHAT = [{"prompt": f"{n}: and now?", "responses": ["nothing", "all is bad"]} for n in range(4)]
NO_LABEL = [{name: one[name] for name in ("group", "prediction")} for one in CASES]


@pytest.mark.parametrize(
    ("rows", "options", "told"),
    [
        (CASES, {"task": "classification"}, "--intervention assistive or punitive"),
        (CHAT, {"task": "classification"}, "no row has a `prediction`"),
        (CHAT, {"task": "recommendation"}, "no row has `items`, a ranked list"),
        ([{"prompt": "And now?"}], {}, "no responses are given, and no model is asked"),
        (NO_LABEL, {"task": "classification"}, "no row has a `label`, the true class"),
        (CHAT, {"metrics": ("ccs",)}, "no responses about other groups"),
        (
            CASES,
            {
                "task": "classification",
                "intervention": "punitive",
                "attributes": ("race",),
                "groups": {},
            },
            "60 rows are about age, which is not among the attributes",
        ),
    ],
)
def test_nothing_to_assess_is_an_error_that_says_what_is_missing(
    rows: list[Mapping[str, object]], options: Mapping[str, object], told: str
) -> None:
    with pytest.raises(AssessmentInputError, match=r"^nothing can be assessed") as raised:
        assessed(rows_of(*rows), **options)
    assert told in str(raised.value)


def test_every_planned_metric_has_a_sentence() -> None:
    found = assessed(rows_of(*pairs(8)))
    planned = [one.metric for one in found.plan if one.applies]
    assert {"cobs", "stereotypical_associations", "crouge_l", "fairpair"} <= set(planned)
    sentences = "\n".join(found.summary)
    assert "gender: female and male: Counterfactual ROUGE-L: " in sentences
    told = "gender: female and male: Co-occurrence bias: no value: no word stands with both groups"
    assert told in sentences
    assert "Stereotypical associations: " in sentences
    for line in planned_sentences(found.plan, found.comparisons, found.metrics):
        assert line in found.summary


def test_what_was_planned_and_is_not_there_has_a_reason() -> None:
    planned = [
        PlannedMetric(metric=name, applies=True, reason="asked for", by="option")
        for name in (
            "jaccard_k",
            "false_positive_rate",
            "cobs",
            "toxic_fraction",
            "fairpair",
            "fisco",
            "ccs",
        )
    ]
    found = list(valueless(planned, (), ()))
    assert [one.undefined for one in found] == [
        "no prompt has lists of two groups that are compared",
        "no attribute has cases of two groups",
        "no attribute with exactly two groups is compared",
        "no response has what it is made of",
        "no pair of groups has replies on both sides that vary",
        "no prompt has other words for people of the same group",
        "no pair of groups has it on both sides",
    ]
    lines = list(planned_sentences(planned, (), found))
    assert lines[0] == (
        "Shared items (Jaccard-K): no value: no prompt has lists of two groups that are compared"
    )
    assert len(lines) == 7


def test_replies_that_do_not_vary_have_no_figure_that_needs_it() -> None:
    """They are the same twice, whoever they are about, and differ between any two prompts."""
    said = {
        "female": "Please send the form, two recent statements, and a copy of the contract to us.",
        "male": "Thank you for asking. We will look at it within ten days and call you back then.",
    }
    made = [
        {"prompt": "Hi", "pair": str(n), "group": group, "responses": [f"{text} {n}"] * 2}
        for n in range(8)
        for group, text in said.items()
    ]
    found = assessed(rows_of(*made))
    told = "no value: no pair of groups has replies on both sides that vary"
    assert f"FairPair: {told}" in found.summary
    assert not any("FiSCo" in one for one in found.summary)  # nothing to set it against
    assert any("Counterfactual ROUGE-L: 0." in one for one in found.summary)


def test_the_value_of_two_groups_is_said_once() -> None:
    found = assessed(rows_of(*pairs(8)))
    about = [one for one in found.summary if "Counterfactual ROUGE-L" in one]
    assert [one.split(": Counterfactual")[0] for one in about] == ["gender: female and male"]


def test_a_family_without_a_value_is_named_as_such() -> None:
    plan = [PlannedMetric(metric="amounts", applies=True, reason="", by="option")]
    values = [
        MetricValue(
            metric=f"{name}_gap",
            title=name,
            best=Direction.ZERO,
            undefined=f"{name}_gap:gender: no observation has a value",
        )
        for name in ("money", "count")
    ]
    assert list(planned_sentences(plan, (), values)) == [
        "Amounts: money, percentages, durations, counts, ratings: no value: no observation has a"
        " value"
    ]


def test_the_numbers_of_langfair_say_what_they_rest_on() -> None:
    found = assessed(rows_of(*pairs(10)), preset="langfair")
    coverage = found.coverage
    assert (coverage.given, coverage.endings, coverage.scored) == (40, {"answered": 40}, 0)
    assert sum(coverage.unscored.values()) == 40
    (gender,) = coverage.attributes
    assert (gender.attribute, gender.given, gender.compared) == ("gender", 10, 10)
    reason = next(one.reason for one in found.plan if one.metric == "toxic_fraction")
    assert reason.startswith("responses are given in rows with a `pair` alone")
    applied = {one.metric for one in found.plan if one.applies}
    assert applied == {"crouge_l", "cbleu", "scsp", "wcsp"}
    value = metric_of(found, "crouge_l").reading
    assert value is not None
    assert any(
        one.startswith(f"gender: female and male: Counterfactual ROUGE-L: {value.value:.3g},")
        for one in found.summary
    )
