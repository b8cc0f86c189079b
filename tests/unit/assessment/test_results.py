"""Results as canonical JSON and back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guard.assessment import AssessmentResults, decode_results, encode_results
from guard.assessment.findings import summary
from guard.assessment.results import Conclusion, GroupComparison, WorstResponse
from guard.errors import AssessmentInputError
from guard.records import Reading
from tests.repeats import repeats
from tests.unit.assessment.results_made import comparison, results

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(exclude_categories=()), max_size=20)


def test_everything_comes_back_as_it_was() -> None:
    made = results()
    text = encode_results(made)
    assert decode_results(text) == made
    assert encode_results(decode_results(text)) == text
    assert text.isascii()


@settings(max_examples=repeats(20, soak=2000), deadline=None)
@given(
    values=st.lists(NUMBERS, min_size=3, max_size=3),
    text=TEXTS,
    counts=st.integers(0, 10**9),
)
def test_any_numbers_and_texts_come_back(values: list[float], text: str, counts: int) -> None:
    value, low, high = values
    made = results(
        comparisons=(
            comparison(
                difference=Reading(value=value, low=low, high=high, n=counts),
                control=None,
                sentence=text,
            ),
        ),
        worst_responses=(
            WorstResponse(score=text, value=value, prompt=text, response=text, place=text),
        ),
    )
    assert decode_results(encode_results(made)) == made


def test_the_order_of_mappings_does_not_matter() -> None:
    one = results(provenance=results().provenance)
    first = encode_results(one)
    assert json.loads(first) == json.loads(encode_results(decode_results(first)))


def test_what_has_no_value_says_why() -> None:
    assert results().not_assessed == {"jaccard_k": "no list", "cobs": "no word"}


def test_a_number_that_is_not_finite_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        encode_results(results(comparisons=(comparison(p_value=float("nan")),)))


def changed(path: tuple[str | int, ...], value: object) -> str:
    values = json.loads(encode_results(results()))
    place = values
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return json.dumps(values)


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (("schema",), 99, "schema 1 is wanted, found 99"),
        (("looks",), "3", r"results\.looks: int is wanted, found '3'"),
        (("looks",), True, r"results\.looks: int is wanted"),
        (("colour",), 1, r"results\.colour: no such field"),
        (("metrics", 0, "best"), "up", r"results\.metrics\[0\]\.best: 'up' is none of low"),
        (("metrics", 0, "reading", "value"), None, r"reading\.value: a finite number"),
        (("coverage", "endings", "answered"), [], r"endings\.answered: int is wanted"),
        (("provenance",), [], r"results\.provenance: an object is wanted"),
    ],
)
def test_a_wrong_file_is_one_clear_error(
    path: tuple[str | int, ...], value: object, told: str
) -> None:
    with pytest.raises(AssessmentInputError, match=told):
        decode_results(changed(path, value))


@pytest.mark.parametrize("text", ["", "{", "[]", "NaN", "[" * 100_000, '{"schema": 1}'])
def test_what_is_no_json_of_results_is_refused(text: str) -> None:
    with pytest.raises(AssessmentInputError, match=r"run\.json"):
        decode_results(text, "run.json")


def test_fields_with_a_default_may_be_missing() -> None:
    found = decode_results('{"schema": 1, "use_case": "chat", "task": "generation"}')
    assert found == AssessmentResults(use_case="chat", task="generation")


def test_a_comparison_without_a_test_is_untested() -> None:
    made = GroupComparison(
        metric="m",
        title="M",
        attribute="gender",
        first="female",
        difference=Reading(value=0, low=0, high=0, n=1),
    )
    assert made.conclusion == "untested"


def test_of_equal_conclusions_the_largest_in_units_of_what_matters_is_said_first() -> None:
    def found(name: str, value: float, material: float, conclusion: Conclusion) -> GroupComparison:
        return comparison(value, material=material, conclusion=conclusion, sentence=name)

    different, alike = Conclusion.DIFFERENT, Conclusion.ALIKE
    comparisons = (
        found("none", 0.9, 0.01, alike),
        found("two", 0.4, 0.2, different),
        found("unknown", 0.4, 0.0, different),
        found("three", -0.06, 0.02, different),
    )
    assert [*summary(comparisons, ())] == ["three", "two", "unknown", "none"]
