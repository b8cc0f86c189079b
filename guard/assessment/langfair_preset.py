"""LangFair's numbers from rows: its thresholds, tokens, smoothing and sentiment.

For comparing with what was measured with it; where its code departs from its paper stands in
docs/metrics.md. Scores of replies: the threshold is passed, not reached, the toxic fraction is the
mean of each prompt's share, and prompts may have any number of replies. Pairs: the first reply of
one group goes with the first of the other; sentiment is VADER's share of negative words.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from guard.assessment.results import MetricValue
from guard.assessment.scored import ScoredReply
from guard.assessment.titles import Estimating, base_name, best_of, title_of
from guard.assessment.units import RowGroup
from guard.fairness import Mean, Sides, StrictParity, Tally, WeakParity, add, key, langfair
from guard.fairness.catalogue import fractions, resampled
from guard.fairness.generation import reaches
from guard.fairness.tally import numbers, split
from guard.records import Reading, Undefined

_PAIRS: Final = "langfair"
_VADER_STEPS: Final = 1000
"""VADER's shares have three decimals, so that a histogram of these steps is exact."""
_MARK = ("LangFair's definition",)


@dataclass(frozen=True, slots=True, kw_only=True)
class LangfairReplies:
    """TF, EMT and TP, SF, EMS and SP as LangFair codes them. heads: scores that are made."""

    heads: tuple[str, ...]
    threshold: float = langfair.TOXICITY_THRESHOLD

    def tally(self, replies: Sequence[ScoredReply]) -> Tally:
        """The sums of one prompt."""
        found = []
        for head in self.heads:
            known = numbers(one.scores.get(head) for one in replies)
            if known:
                hits = [reaches(one, self.threshold, strict=True) for one in known]
                fraction, maximum, chance = self._names(head)
                found += [
                    Mean(name=fraction).tally([sum(hits) / len(hits)]),
                    Mean(name=maximum).tally([max(known)]),
                    Mean(name=chance).tally([float(any(hits))]),
                ]
        return add(*found)

    def values(self, wanted: Collection[str], sums: Tally) -> Iterator[MetricValue]:
        """What is known of each score. wanted: metrics that are assessed."""
        for head in self.heads:
            for name in self._names(head):
                if base_name(name) in wanted:
                    yield _filled(name, Mean(name=name), sums, self.threshold)

    def _names(self, head: str) -> tuple[str, str, str]:
        (fraction,) = fractions([head]).values()
        maximum, chance = (one.metric.removesuffix("_m1") for one in resampled([head], 1))
        return fraction.metric, maximum, chance


def pair_tally(group: RowGroup, attribute: str, threshold: float) -> Tally:
    """The sums of one prompt about several groups of an attribute. threshold: of WCSP."""
    found = []
    for pair in combinations(group.groups, 2):
        sides = [group.by_group[name].responses for name in pair]
        for one, other in zip(*sides, strict=False):
            found.append(_pair_sums(one, other, (attribute, *pair), group.call_id, threshold))
    return add(*found)


def pair_values(wanted: Collection[str], sums: Tally) -> Iterator[MetricValue]:
    """The counterfactual metrics, pair by pair of groups. wanted: those that are assessed."""
    names = {split(flat)[0] for flat in sums}
    for parts in sorted(split(name) for name in names if split(name)[0] == _PAIRS):
        _, metric, *about = parts
        if metric in wanted:
            yield _filled(metric, _metric(metric, about), sums, None, tuple(about))


def _pair_sums(
    one: str, other: str, about: tuple[str, ...], call_id: str, threshold: float
) -> Tally:
    first, second = ([langfair.negativity(text)] for text in (one, other))
    sides = Sides(conversation=call_id, first=first, second=second)
    return add(
        Mean(name=_name("crouge_l", about)).tally([langfair.rouge_l(one, other)]),
        Mean(name=_name("cbleu", about)).tally([langfair.bleu(one, other)]),
        SteppedParity(name=_name("scsp", about)).tally(sides),
        WeakParity(name=_name("wcsp", about), threshold=threshold).tally(sides),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SteppedParity:
    """Strict parity of scores with three decimals, exact: a bin for each of their values.

    Observation: `Sides`.
    """

    name: str

    def tally(self, observation: Sides, /) -> Tally:
        """The sums of one pair."""
        first, second = (
            [None if score is None else _middle(score) for score in side]
            for side in (observation.first, observation.second)
        )
        sides = replace(observation, first=first, second=second)
        return self._parity.tally(sides)

    def estimate(self, tally: Tally, /) -> Reading | Undefined:
        """The distance of the two distributions."""
        found = self._parity.estimate(tally)
        return found if isinstance(found, Undefined) else scaled(found, 1 + 1 / _VADER_STEPS)

    @property
    def _parity(self) -> StrictParity:
        return StrictParity(name=self.name, bins=_VADER_STEPS + 1)


def _middle(score: float) -> float:
    """The middle of the bin of this value: there is one more bin than there are steps."""
    return (round(score * _VADER_STEPS) + 0.5) / (_VADER_STEPS + 1)


def scaled(reading: Reading, by: float) -> Reading:
    """A reading in another unit."""
    return replace(reading, value=reading.value * by, low=reading.low * by, high=reading.high * by)


def _metric(metric: str, about: Sequence[str]) -> Estimating:
    name = _name(metric, about)
    if metric == "scsp":
        return SteppedParity(name=name)
    return WeakParity(name=name) if metric == "wcsp" else Mean(name=name)


def _name(metric: str, about: Sequence[str]) -> str:
    return key(_PAIRS, metric, *about)


def _filled(
    metric: str,
    made: Estimating,
    sums: Tally,
    threshold: float | None,
    about: Sequence[str] = ("",),
) -> MetricValue:
    found = made.estimate(sums)
    return MetricValue(
        metric=metric,
        title=title_of(metric),
        best=best_of(metric),
        attribute=about[0],
        groups=tuple(about[1:]),
        reading=None if isinstance(found, Undefined) else found,
        undefined=found.reason if isinstance(found, Undefined) else "",
        threshold=threshold,
        notes=_MARK,
    )
