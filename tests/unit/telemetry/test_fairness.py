import logging
import re
import threading
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from prometheus_client import generate_latest, parser

from guard.errors import StoreContentError, StoreError
from guard.records import (
    About,
    AlarmPosts,
    CaseState,
    Estimate,
    Evidence,
    InboxCounts,
    Judged,
    Reading,
    Shadowed,
    Shown,
    Snapshot,
    SpoolCounts,
    VoteTimes,
)
from guard.telemetry import (
    CollectedMetrics,
    FairnessCollector,
    Metrics,
    ScrapedCollector,
    spool_metrics,
)

ROOT = Path(__file__).parents[3]
CONFIGURATION = ROOT / "exporters/prometheus/prometheus.yml"
ABOUT = About(use_case="chat", metric="wcsp", attribute="gender", groups="female~male")
OMNIBUS = About(use_case="chat", metric="wcsp", attribute="gender")
LABELS = {"use_case": "chat", "metric": "wcsp", "attribute": "gender", "groups": "female~male"}
FULL = Snapshot(
    readings=(
        Shown(about=ABOUT, window="5m", reading=Reading(value=0.25, low=0.125, high=0.5, n=12)),
    ),
    evidence=(
        Evidence(
            about=ABOUT,
            log10_e=1.25,
            epoch=3,
            alarms=2,
            alarmed=True,
            alarm_log10_e=4.5,
            material=0.125,
            is_material=True,
            needed=85,
            estimate=Estimate(value=0.25, low=-0.5, high=0.75, n=40),
        ),
        Evidence(about=OMNIBUS, log10_e=1.0, epoch=3, alarms=0),
        Evidence(about=replace(OMNIBUS, metric="length_gap"), log10_e=1.0, epoch=1, alarms=0),
    ),
    alarm_lines={"chat": 2.5},
    shadowed=(Shadowed(use_case="chat", attribute="gender", result="compared", calls=9.0),),
    alarm_posts=(AlarmPosts(use_case="chat", failed=2),),
    jobs=InboxCounts(ready=1, delayed=2, leased=3, dead_letters=4, full=5),
    lag_seconds=12.5,
    cases={("chat", CaseState.OPEN): 6, ("chat", CaseState.CLOSED): 7},
    oldest_case_seconds=3600.0,
    judged=(
        Judged(
            use_case="chat",
            what="precision",
            of="refusal",
            reading=Reading(value=0.75, low=0.5, high=0.875, n=16),
        ),
        Judged(
            use_case="chat",
            what="agreement",
            of="pair",
            reading=Reading(value=0.5, low=-0.25, high=1.0, n=20),
        ),
    ),
    vote_times=(VoteTimes(use_case="chat", votes=3, seconds=40.5),),
    left_out={("chat", "readings"): 8},
    use_cases_left_out=1,
)

SPOOLED = SpoolCounts(bytes=1, accepted=2, dropped=3)


def served(read, **options):
    return CollectedMetrics(FairnessCollector(read, **options)).registry


def test_a_reading_is_a_value_with_its_interval_and_what_it_rests_on():
    registry = served(lambda: FULL)
    labels = LABELS | {"window": "5m"}
    parts = {"": 0.25, "_low": 0.125, "_high": 0.5, "_samples": 12}
    found = {part: registry.get_sample_value(f"guard_fairness{part}", labels) for part in parts}
    assert found == parts


def test_what_people_decided_comes_with_its_interval():
    registry = served(lambda: FULL)
    parts = ("", "_low", "_high", "_samples")
    flag, kind = {"use_case": "chat", "reason": "refusal"}, {"use_case": "chat", "kind": "pair"}
    assert [registry.get_sample_value(f"guard_flag_precision{part}", flag) for part in parts] == [
        0.75,
        0.5,
        0.875,
        16,
    ]
    assert [registry.get_sample_value(f"guard_review_agreement{part}", kind) for part in parts] == [
        0.5,
        -0.25,
        1.0,
        20,
    ]


def test_verdicts_come_with_the_time_they_took():
    registry, chat = served(lambda: FULL), {"use_case": "chat"}
    assert registry.get_sample_value("guard_verdicts_total", chat) == 3
    assert registry.get_sample_value("guard_verdict_seconds_total", chat) == 40.5


