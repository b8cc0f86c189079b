"""Findings say what is known of each attribute, and how much is missing to know more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from guard.fairness import Tally
from guard.fairness.group_tests import OmnibusTest, group_bar
from guard.fairness.needed import comparisons_needed
from guard.fairness.tally import merged
from guard.records import Posting
from guard.shadow.finding_counts import FlaggedPairs
from guard.shadow.findings import (
    AttributeFinding,
    FindingScope,
    FindingState,
    MetricFinding,
    describe_group,
    describe_limits,
    make_findings,
)
from guard.shadow.monitor import EvidenceMonitor, MonitoredUseCase, epochs_of, read_tests
from guard.store.common import StoreOptions
from guard.store.memory import MemoryStore

TONE = OmnibusTest(metric="sentiment", attribute="gender", groups=2, material=0.05)
LENGTH = OmnibusTest(metric="length", attribute="gender", groups=2, material=0.05)
FAMILY = (TONE, LENGTH)
SCOPE = FindingScope(use_case="chat", tests=FAMILY)
RESULTS = {
    ("gender", "compared"): 40.0,
    ("gender", "not_answered"): 2.0,
    ("gender", "declined_ambiguous_groups"): 5.0,
    ("gender", "declined_invalid"): 7.0,
    ("gender", "skipped_calls"): 3.0,
    ("", "skipped_not_shadowed"): 1.0,
    ("age", "declined_invalid"): 1.0,
}


def store_with(
    values: list[float], *, acknowledge: bool = False, tests: Sequence[OmnibusTest] = FAMILY
) -> MemoryStore:
    """A store in which women's replies were compared in tone, one call each."""
    store = MemoryStore(
        StoreOptions(clock=lambda: 0.0, bucket_seconds=60.0, max_jobs=1, new_token=lambda: "t")
    )
    monitor = EvidenceMonitor(store, {"chat": MonitoredUseCase(tests=tuple(tests))})
    test = TONE.of_group("female")
    sums: Tally = merged(test.tally(value) for value in values)
    filed = monitor.by_epoch("chat", {test.name: sums})
    store.add([Posting(use_case="chat", at_seconds=0.0, evidence=filed)])
    monitor.check()
    if acknowledge:
        monitor.acknowledge("chat", by="ada")
    return store


def gender(
    values: list[float], *, difference: float = 0.1, acknowledge: bool = False
) -> AttributeFinding:
    store = store_with(values, acknowledge=acknowledge)
    scope = FindingScope(use_case="chat", tests=FAMILY, difference=difference)
    epochs = epochs_of(store, "chat")
    found = make_findings(scope, read_tests(store, "chat", FAMILY, epochs), epochs, RESULTS)
    (one,) = (one for one in found if one.attribute == "gender")
    return one


def tone(values: list[float], *, difference: float = 0.1) -> MetricFinding:
    (metric,) = gender(values, difference=difference).metrics
    return metric


def test_what_was_compared_declined_and_skipped_is_counted_by_reason() -> None:
    found = make_findings(SCOPE, {}, {}, RESULTS)
    assert [one.attribute for one in found] == ["age", "gender"]
    one = found[1]
    assert (one.compared, one.unanswered, one.unscored) == (40, 2, 0)
    assert list(one.declined.items()) == [("invalid", 7), ("ambiguous_groups", 5)]
    assert one.skipped == {"calls": 3}
    assert (one.metrics, one.differs, one.flagged) == ((), False, FlaggedPairs())


def test_a_standing_alarm_differs_until_it_is_acknowledged() -> None:
    biased = [-0.3] * 60
    found = gender(biased)
    assert found.differs
    (metric,) = found.metrics
    assert metric.state is FindingState.DIFFERS
    (group,) = metric.groups
    assert (group.group, group.state, group.needed) == ("female", FindingState.DIFFERS, None)
    assert group.estimate.value == pytest.approx(-0.3)
    assert describe_group(group) == "differs"
    after = gender(biased, acknowledge=True)
    assert (after.differs, after.metrics) == (False, ())


def test_limits_that_include_0_beside_an_alarm_are_explained() -> None:
    found = gender([-0.08] * 40)
    (metric,) = found.metrics
    (group,) = metric.groups
    assert group.state is FindingState.DIFFERS
    assert group.estimate.low < 0.0 < group.estimate.high
    assert "limits that include 0 take nothing back" in describe_limits(found)
    assert describe_limits(gender([-0.3] * 400)) == ""
    assert describe_limits(gender([0.2, -0.2] * 10)) == ""


def test_without_evidence_it_says_how_much_more_is_needed() -> None:
    values = [0.2, -0.2] * 10
    metric = tone(values)
    assert metric.state is FindingState.NO_EVIDENCE
    (group,) = metric.groups
    test = TONE.of_group("female")
    bar = group_bar(TONE, FAMILY, alpha=0.05)
    sums = test.sums(merged(test.tally(value) for value in values))
    assert not group.is_answered
    assert group.needed == comparisons_needed(test, sums, difference=0.1, log10_e=bar)
    assert describe_group(group) == (
        f"no evidence yet; needs about {group.needed} more to see a difference of 0.1"
    )


def test_the_difference_spoken_of_is_never_less_than_what_matters() -> None:
    (group,) = tone([0.2, -0.2] * 10, difference=0.01).groups
    assert group.difference == TONE.material


def test_a_few_comparisons_tell_nothing() -> None:
    (group,) = tone([0.2, -0.2]).groups
    assert group.needed is None
    assert "too little to tell" in describe_group(group)


def test_a_difference_that_does_not_matter_is_slight() -> None:
    metric = tone([0.02] * 4000)
    (group,) = metric.groups
    assert (metric.state, group.state) == (FindingState.SLIGHT, FindingState.SLIGHT)
    assert describe_group(group) == "differs, by less than matters"


def test_limits_within_the_difference_rule_it_out() -> None:
    metric = tone([0.1, -0.1] * 2000)
    (group,) = metric.groups
    assert (metric.state, group.needed) == (FindingState.RULED_OUT, None)
    assert group.is_answered
    assert describe_group(group) == "any difference is below 0.1"


def test_the_bar_is_where_one_group_alone_raises_the_alarm() -> None:
    bar = group_bar(TONE, FAMILY, alpha=0.05)
    values = [0.3] * 60
    test = TONE.of_group("female")
    reached = next(
        count
        for count in range(1, 60)
        if test.evidence(test.sums(merged(test.tally(value) for value in values[:count]))) >= bar
    )
    assert tone(values[:reached]).state is FindingState.DIFFERS
    assert tone(values[: reached - 2]).state is FindingState.NO_EVIDENCE
    assert group_bar(TONE, FAMILY, alpha=0.05, use_cases=8) > bar


@pytest.mark.parametrize("value", [-0.02, -0.5])
def test_replies_that_are_more_alike_across_groups_than_within_do_not_differ(value: float) -> None:
    alike = (replace(TONE, directed=False), LENGTH)
    store = store_with([value] * 4000, tests=alike)
    epochs = epochs_of(store, "chat")
    scope = FindingScope(use_case="chat", tests=alike, difference=0.1)
    (found,) = make_findings(scope, read_tests(store, "chat", alike, epochs), epochs, RESULTS)[
        1
    ].metrics
    assert (found.state, found.groups[0].state) == (FindingState.RULED_OUT, FindingState.RULED_OUT)
