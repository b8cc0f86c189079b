"""Whatever is measured, under whatever names, a scrape can be read and holds no NaN."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import parser
from prometheus_client.exposition import generate_latest
from prometheus_client.openmetrics import exposition as openmetrics
from prometheus_client.openmetrics import parser as openmetrics_parser

from guard.records import (
    About,
    AlarmPosts,
    CaseState,
    Estimate,
    Evidence,
    InboxCounts,
    Reading,
    Shadowed,
    Shown,
    Snapshot,
)
from guard.settings.use_cases import NAME_PATTERN
from guard.telemetry import CollectedMetrics, FairnessCollector

NUMBERS = st.floats()
COUNTS = st.integers(0, 2**53)
USE_CASES = st.from_regex(NAME_PATTERN, fullmatch=True)
NAMES = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,20}", fullmatch=True)
TEXTS = st.one_of(NAMES, st.text(st.characters(codec=None), max_size=8))
ABOUTS = st.builds(About, use_case=USE_CASES, metric=NAMES, attribute=TEXTS, groups=TEXTS)
READINGS = st.builds(Reading, value=NUMBERS, low=NUMBERS, high=NUMBERS, n=COUNTS)
ESTIMATES = st.builds(Estimate, value=NUMBERS, low=NUMBERS, high=NUMBERS, n=COUNTS)


def few(elements, by):
    return st.lists(elements, max_size=4, unique_by=by).map(tuple)


SNAPSHOTS = st.builds(
    Snapshot,
    readings=few(
        st.builds(
            Shown, about=ABOUTS, window=st.sampled_from(["5m", "1h", "24h"]), reading=READINGS
        ),
        lambda one: repr((one.about, one.window)).encode(errors="replace"),
    ),
    evidence=few(
        st.builds(
            Evidence,
            about=ABOUTS,
            log10_e=NUMBERS,
            epoch=COUNTS,
            alarms=COUNTS,
            alarmed=st.booleans(),
            material=st.none() | st.floats(0, 1),
            needed=st.none() | COUNTS,
            alarm_log10_e=NUMBERS,
            estimate=st.none() | ESTIMATES,
        ),
        lambda one: repr(one.about),
    ),
    shadowed=few(
        st.builds(
            Shadowed,
            use_case=USE_CASES,
            attribute=TEXTS,
            result=NAMES,
            calls=st.floats(0, 1e15),
        ),
        lambda one: (one.use_case, one.attribute, one.result),
    ),
    alarm_posts=few(
        st.builds(AlarmPosts, use_case=USE_CASES, sent=COUNTS, failed=COUNTS),
        lambda one: one.use_case,
    ),
    jobs=st.builds(InboxCounts, ready=COUNTS, delayed=COUNTS, leased=COUNTS, dead_letters=COUNTS),
    lag_seconds=st.floats(0, 1e12),
    cases=st.dictionaries(st.tuples(USE_CASES, st.sampled_from(CaseState)), COUNTS, max_size=4),
    alarm_lines=st.dictionaries(USE_CASES, NUMBERS, max_size=3),
    left_out=st.dictionaries(st.tuples(USE_CASES, NAMES), COUNTS, max_size=3),
)


def numbers_in(snapshot):
    readings = [one.reading for one in snapshot.readings]
    raised = [one for one in snapshot.evidence if one.alarms]
    return {
        "guard_fairness": [one.value for one in readings],
        "guard_fairness_low": [one.low for one in readings],
        "guard_fairness_high": [one.high for one in readings],
        "guard_fairness_samples": [float(one.n) for one in readings],
        "guard_fairness_evidence": [one.log10_e for one in snapshot.evidence],
        "guard_fairness_needed": [
            float(one.needed) for one in snapshot.evidence if one.needed is not None
        ],
        "guard_alarm_stands": [float(one.alarmed) for one in raised],
        "guard_alarms_total": [float(one.alarms) for one in raised],
        "guard_alarm_line": list(snapshot.alarm_lines.values()),
        "guard_alarm_posts_total": [
            float(count) for one in snapshot.alarm_posts for count in (one.sent, one.failed)
        ],
        "guard_shadow_total": [one.calls for one in snapshot.shadowed],
    }


def samples(families):
    return [sample for family in families for sample in family.samples]


def registry_of(snapshot):
    return CollectedMetrics(FairnessCollector(lambda: snapshot)).registry


@given(SNAPSHOTS)
def test_a_scrape_says_every_number_that_is_one(snapshot):
    text = generate_latest(registry_of(snapshot)).decode()
    found = samples(parser.text_string_to_metric_families(text))
    assert not any(math.isnan(sample.value) for sample in found)
    for name, numbers in numbers_in(snapshot).items():
        shown = [sample.value for sample in found if sample.name == name]
        assert shown == [number for number in numbers if not math.isnan(number)]


@given(SNAPSHOTS)
def test_openmetrics_can_be_read_as_well(snapshot):
    text = openmetrics.generate_latest(registry_of(snapshot)).decode()
    found = samples(openmetrics_parser.text_string_to_metric_families(text))
    assert not any(math.isnan(sample.value) for sample in found)
