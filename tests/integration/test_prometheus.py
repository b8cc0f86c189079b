"""A real Prometheus, two guard processes, one exporter, one Redis: is what it answers true?

Everything it says is computed again from the same observations, here, without a store.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from random import Random

import pytest

from guard.fairness import (
    CATALOGUE,
    Reading,
    add,
    confidence_sequence,
    response_tally,
    toxic_fraction,
    wcsp,
)
from guard.fairness.catalogue import policy_tally
from guard.records import Assessment, Head, Score
from guard.settings import BUILT_IN
from tests.integration.replica import TEST, USE_CASE, evidence_sums, window_sums
from tests.servers import PATIENCE_SECONDS
from tests.servers_prometheus import Prometheus, shipped_configuration

ROOT = Path(__file__).parents[2]
CALLS = 60
TEXTS = (
    "Thank you, that was kind of you.",
    "You are a worthless idiot and I hate you.",
    "The meeting begins at nine and ends at ten.",
    "Women are bad at maths, everybody knows that.",
)


@dataclass(frozen=True)
class Scene:
    """What is scraped, and what truly happened."""

    prometheus: Prometheus
    calls: list[dict[str, object]]
    seen: list[dict[str, object]]
    replicas: int = 2


def calls(random: Random) -> list[dict[str, object]]:
    """Pairs in which the first group gets colder and ruder replies."""

    def scores(mean: float) -> dict[str, float]:
        return {
            "sentiment": min(1.0, max(0.0, random.gauss(mean, 0.2))),
            "toxicity": min(1.0, max(0.0, random.gauss(0.9 - mean, 0.2))),
        }

    return [
        {
            "id": f"call-{number}",
            "text": TEXTS[number % len(TEXTS)],
            "first": scores(0.4),
            "second": scores(0.7),
            "likeness": random.random(),
            "control": random.random(),
        }
        for number in range(CALLS)
    ]


def started(stack: ExitStack, *arguments: str) -> subprocess.Popen[str]:
    """A process of ours that ends with its standard input or by SIGTERM."""
    process = subprocess.Popen(
        [sys.executable, "-m", *arguments],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    stack.callback(ended, process)
    return process


def ended(process: subprocess.Popen[str]) -> None:
    process.terminate()
    process.communicate(timeout=PATIENCE_SECONDS)


@pytest.fixture(scope="module")
def scene(redis_server, tmp_path_factory):
    folder = tmp_path_factory.mktemp("prometheus")
    store = f"{redis_server.url}?prefix={folder.name}"
    happening = calls(Random(11))
    with ExitStack() as stack:
        replicas = []
        for number, kind in enumerate(("embedded", "plain")):
            file = folder / f"calls-{number}.json"
            file.write_text(json.dumps(happening[number::2]), encoding="utf-8")
            replicas.append(started(stack, "tests.integration.replica", store, str(file), kind))
        exporter = started(stack, "guard", "exporter", "--store", store, "--port", "0", "--pairs")
        url = exporter.stdout.readline().removeprefix("readings: ").strip()
        told = [json.loads(process.stdout.readline()) for process in replicas]
        running = Prometheus(folder, shipped_configuration([one["url"] for one in told], [url]))
        stack.callback(running.stop)
        seen = sorted((one for each in told for one in each["seen"]), key=lambda one: one["id"])
        yield Scene(running, sorted(happening, key=lambda one: one["id"]), seen)


@pytest.fixture(scope="module")
def expected(scene):
    """The readings, from the observations alone."""
    heads = {key: Head(key=key, threshold=0.5, harm=True) for key in scene.seen[0]["scores"]}
    tallies = [window_sums(call) for call in scene.calls]
    for one in scene.seen:
        scores = {key: Score(value=value) for key, value in one["scores"].items()}
        tallies.append(response_tally(Assessment(scores=scores), heads))
        tallies.append(policy_tally({score: score in one["fired"] for score in BUILT_IN}))
    found = CATALOGUE.readings(add(*tallies))
    return {one: read for one, read in found.items() if isinstance(read, Reading)}


def wait_for_all(ask):
    """Until the sums of every call are read: those of the guards' own spools, and of the pairs."""
    for metric in ("toxic_fraction", "wcsp"):
        where = f'use_case="{USE_CASE}",metric="{metric}",window="24h"'
        ask.wait_for(f"sum(guard_fairness_samples{{{where}}})", CALLS)


def labelled(found):
    """(metric, attribute, groups) to value, of series of one use case and window."""
    labels = [(dict(labels), value) for labels, value in found.items()]
    return {
        (one["metric"], one.get("attribute", ""), one.get("groups", "")): value
        for one, value in labels
    }


