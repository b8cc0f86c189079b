"""The sequential tests of groups: each against all others it was compared with, and all together.

For each metric and attribute there is one test per group, `metric:attribute:group`, of the
difference between that group and whichever group a call compared it with, and one omnibus test,
`metric:attribute`, whose e-value is the mean of the groups' e-values: an e-value against "no group
is treated differently", because a mean of e-values with fixed weights is one, however they depend
on each other. Pairs of groups are readings, not tests: ten groups are 45 pairs, and each would see
a tenth of the data.

A call counts once for each group in it. Which of the pairs with that group counts is drawn by a
keyed hash of the call, before anything is known of the replies. Several pairs of one call share a
reply, and the mean of their differences is not symmetric when scores are skewed.

The family of tests is fixed before any data. An attribute with more groups than have tests of their
own has a test of the remaining ones together, `metric:attribute:other`: pairs of one of them with a
group that has its own. Weights for `e_bh`: the omnibus tests carry nine tenths, so that little is
paid for being told which group it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from math import inf, log, log10
from types import MappingProxyType

import numpy as np

from guard.fairness.catalogue import NO_TOLERANCE, MetricCatalogue, Tolerances
from guard.fairness.observed_pairs import Conditions, ObservedPair
from guard.fairness.sequential import Epoch, Published, confidence_sequences
from guard.fairness.symmetric import SymmetricSums, SymmetricTest
from guard.fairness.tally import Measured, Tally
from guard.records import Estimate

OTHER = "other"
"""The groups of an attribute that have no test of their own."""
ON_OMNIBUS = 0.9
"""The part of alpha that the omnibus tests carry."""

_LN10 = log(10.0)
_NONE: Mapping[str, float] = MappingProxyType({})

TestedGroup = Callable[[str, str], str]
"""From an attribute and a group to the group under which it is tested: itself or `OTHER`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OmnibusTest:
    """The tests of one metric and attribute: of all groups together and of each.

    groups: how many have a test, `OTHER` counted. tolerance: differences up to it are none, in
    [0, 1). material: the size from which on a difference raises an alarm. directed: where it is
    not, what is tested is how much more replies differ across groups than within one, beyond what
    another wording does, and below 0 there is no difference.
    """

    metric: str
    attribute: str
    groups: int
    tolerance: float = 0.0
    material: float = 0.0
    directed: bool = True

    @property
    def name(self) -> str:
        """The name of the omnibus test."""
        return _omnibus_name(self.metric, self.attribute)

    def of_group(self, group: str) -> SymmetricTest:
        """The test of one group."""
        measured = Measured(metric=self.metric, attribute=self.attribute, groups=group)
        return SymmetricTest(name=measured.name, tolerance=self.tolerance)

    def publish(self, groups: Sequence[Published], epoch: Epoch) -> Published:
        """The state of all groups together, from those of the groups with data."""
        unknown = [0.0] * (self.groups - len(groups))
        return Published(
            test=self.name,
            log10_e=self._log10_mean([*(one.log10_e for one in groups), *unknown]),
            counted_log10_e=self._log10_mean([one.counted_log10_e for one in groups]),
            estimate=None,
            epoch=epoch,
            material=self.material,
            is_material=any(one.is_material for one in groups),
        )

    def publish_group(self, group: GroupSums, estimate: Estimate, epoch: Epoch) -> Published:
        """The state of one group. estimate: with its confidence sequence."""
        log10_e = group.test.evidence(group.sums)
        size = abs(estimate.value) if self.directed else estimate.value
        is_material = size >= self.material
        return Published(
            test=group.test.name,
            log10_e=log10_e,
            counted_log10_e=log10_e if is_material else -inf,
            estimate=estimate,
            epoch=epoch,
            material=self.material,
            is_material=is_material,
            sums=group.sums,
        )

    def _log10_mean(self, log10_e: Sequence[float]) -> float:
        """Of the e-values of all groups; those that are missing count as 0."""
        log_e = np.array(log10_e) * _LN10
        return float(np.logaddexp.reduce(log_e)) / _LN10 - log10(self.groups)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSums:
    """The test of one group and its sums in the present epoch."""

    test: SymmetricTest
    sums: SymmetricSums


def publish_tests(
    tests: Iterable[OmnibusTest],
    sums: Mapping[str, Mapping[str, Tally]],
    epochs: Mapping[str, Epoch],
    *,
    alpha: float = 0.05,
) -> dict[str, Published]:
    """The state of these tests and of those of their groups by name; without data they are missing.

    sums: by the name of the omnibus test and by group, of the present epoch. epochs: by test.
    alpha: of confidence sequences.
    """
    with_data = [(test, group) for test in tests for group in _groups(test, sums)]
    estimates = confidence_sequences([group.sums.mean for _, group in with_data], alpha=alpha)
    by_test: dict[OmnibusTest, list[Published]] = {}
    for (test, group), estimate in zip(with_data, estimates, strict=True):
        one = test.publish_group(group, estimate, epochs[group.test.name])
        by_test.setdefault(test, []).append(one)
    return {
        one.test: one
        for test, groups in by_test.items()
        for one in (test.publish(groups, epochs[test.name]), *groups)
    }


