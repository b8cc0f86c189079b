"""The series of several processes as those of one.

Every process gives its samples as text; who is scraped adds them up. What a process had counted
when it ended stays in the sums, so that no counter goes back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from operator import add
from typing import Any, Final, TypeAlias

from prometheus_client import CollectorRegistry
from prometheus_client.core import Metric

from guard.telemetry import names

Key: TypeAlias = tuple[str, tuple[tuple[str, str], ...]]
"""The name of a sample and its labels."""

_GROWING: Final = frozenset({"counter", "histogram", "summary"})
_JOINED: Final[Mapping[str, Callable[[float, float], float]]] = {
    "process_start_time_seconds": min,
    "process_max_fds": min,
    "python_info": max,
    names.POLICY_THRESHOLD.name: max,
}
"""Gauges that are no amounts, so that a sum of them means nothing."""


@dataclass(slots=True)
class Family:
    """All samples of one name, of one process or of several. kind: as Prometheus calls it."""

    name: str
    help: str
    kind: str
    values: dict[Key, float] = field(default_factory=dict)

    def add(self, values: Mapping[Key, float]) -> None:
        """Take in those of another process."""
        for key, value in values.items():
            join: Callable[[float, float], float] = _JOINED.get(key[0], add)
            self.values[key] = join(self.values[key], value) if key in self.values else value


Families: TypeAlias = dict[str, Family]


def samples_of(registry: CollectorRegistry) -> str:
    """All samples of a registry, but for when a series was made."""
    return json.dumps([_plain(metric) for metric in registry.collect()])


def read_samples(data: str) -> Families:
    """What `samples_of` wrote."""
    return {name: _family(name, *rest) for name, *rest in json.loads(data)}


def add_families(parts: Iterable[Families]) -> Families:
    """Counters and histograms added up, and so are gauges, which are amounts but for a few."""
    total: Families = {}
    for part in parts:
        for name, family in part.items():
            into = total.setdefault(name, Family(name, family.help, family.kind))
            into.add(family.values)
    return total


def growing_families(part: Families) -> Families:
    """What stays true of a process that has ended: what it had counted."""
    return {name: family for name, family in part.items() if family.kind in _GROWING}


def summed_metrics(families: Families) -> Iterator[Metric]:
    """The sums as metrics."""
    for family in families.values():
        metric = Metric(family.name, family.help, family.kind)
        for (name, labels), value in family.values.items():
            metric.add_sample(name, dict(labels), value)
        yield metric


def _plain(metric: Metric) -> list[Any]:
    samples = [
        [sample.name, sorted(sample.labels.items()), sample.value]
        for sample in metric.samples
        if not sample.name.endswith("_created")
    ]
    return [metric.name, metric.documentation, metric.type, samples]


def _family(name: str, documentation: str, kind: str, samples: Iterable[Any]) -> Family:
    values = {
        (sample, tuple((label, said) for label, said in labels)): float(value)
        for sample, labels, value in samples
    }
    return Family(name, documentation, kind, values)
