"""What is measured of recommendations: ranked lists for different groups beside one another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from functools import partial
from itertools import combinations, product
from types import MappingProxyType
from typing import Final, TypeAlias

from guard.assessment.pairs import MOST_GROUPS
from guard.assessment.results import Direction, MetricValue
from guard.assessment.titles import title_of
from guard.assessment.units import RowGroup
from guard.fairness import Likeness, Similarity, Tally, add, jaccard_k, key, prag_k, serp_k
from guard.fairness.recommendation import Items
from guard.fairness.tally import split
from guard.records import Reading, Undefined
from guard.text.plurals import counted

_LISTS: Final = "lists"
ListMeasures: TypeAlias = Mapping[str, Callable[[Items, Items], float | Undefined]]
MEASURES: Final[ListMeasures] = MappingProxyType(
    {
        "jaccard_k": jaccard_k,
        "serp_k": serp_k,
        "prag_k": prag_k,
    }
)
AS_PRINTED: Final[ListMeasures] = MappingProxyType(
    {**MEASURES, "prag_k": partial(prag_k, scale="paper")}
)
"""With the constant of the paper, under which the order of identical lists is less than 1."""


def list_tally(
    group: RowGroup,
    attribute: str,
    metrics: tuple[str, ...],
    measures: ListMeasures,
    among: Container[str],
) -> Tally:
    """The sums of one prompt: lists of different groups, and of one group as the control.

    attribute: of the groups. among: the groups that are compared.
    """
    sides = [(name, side) for name, side in group.by_group.items() if name and name in among]
    lists = {
        name: [row.items for row in side.rows if row.items is not None]
        for name, side in sides[:MOST_GROUPS]
    }
    found = []
    for metric in metrics:
        measure = measures[metric]
        for pair in combinations([name for name in lists if lists[name]], 2):
            one, other = lists[pair[0]], lists[pair[1]]
            likeness = Likeness(
                between=[_number(measure(a, b)) for a, b in product(one, other)],
                control=[
                    _number(measure(a, b))
                    for side in (one, other)
                    for a, b in combinations(side, 2)
                ],
            )
            found.append(_similarity(metric, attribute, pair).tally(likeness))
    return add(*found)


def list_counts(sums: Tally) -> Counter[tuple[str, str]]:
    """How many pairs of groups have lists on both sides, from the sums of one prompt: by attribute
    those that were `given`, and those `compared` by at least one measure."""
    found: dict[str, set[tuple[str, ...]]] = {"given": set(), "compared": set()}
    for (_, *pair), part, _ in _parts(sums):
        found["given"].add(tuple(pair))
        if part == ["between", "sum"]:
            found["compared"].add(tuple(pair))
    return Counter((pair[0], what) for what, pairs in found.items() for pair in pairs)


def list_figures(sums: Tally) -> dict[str, float]:
    """How alike the lists of two groups are, from the sums of one prompt: by name, as
    `jaccard_k gender female and male`."""
    return {
        f"{metric} {attribute} {first} and {second}": value
        for (metric, attribute, first, second), part, value in _parts(sums)
        if part == ["between", "sum"]
    }


def _parts(sums: Tally) -> Iterator[tuple[tuple[str, ...], list[str], float]]:
    """What the sums of lists are about (metric, attribute, both groups), which part of them each
    is, and its value."""
    for flat, value in sums.items():
        name, *part = split(flat)
        kind, *about = split(name)
        if kind == _LISTS:
            yield tuple(about), part, value


def list_values(sums: Tally) -> Iterator[MetricValue]:
    """Each measure, pair by pair of groups, beside the control."""
    names = {split(flat)[0] for flat in sums}
    for parts in sorted(split(name) for name in names if split(name)[0] == _LISTS):
        _, metric, attribute, *pair = parts
        similarity = _similarity(metric, attribute, (pair[0], pair[1]))
        found = similarity.estimate(sums)
        yield MetricValue(
            metric=metric,
            title=title_of(metric),
            best=Direction.HIGH,
            attribute=attribute,
            groups=tuple(pair),
            reading=_known(found),
            undefined=found.reason if isinstance(found, Undefined) else "",
            control=_known(similarity.control(sums)),
            deficit=_known(similarity.deficit(sums)),
            unscored=round(sums.get(key(similarity.name, "unscored"), 0.0)),
        )


def list_sentences(values: Iterable[MetricValue]) -> Iterator[str]:
    """What was found of lists, in words."""
    for one in values:
        if one.metric in MEASURES and one.reading is not None:
            about = f"{one.attribute}: {' and '.join(one.groups)}"
            what = one.title[:1].lower() + one.title[1:]
            n = counted(one.reading.n, "prompt")
            yield f"{about}: {what} {_told(one.reading)}, n = {n}; {_beside(one)}"


def _beside(one: MetricValue) -> str:
    if one.control is None or one.deficit is None:
        return "without two lists about one group, what chance does cannot be told from this"
    less = _told(one.deficit)
    return (
        f"two lists about one group {one.control.value:.3g}: {less} less alike than those, not"
        " corrected for the number of such figures"
    )


def _told(reading: Reading) -> str:
    return f"{reading.value:.3g} (between {reading.low:.3g} and {reading.high:.3g})"


def _similarity(metric: str, attribute: str, pair: tuple[str, str]) -> Similarity:
    return Similarity(name=key(_LISTS, metric, attribute, *pair))


def _number(found: float | Undefined) -> float | None:
    return None if isinstance(found, Undefined) else found


def _known(found: Reading | Undefined) -> Reading | None:
    return found if isinstance(found, Reading) else None