def test_evidence_comes_with_its_epoch_its_alarms_and_what_is_estimated():
    registry = served(lambda: FULL)
    expected = {
        "guard_fairness_evidence": 1.25,
        "guard_fairness_evidence_estimate": 0.25,
        "guard_fairness_evidence_low": -0.5,
        "guard_fairness_evidence_high": 0.75,
        "guard_fairness_evidence_samples": 40,
        "guard_fairness_needed": 85,
        "guard_alarms_total": 2,
        "guard_alarm_stands": 1,
        "guard_alarm_evidence": 4.5,
    }
    assert {name: registry.get_sample_value(name, LABELS) for name in expected} == expected
    size = {"use_case": "chat", "metric": "wcsp"}
    assert registry.get_sample_value("guard_fairness_material", size) == 0.125
    assert registry.get_sample_value("guard_alarm_line", {"use_case": "chat"}) == 2.5


def test_the_epochs_of_an_attribute_are_counted_once_for_each_metric():
    labels = {"use_case": "chat", "attribute": "gender"}
    assert served(lambda: FULL).get_sample_value("guard_epochs_total", labels) == 4


def test_a_test_without_data_has_no_estimate_and_one_without_an_alarm_shows_none():
    bare = Evidence(about=ABOUT, log10_e=0.0, epoch=0, alarms=0)
    registry = served(lambda: Snapshot(evidence=(bare,)))
    assert registry.get_sample_value("guard_fairness_evidence", LABELS) == 0.0
    for name in ("guard_alarms_total", "guard_alarm_stands", "guard_alarm_evidence"):
        assert registry.get_sample_value(name, LABELS) is None
    assert "guard_fairness_material" not in names_of(registry)
    assert registry.get_sample_value("guard_fairness_evidence_low", LABELS) is None


def test_queues_cases_and_what_is_left_out():
    registry = served(lambda: FULL)
    shadowed = {"use_case": "chat", "attribute": "gender", "result": "compared"}
    assert registry.get_sample_value("guard_shadow_total", shadowed) == 9
    posts = {
        result: registry.get_sample_value(
            "guard_alarm_posts_total", {"use_case": "chat", "result": result}
        )
        for result in ("sent", "failed")
    }
    assert posts == {"sent": 0, "failed": 2}
    assert registry.get_sample_value("guard_inbox_dropped_total") == 5
    assert registry.get_sample_value("guard_shadow_lag_seconds") == 12.5
    assert registry.get_sample_value("guard_oldest_case_seconds") == 3600
    dropped = {"use_case": "chat", "what": "readings"}
    assert registry.get_sample_value("guard_readings_dropped", dropped) == 8
    assert registry.get_sample_value("guard_use_cases_dropped") == 1
    jobs = {
        state: registry.get_sample_value("guard_inbox_jobs", {"state": state})
        for state in ("ready", "delayed", "leased", "buried")
    }
    assert jobs == {"ready": 1, "delayed": 2, "leased": 3, "buried": 4}
    cases = {
        state: registry.get_sample_value("guard_cases", {"use_case": "chat", "state": state})
        for state in ("open", "disputed", "closed")
    }
    assert cases == {"open": 6, "disputed": 0, "closed": 7}


def raises(error):
    def read():
        raise error

    return read


def names_of(registry):
    return {sample.name for family in registry.collect() for sample in family.samples}


def test_a_store_that_is_away_leaves_the_rest_standing(caplog):
    metrics = Metrics(use_cases=("chat",))
    metrics.registry.register(FairnessCollector(raises(StoreError("redis://x cannot be reached"))))
    for count in (1, 2):
        assert metrics.registry.get_sample_value("guard_store_up") == 0
        failed = metrics.registry.get_sample_value(
            "guard_readings_failed_total", {"reason": "unreachable"}
        )
        assert failed == 2 * count
    assert "guard_calls_total" in names_of(metrics.registry)
    assert not any(name.startswith("guard_fairness") for name in names_of(metrics.registry))
    assert caplog.text.count("cannot be reached") == 1


def test_what_cannot_be_read_is_counted_once_and_takes_nothing_along():
    found = iter([0, 1, 1, 3])
    registry = served(lambda: replace(FULL, unreadable=next(found)))
    labels = {"reason": "unreadable"}
    counts = [registry.get_sample_value("guard_readings_failed_total", labels) for _ in range(4)]
    assert counts == [0, 1, 1, 3]


