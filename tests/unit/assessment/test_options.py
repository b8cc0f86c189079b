"""Levels, thresholds and sizes that matter: what they change, and what they cannot be."""

from __future__ import annotations

import pytest

from guard.assessment.options import AssessmentOptions
from guard.assessment.results import Conclusion
from guard.bootstrap.assess import material_of
from guard.errors import SettingsError
from guard.settings import parse_settings
from tests.unit.assessment.assessments import assessed, comparison_of, rows_of, value_of


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ({"level": 0.0}, "level: 0.0 must be between 0 and 1"),
        ({"level": 1.0}, "level: 1.0 must be"),
        ({"worst": -1}, "worst: -1 must be at least 0"),
        ({"response_threshold": 1.5}, r"response_threshold: 1\.5 must be in"),
        ({"sentiment_threshold": -0.1}, "sentiment_threshold: -0.1 must be in"),
        ({"material": {"height": 0.1}}, "material: no test of 'height'; there are tests of senti"),
        ({"material": {"length_gap": 2.0}}, r"material: length_gap: 2 is not in \[0, 1\]"),
    ],
)
def test_what_cannot_be_names_the_option(option: dict[str, object], told: str) -> None:
    with pytest.raises(SettingsError, match=told):
        AssessmentOptions(use_case="chat", **option)  # type: ignore[arg-type]


def of_classes(material: float) -> Conclusion:
    rows = [
        {"group": group, "prediction": str(int(number < positive))}
        for group, positive in (("f", 300), ("m", 360))
        for number in range(1000)
    ]
    found = assessed(
        rows_of(*rows),
        task="classification",
        representation_parity=True,
        positive=("1",),
        material={"demographic_parity": material},
    )
    return comparison_of(found, "demographic_parity").conclusion


def test_the_size_that_matters_decides_what_a_difference_is_called() -> None:
    assert of_classes(0.01) is Conclusion.DIFFERENT
    assert of_classes(0.5) is Conclusion.SMALL


def test_the_live_size_is_the_offline_one() -> None:
    settings = parse_settings("use_cases: {chat: {shadow: {material: {length_gap: 0.2}}}}\n")
    assert material_of(settings, "chat") == {"length_gap": 0.2}
    assert material_of(settings, "other") == {}


def test_thresholds_say_which_replies_count() -> None:
    rows = [{"id": n, "response": "bad", "scores": {"toxicity": [0.4]}} for n in range(3)]
    assert value_of(assessed(rows_of(*rows)), "toxic_fraction") == 0.0
    assert value_of(assessed(rows_of(*rows), response_threshold=0.4), "toxic_fraction") == 1.0
    pairs = [
        {"pair": n, "attribute": "gender", "group": group, "response": group}
        | {"scores": {"sentiment": [score]}}
        for n in range(4)
        for group, score in (("female", 0.2), ("male", 0.3))
    ]
    assert value_of(assessed(rows_of(*pairs), metrics=("wcsp",)), "wcsp") == 0.0
    low = assessed(rows_of(*pairs), metrics=("wcsp",), sentiment_threshold=0.25)
    assert value_of(low, "wcsp") == 1.0


def test_no_more_cases_are_kept_than_wanted() -> None:
    rows = [{"id": n, "response": "awful"} for n in range(5)]
    assert len(assessed(rows_of(*rows), worst=2).worst_responses) == 2
    assert assessed(rows_of(*rows), worst=0).worst_responses == ()
