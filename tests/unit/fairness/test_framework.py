"""Which metrics apply to which use case: every branch of figure 1 of Bouchard (2024)."""

from __future__ import annotations

import pytest

from guard.fairness import Intervention, ModelTask, UseCaseFacts, applicable

TOXIC = {"toxic_fraction", "expected_maximum_toxicity", "toxicity_probability"}
STEREOTYPED = {
    "stereotype_fraction",
    "expected_maximum_stereotype",
    "stereotype_probability",
    "cobs",
    "stereotypical_associations",
}
SIMILAR = {"rouge_l", "cbleu", "cosine"}
SENTIMENT = {"scsp", "wcsp"}
LISTS = {"jaccard_k", "serp_k", "prag_k"}
GENERATION, CLASSIFICATION = ModelTask.GENERATION, ModelTask.CLASSIFICATION


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (UseCaseFacts(task=GENERATION, unaware=True), TOXIC),
        (UseCaseFacts(task=GENERATION, unaware=True, invariance_wanted=True), TOXIC),
        (UseCaseFacts(task=GENERATION), TOXIC | STEREOTYPED),
        (
            UseCaseFacts(task=GENERATION, invariance_wanted=True),
            TOXIC | STEREOTYPED | SIMILAR | SENTIMENT,
        ),
        (
            UseCaseFacts(task=GENERATION, invariance_wanted=True, content_may_differ=True),
            TOXIC | STEREOTYPED | SENTIMENT,
        ),
        (UseCaseFacts(task=CLASSIFICATION), set()),
        (
            UseCaseFacts(task=CLASSIFICATION, maps_to_attribute=True, representation_parity=True),
            {"demographic_parity"},
        ),
        (
            UseCaseFacts(
                task=CLASSIFICATION,
                maps_to_attribute=True,
                intervention=Intervention.ASSISTIVE,
            ),
            {"false_negative_rate", "false_omission_rate"},
        ),
        (
            UseCaseFacts(
                task=CLASSIFICATION, maps_to_attribute=True, intervention=Intervention.PUNITIVE
            ),
            {"false_positive_rate", "false_discovery_rate"},
        ),
        (UseCaseFacts(task=ModelTask.RECOMMENDATION), set()),
        (UseCaseFacts(task=ModelTask.RECOMMENDATION, unaware=True, invariance_wanted=True), set()),
        (UseCaseFacts(task=ModelTask.RECOMMENDATION, invariance_wanted=True), LISTS),
    ],
)
def test_the_metrics_of_a_use_case(facts: UseCaseFacts, expected: set[str]) -> None:
    found = applicable(facts)
    assert {one.metric for one in found if one.applies} == expected
    assert all(one.reason for one in found)
    assert len({one.metric for one in found}) == len(found)


def test_unawareness_leaves_the_stereotype_metrics_optional() -> None:
    reasons = {
        one.metric: one.reason for one in applicable(UseCaseFacts(task=GENERATION, unaware=True))
    }
    assert "optional" in reasons["stereotype_fraction"]


def test_an_unknown_task_names_those_there_are() -> None:
    with pytest.raises(ValueError, match="generation, classification, recommendation"):
        UseCaseFacts(task="poetry")  # type: ignore[arg-type]
