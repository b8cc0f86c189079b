"""What the pairs of one prompt add to the tests of differences between groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from math import fsum

from guard.assessment.comparisons import COMPARED, CONTROL, DifferenceTally
from guard.fairness import Comparison, MetricCatalogue, ObservedPair, Tally, add


def pair_differences(seen: Sequence[ObservedPair], catalogue: MetricCatalogue) -> Tally:
    """What every tested metric adds for each group: one difference with the others it met. It is no
    win and no loss where as many answers on either side show none."""
    found: dict[tuple[str, ...], list[tuple[bytes, float, float]]] = {}
    for one in seen:
        for name, even in one.tested.items():
            value = of_all_answers(one, name, catalogue)
            for part, place, sign in _views(one, name):
                if value is not None:
                    told = (place, sign * (even or 0.0), sign * value)
                    found.setdefault(part, []).append(told)
    return add(*(_difference(name, met) for name, met in found.items()))


def _difference(name: tuple[str, ...], met: Sequence[tuple[bytes, float, float]]) -> Tally:
    _, drawn, _ = min(met)
    mean = fsum(value for *_, value in met) / len(met)
    return DifferenceTally(name=name).tally(mean, drawn)


def of_all_answers(one: ObservedPair, name: str, catalogue: MetricCatalogue) -> float | None:
    """A difference of means is that of all answers, also where one side has more of them: its
    expectation is 0 where nothing differs, and only its sign needs as many on either side."""
    live = catalogue.live(name)
    value: float | None = one.observed[name] if live.of_means else one.tested[name]
    return value


def _views(one: ObservedPair, name: str) -> Iterator[tuple[tuple[str, ...], bytes, int]]:
    """Whose difference a pair shows, the place of the other in a draw, and the sign that it has
    seen from there. A control has no sides, and takes part by itself."""
    pair = one.pair
    if pair.is_control:
        yield (CONTROL, name, pair.attribute, pair.first), _place(pair, pair.second), 1
        return
    turned = 1 if name in one.undirected else -1
    yield (COMPARED, name, pair.attribute, pair.first), _place(pair, pair.second), 1
    yield (COMPARED, name, pair.attribute, pair.second), _place(pair, pair.first), turned


def _place(pair: Comparison, group: str) -> bytes:
    """Another for each prompt, and for all metrics of it the same."""
    name = f"{pair.call_id} {pair.attribute} {group}"
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
