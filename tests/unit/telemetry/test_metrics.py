from dataclasses import dataclass, fields, replace

import pytest
from prometheus_client import REGISTRY, parser
from prometheus_client.openmetrics import parser as openmetrics

from guard.policy import Rule
from guard.records import (
    Action,
    Assessment,
    Call,
    CandidateDecision,
    Fired,
    LookResult,
    Outcome,
    Passage,
    Score,
    SecondLook,
    Span,
    TextKind,
    Unscored,
    Verdict,
)
from guard.telemetry.metrics import Metrics
from guard.telemetry.multiprocess import add_families, read_samples, samples_of


@dataclass(frozen=True)
class Counts:
    open_requests: int = 3
    open_tokens: int = 90
    batches: int = 11
    tokens: int = 700
    padded_tokens: int = 40
    restarts: int = 1
    cancelled: int = 2
    cache_hits: int = 5
    cache_misses: int = 7
    cache_bytes: int = 4096


def outcome(verdict=Verdict.RELEASED, *, use_case="chat", **fields):
    scored = Assessment(
        scores={"toxicity": Score(value=0.5), "sentiment": Score(value=None)},
        queued_seconds=0.002,
        scoring_seconds=0.004,
    )
    given = {"assessment": scored, "added_seconds": 0.003} | fields
    return Outcome(
        call=Call(id="1", use_case=use_case), verdict=verdict, text="t", reply="t", **given
    )


def value(metrics, name, **labels):
    return metrics.registry.get_sample_value(name, labels)


def test_calls_are_counted_by_verdict():
    metrics = Metrics()
    for verdict in (Verdict.RELEASED, Verdict.RELEASED, Verdict.BLOCKED):
        metrics.outcome(outcome(verdict))
    assert value(metrics, "guard_calls_total", use_case="chat", verdict="released") == 2
    assert value(metrics, "guard_calls_total", use_case="chat", verdict="blocked") == 1


def test_what_was_allowed_is_counted_by_entry_and_a_candidate_by_both_actions():
    metrics = Metrics()
    other = CandidateDecision(present=Action.FLAG, action=Action.RELEASE)
    metrics.outcome(outcome(allowed=("Empty the Trash", "kill -9"), candidate=other))
    metrics.outcome(outcome(allowed=("kill -9",)))
    assert value(metrics, "guard_allow_total", use_case="chat", entry="kill -9") == 2
    assert value(metrics, "guard_allow_total", use_case="chat", entry="Empty the Trash") == 1
    labels = {"use_case": "chat", "present": "flag", "candidate": "release"}
    assert value(metrics, "guard_candidate_total", **labels) == 1


def test_what_no_model_said_is_counted_apart():
    metrics = Metrics(use_cases=["chat"])
    fired = (Fired(score="toxicity", action=Action.BLOCK, threshold=0.5, value=0.9),)
    said = outcome(Verdict.BLOCKED, fired=fired)
    metrics.outcome(replace(said, call=replace(said.call, kind=TextKind.TOOL_RESULT)))
    labels = {"use_case": "chat", "kind": "tool_result", "verdict": "blocked"}
    assert value(metrics, "guard_inputs_total", **labels) == 1
    assert value(metrics, "guard_calls_total", use_case="chat", verdict="blocked") == 0
    fired_labels = {"use_case": "chat", "score": "toxicity", "action": "block"}
    assert value(metrics, "guard_fired_total", **fired_labels) is None
    assert value(metrics, "guard_score_count", use_case="chat", score="toxicity") is None


def test_second_looks_are_counted_by_result():
    metrics = Metrics(use_cases=["chat"])
    looks = tuple(
        SecondLook(result=result, action=Action.BLOCK, seconds=0.25)
        for result in (LookResult.OVERTURNED, LookResult.OVERTURNED, LookResult.LATE)
    )
    metrics.outcome(outcome(second_looks=looks))
    counts = {
        result: value(metrics, "guard_second_look_total", use_case="chat", result=result.value)
        for result in LookResult
    }
    assert {result: count for result, count in counts.items() if count} == {
        LookResult.OVERTURNED: 2,
        LookResult.LATE: 1,
    }
    assert value(metrics, "guard_second_look_seconds_sum", use_case="chat") == 0.75


def test_the_cause_of_a_missing_score_is_counted_and_no_score_is_invented():
    metrics = Metrics()
    metrics.outcome(outcome(Verdict.UNSCORED, assessment=Assessment(), unscored=Unscored.DEADLINE))
    assert value(metrics, "guard_unscored_total", use_case="chat", reason="deadline") == 1
    assert value(metrics, "guard_score_count", use_case="chat", score="toxicity") is None
    assert value(metrics, "guard_scoring_seconds_count") == 0


def test_a_score_at_one_half_lies_in_the_bucket_that_ends_there():
    metrics = Metrics()
    metrics.outcome(outcome())
    labels = {"use_case": "chat", "score": "toxicity"}
    assert value(metrics, "guard_score_bucket", le="0.5", **labels) == 1
    above = Assessment(scores={"toxicity": Score(value=0.501)})
    metrics.outcome(outcome(assessment=above))
    assert value(metrics, "guard_score_bucket", le="0.5", **labels) == 1
    assert value(metrics, "guard_score_count", use_case="chat", score="sentiment") is None


def test_times_are_kept_apart():
    metrics = Metrics()
    metrics.outcome(outcome())
    assert value(metrics, "guard_scoring_seconds_sum") == pytest.approx(0.004)
    assert value(metrics, "guard_queue_seconds_sum") == pytest.approx(0.002)
    assert value(metrics, "guard_added_seconds_sum", use_case="chat") == pytest.approx(0.003)


