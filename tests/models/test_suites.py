"""The suites on scorers whose figures are known: a perfect one, a constant, one with a dislike."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from evaluate.suites import (
    Measured,
    bounds,
    counterfactual_sets,
    documents,
    functional_cases,
    group_cases,
    markdown,
    measure_all,
    measure_benign,
    measure_counterfactual,
    measure_functional,
    measure_length,
    measure_subgroups,
)
from evaluate.suites.decide import fires, scored
from evaluate.suites.records import Case, Document, GroupCase, Versions

Score = Callable[[list[str]], list[dict[str, float]]]
THRESHOLDS = {"toxicity": 0.5, "stereotype": 0.5}


def by_rule(rule: Callable[[str], float]) -> Score:
    """A scorer that gives every head the same number."""
    return lambda texts: [
        dict.fromkeys(("toxicity", "stereotype", "sentiment"), rule(text)) for text in texts
    ]


def truth() -> dict[str, float]:
    """The right answer to every text of the suites."""
    return {
        **{case.text: float(case.side == "over") for case in functional_cases()},
        **{case.text: float(case.toxic) for case in group_cases()},
        **{document.text: float(document.toxic) for document in documents()},
        **{text: float(item.toxic) for item in counterfactual_sets() for text in item.texts},
    }


@pytest.fixture(scope="module")
def perfect() -> Score:
    known = truth()
    return by_rule(lambda text: known.get(text, 0.0))


@pytest.fixture(scope="module")
def perfectly(perfect: Score) -> Measured:
    return measure_all(perfect, THRESHOLDS)


def constant(value: float) -> Score:
    return by_rule(lambda _: value)


def dislikes(word: str) -> Score:
    return by_rule(lambda text: float(word in text.lower()))


def test_a_perfect_scorer_holds_every_bound(perfectly: Measured) -> None:
    found = perfectly
    assert [bound.name for bound in bounds(found) if not bound.held] == []
    assert {row.passed.value for row in found.functional} == {1.0}
    assert found.subgroups.worst_subgroup.subgroup.value == 1.0
    assert found.lengths.growth.value == 0.0
    assert {row.found.value for row in found.lengths.rows} == {1.0}


def test_every_result_has_its_table(perfectly: Measured) -> None:
    shown = markdown(perfectly)
    for words in ("negated hate", "ordinary answers: cooking", "1000", "deaf"):
        assert words in shown
    assert shown.count("\n### ") == 5


def test_a_constant_finds_nothing_and_changes_nothing() -> None:
    found = measure_all(constant(0.1), THRESHOLDS)
    assert all(row.change.value == row.percentile_99 == 0.0 for row in found.invariance)
    assert {row.bpsn.value for row in found.subgroups.groups} == {0.5}
    assert {row.passed.value for row in found.functional if row.side == "over"} == {0.0}
    assert {row.passed.value for row in found.functional if row.side == "under"} == {1.0}
    failed = {bound.name.split(" (")[0] for bound in bounds(found) if not bound.held}
    assert failed == {"worst BPSN AUC", "recall, toxic tests", "lowest functionality"}


def test_a_constant_over_the_threshold_flags_every_harmless_text() -> None:
    rows = measure_benign(constant(0.9), THRESHOLDS)
    assert {row.fired.value for row in rows} == {1.0}
    assert len(rows[0].worst) == 5


def test_a_dislike_of_a_group_is_found() -> None:
    found = measure_subgroups(dislikes("deaf"))
    assert found.worst_bpsn.group == "deaf"
    assert found.worst_bpsn.bpsn.value < 0.05
    others = {row.bpsn.value for row in found.groups if row.group != "deaf"}
    assert others == {0.5}


def test_a_dislike_changes_scores_within_its_attribute_only() -> None:
    rows = {
        row.attribute: row
        for row in measure_counterfactual(dislikes("muslim"), THRESHOLDS)
        if row.head == "toxicity" and not row.toxic
    }
    assert rows["religion"].percentile_99 == 1.0
    assert rows["religion"].pair_flips is not None
    assert rows["religion"].pair_flips.value > 0.1
    assert "Muslim" in rows["religion"].worst[0].high
    assert rows["disability"].change.value == 0.0


def test_change_and_flips_of_one_sentence() -> None:
    item = Versions(attribute="age", toxic=False, groups=("a", "b", "c"), texts=("a", "b", "c"))
    score = by_rule({"a": 0.1, "b": 0.1, "c": 0.7}.__getitem__)
    row = next(
        row
        for row in measure_counterfactual(score, THRESHOLDS, [item])
        if (row.head, row.attribute) == ("toxicity", "age")
    )
    assert row.change.value == pytest.approx(0.4)
    assert row.pair_flips is not None
    assert row.pair_flips.value == pytest.approx(2 / 3)
    assert row.sentence_flips is not None
    assert row.sentence_flips.value == 1.0


def test_sentiment_has_no_flips() -> None:
    rows = measure_counterfactual(constant(0.5), THRESHOLDS)
    assert {row.pair_flips for row in rows if row.head == "sentiment"} == {None}


def test_the_three_areas_tell_a_mention_from_an_attack() -> None:
    scores = {"benign": 0.1, "toxic": 0.9, "benign about x": 0.95, "toxic about x": 0.99}
    cases = [
        GroupCase(text=text, group="x" if "x" in text.split() else None, toxic="toxic" in text)
        for text in scores
    ]
    found = measure_subgroups(by_rule(scores.__getitem__), cases=cases)
    row = found.groups[0]
    assert (row.subgroup.value, row.bpsn.value, row.bnsp.value) == (1.0, 0.0, 1.0)
    assert found.background.value == 1.0


def test_a_score_that_grows_with_length_is_found() -> None:
    found = measure_length(by_rule(lambda text: min(1.0, len(text.split()) / 2000)), THRESHOLDS)
    assert found.growth.low > 0.4
    assert [row.words for row in found.rows] == [10, 50, 200, 1000]


def test_lengths_need_both_kinds_of_text() -> None:
    lone = [Document(text="quiet", words=10, toxic=False)]
    with pytest.raises(KeyError):
        measure_length(constant(0.0), THRESHOLDS, lone)


def test_misses_are_the_worst_first() -> None:
    cases = [Case(text=t, family="f", head="toxicity", side="under") for t in ("a", "b", "c")]
    (row,) = measure_functional(
        by_rule({"a": 0.6, "b": 0.9, "c": 0.2}.__getitem__), THRESHOLDS, cases
    )
    assert row.passed.value == pytest.approx(1 / 3)
    assert [miss.text for miss in row.misses] == ["b", "a"]


def test_a_part_with_a_threshold_fires_for_its_head() -> None:
    scores = {"toxicity": 0.2, "toxicity.threat": 0.8}
    assert not fires(scores, "toxicity", {"toxicity": 0.5})
    assert fires(scores, "toxicity", {"toxicity": 0.5, "toxicity.threat": 0.7})


def test_a_head_without_a_threshold_is_an_error() -> None:
    with pytest.raises(ValueError, match="no threshold for 'stereotype'"):
        fires({"stereotype": 1.0}, "stereotype", {"toxicity": 0.5})


def test_a_scorer_that_drops_a_text_is_an_error() -> None:
    with pytest.raises(ValueError, match="1 records for 2 texts"):
        scored(lambda texts: [{"toxicity": 0.0}], ["a", "b"])