def _groups(test: OmnibusTest, sums: Mapping[str, Mapping[str, Tally]]) -> Iterator[GroupSums]:
    for group, tally in sums.get(test.name, {}).items():
        own = test.of_group(group)
        found = own.sums(tally)
        if found.mean.n > 0:
            yield GroupSums(test=own, sums=found)


@lru_cache(maxsize=8192)
def _omnibus_name(metric: str, attribute: str) -> str:
    return Measured(metric=metric, attribute=attribute).name


def family(
    catalogue: MetricCatalogue,
    groups: Mapping[str, int],
    *,
    conditions: Conditions,
    tolerances: Tolerances = NO_TOLERANCE,
    material: Mapping[str, float] = _NONE,
) -> tuple[OmnibusTest, ...]:
    """The tests of a use case, fixed before any data: for each attribute every metric with a test.

    groups: by attribute, how many of its groups have a test. material: by metric, instead of its
    own.
    """
    return tuple(
        OmnibusTest(
            metric=metric.name,
            attribute=attribute,
            groups=groups[attribute],
            tolerance=getattr(tolerances, metric.tolerance),
            material=material.get(metric.name, metric.material),
            directed=metric.directed,
        )
        for attribute in sorted(groups)
        for metric in catalogue.tested
        if conditions.allow(metric)
    )


def shares(tests: Iterable[OmnibusTest]) -> Callable[[str], float]:
    """From the name of a test to its share of alpha; the shares of all tests add up to 1."""
    groups = {test.name: test.groups for test in tests}
    each = 1.0 / max(len(groups), 1)

    def share(name: str) -> float:
        if name in groups:
            return ON_OMNIBUS * each
        return (1.0 - ON_OMNIBUS) * each / groups[omnibus_of(name)]

    return share


def group_bar(
    test: OmnibusTest, tests: Iterable[OmnibusTest], *, alpha: float, use_cases: int = 1
) -> float:
    """log10 e from which on one group, alone among those of `test`, raises its omnibus alarm.

    tests: the family of the use case. use_cases: how many share alpha.
    """
    return alarm_line(test, tests, alpha=alpha, use_cases=use_cases) + log10(test.groups)


def alarm_line(
    test: OmnibusTest, tests: Iterable[OmnibusTest], *, alpha: float, use_cases: int = 1
) -> float:
    """log10 e from which on the omnibus test, alone in its family, raises an alarm; see
    `group_bar`. Beside others that do it takes less."""
    return -log10(alpha * shares(tests)(test.name) / use_cases)


@lru_cache(maxsize=8192)
def omnibus_of(name: str) -> str:
    """The omnibus test that goes with a test of a group; its own name where it is one."""
    measured = Measured.parse(name)
    return Measured(metric=measured.metric, attribute=measured.attribute).name


def is_group_test(name: str) -> bool:
    """Whether this is the name of a test of one group. Pairs were tested up to version 0.4."""
    try:
        return len(Measured.parse(name).between) == 1
    except ValueError:
        return False


def group_evidence(
    pairs: Sequence[ObservedPair], *, key: bytes, tested_group: TestedGroup
) -> dict[str, Tally]:
    """Name of a test to what the pairs of one call add to it. Controls add nothing.

    key: of the hash that draws one pair for each group, secret.
    """
    found: dict[str, Tally] = {}
    for attribute, group, candidates in _candidates(pairs, tested_group):
        drawn = min(candidates, key=lambda one: _rank(one, group, key))
        turned = tested_group(attribute, drawn.pair.first) != group
        for metric, value in drawn.tested.items():
            test = SymmetricTest(
                name=Measured(metric=metric, attribute=attribute, groups=group).name
            )
            seen = value if value is None or not turned or metric in drawn.undirected else -value
            found[test.name] = test.tally(seen)
    return found


def _candidates(
    pairs: Sequence[ObservedPair], tested_group: TestedGroup
) -> Iterator[tuple[str, str, list[ObservedPair]]]:
    """Attribute, tested group, and the pairs in which exactly one side is of that group."""
    found: dict[tuple[str, str], list[ObservedPair]] = {}
    for one in pairs:
        attribute = one.pair.attribute
        sides = {tested_group(attribute, group) for group in (one.pair.first, one.pair.second)}
        if len(sides) == 2:
            for group in sorted(sides):
                found.setdefault((attribute, group), []).append(one)
    for (attribute, group), candidates in found.items():
        yield attribute, group, candidates


def _rank(one: ObservedPair, group: str, key: bytes) -> bytes:
    pair = one.pair
    what = "\0".join((pair.call_id, pair.attribute, group, pair.groups, pair.source))
    return blake2b(what.encode("utf-8", "surrogatepass"), digest_size=8, key=key).digest()
