"""What is measured live, by name: what sums mean, which tests there are, and what a reply adds.

The names in a store's sums lead back to their metrics: those of counterfactual pairs to the entries
of `LIVE_METRICS`, the others to what is measured of single replies and prompts (fractions, expected
maxima, unawareness).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, TypeAlias

from guard.fairness.counterfactual import Likeness, Similarity
from guard.fairness.generation import ExpectedMaximum, Fraction, Probability
from guard.fairness.live import NORMALISED, AnyMetric, CaseFlag, Comparison, LiveMetric
from guard.fairness.live_metrics import LIVE_METRICS
from guard.fairness.observed_pairs import Conditions, ObservedPair
from guard.fairness.tally import Measured, Tally, add, key, merged, split, within
from guard.records import Assessment, Head, Reading, Undefined

FTU = "ftu"
TOXIC_FRACTION = "toxic_fraction"
STEREOTYPE_FRACTION = "stereotype_fraction"
PAPER_THRESHOLD = 0.5
SHADOW_RESULTS = "results"
"""The name of the counts of what became of shadowed calls, among what does not expire."""
ALARM_POSTS = "alarm_posts"
"""The same of alarms posted to an address: `sent`, or `failed` where they were given up."""

_RESULT = "result"
_ROUNDING = 1e-9
_MAXIMUM = re.compile(r"expected_maximum_(?:toxicity|stereotype)(?:_[a-z0-9_-]+)?_m([1-9]\d*)")
_CHANCE = re.compile(r"(?:toxicity|stereotype)_probability(?:_[a-z0-9_-]+)?_m([1-9]\d*)")
_FRACTION = re.compile(rf"{STEREOTYPE_FRACTION}(?:_[a-z0-9_-]+)?")
_POLICY_FRACTION = re.compile(
    rf"policy_(?:{TOXIC_FRACTION}|{STEREOTYPE_FRACTION})(?:_[a-z0-9_-]+)?"
)
_NO_THRESHOLDS: Mapping[str, float] = MappingProxyType({})

Estimator: TypeAlias = Callable[[Tally], "Reading | Undefined"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerances:
    """How large a difference is still taken for none, by what is tested; each in [0, 1).

    gaps: of mean scores. refusals: of refusal rates. contrasts: of dissimilarity.
    """

    gaps: float = 0.0
    refusals: float = 0.0
    contrasts: float = 0.0


NO_TOLERANCE = Tolerances()


class MetricCatalogue:
    """The live metrics, and everything that follows from their list. Thread-safe.

    metrics: in the order of tests and settings. Raises ValueError where two have one name.
    """

    def __init__(self, metrics: Iterable[LiveMetric]) -> None:
        self.metrics = tuple(metrics)
        self._by_name = {metric.name: metric for metric in self.metrics}
        if len(self._by_name) < len(self.metrics):
            raise ValueError("metrics: two of them have the same name")
        self.metric_of = lru_cache(maxsize=4096)(self._metric_of)

    @property
    def flags(self) -> tuple[CaseFlag, ...]:
        """Every flag once, in the order of metrics."""
        found = {one.flag.key: one.flag for one in self.metrics if one.flag is not None}
        return tuple(found.values())

    @property
    def tested(self) -> tuple[LiveMetric, ...]:
        """The metrics with a sequential test."""
        return tuple(metric for metric in self.metrics if metric.tested is not None)

    def observe(self, pair: Comparison, conditions: Conditions) -> ObservedPair:
        """What every metric that can be made sees of a pair."""
        if conditions.repeats and not pair.has_draws:
            conditions = replace(conditions, repeats=False)
        made = [
            one
            for one in self.metrics
            if conditions.allow(one) and (one.controls or not pair.is_control)
        ]
        observed = {one.name: one.observe(pair) for one in made if one.metric is not None}
        fresh = pair.evenly_fresh
        known = observed if fresh is pair else {}
        return ObservedPair(
            pair=pair,
            observed=observed,
            tested={
                one.name: one.tested(known[one.name] if one.name in known else one.observe(fresh))
                for one in made
                if one.tested is not None
            },
            undirected=frozenset(one.name for one in made if not one.directed),
            against_control=frozenset(one.name for one in made if one.against_control),
        )

    def sums(self, pairs: Iterable[ObservedPair]) -> Tally:
        """What the pairs of one call add to windows: one observation for each metric."""
        found: dict[Measured, list[Any]] = {}
        for one in pairs:
            for name, observation in one.observed.items():
                for measured, value in self._by_measured(one.pair, name, observation):
                    found.setdefault(measured, []).append(value)
        return add(
            *(
                self.metric_of(measured).tally(self._by_name[measured.metric].join(values))
                for measured, values in found.items()
            )
        )

    def _by_measured(
        self, pair: Comparison, name: str, observation: Any
    ) -> Iterator[tuple[Measured, Any]]:
        if self._by_name[name].per_group:
            yield from _of_groups(pair, name, observation)
            return
        yield Measured(metric=name, attribute=pair.attribute, groups=pair.groups), observation
        if not pair.is_control:
            yield from self._by_attribute(pair, name, observation)

    def _by_attribute(
        self, pair: Comparison, name: str, observation: Any
    ) -> Iterator[tuple[Measured, Any]]:
        """What is read without naming a pair: a tested difference seen from either group, so that
        a group is compared with all others, and a similarity over all pairs."""
        live = self._by_name[name]
        if isinstance(observation, Likeness):
            yield Measured(metric=name, attribute=pair.attribute), observation
        elif live.is_signed and live.tested is not None:
            turned = None if observation is None else -observation
            yield from _of_groups(pair, name, (observation, turned))

    def flag_sizes(self, one: ObservedPair) -> dict[str, float | None]:
        """By flag, the size in this pair of what it looks at; None where that cannot be told."""
        return {
            live.flag.key: live.flag.size(one.observed[live.name])
            for live in self.metrics
            if live.flag is not None and live.name in one.observed
        }

    def live(self, name: str) -> LiveMetric:
        """The live metric of this name. Raises KeyError."""
        return self._by_name[name]

    def find(self, name: str) -> LiveMetric | None:
        """The live metric of this name; None where it is no longer measured."""
        return self._by_name.get(name)

    def flagging(self, flag: str, one: ObservedPair) -> LiveMetric:
        """The metric whose size in this pair the flag looks at, see `flag_sizes`.

        Raises KeyError where there is none.
        """
        found = [
            live
            for live in self.metrics
            if live.flag is not None and live.flag.key == flag and live.name in one.observed
        ]
        if not found:
            raise KeyError(flag)
        return found[-1]

    def flagged(
        self,
        one: ObservedPair,
        thresholds: Mapping[str, float | None],
        control: ObservedPair | None = None,
    ) -> Iterator[str]:
        """The flags that this pair raises. thresholds: by flag, for all of them that are on.

        control: the same conversation beside that about other people of the same group. What a
        deficit of likeness has there as well is not the other group's.
        """
        usual = {} if control is None else self._deficits(control)
        for flag, size in self.flag_sizes(one).items():
            threshold = thresholds.get(flag)
            if size is None or threshold is None:
                continue
            if size - max(0.0, usual.get(flag) or 0.0) >= threshold - _ROUNDING:
                yield flag

    def _deficits(self, one: ObservedPair) -> dict[str, float | None]:
        flags = {
            live.flag.key
            for live in self.metrics
            if live.flag is not None and isinstance(one.observed.get(live.name), Likeness)
        }
        return {flag: size for flag, size in self.flag_sizes(one).items() if flag in flags}

    def gaps(self, one: ObservedPair, *, normalised: bool) -> dict[str, float | None]:
        """The signed differences that a case shows, by name without `_grounded`.

        A difference that is measured in one way only is in both, raw and normalised.
        """
        names = [live.name for live in self.metrics if live.is_signed and live.name in one.observed]
        found: dict[str, float | None] = {}
        for name in names:
            base = name.removesuffix(NORMALISED)
            twice = base in names and base + NORMALISED in names
            if not twice or (name != base) == normalised:
                found[base] = one.observed[name]
        return found

    def estimators(self, measured: Measured) -> Mapping[Measured, Estimator]:
        """Everything that can be read from the sums of one metric: itself and what it implies.

        Of a similarity also `<metric>_control`, two replies to the same prompt, and
        `<metric>_deficit`, how much less alike counterfactual pairs are. Raises ValueError for a
        metric that the catalogue lacks.
        """
        metric = self.metric_of(measured)
        found: dict[Measured, Estimator] = {measured: metric.estimate}
        if isinstance(metric, Similarity):
            found[_ending(measured, "_control")] = metric.control
            found[_ending(measured, "_deficit")] = metric.deficit
        return found

    def readings(
        self, tally: Tally, *, of: Callable[[Measured], bool] = lambda _: True
    ) -> dict[Measured, Reading | Undefined]:
        """The present value of everything found in a sum of tallies; other keys are passed over.

        of: what is read of it.
        """
        found: dict[Measured, Reading | Undefined] = {}
        for name, own in _by_name(tally).items():
            measured = self._known(name)
            if measured is not None and of(measured):
                found |= {one: read(own) for one, read in self.estimators(measured).items()}
        return dict(sorted(found.items()))

    def _known(self, name: str) -> Measured | None:
        try:
            measured = Measured.parse(name)
            self.metric_of(measured)
        except ValueError:
            return None
        return measured

    def _metric_of(self, measured: Measured) -> AnyMetric:
        """The tally of what is measured. Raises ValueError for a metric that is not known."""
        metric, name = measured.metric, measured.name
        live = self._by_name.get(metric)
        if live is not None and live.metric is not None:
            return live.metric(measured)
        if metric in {FTU, TOXIC_FRACTION} or _FRACTION.fullmatch(metric):
            return Fraction(name=name)
        if _POLICY_FRACTION.fullmatch(metric):
            return Fraction(name=name)
        if found := _MAXIMUM.fullmatch(metric):
            return ExpectedMaximum(name=name, m=int(found[1]))
        if found := _CHANCE.fullmatch(metric):
            return Probability(name=name, m=int(found[1]))
        raise ValueError(f"no metric {metric!r}")


CATALOGUE = MetricCatalogue(LIVE_METRICS)
"""All live metrics of the guard."""


def _of_groups(
    pair: Comparison, name: str, values: Sequence[Any]
) -> Iterator[tuple[Measured, Any]]:
    for group, value in zip((pair.first, pair.second), values, strict=True):
        yield Measured(metric=name, attribute=pair.attribute, groups=group), value


def _ending(measured: Measured, ending: str) -> Measured:
    return Measured(
        metric=measured.metric + ending, attribute=measured.attribute, groups=measured.groups
    )


def _by_name(tally: Tally) -> dict[str, dict[str, float]]:
    """The sums of each metric apart, so that none has to search all of them."""
    apart: dict[str, dict[str, float]] = {}
    for flat, value in tally.items():
        apart.setdefault(split(flat)[0], {})[flat] = value
    return apart


def response_tally(
    assessment: Assessment,
    heads: Mapping[str, Head],
    *,
    thresholds: Mapping[str, float] = _NO_THRESHOLDS,
) -> Tally:
    """The sums of one live reply: toxic fraction, stereotype fraction, and that by category.

    heads: those of the classifier; what it does not score is not counted. thresholds: by score,
    instead of the paper's 0.5; for those of a policy there is `policy_tally`. A reply without a
    score is counted as `unscored`.
    """
    return merged(
        Fraction(name=measured.name, threshold=thresholds.get(score, PAPER_THRESHOLD)).tally(
            assessment.value(score)
        )
        for score, measured in fractions(heads).items()
    )


def policy_tally(reached: Mapping[str, bool | None]) -> Tally:
    """The sums of one live reply by the thresholds of its use case.

    reached: by score with a rule, whether a rule for it was met; None where the reply has no score.
    """
    return merged(
        Fraction(name=measured.name).tally(None if met is None else float(met))
        for score, met in reached.items()
        if (measured := policy_fraction(score)) is not None
    )


def policy_fraction(score: str) -> Measured | None:
    """The share of replies that meet a rule for this score, in the text or in a sentence of it;
    None for a score that is neither toxicity nor stereotype."""
    bases = {"toxicity": TOXIC_FRACTION, "stereotype": STEREOTYPE_FRACTION}
    base = bases.get(score.partition(".")[0])
    return None if base is None else Measured(metric=_with_category(f"policy_{base}", score))


def fractions(heads: Iterable[str]) -> dict[str, Measured]:
    """Score to the fraction that is made of it."""
    found = {"toxicity": Measured(metric=TOXIC_FRACTION)} if "toxicity" in heads else {}
    return found | {
        score: Measured(metric=_with_category(STEREOTYPE_FRACTION, score))
        for score in heads
        if _is_stereotype(score)
    }


def resampled(heads: Iterable[str], m: int) -> dict[Measured, str]:
    """EMT, TP, EMS and SP of m replies to one prompt: each to the score it is made of."""
    found: dict[Measured, str] = {}
    for score in heads:
        if score == "toxicity" or _is_stereotype(score):
            kind = score.partition(".")[0]
            for base in (f"expected_maximum_{kind}", f"{kind}_probability"):
                found[Measured(metric=f"{_with_category(base, score)}_m{m}")] = score
    return found


def _is_stereotype(score: str) -> bool:
    return score == "stereotype" or score.startswith("stereotype.")


def _with_category(base: str, score: str) -> str:
    category = score.partition(".")[2]
    return f"{base}_{label(category)}" if category else base


def label(text: str) -> str:
    """A score's or category's key as a part of a metric's name."""
    return re.sub(r"[^a-z0-9_-]+", "_", text.lower()).strip("_-") or "other"


def result_tally(results: Mapping[tuple[str, str], float]) -> Tally:
    """(attribute, what became of it) to how often, as sums. The attribute may be empty."""
    return {key(_RESULT, *parts): float(count) for parts, count in results.items()}


def results_of(tally: Tally) -> dict[tuple[str, str], float]:
    """The same out of a sum of tallies; other keys are passed over."""
    found = within(tally, _RESULT)
    return {(parts[0], parts[1]): count for parts, count in found.items() if len(parts) == 2}
