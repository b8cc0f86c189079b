"""Groups within their attribute, attributes that were asked for, and what of the rows is lost."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

import guard
from guard.assessment.reader import Row
from guard.assessment.results import BadRow
from guard.assessment.units import PairPlaces, row_groups
from guard.errors import AssessmentInputError, SettingsError
from tests.unit.assessment.assessments import GENDER, assessed, rows_of

GROUPS = {"gender": ("female", "male"), "age": ("old", "young")}


def cases(attribute: str, groups: tuple[str, str]) -> list[Mapping[str, object]]:
    return [
        {
            "attribute": attribute,
            "group": groups[number % 2],
            "prediction": "deny" if number % 3 else "approve",
            "label": "deny" if number % 5 else "approve",
        }
        for number in range(60)
    ]


CASES = [*cases("gender", GROUPS["gender"]), *cases("age", GROUPS["age"])]
PUNISHED = {"task": "classification", "intervention": "punitive", "positive": ("deny",)}


def pairs(
    count: int = 6, groups: tuple[str, str] = ("female", "male"), attribute: str = "gender"
) -> list[Mapping[str, object]]:
    return [
        {
            "pair": number,
            "attribute": attribute,
            "group": group,
            "prompt": f"{number}: what should {group} do?",
            "responses": [f"{group} should do {number}", "nothing"],
        }
        for number in range(count)
        for group in groups
    ]


def test_classes_are_compared_within_an_attribute() -> None:
    found = assessed(rows_of(*CASES), **PUNISHED)
    about = {(one.attribute, one.first, one.second) for one in found.comparisons}
    assert about == {("gender", "female", "male"), ("age", "old", "young")}
    assert found.looks == 4
    assert {one.attribute for one in found.metrics} == {"gender", "age"}
    assert all(one.startswith(("gender: ", "age: ")) for one in found.summary)


def test_classes_of_other_attributes_are_left_out_and_told() -> None:
    found = assessed(rows_of(*CASES), attributes=("gender",), **PUNISHED)
    assert {one.attribute for one in found.comparisons} == {"gender"}
    (told,) = found.coverage.warnings
    assert told.startswith("60 rows are about age, which is not among the attributes")


def test_pairs_of_other_attributes_are_not_compared() -> None:
    rows = rows_of(*pairs())
    assert {one.attribute for one in assessed(rows, attributes=("gender",)).comparisons} == {
        "gender"
    }
    found = assessed(rows, attributes=("race",), groups={"race": ("asian", "white")})
    assert found.comparisons == ()
    assert found.coverage.given == 24
    assert "12 rows are about gender" in found.coverage.warnings[0]


def test_one_pair_about_two_attributes_is_compared_within_each() -> None:
    rows = [
        {"pair": n, "attribute": attribute, "group": group, "responses": [f"{group} {n}"]}
        for n in range(6)
        for attribute, groups in GROUPS.items()
        for group in groups
    ]
    found = assessed(rows_of(*rows), groups=GROUPS)
    about = {(one.attribute, one.first, one.second) for one in found.comparisons}
    assert about == {("gender", "female", "male"), ("age", "old", "young")}


def test_rows_of_a_pair_that_stand_apart_are_told_of() -> None:
    together = pairs()
    apart = [*together[::2], *together[1::2]]
    with pytest.raises(AssessmentInputError, match="made:7: pair '0' stood at made:1 before"):
        assessed(rows_of(*apart), preset="langfair")
    found = assessed(rows_of(*apart))
    told = "pair '0' stood at made:1 before: rows of one pair must stand one after the other"
    assert found.coverage.shown[0].place == "made:7"
    assert told in found.coverage.shown[0].problem
    assert found.coverage.warnings[0].startswith("6 rows have a `pair` that stands elsewhere")
    assert "made:7: pair '0' stood at made:1" in found.coverage.warnings[0]


def test_whole_pairs_may_come_again_with_other_responses() -> None:
    others = [{**row, "responses": ["Something else."]} for row in pairs()]
    found = assessed(rows_of(*pairs(), *others))
    assert found.coverage.warnings == ()
    assert found.coverage.shown == ()


def test_rows_that_come_again_word_for_word_are_told_of() -> None:
    found = assessed(rows_of(*pairs(), *pairs()))
    (told,) = found.coverage.warnings
    assert told.startswith(f"{len(pairs())} rows came before, word for word, and count once more")
    assert told.endswith(f"made:{len(pairs()) + 1}: pair '0' stood before")


def test_rows_without_a_pair_or_id_may_say_the_same() -> None:
    row = {"prompt": "Say hello.", "response": "Hello."}
    assert assessed(rows_of(row, row)).coverage.warnings == ()


@pytest.mark.parametrize(
    ("score", "told"), [("toxicty", True), ("toxicity", False), ("locality", False)]
)
def test_scores_named_nearly_like_one_of_the_classifier_are_told_of(score: str, told: bool) -> None:
    rows = [
        {"prompt": f"Tell me of day {n}.", "response": f"Day {n}.", "scores": {score: [0.1]}}
        for n in range(30)
    ]
    warnings = assessed(rows_of(*rows)).coverage.warnings
    assert any("did you mean 'toxicity'?" in one for one in warnings) is told


def test_half_a_pair_after_a_whole_one_is_told_of() -> None:
    rows = pairs(2)
    found = assessed(rows_of(*rows, rows[0]))
    assert [one.place for one in found.coverage.shown] == ["made:5"]


def test_pairs_of_one_group_are_counted() -> None:
    found = assessed(rows_of(*pairs(3), *pairs(5)[6::2]))
    told = "2 values of `pair` have rows of one group only and were not compared"
    assert found.coverage.warnings == (told,)


def test_groups_of_no_attribute_are_told_of_where_attributes_are_asked_for() -> None:
    rows = [{**one, "attribute": None} for one in CASES[:60]]
    found = assessed(rows_of(*CASES[:60], *rows), attributes=("gender",), **PUNISHED)
    assert found.coverage.warnings[0].startswith("60 rows do not say in `attribute`")


def test_places_of_pairs_take_bounded_memory() -> None:
    places = PairPlaces(most=1)
    rows: list[Row] = list(rows_of(*(one for one in pairs(3) for _ in range(1)))())
    singles = [row for row in rows if not isinstance(row, BadRow)][::2]
    groups = list(row_groups([*singles, *singles]))
    found = [places.again(group) for group in groups]
    assert [one is not None for one in found] == [False, False, False, True, False, False]


def test_groups_that_no_word_list_has_are_named() -> None:
    found = assessed(rows_of(*pairs(groups=("F", "M"))))
    (told,) = found.coverage.warnings
    assert "gender: no words of the groups 'F', 'M' could be masked" in told
    assert told.endswith("the groups known of gender are female, male")
    other = assessed(rows_of(*pairs(groups=("north", "south"), attribute="region")))
    assert "region: no words of the groups 'north', 'south'" in other.coverage.warnings[0]
    assert "there are lists for age, " in other.coverage.warnings[0]
    assert assessed(rows_of(*pairs()), groups=GENDER).coverage.warnings == ()


def classes(folder: Path, attribute: str) -> Path:
    file = folder / "classes.csv"
    lines = [f"{attribute},{'fm'[n % 2]},{n % 3 == 0:d},{n % 4 == 0:d}" for n in range(60)]
    file.write_text("\n".join(["attribute,group,label,prediction", *lines]))
    return file


@pytest.mark.parametrize("attribute", ["gender", "region"])
def test_one_attribute_may_be_named_as_text(tmp_path: Path, attribute: str) -> None:
    found = guard.assess(
        classes(tmp_path, attribute), attributes=attribute, representation_parity=True
    )
    assert [one.attribute for one in found.comparisons] == [attribute]


def test_an_attribute_that_nothing_has_is_said_once(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"^attributes: no attribute 'height'; there are "):
        guard.assess(classes(tmp_path, "gender"), attributes="height", representation_parity=True)
