"""A new live metric is one entry: readings, evidence, flags, cases, settings and series have it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from prometheus_client import generate_latest

from guard.fairness import (
    LIVE_METRICS,
    CaseFlag,
    LiveMetric,
    MeasuredReply,
    MetricCatalogue,
    difference,
    similarity,
)
from guard.fairness.live import NORMALISED, deficit
from guard.records import Case, Posting
from guard.report import EvidenceReader, Readings, SeriesLimits
from guard.settings.use_cases import flags_section
from guard.shadow.cases import CaseContext, pair_cases
from guard.shadow.comparison import Instruments
from guard.shadow.measurement import Measurements, measure
from guard.shadow.monitor import EvidenceMonitor, MonitoredUseCase, epochs_of, read_tests
from guard.shadow.options import flag_thresholds
from guard.store.common import StoreOptions
from guard.store.memory import MemoryStore
from guard.telemetry import CollectedMetrics, FairnessCollector
from tests.unit.shadow.made import answered, planned, speaks, tools

CALLS = 40
LETTERS = difference(
    "letters_gap",
    lambda reply: min(1.0, len(reply.text) / 100),
    flag=CaseFlag(key="letters_gap", threshold=0.2, help="Difference in letters."),
)
"""Of the generated texts."""


def tone(reply: MeasuredReply) -> float | None:
    """Signed on each side: from -1, awful, to 1, great."""
    score = reply.normalised.get("sentiment")
    return None if score is None else 2.0 * score - 1.0


TONE = difference("tone_gap", tone, bounds=(-1.0, 1.0))
SAME_LENGTH = replace(
    similarity("same_length", lambda one, two: float(len(one.text) == len(two.text))),
    tested=deficit,
    directed=False,
)
"""A similarity that is tested beyond its own control."""
CATALOGUE = MetricCatalogue((*LIVE_METRICS, LETTERS, TONE, SAME_LENGTH))


def instruments(**changes: object) -> Instruments:
    flags = flag_thresholds({}, CATALOGUE)
    return replace(tools(flags=flags, **changes), catalogue=CATALOGUE)


def measured(call: str) -> Measurements:
    """Replies about him are eight times as long."""
    made, long = planned(call=call), "A fine idea. " * 8
    replies = [
        answered(speaks(ask.turns[-1].content, "A fine idea.", long)) for _, ask in made.asks({})
    ]
    return measure(made, replies, instruments())


def cases_of(found: Measurements) -> tuple[Case, ...]:
    context = CaseContext(use_case="chat", at_seconds=0.0, versions={})
    return pair_cases(found.pairs, instruments(), context)


@pytest.fixture(scope="module")
def scraped() -> str:
    """What /metrics says of a store after some calls."""
    options = StoreOptions(
        clock=lambda: 0.0, bucket_seconds=60.0, max_jobs=10, new_token=lambda: "token"
    )
    store = MemoryStore(options)
    tests = instruments().options.family(embeddings=True, catalogue=CATALOGUE)
    monitor = EvidenceMonitor(store, {"chat": MonitoredUseCase(tests=tests)})
    for number in range(CALLS):
        found = measured(f"c{number}")
        evidence = monitor.by_epoch("chat", found.evidence)
        store.add([Posting(use_case="chat", at_seconds=0.0, sums=found.sums, evidence=evidence)])
    assert {("chat", f"letters_gap:gender{of}") for of in ("", ":female", ":male")} <= {
        *monitor.check().alarms
    }
    reader = EvidenceReader(
        epochs=lambda use_case: epochs_of(store, use_case),
        published=lambda use_case, epochs: read_tests(store, use_case, tests, epochs),
    )
    readings = Readings(
        store,
        clock=lambda: 0.0,
        evidence=reader,
        catalogue=CATALOGUE,
        limits=SeriesLimits(pairs=True),
    )
    return generate_latest(CollectedMetrics(FairnessCollector(readings.snapshot)).registry).decode()


def test_it_is_flagged_and_stands_in_the_body_of_the_case() -> None:
    (case,) = cases_of(measured("c1"))
    assert case.reasons == ("length_gap", "letters_gap")
    body = json.loads(case.body)
    for gaps in ("gaps", "grounded_gaps"):
        assert body[gaps]["letters_gap"] == pytest.approx(-0.88)
        assert body[gaps]["tone_gap"] == 0.0
        assert set(body[gaps]) == {
            one.name.removesuffix(NORMALISED) for one in CATALOGUE.metrics if one.is_signed
        }
    assert body["likeness"]["same_length"] == {"between": [0.0], "control": []}


@pytest.mark.parametrize(
    "name", ["letters_gap", "tone_gap", "same_length"], ids=["texts", "signed", "similarity"]
)
def test_it_is_read_and_tested(name: str, scraped: str) -> None:
    for groups in ("female~male", "" if name == "same_length" else "female"):
        read = f'attribute="gender",groups="{groups}",metric="{name}",use_case="chat"'
        assert f'guard_fairness{{{read},window="24h"}}' in scraped
    for group in ("",) if name == "same_length" else ("", "female"):
        test = f'attribute="gender",groups="{group}",metric="{name}",use_case="chat"'
        assert f"guard_fairness_evidence{{{test}}}" in scraped
        for series in ("guard_alarms_total", "guard_alarm_stands"):
            assert (f"{series}{{{test}}} 1.0" in scraped) == (name == "letters_gap")


def test_a_similarity_is_read_with_its_control() -> None:
    live = "A fine idea."
    found = measure(
        planned(live=live),
        [answered(live) for _ in planned(live=live).asks({})],
        instruments(),
    )
    names = {one.metric for one in CATALOGUE.readings(found.sums)}
    assert {"same_length", "same_length_control", "same_length_deficit"} <= names


def test_settings_have_its_flag() -> None:
    section = flags_section(CATALOGUE)
    assert section().model_dump()["letters_gap"] == 0.2
    assert section.model_validate({"letters_gap": None}).model_dump()["letters_gap"] is None
    with pytest.raises(ValueError, match="charm_gap"):
        section.model_validate({"charm_gap": 0.1})


@pytest.mark.parametrize("made", [LETTERS, TONE])
def test_two_metrics_cannot_share_a_name(made: LiveMetric) -> None:
    with pytest.raises(ValueError, match="same name"):
        MetricCatalogue((*LIVE_METRICS, made, made))
