"""What the pairs of one prompt add to the tests of differences between groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from math import fsum

from guard.assessment.comparisons import COMPARED, CONTROL, DifferenceTally
from guard.fairness import Comparison, MetricCatalogue, ObservedPair, Tally, add


def pair_differences(seen: Sequence[ObservedPair], catalogue: MetricCatalogue) -> Tally:
    """What every tested metric adds for each group: one difference with the others it met."""
    found: dict[tuple[str, ...], list[tuple[bytes, float, float]]] = {}
    for one in seen:
        for name, even in one.tested.items():
            value = of_all_answers(one, name, catalogue)
            for (part, place, signed), (*_, drawn) in zip(
                _views(one, name, value), _views(one, name, even), strict=True
            ):
                found.setdefault(part, []).append((place, drawn, signed))
    return add(*(_difference(name, met) for name, met in found.items()))


def _difference(name: tuple[str, ...], met: Sequence[tuple[bytes, float, float]]) -> Tally:
    _, drawn, _ = min(met)
    mean = fsum(value for *_, value in met) / len(met)
    return DifferenceTally(name=name).tally(mean, drawn)


def of_all_answers(one: ObservedPair, name: str, catalogue: MetricCatalogue) -> float | None:
    """A difference of means is that of all answers, also where one side has more of them: its
    expectation is 0 where nothing differs, and only its sign needs as many on either side."""
    value: float | None = one.observed[name] if catalogue.live(name).is_signed else one.tested[name]
    return value


def _views(
    one: ObservedPair, name: str, value: float | None
) -> Iterator[tuple[tuple[str, ...], bytes, float]]:
    """The difference seen from either side, and the place of the other in a draw. A control has no
    sides, and takes part by itself."""
    pair = one.pair
    if value is None:
        return
    if pair.is_control:
        yield (CONTROL, name, pair.attribute, pair.first), _place(pair, pair.second), value
        return
    turned = value if name in one.undirected else -value
    yield (COMPARED, name, pair.attribute, pair.first), _place(pair, pair.second), value
    yield (COMPARED, name, pair.attribute, pair.second), _place(pair, pair.first), turned


def _place(pair: Comparison, group: str) -> bytes:
    """Another for each prompt, and for all metrics of it the same."""
    name = f"{pair.call_id} {pair.attribute} {group}"
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
