"""Eight use cases in one store, two of them biased: each alarms when it would alone, or never."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count

import numpy as np
import pytest

from guard.counterfactual import bundled
from guard.fairness import Measured, Tally, add
from guard.fairness.group_tests import OmnibusTest, omnibus_of
from guard.records import Posting
from guard.scoring import Catalogue, EngineOptions, open_engine
from guard.shadow.comparison import Instruments
from guard.shadow.monitor import EvidenceMonitor, MonitoredUseCase
from guard.shadow.options import ShadowOptions
from guard.store import open_store
from tests.repeats import SOAK
from tests.simulation.shadow.pool import Pool, pool
from tests.simulation.shadow.runs import alike, biased
from tests.simulation.shadow.speaker import COLD, GROUPS, prompts

pytestmark = pytest.mark.slow

OPTIONS = ShadowOptions(groups={"gender": GROUPS["gender"]}, generations=1, control=False)
LOOKS, BETWEEN_LOOKS = 5, 60
Streams = Mapping[str, np.ndarray]


@pytest.fixture(scope="module")
def calls() -> Iterator[Pool]:
    with open_engine(Catalogue.installed().find("bundled"), EngineOptions()) as engine:
        tools = Instruments(lexicons=bundled(), scorer=engine, options=OPTIONS)
        yield pool(prompts()[:8], tools, replies=3, seed=7)


def test_use_cases_in_one_store_keep_their_own_rates(calls: Pool) -> None:
    streams = {f"use-case-{number}": stream(calls, number) for number in range(8)}
    together = alarm_looks(calls, streams)
    assert set(together) == {"use-case-0", "use-case-1"}
    for use_case in list(streams) if SOAK else ("use-case-1", "use-case-2"):
        alone = alarm_looks(calls, {use_case: streams[use_case]})
        assert alone.get(use_case) == together.get(use_case)


def stream(calls: Pool, number: int) -> np.ndarray:
    """Which calls come; in the first two use cases women are often answered harshly."""
    rng, size = np.random.default_rng(number), LOOKS * BETWEEN_LOOKS
    if number < 2:
        return biased(calls, size, rng, strength=0.9, cold=COLD)
    return alike(calls, size, rng)


def alarm_looks(calls: Pool, streams: Streams) -> dict[str, int]:
    """At which look each use case alarmed, through the monitor and a store of all of them."""
    family = OPTIONS.family(embeddings=False)
    store = open_store("memory:", clock=lambda: 0.0, new_token=map(str, count()).__next__)
    watched = MonitoredUseCase(tests=family, groups=OPTIONS.groups)
    monitor = EvidenceMonitor(store, dict.fromkeys(streams, watched))
    found: dict[str, int] = {}
    for look in range(LOOKS):
        new = slice(look * BETWEEN_LOOKS, (look + 1) * BETWEEN_LOOKS)
        for use_case, seen in streams.items():
            evidence = monitor.by_epoch(use_case, evidence_of(calls, seen[new], family))
            store.add([Posting(use_case=use_case, at_seconds=0.0, evidence=evidence)])
        for use_case, _ in monitor.check().alarms:
            found.setdefault(use_case, look)
    return found


def evidence_of(calls: Pool, seen: np.ndarray, family: tuple[OmnibusTest, ...]) -> dict[str, Tally]:
    """What calls of the pool add to each test of a group."""
    tests, found = {test.name: test for test in family}, {}
    for name, column in zip(calls.tests, calls.values[seen].T.tolist(), strict=True):
        test = tests[omnibus_of(name)].of_group(Measured.parse(name).groups)
        found[name] = add(*(test.tally(value) for value in column if not np.isnan(value)))
    return found
