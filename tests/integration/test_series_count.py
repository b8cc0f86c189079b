"""How many series a whole scrape has: eight use cases with a call and twenty readings each."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import pytest
from prometheus_client import generate_latest, parser

from guard import Guard
from guard.report.selection import DEFAULT_SERIES
from guard.settings import Settings, StoreSettings
from guard.store import open_store
from tests.benchmarks.bench_scrape import SETTINGS, USE_CASES, fill

OF_CALLS = 130
"""Counters and histograms of one use case in one process."""
QUEUES_AND_CASES = 12
"""Of one use case, beside readings and tests."""
OF_PROCESS = 90
"""Engine, spool, queues and the process itself."""
KIND = "Thank you for asking, I am glad to help you with that."
INSULT = "You are a stupid idiot and everybody hates you."


def echo(prompt: str) -> str:
    return prompt


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    url = f"sqlite:///{tmp_path / 'guard.db'}"
    store = open_store(url, clock=time.time)
    fill(store, time.time(), minutes=range(3), seed=7)
    store.shut()
    return SETTINGS.model_copy(update={"store": StoreSettings(url=url)})


def test_a_scrape_of_eight_use_cases_is_as_large_as_said(settings: Settings) -> None:
    with Guard.open(settings) as guard:
        for use_case in USE_CASES:
            ask = guard.wrap(echo, use_case=use_case, shadow=echo, may_shadow=lambda _: False)
            assert ask(KIND) == KIND
            assert ask(INSULT) != INSULT
        text = generate_latest(guard.metrics.registry).decode()
    found = Counter[tuple[str, bool]]()
    for family in parser.text_string_to_metric_families(text):
        for sample in family.samples:
            is_of_store = sample.name.startswith(("guard_fairness", "guard_alarm", "guard_epochs"))
            found[sample.labels.get("use_case", ""), is_of_store] += 1
    for use_case in USE_CASES:
        assert 0.9 * DEFAULT_SERIES < found[use_case, True] <= DEFAULT_SERIES
        assert found[use_case, False] <= OF_CALLS + QUEUES_AND_CASES
    assert found["", False] <= OF_PROCESS
