"""How long does a scrape take, and how many series is it?

Eight use cases with a day of sums in SQLite: the shares of single replies, every gap and test of an
attribute with two groups, similarity: twenty measures. Every scrape makes all readings anew, as one
every quarter of a minute does, with a call in every use case since; the first also reads the day.

    python tests/benchmarks/bench_scrape.py
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from prometheus_client import generate_latest

from guard.bootstrap.readings import open_readings
from guard.bootstrap.shadow import test_families
from guard.fairness import CATALOGUE, Likeness, Measured, Tally, add
from guard.ports import Store
from guard.records import Posting
from guard.settings import Settings, ShadowSettings, UseCase
from guard.shadow.monitor import EvidenceMonitor, MonitoredUseCase
from guard.store import open_store
from guard.telemetry import CollectedMetrics, FairnessCollector

USE_CASES = tuple(f"use-case-{number}" for number in range(8))
GROUPS = ("female", "male")
GAPS = tuple(metric for metric in CATALOGUE.tested if metric.is_signed)
SHADOWED = UseCase(shadow=ShadowSettings(share=1.0, attributes=["gender"]))
SETTINGS = Settings(use_cases=dict.fromkeys(USE_CASES, SHADOWED))
TESTS = test_families(SETTINGS)[USE_CASES[0]]
EVERY_MINUTES, DAY_MINUTES = 20, 1440
GOAL_MS = 100.0
SERIES = 400


def window_sums(random: Random) -> Tally:
    """What a call adds to windows."""
    shares = [
        CATALOGUE.metric_of(Measured(metric=policy + share)).tally(random.random())
        for share in ("toxic_fraction", "stereotype_fraction")
        for policy in ("", "policy_")
    ]
    gaps = [
        CATALOGUE.metric_of(Measured(metric=metric.name, attribute="gender", groups=group)).tally(
            [random.uniform(-1, 1)]
        )
        for metric in GAPS
        for group in GROUPS
    ]
    likeness = Likeness(between=[random.random()], control=[random.random()])
    alike = [
        CATALOGUE.metric_of(Measured(metric=metric, attribute="gender")).tally(likeness)
        for metric in ("crouge_l", "cbleu", "ccs")
    ]
    return add(*shares, *gaps, *alike)


def evidence_sums(random: Random) -> dict[str, Tally]:
    """What it adds to evidence, by test."""
    tests = [test.of_group(group) for test in TESTS for group in GROUPS]
    return {test.name: test.tally(random.gauss(0.0, 0.2)) for test in tests}


def fill(store: Store, now: float, *, minutes: Iterable[int], seed: int) -> None:
    """A call in every use case, so many minutes ago each."""
    random = Random(seed)
    one = MonitoredUseCase(tests=TESTS, deployment="1", settings="1")
    monitor = EvidenceMonitor(store, dict.fromkeys(USE_CASES, one))
    for use_case in USE_CASES:
        for ago in minutes:
            evidence = monitor.by_epoch(use_case, evidence_sums(random))
            at = now - 60.0 * ago
            sums = window_sums(random)
            store.add([Posting(use_case=use_case, at_seconds=at, sums=sums, evidence=evidence)])


def timed_scrapes(metrics: CollectedMetrics, store: Store, count: int) -> tuple[list[float], str]:
    """Milliseconds of processor of each scrape, with another call in every use case before it, and
    the text of the last."""
    found, text = [], ""
    for number in range(count):
        fill(store, time.time(), minutes=range(1), seed=number)
        began = time.process_time()
        text = generate_latest(metrics.registry).decode()
        found.append((time.process_time() - began) * 1000)
    return found, text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scrapes", type=int, default=15)
    scrapes = parser.parse_args().scrapes
    with TemporaryDirectory() as folder:
        store = open_store(f"sqlite:///{Path(folder) / 'bench.db'}", clock=time.time)
        fill(store, time.time(), minutes=range(0, DAY_MINUTES, EVERY_MINUTES), seed=7)
        read = open_readings(store, SETTINGS, timer=itertools.count(0, 1000).__next__)
        metrics = CollectedMetrics(FairnessCollector(read))
        found, text = timed_scrapes(metrics, store, scrapes)
        store.shut()
    of_use_cases = [text.count(f'use_case="{use_case}"') for use_case in USE_CASES]
    series = sum(not line.startswith("#") for line in text.splitlines())
    median = statistics.median(found[1:])
    print(f"series: {series}, of one use case {max(of_use_cases)} at most (goal {SERIES})")
    print(
        f"first scrape {found[0]:.0f} ms, median {median:.0f} ms, slowest {max(found[1:]):.0f} ms"
    )
    print(f"goal: median <= {GOAL_MS:.0f} ms: {'met' if median <= GOAL_MS else 'MISSED'}")
    return int(median > GOAL_MS or max(of_use_cases) > SERIES * 1.05)


if __name__ == "__main__":
    sys.exit(main())