def test_counts_are_exact_and_replicas_add_up(scene):
    ask = scene.prometheus
    ask.wait_for("sum(guard_calls_total)", CALLS)
    assert len(ask.ask("sum by (instance) (guard_calls_total)")) == scene.replicas
    verdicts = {
        dict(key)["verdict"]: n
        for key, n in ask.ask("sum by (verdict) (guard_calls_total)").items()
    }
    happened = [one["verdict"] for one in scene.seen]
    assert {key: n for key, n in verdicts.items() if n} == {
        verdict: happened.count(verdict) for verdict in happened
    }
    ask.wait_for("sum(guard_shadow_total)", CALLS)
    assert ask.one('sum(guard_inbox_jobs{state="ready"})') == CALLS
    flagged = sum(verdict != "released" for verdict in happened)
    ask.wait_for('sum(guard_cases{state="open"})', flagged)
    ask.wait_for("sum(guard_spool_records_total)", CALLS + flagged)
    assert ask.one("sum(guard_spool_dropped_total)") == 0


@pytest.mark.parametrize("window", ["5m", "1h", "24h"])
def test_readings_are_what_the_observations_say(scene, expected, window):
    ask, where = scene.prometheus, f'{{use_case="{USE_CASE}",window="{window}"}}'
    wait_for_all(ask)
    parts = {"": "value", "_low": "low", "_high": "high", "_samples": "n"}
    for series, part in parts.items():
        found = labelled(ask.ask(f"guard_fairness{series}{where}"))
        wanted = {
            (one.metric, one.attribute, one.groups): getattr(reading, part)
            for one, reading in expected.items()
        }
        assert found.keys() == wanted.keys()
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-9)
        if part == "n":
            assert found == wanted


def test_readings_are_what_the_batch_formulas_say(scene):
    ask, window = scene.prometheus, f'use_case="{USE_CASE}",window="24h"'
    wait_for_all(ask)
    toxicity = [one["scores"]["toxicity"] for one in scene.seen]
    first, second = (
        [call[side]["sentiment"] for call in scene.calls] for side in ("first", "second")
    )
    batch = {
        "toxic_fraction": toxic_fraction(toxicity),
        "wcsp": wcsp(first, second),
        "sentiment_gap": fsum(a - b for a, b in zip(first, second, strict=True)) / CALLS,
        "crouge_l": fsum(call["likeness"] for call in scene.calls) / CALLS,
    }
    assert 0 < batch["toxic_fraction"] < 1
    found = {name: ask.one(f'guard_fairness{{{window},metric="{name}"}}') for name in batch}
    assert found == pytest.approx(batch, abs=1e-9)


def test_evidence_is_that_of_all_calls_together(scene):
    ask, test = scene.prometheus, TEST
    sums = add(*(evidence_sums(call)[test.name] for call in scene.calls))
    about = {"metric": "toxicity_gap_grounded", "attribute": "gender", "groups": "female"}
    labels = {"use_case": USE_CASE, **about}
    where = f"{{{','.join(f'{name}={value!r}' for name, value in labels.items())}}}"
    ask.wait_for(f"guard_fairness_evidence_samples{where}", CALLS)
    sequence = confidence_sequence(test.sums(sums).mean)
    wanted = {
        "": test.log10_e(sums),
        "_estimate": sequence.value,
        "_low": sequence.low,
        "_high": sequence.high,
    }
    found = {part: ask.one(f"guard_fairness_evidence{part}{where}") for part in wanted}
    assert found == pytest.approx(wanted, abs=1e-9)
    assert wanted[""] > 1
    assert ask.one(f'guard_epochs_total{{use_case="{USE_CASE}"}}') == 0
    assert ask.one(f"guard_alarms_total{where}") is None


def test_sum_doubles_nothing_though_a_replica_shows_the_readings_as_well(scene, expected):
    ask = scene.prometheus
    ask.wait_for("count(guard_store_up)", 1)
    wait_for_all(ask)
    assert ask.one('count(guard_fairness{window="24h"})') == len(expected)
    assert ask.one("sum(guard_inbox_jobs)") == CALLS
    assert set(
        ask.ask('count by (job) ({__name__=~"guard_calls_total|guard_added_seconds.*"})')
    ) == {(("job", "evenguard"),)}


def test_no_alert_speaks_of_what_is_in_order(scene):
    scene.prometheus.wait_for("count(up == 1)", 3)
    firing = scene.prometheus.ask('ALERTS{alertstate="firing"}')
    assert {dict(labels)["alertname"] for labels in firing} == set()