def test_a_store_that_answers_but_cannot_be_read_is_not_said_to_be_away():
    for reason, count in (("unreadable", 1), ("unreachable", 0)):
        registry = served(raises(StoreContentError("the key x holds no sums (store.url)")))
        labels = {"reason": reason}
        assert registry.get_sample_value("guard_readings_failed_total", labels) == count


def test_a_fault_of_our_own_is_logged_with_where_it_was_and_counted(caplog):
    registry = served(raises(ZeroDivisionError("oops")))
    assert registry.get_sample_value("guard_store_up") == 0
    assert registry.get_sample_value("guard_readings_failed_total", {"reason": "fault"}) == 2
    assert caplog.records[0].exc_info


def test_it_is_up_again_when_it_is_back_and_a_second_failure_is_logged_again(caplog):
    away = StoreError("away")
    steps = [away, away, None, away]

    def read():
        step = steps.pop(0)
        if step:
            raise step
        return Snapshot()

    collector = FairnessCollector(read)
    up = [next(collector.collect()).samples[0].value for _ in range(4)]
    assert up == [0, 0, 1, 0]
    assert len(caplog.records) == 2


def test_a_store_that_hangs_is_not_waited_for(caplog):
    release, begun = threading.Event(), []

    def read():
        begun.append(1)
        release.wait()
        return FULL

    with caplog.at_level(logging.WARNING):
        registry = served(read, patience_seconds=0.0)
        assert registry.get_sample_value("guard_store_up") == 0
        assert registry.get_sample_value("guard_readings_failed_total", {"reason": "late"}) == 2
    assert len(begun) == 1
    assert "not done after 0 s" in caplog.text
    release.set()
    for thread in threading.enumerate():
        if thread.name == "guard-readings":
            thread.join()
    patient = served(read, patience_seconds=30.0)
    assert patient.get_sample_value("guard_store_up") == 1


def test_nan_and_lone_surrogates_never_reach_a_scrape():
    about = About(use_case="chat", metric="wcsp", attribute="\ud800", groups='a"b\n\\')
    reading = Reading(value=float("nan"), low=0.0, high=float("inf"), n=1)
    shown = Shown(about=about, window="5m", reading=reading)
    text = generate_latest(served(lambda: Snapshot(readings=(shown,)))).decode()
    families = {family.name: family for family in parser.text_string_to_metric_families(text)}
    assert families["guard_fairness"].samples == []
    (high,) = families["guard_fairness_high"].samples
    assert high.labels["attribute"] == "?"
    assert high.labels["groups"] == 'a"b\n\\'


def test_the_scrape_configuration_tells_global_series_from_those_of_a_replica():
    jobs = yaml.safe_load(CONFIGURATION.read_text(encoding="utf-8"))["scrape_configs"]
    (replica,), (exporter,) = (job["metric_relabel_configs"] for job in jobs)
    assert (replica["action"], exporter["action"]) == ("drop", "keep")
    assert replica["regex"] == exporter["regex"]
    of_replicas = Metrics(use_cases=("chat",)).registry
    of_replicas.register(ScrapedCollector(lambda: spool_metrics(SPOOLED)))
    matching = re.compile(replica["regex"]).fullmatch
    assert {name for name in names_of(served(lambda: FULL)) if not matching(name)} == set()
    assert {name for name in names_of(of_replicas) if matching(name)} == set()


def test_every_global_series_is_explained():
    explained = (ROOT / "docs/readings.md").read_text(encoding="utf-8")
    assert {
        name for name in names_of(served(lambda: FULL)) if f"`{name}`" not in explained
    } == set()


def test_the_spool_of_a_process():
    metrics = Metrics()
    metrics.registry.register(ScrapedCollector(lambda: spool_metrics(SPOOLED)))
    assert metrics.registry.get_sample_value("guard_spool_bytes") == 1
    assert metrics.registry.get_sample_value("guard_spool_records_total") == 2
    assert metrics.registry.get_sample_value("guard_spool_dropped_total") == 3


@pytest.mark.parametrize("snapshot", [Snapshot(), FULL])
def test_registering_reads_nothing_and_a_scrape_reads_once(snapshot):
    read = []
    registry = served(lambda: read.append(1) or snapshot)
    assert read == []
    generate_latest(registry)
    assert read == [1]
