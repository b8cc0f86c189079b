"""Which readings and tests of a use case become series, when there are more than wanted. Pure.

An attribute with ten groups has 45 pairs, and each of them some thirty readings in three windows:
a few use cases fill a Prometheus. Shown are, in this order and up to a limit: tests that raised an
alarm, tests of all groups together, shares of single replies, each group against all others it was
compared with, readings of groups, readings of categories, and pairs of groups where asked for. What
is beyond the limit follows from names, and not from what a reading says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isclose
from typing import Final, TypeAlias

from guard.fairness import MetricCatalogue
from guard.fairness.catalogue import FTU, STEREOTYPE_FRACTION, TOXIC_FRACTION
from guard.records import About, Evidence, Shown

DEFAULT_SERIES: Final = 400
WITH_PAIRS: Final = 20_000
SERIES_PER_READING: Final = 4
OMNIBUS, GROUPS, READINGS = "omnibus", "groups", "readings"
"""What can be left out: tests of all groups together, tests of one group, readings."""

_SHARES: Final = tuple(
    policy + share for share in (TOXIC_FRACTION, STEREOTYPE_FRACTION) for policy in ("policy_", "")
)
_OF_ESTIMATE, _OF_ALARM = 4, 3
_ROUNDING: Final = 1e-9

Item: TypeAlias = Evidence | Shown


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesLimits:
    """How many series may be shown: of each use case, and how many use cases.

    series: None is `DEFAULT_SERIES`, and with pairs `WITH_PAIRS`. pairs: whether readings of pairs
    of groups are shown.
    """

    series: int | None = None
    use_cases: int = 200
    pairs: bool = False

    @property
    def most(self) -> int:
        """Series of readings and tests of one use case."""
        return self.series or (WITH_PAIRS if self.pairs else DEFAULT_SERIES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What is shown of one use case. left_out: series that are not, by what they are of."""

    readings: tuple[Shown, ...]
    evidence: tuple[Evidence, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)


def select(
    evidence: Iterable[Evidence], shown: Iterable[Shown], limits: SeriesLimits, order: MetricOrder
) -> Selection:
    """The most important of them, as many as fit."""
    tests = without_mirrors(one for one in evidence if one.estimate or not one.about.groups)
    items: list[Item] = sorted([*tests, *shown], key=order.place)
    left = limits.most - len({one.about.metric for one in tests}) - _attributes(tests) - 1
    kept: list[Item] = []
    for item in items:
        left -= series_of(item)
        if left < 0:
            break
        kept.append(item)
    return Selection(
        evidence=tuple(one for one in kept if isinstance(one, Evidence)),
        readings=tuple(one for one in kept if isinstance(one, Shown)),
        left_out=_count(items[len(kept) :]),
    )


def _attributes(tests: Iterable[Evidence]) -> int:
    return len({one.about.attribute for one in tests})


def _count(items: Iterable[Item]) -> Mapping[str, int]:
    found = Counter({OMNIBUS: 0, GROUPS: 0, READINGS: 0})
    for item in items:
        kind = GROUPS if item.about.groups else OMNIBUS
        found[READINGS if isinstance(item, Shown) else kind] += series_of(item)
    return found


def series_of(item: Item) -> int:
    """How many series an item becomes, beside those it shares with others."""
    if isinstance(item, Shown):
        return SERIES_PER_READING
    needed = int(item.needed is not None)
    return 1 + needed + _OF_ESTIMATE * bool(item.estimate) + _OF_ALARM * bool(item.alarms)


def without_mirrors(tests: Iterable[Evidence]) -> list[Evidence]:
    """Of two groups that were compared with each other alone, the test of the first: that of the
    second has the same observations with the other sign."""
    by_test: dict[tuple[str, str], list[Evidence]] = {}
    for one in sorted(tests, key=lambda one: one.about.groups):
        by_test.setdefault((one.about.metric, one.about.attribute), []).append(one)
    return [one for found in by_test.values() for one in _without_mirror(found)]


def _without_mirror(found: Sequence[Evidence]) -> Sequence[Evidence]:
    groups = [one for one in found if one.about.groups]
    if len(groups) == 2 and _is_mirror(*groups):
        return [one for one in found if one is not groups[1]]
    return found


def _is_mirror(one: Evidence, other: Evidence) -> bool:
    first, second = one.estimate, other.estimate
    return (
        first is not None
        and second is not None
        and first.n == second.n
        and isclose(abs(first.value), abs(second.value), abs_tol=_ROUNDING)
        and isclose(one.log10_e, other.log10_e, abs_tol=_ROUNDING)
    )


def readings_without_mirrors(shown: Iterable[Shown], catalogue: MetricCatalogue) -> list[Shown]:
    """The same for signed differences over a window."""
    kept = list(shown)
    by_place: dict[tuple[str, str, str], list[Shown]] = {}
    for one in kept:
        live = catalogue.find(one.about.metric)
        if one.about.groups and "~" not in one.about.groups and live and live.is_signed:
            place = (one.about.metric, one.about.attribute, one.window)
            by_place.setdefault(place, []).append(one)
    mirrors = {id(found[1]) for found in by_place.values() if _is_mirrored(found)}
    return [one for one in kept if id(one) not in mirrors]


def _is_mirrored(found: Sequence[Shown]) -> bool:
    if len(found) != 2:
        return False
    first, second = (one.reading for one in found)
    return first.n == second.n and isclose(first.value, -second.value, abs_tol=_ROUNDING)


class MetricOrder:
    """Where readings and tests stand: what matters most first, then metrics as the catalogue has
    them, then names."""

    def __init__(self, catalogue: MetricCatalogue) -> None:
        self._numbers = {metric.name: number for number, metric in enumerate(catalogue.metrics)}

    def place(self, item: Item) -> tuple[int, int, str, str, str, str]:
        """The smaller, the earlier."""
        about = item.about
        window = item.window if isinstance(item, Shown) else ""
        number = self._number(about.metric)
        return _rank(item), number, about.metric, about.attribute, about.groups, window

    def _number(self, metric: str) -> int:
        if metric == FTU:
            return -1
        base = metric.removesuffix("_control").removesuffix("_deficit")
        return self._numbers.get(base, len(self._numbers))


def _rank(item: Item) -> int:
    if isinstance(item, Shown):
        return _rank_of_reading(item.about)
    if item.alarms:
        return 0
    return 3 if item.about.groups else 1


def _rank_of_reading(about: About) -> int:
    if is_pair(about.groups):
        return 6
    if about.metric in _SHARES:
        return 2
    return 4 if about.attribute else 5


def is_pair(groups: str) -> bool:
    """Whether these are two groups, or one compared with itself."""
    return "~" in groups
