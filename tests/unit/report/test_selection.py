"""How many series a use case becomes, and which ones when there are too many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import generate_latest, parser

from guard.fairness import CATALOGUE
from guard.records import About, Estimate, Evidence, Reading, Shown, Snapshot
from guard.report.readings import WINDOWS
from guard.report.selection import (
    DEFAULT_SERIES,
    MetricOrder,
    SeriesLimits,
    readings_without_mirrors,
    select,
    without_mirrors,
)
from guard.telemetry import CollectedMetrics, FairnessCollector

ORDER = MetricOrder(CATALOGUE)
TESTED = [metric.name for metric in CATALOGUE.tested]
READING = Reading(value=0.25, low=0.125, high=0.5, n=12)
ATTRIBUTES = ("age", "disability", "gender", "nationality", "race", "religion", "sexuality")


def about(metric: str, attribute: str = "", groups: str = "") -> About:
    return About(use_case="chat", metric=metric, attribute=attribute, groups=groups)


def evidence_of(attribute: str, groups: int) -> Iterator[Evidence]:
    """Every test of an attribute; no two groups mirror each other."""
    for metric in TESTED:
        yield Evidence(about=about(metric, attribute), log10_e=0.5, epoch=0, alarms=0, material=0.1)
        for number in range(groups):
            estimate = Estimate(value=0.01 * number, low=-0.5, high=0.5, n=40)
            yield Evidence(
                about=about(metric, attribute, f"g{number}"),
                log10_e=0.1 * number,
                epoch=0,
                alarms=0,
                estimate=estimate,
                material=0.1,
                needed=85,
            )


def readings_of(attribute: str, groups: int) -> Iterator[Shown]:
    names = [f"g{number}" for number in range(groups)]
    pairs = [f"{one}~{other}" for one, other in combinations(names, 2)]
    metrics = [metric.name for metric in CATALOGUE.metrics if metric.metric is not None]
    for metric in metrics:
        for of in (*names, *pairs):
            for window in WINDOWS:
                yield Shown(about=about(metric, attribute, of), window=window, reading=READING)


def shares() -> Iterator[Shown]:
    for metric in ("toxic_fraction", "policy_toxic_fraction", "stereotype_fraction_gender"):
        for window in WINDOWS:
            yield Shown(about=about(metric), window=window, reading=READING)


def whole(attributes: tuple[str, ...], groups: int) -> tuple[list[Evidence], list[Shown]]:
    tests = [one for attribute in attributes for one in evidence_of(attribute, groups)]
    shown = [one for attribute in attributes for one in readings_of(attribute, groups)]
    return tests, [*shown, *shares()]


def exposed(snapshot: Snapshot) -> int:
    """Series of /metrics that say `use_case`."""
    text = generate_latest(CollectedMetrics(FairnessCollector(lambda: snapshot)).registry).decode()
    families = parser.text_string_to_metric_families(text)
    return sum("use_case" in sample.labels for family in families for sample in family.samples)


@pytest.mark.parametrize(
    ("attributes", "groups"), [(ATTRIBUTES[:1], 2), (ATTRIBUTES[:3], 6), (ATTRIBUTES, 10)]
)
def test_a_use_case_is_four_hundred_series_at_most(attributes, groups) -> None:
    tests, shown = whole(attributes, groups)
    found = select(tests, shown, SeriesLimits(), ORDER)
    snapshot = Snapshot(readings=found.readings, evidence=found.evidence, alarm_lines={"chat": 2.5})
    assert 0.95 * DEFAULT_SERIES < exposed(snapshot) <= DEFAULT_SERIES
    assert found.left_out["omnibus"] == 0
    assert found.left_out["readings"] > 0
    assert {one.about.attribute for one in found.evidence if not one.about.groups} == {*attributes}
    assert any(one.about.groups for one in found.evidence)
    assert len([one for one in found.readings if "fraction" in one.about.metric]) >= 6


def test_with_pairs_all_of_it_is_shown() -> None:
    tests, shown = whole(("gender",), 3)
    found = select(tests, shown, SeriesLimits(pairs=True), ORDER)
    assert len(found.readings) == len(shown)
    assert set(found.left_out.values()) == {0}
    assert SeriesLimits(series=7, pairs=True).most == 7


@given(st.integers(1, 500), st.sets(st.integers(0, len(TESTED) * 5 - 1), max_size=4))
def test_a_test_that_raised_an_alarm_comes_first_and_readings_of_pairs_last(series, raised) -> None:
    tests, shown = whole(("gender",), 4)
    tests = [replace(one, alarms=int(place in raised)) for place, one in enumerate(tests)]
    found = select(tests, shown, SeriesLimits(series=series), ORDER)
    kept = [*found.evidence, *found.readings]
    if len(found.evidence) > len(raised):
        assert {one.about for one in tests if one.alarms} <= {one.about for one in found.evidence}
    if any("~" in one.about.groups for one in found.readings):
        assert found.left_out["groups"] == found.left_out["omnibus"] == 0
    assert len(kept) == len({(one.about, getattr(one, "window", "")) for one in kept})
    everything = select(tests, shown, SeriesLimits(series=100_000), ORDER)
    assert found.readings == everything.readings[: len(found.readings)]
    assert found.evidence == everything.evidence[: len(found.evidence)]


def seen_from(group: str, value: float, n: int = 40) -> Evidence:
    estimate = Estimate(value=value, low=value - 0.5, high=value + 0.5, n=n)
    place = about("sentiment_gap_grounded", "gender", group)
    return Evidence(about=place, log10_e=1.5, epoch=0, alarms=0, estimate=estimate)


def test_of_two_groups_that_mirror_each_other_the_first_is_shown() -> None:
    female, male = seen_from("female", -0.25), seen_from("male", 0.25)
    assert without_mirrors([male, female]) == [female]
    assert without_mirrors([female, seen_from("male", 0.25, n=39)]) != [female]
    third = seen_from("nonbinary", 0.25)
    assert without_mirrors([female, male, third]) == [female, male, third]


def read_of(metric: str, group: str, value: float) -> Shown:
    reading = replace(READING, value=value)
    return Shown(about=about(metric, "gender", group), window="24h", reading=reading)


def test_readings_are_mirrored_where_they_are_signed_differences() -> None:
    female, male = (read_of("length_gap", *one) for one in (("female", -0.25), ("male", 0.25)))
    assert readings_without_mirrors([female, male], CATALOGUE) == [female]
    rates = [read_of("refusal_rate", group, 0.0) for group in ("female", "male")]
    assert readings_without_mirrors(rates, CATALOGUE) == rates


def test_a_test_of_a_group_without_an_observation_is_no_series() -> None:
    bare = Evidence(about=about("money_gap", "gender", "male"), log10_e=0.0, epoch=0, alarms=0)
    together = replace(bare, about=about("money_gap", "gender"))
    assert select([bare, together], [], SeriesLimits(), ORDER).evidence == (together,)