def test_rules_that_were_met_are_counted_even_when_only_observed():
    metrics = Metrics()
    rule = Fired(score="toxicity", action=Action.BLOCK, threshold=0.5, value=0.7)
    metrics.outcome(outcome(fired=(rule,), observed_only=True))
    labels = {"use_case": "chat", "score": "toxicity", "action": "block"}
    assert value(metrics, "guard_fired_total", **labels) == 1


RULES = {
    "chat": (
        Rule(score="toxicity", action=Action.FLAG, threshold=0.62),
        Rule(score="toxicity", action=Action.BLOCK, threshold=0.9),
    ),
    "shop": (Rule(score="stereotype", action=Action.FLAG, threshold=0.7),),
}


def by_policy():
    thresholds = {rule.threshold for rules in RULES.values() for rule in rules}
    return Metrics(use_cases=RULES, rules_of=RULES.__getitem__, thresholds=thresholds)


def test_every_threshold_is_shown_from_the_start():
    metrics = by_policy()
    labels = {"use_case": "chat", "score": "toxicity"}
    assert value(metrics, "guard_policy_threshold", action="flag", **labels) == 0.62
    assert value(metrics, "guard_policy_threshold", action="block", **labels) == 0.9
    labels = {"use_case": "shop", "score": "stereotype", "action": "flag"}
    assert value(metrics, "guard_policy_threshold", **labels) == 0.7


def test_the_histogram_of_the_policy_has_a_bucket_at_its_threshold_and_sees_sentences():
    metrics = by_policy()
    passage = Passage(span=Span(start=0, end=1), values={"toxicity": 0.8})
    scored = Assessment(scores={"toxicity": Score(value=0.3)}, passages=(passage,))
    metrics.outcome(outcome(assessment=scored))
    labels = {"use_case": "chat", "score": "toxicity"}
    assert value(metrics, "guard_policy_score_bucket", le="0.62", **labels) == 0
    assert value(metrics, "guard_policy_score_bucket", le="0.9", **labels) == 1
    assert value(metrics, "guard_score_bucket", le="0.5", **labels) == 1
    assert value(metrics, "guard_policy_score_count", use_case="chat", score="sentiment") is None


def test_what_was_decided_on_while_a_reply_streamed_counts():
    metrics = by_policy()
    rule = Fired(score="toxicity", action=Action.FLAG, threshold=0.62, value=0.7)
    metrics.outcome(outcome(fired=(rule,)))
    labels = {"use_case": "chat", "score": "toxicity"}
    assert value(metrics, "guard_policy_score_bucket", le="0.62", **labels) == 0
    assert value(metrics, "guard_policy_score_bucket", le="0.7", **labels) == 1


def test_without_a_score_the_policy_compared_nothing():
    metrics = by_policy()
    metrics.outcome(outcome(Verdict.UNSCORED, assessment=Assessment()))
    labels = {"use_case": "chat", "score": "toxicity"}
    assert value(metrics, "guard_policy_score_count", **labels) is None


def test_the_threshold_of_several_workers_is_that_of_one():
    families = read_samples(samples_of(by_policy().registry))
    total = add_families([families, families])["guard_policy_threshold"]
    assert sorted(total.values.values()) == [0.62, 0.7, 0.9]


def test_errors_of_the_model_and_of_observers_are_counted():
    metrics = Metrics()
    metrics.upstream_error("chat")
    metrics.observer_error("Broken")
    assert value(metrics, "guard_upstream_errors_total", use_case="chat") == 1
    assert value(metrics, "guard_observer_errors_total", observer="Broken") == 1


def test_declared_use_cases_start_at_zero():
    metrics = Metrics(use_cases=("chat",))
    assert value(metrics, "guard_calls_total", use_case="chat", verdict="blocked") == 0
    assert value(metrics, "guard_calls_total", use_case="other", verdict="blocked") is None


def test_the_engine_is_read_on_scrape_only():
    readings = []
    metrics = Metrics(engine=lambda: readings.append(1) or Counts())
    assert not readings
    levels = ("open_requests", "open_tokens", "cache_bytes")
    for field in fields(Counts):
        name = f"guard_engine_{field.name}" + ("" if field.name in levels else "_total")
        assert value(metrics, name) == field.default


def test_two_instances_share_nothing_and_leave_the_global_registry_alone():
    first, second = Metrics(), Metrics()
    first.outcome(outcome())
    assert value(second, "guard_added_seconds_count", use_case="chat") is None
    assert not [name for name in REGISTRY._names_to_collectors if name.startswith("guard_")]


def test_both_formats_can_be_parsed():
    metrics = Metrics(engine=Counts, use_cases=("chat",))
    metrics.outcome(outcome(use_case='odd "name"\nof\\use'))
    text, plain = metrics.expose()
    body, kind = metrics.expose("application/openmetrics-text; version=1.0.0")
    assert plain.startswith("text/plain")
    assert kind.startswith("application/openmetrics-text")
    families = {f.name for f in parser.text_string_to_metric_families(text.decode())}
    opened = {f.name for f in openmetrics.text_string_to_metric_families(body.decode())}
    assert {"guard_calls", "guard_score", "guard_engine_open_requests"} <= families & opened


def test_the_process_is_described():
    text, _ = Metrics().expose()
    assert b"process_resident_memory_bytes" in text
    assert b"python_info" in text


def test_no_series_says_when_another_was_made():
    metrics = Metrics(use_cases=("chat",))
    body, _ = metrics.expose()
    opened, _ = metrics.expose("application/openmetrics-text; version=1.0.0")
    assert b"guard_calls_total" in body
    assert b"_created" not in body + opened
