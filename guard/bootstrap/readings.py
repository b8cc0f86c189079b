"""All readings of a store, with the settings that they depend on."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from guard.bootstrap.findings import FindingsReader, open_findings
from guard.fairness import Epoch, Published
from guard.fairness.group_tests import alarm_line, omnibus_of
from guard.fairness.tally import Measured
from guard.ports import Clock, Store
from guard.records import Snapshot
from guard.report import EvidenceReader, Readings, SeriesLimits
from guard.review.statistics import verdict_readings, vote_times
from guard.settings import MetricsSettings, Settings
from guard.shadow.findings import make_findings
from guard.shadow.monitor import epochs_of, read_tests


def open_readings(
    store: Store,
    settings: Settings,
    *,
    limits: SeriesLimits | None = None,
    timer: Clock = time.monotonic,
) -> Callable[[], Snapshot]:
    """A function that computes all readings of a store; it raises StoreError while that is away.

    `telemetry.FairnessCollector` shows them. limits: instead of those of the settings. timer:
    seconds of a clock that only goes forward.
    """
    tests = _Tests(open_findings(store, settings))
    evidence = EvidenceReader(
        epochs=lambda use_case: epochs_of(store, use_case),
        published=tests.published,
        needed=tests.needed,
    )
    return Readings(
        store,
        clock=time.time,
        evidence=evidence,
        alarm_line=tests.alarm_line,
        judged=verdict_readings(store),
        vote_times=vote_times(store),
        use_cases=settings.use_cases,
        limits=limits or series_limits(settings.metrics),
        timer=timer,
    ).snapshot


def series_limits(settings: MetricsSettings) -> SeriesLimits:
    """What is shown of a store."""
    return SeriesLimits(
        series=settings.max_series, use_cases=settings.max_use_cases, pairs=settings.pairs
    )


@dataclass(frozen=True, slots=True)
class _Tests:
    """The tests of use cases, with the tolerance and the sizes that are set for them."""

    findings: FindingsReader

    def published(self, use_case: str, epochs: Mapping[str, Epoch]) -> Mapping[str, Published]:
        """The state of those with data, by name."""
        scope = self.findings.scope(use_case)
        return read_tests(self.findings.store, use_case, scope.tests, epochs)

    def needed(
        self, use_case: str, published: Mapping[str, Published], epochs: Mapping[str, Epoch]
    ) -> dict[str, int]:
        """By the name of the test of a group, about how many more comparisons would show it, 0
        where there is an answer: of each attribute for the strongest evidence, since each takes a
        search."""
        scope = self.findings.scope(use_case)
        strongest = _strongest_tests(published)
        return {
            Measured(metric=one.metric, attribute=of.attribute, groups=group.group).name: more
            for of in make_findings(scope, strongest, epochs, {})
            for one in of.metrics
            for group in one.groups
            if (more := 0 if group.is_answered else group.needed) is not None
        }

    def alarm_line(self, use_case: str) -> float | None:
        """log10 e from which on one test of all groups together, alone, raises an alarm."""
        scope = self.findings.scope(use_case)
        if not scope.tests:
            return None
        return alarm_line(scope.tests[0], scope.tests, alpha=scope.alpha, use_cases=scope.use_cases)


def _strongest_tests(published: Mapping[str, Published]) -> dict[str, Published]:
    """Of each attribute the test of a group with the strongest evidence, and that of all groups
    together which goes with it."""
    strongest: dict[str, Published] = {}
    for name, one in published.items():
        attribute = Measured.parse(name).attribute
        before = strongest.get(attribute)
        if one.estimate is not None and (before is None or one.log10_e > before.log10_e):
            strongest[attribute] = one
    names = {name for one in strongest.values() for name in (one.test, omnibus_of(one.test))}
    return {name: one for name, one in published.items() if name in names}
