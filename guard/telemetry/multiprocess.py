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
from prometheus_client.samples import Exemplar

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
    """All samples of one name, of one process or of several. kind: as Prometheus calls it.

    exemplars: the latest of a sample, where it has one.
    """

    name: str
    help: str
    kind: str
    values: dict[Key, float] = field(default_factory=dict)
    exemplars: dict[Key, Exemplar] = field(default_factory=dict)

    def add(self, other: Family) -> None:
        """Take in the same of another process."""
        for key, value in other.values.items():
            join: Callable[[float, float], float] = _JOINED.get(key[0], add)
            self.values[key] = join(self.values[key], value) if key in self.values else value
        for key, exemplar in other.exemplars.items():
            self.exemplars[key] = max(self.exemplars.get(key, exemplar), exemplar, key=_moment)


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
            total.setdefault(name, Family(name, family.help, family.kind)).add(family)
    return total


def growing_families(part: Families) -> Families:
    """What stays true of a process that has ended: what it had counted."""
    return {name: family for name, family in part.items() if family.kind in _GROWING}


def summed_metrics(families: Families) -> Iterator[Metric]:
    """The sums as metrics."""
    for family in families.values():
        metric = Metric(family.name, family.help, family.kind)
        for key, value in family.values.items():
            name, labels = key
            metric.add_sample(name, dict(labels), value, exemplar=family.exemplars.get(key))
        yield metric


def _plain(metric: Metric) -> list[Any]:
    samples = [
        [sample.name, sorted(sample.labels.items()), sample.value, sample.exemplar]
        for sample in metric.samples
        if not sample.name.endswith("_created")
    ]
    return [metric.name, metric.documentation, metric.type, samples]


def _family(name: str, documentation: str, kind: str, samples: Iterable[Any]) -> Family:
    family = Family(name, documentation, kind)
    for sample, labels, value, exemplar in samples:
        key = sample, tuple((label, said) for label, said in labels)
        family.values[key] = float(value)
        if exemplar is not None:
            family.exemplars[key] = Exemplar(*exemplar)
    return family


def _moment(exemplar: Exemplar) -> float:
    return float(exemplar.timestamp or 0.0)
