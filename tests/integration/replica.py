"""A process with a guard in it: judges replies, serves its counters, keeps sums in a shared store.

Run with the URL of the store, a file with what happens on each call, and whether this one also
shows the global readings, as an embedded server does. Says on one line where it is scraped and
what it saw, and ends with its standard input.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from guard import Guard
from guard.bootstrap.readings import open_readings
from guard.fairness import CATALOGUE, Likeness, Measured, Sides, add
from guard.fairness.catalogue import SHADOW_RESULTS, result_tally
from guard.fairness.group_tests import OmnibusTest
from guard.records import Job, Posting
from guard.settings import Settings, StoreSettings, UseCase
from guard.shadow.monitor import EvidenceMonitor, MonitoredUseCase
from guard.store import open_store
from guard.telemetry import FairnessCollector, serve

USE_CASE = "support-chat"
GROUPS = {"attribute": "gender", "groups": "female~male"}
OMNIBUS = OmnibusTest(metric="toxicity_gap_grounded", attribute="gender", groups=2, material=0.02)
TEST = OMNIBUS.of_group("female")
COMPARED = {("gender", "compared"): 1}


def window_sums(call):
    """What a pair of replies adds to the windows."""
    sides = Sides(
        conversation=call["id"],
        first=[call["first"]["sentiment"]],
        second=[call["second"]["sentiment"]],
    )
    gap = call["first"]["sentiment"] - call["second"]["sentiment"]
    likeness = Likeness(between=[call["likeness"]], control=[call["control"]])
    observed = {"wcsp": sides, "scsp": sides, "sentiment_gap": [gap], "crouge_l": likeness}
    return add(
        *(
            CATALOGUE.metric_of(Measured(metric=name, **GROUPS)).tally(one)
            for name, one in observed.items()
        )
    )


def evidence_sums(call):
    """What it adds to the evidence, by test."""
    gap = call["first"]["toxicity"] - call["second"]["toxicity"]
    return {TEST.name: TEST.tally(gap)}


def step(guard, store, monitor, call):
    """A reply judged by the guard, which keeps its own sums, and the sums of a pair beside it."""
    outcome = guard.check(call["text"], use_case=USE_CASE)
    evidence = monitor.by_epoch(USE_CASE, evidence_sums(call)) | {
        SHADOW_RESULTS: result_tally(COMPARED)
    }
    now = time.time()
    store.add(
        [Posting(use_case=USE_CASE, at_seconds=now, sums=window_sums(call), evidence=evidence)]
    )
    job = Job(
        key=call["id"],
        lane="nobody",
        use_case=USE_CASE,
        call_id=call["id"],
        payload="{}",
        offered_at=now,
    )
    store.offer(job)
    scores = {key: score.value for key, score in outcome.assessment.scores.items()}
    fired = sorted({one.score for one in outcome.fired})
    return {"id": call["id"], "verdict": outcome.verdict.value, "scores": scores, "fired": fired}


def main(url, calls, embedded):
    kept = StoreSettings(url=url, spool=f"{calls}.spool")
    store = open_store(url, clock=time.time)
    use_case = MonitoredUseCase(tests=(OMNIBUS,), deployment="1", settings="1")
    monitor = EvidenceMonitor(store, {USE_CASE: use_case})
    with Guard.open(Settings(store=kept, use_cases={USE_CASE: UseCase()})) as guard:
        if embedded == "embedded":
            guard.metrics.registry.register(FairnessCollector(open_readings(store, Settings())))
        server = serve(guard.metrics)
        seen = [step(guard, store, monitor, call) for call in json.loads(Path(calls).read_text())]
        sys.stdout.write(json.dumps({"url": server.url, "seen": seen}) + "\n")
        sys.stdout.flush()
        sys.stdin.read()
        server.close()
    store.shut()


if __name__ == "__main__":
    main(*sys.argv[1:])
