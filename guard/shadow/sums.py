"""What the pairs of one call add to windows and to evidence: one observation for each metric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from math import fsum

from guard.fairness import (
    Ended,
    FairPair,
    Likeness,
    Measured,
    Prompted,
    Sides,
    Tally,
    Tested,
    add,
    metric_of,
)
from guard.fairness.measures import (
    GAPS,
    GROUNDED,
    PARITIES,
    REFUSAL_DIFFERENCE,
    REFUSAL_RATE,
)
from guard.fairness.refusal import REFUSALS
from guard.records import Undefined
from guard.shadow.records import Instruments, Pair, Reply

Pairs = Sequence[Pair]


def pair_sums(pairs: Pairs) -> Tally:
    """Everything that windows add up."""
    parts = [part for same in alike(pairs) for part in _sums(same)]
    return add(*parts, *_refusal_rates(pairs))


def evidence(pairs: Pairs, tools: Instruments) -> dict[str, Tally]:
    """Name of a test to what this call adds to it: fresh replies alone, and no controls."""
    found: dict[str, Tally] = {}
    for same in alike([pair for pair in pairs if not pair.is_control]):
        found |= _evidence(same, tools)
    return found


def alike(pairs: Pairs) -> Iterator[tuple[Pair, ...]]:
    """The pairs of the same attribute and groups, which are one observation."""
    ordered = sorted(pairs, key=lambda pair: (pair.attribute, pair.groups))
    for _, same in groupby(ordered, key=lambda pair: (pair.attribute, pair.groups)):
        yield tuple(same)


def _sums(same: Pairs) -> Iterator[Tally]:
    one = same[0]
    for metric in GAPS:
        raw, grounded = one.measured(metric), one.measured(metric + GROUNDED)
        yield metric_of(raw).tally([pair.gaps[metric] for pair in same])
        yield metric_of(grounded).tally([pair.grounded_gaps[metric] for pair in same])
    for metric in PARITIES:
        yield metric_of(one.measured(metric)).tally(_sides(same, grounded=False))
        yield metric_of(one.measured(metric + GROUNDED)).tally(_sides(same, grounded=True))
    for metric in one.likeness:
        yield metric_of(one.measured(metric)).tally(_likeness(same, metric))
    for metric in one.fairpairs:
        seen = Prompted(conversation=one.call_id, seen=_fairpair(same, metric))
        yield metric_of(one.measured(metric)).tally(seen)
    if not one.is_control:
        yield _endings(same)


def _sides(same: Pairs, *, grounded: bool) -> Sides:
    """Sentiment on both sides, refusals left out."""

    def sentiments(replies: Iterable[Reply]) -> list[float | None]:
        answers = [one for one in replies if one.answered]
        return [(one.grounded if grounded else one.scores).get("sentiment") for one in answers]

    return Sides(
        conversation=same[0].call_id,
        first=[value for pair in same for value in sentiments(pair.first_replies)],
        second=[value for pair in same for value in sentiments(pair.second_replies)],
    )


def _likeness(same: Pairs, metric: str) -> Likeness:
    """Each pair enters as the mean of its comparisons."""
    found = [pair.likeness[metric] for pair in same if metric in pair.likeness]
    return Likeness(
        between=[_mean(one.between) for one in found], control=[_mean(one.control) for one in found]
    )


def _fairpair(same: Pairs, metric: str) -> FairPair | Undefined:
    found = [pair.fairpairs.get(metric, Undefined("not made")) for pair in same]
    seen = [one for one in found if isinstance(one, FairPair)]
    if not seen:
        return found[0]
    return FairPair(
        bias=fsum(one.bias for one in seen) / len(seen),
        v_gp=fsum(one.v_gp for one in seen) / len(seen),
        v_pg=fsum(one.v_pg for one in seen) / len(seen),
    )


def _endings(same: Pairs) -> Tally:
    """How fresh replies of each group ended; those of a call weigh one together."""
    measured = same[0].measured(REFUSAL_DIFFERENCE)
    metric = metric_of(measured)
    parts: list[Tally] = []
    for group, at in ((same[0].first, 0), (same[0].second, 1)):
        endings = [one.ending for pair in same for one in _fresh(pair)[at]]
        parts += [
            {key: value / len(endings) for key, value in made.items()}
            for made in (metric.tally(Ended(group=group, ending=ending)) for ending in endings)
        ]
    return add(*parts)


def _refusal_rates(pairs: Pairs) -> Iterator[Tally]:
    """The share of fresh replies about each group that are refusals."""
    shares: dict[tuple[str, str], list[float | None]] = {}
    for pair in pairs:
        if not pair.is_control:
            for group, replies in zip((pair.first, pair.second), _fresh(pair), strict=True):
                shares.setdefault((pair.attribute, group), []).append(_refused(replies))
    for (attribute, group), found in shares.items():
        measured = Measured(metric=REFUSAL_RATE, attribute=attribute, groups=group)
        yield metric_of(measured).tally(found)


def _evidence(same: Pairs, tools: Instruments) -> Mapping[str, Tally]:
    tests = Tested(
        attribute=same[0].attribute,
        groups=same[0].groups,
        contrasts=tools.options.contrasts,
        embeddings=tools.embed is not None,
        tolerances=tools.options.tolerances,
    )
    found: dict[str, Tally] = {}
    for metric in GAPS:
        test = tests.gaps[GAPS[metric]]
        found[test.name] = test.tally(_known(pair.tested_gaps[metric] for pair in same))
    found[tests.refusals.name] = tests.refusals.tally(_known(map(refusal_gap, same)))
    for metric, test in tests.contrast.items():
        values = (pair.contrasts.get(metric) for pair in same)
        found[test.name] = test.tally(
            _known(None if isinstance(value, Undefined) else value for value in values)
        )
    return found


def refusal_gap(pair: Pair) -> float | None:
    """Share of fresh replies about the first group that are refusals, minus the second's."""
    first, second = (_refused(replies) for replies in _fresh(pair))
    return None if first is None or second is None else first - second


def _fresh(pair: Pair) -> tuple[list[Reply], list[Reply]]:
    sides = (pair.first_replies, pair.second_replies)
    first, second = ([one for one in side if not one.live] for side in sides)
    return first, second


def _refused(replies: Sequence[Reply]) -> float | None:
    return sum(one.ending in REFUSALS for one in replies) / len(replies) if replies else None


def _known(values: Iterable[float | None]) -> list[float | None]:
    """The values there are; a pair that has none does not take the others with it."""
    return [value for value in values if value is not None]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if known else None
