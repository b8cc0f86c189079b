"""A gate for continuous integration: rules, and whether a run keeps them.

A rule that the data cannot decide is neither kept nor broken: it is said to be undecided.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Any

from guard.assessment.compare import RunComparison
from guard.assessment.results import AssessmentResults, Conclusion, GroupComparison, MetricValue
from guard.assessment.titles import base_name, planned_name
from guard.errors import AssessmentInputError

LARGEST_BOUND = 1e12
MAX_UNSCORED = 0.05
"""Share without a score up to which a figure of the others stands for all, unless a rule says."""


class RuleVerdict(StrEnum):
    """What came of a rule."""

    KEPT = "kept"
    BROKEN = "broken"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRule:
    """One rule; it bounds exactly one thing.

    metric: a metric of the run, or for `max_increase` and `max_decrease` a figure of its items.
    attribute: only of this attribute; empty for all. max, min: of the metric's value: broken where
    its whole interval lies beyond, undecided where only a part does and the value itself lies
    beyond. max_increase, max_decrease: of a figure against the baseline, prompt by prompt: broken
    where the corrected interval lies beyond, kept where it lies within, else undecided. groups:
    `not_different`, broken by a comparison that is `different`; `alike`, which is undecided too
    where a comparison is. min_n: undecided below so many observations. max_unscored: undecided
    where more than this share of them has no score, or of the prompts of both runs no figure that
    can be compared; of a value or a change.
    """

    metric: str
    attribute: str = ""
    max: float | None = None
    min: float | None = None
    max_increase: float | None = None
    max_decrease: float | None = None
    groups: str = ""
    min_n: int = 0
    max_unscored: float = MAX_UNSCORED

    @property
    def name(self) -> str:
        """The rule in a few words."""
        bounds = [
            f"{field.name} {value:g}"
            for field in fields(self)
            if field.name in _BOUNDS and field.name != "groups"
            if (value := getattr(self, field.name)) is not None
        ]
        about = f" ({self.attribute})" if self.attribute else ""
        return f"{self.metric}{about}: {bounds[0] if bounds else f'groups {self.groups}'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleResult:
    """What came of a rule, and why."""

    rule: GateRule
    verdict: RuleVerdict
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """What came of all rules."""

    rules: tuple[RuleResult, ...]

    @property
    def verdict(self) -> RuleVerdict:
        """Broken where any is, else undecided where any is."""
        found = {one.verdict for one in self.rules}
        order = (RuleVerdict.BROKEN, RuleVerdict.UNDECIDED)
        return next((one for one in order if one in found), RuleVerdict.KEPT)


def read_rules(path: Path) -> tuple[GateRule, ...]:
    """The rules of a TOML file, tables `[[rule]]`. Raises AssessmentInputError."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise AssessmentInputError(f"--rules {path}: {error}") from error
    except RecursionError:
        raise AssessmentInputError(f"--rules {path}: nested too deeply") from None
    rules = found.get("rule")
    if set(found) != {"rule"} or not isinstance(rules, list) or not rules:
        raise AssessmentInputError(f"--rules {path}: expected tables [[rule]], and nothing else")
    return tuple(_rule(values, f"{path}: rule {n}") for n, values in enumerate(rules, start=1))


_KINDS: Mapping[str, Callable[[Any], bool]] = {
    "metric": lambda value: isinstance(value, str) and bool(value),
    "attribute": lambda value: isinstance(value, str),
    "groups": lambda value: value in ("not_different", "alike"),
    "min_n": lambda value: type(value) is int and value >= 0,
    "max_unscored": lambda value: _is_number(value) and 0 <= value <= 1,
}
_BOUNDS = ("max", "min", "max_increase", "max_decrease", "groups")


def _rule(values: object, name: str) -> GateRule:
    if not isinstance(values, dict):
        raise AssessmentInputError(f"{name}: a table is wanted, found {values!r:.40}")
    known = {field.name for field in fields(GateRule)}
    for key, value in values.items():
        if key not in known:
            there = ", ".join(sorted(known))
            raise AssessmentInputError(f"{name}: no key {key!r}; there are {there}")
        is_right = _KINDS.get(key, _is_number)
        if not is_right(value):
            raise AssessmentInputError(f"{name}: {key} = {value!r:.40} cannot be")
    bounds = [key for key in _BOUNDS if key in values]
    if len(bounds) != 1 or "metric" not in values:
        raise AssessmentInputError(f"{name}: a metric and one of {', '.join(_BOUNDS)} are wanted")
    return GateRule(**values)


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return -LARGEST_BOUND <= value <= LARGEST_BOUND


def judge(
    rules: tuple[GateRule, ...], run: AssessmentResults, against: RunComparison | None
) -> GateResult:
    """What comes of the rules. against: the run compared with its baseline; None without one.

    A rule about a metric that the run could not tell is undecided. Raises AssessmentInputError for
    one about a metric, figure or attribute that there is not.
    """
    return GateResult(rules=tuple(_judge(rule, run, against) for rule in rules))


def _judge(rule: GateRule, run: AssessmentResults, against: RunComparison | None) -> RuleResult:
    if rule.groups:
        found = [
            _judge_groups(rule, one)
            for one in run.comparisons
            if one.metric == rule.metric and rule.attribute in {"", one.attribute}
        ]
    elif rule.max is not None or rule.min is not None:
        found = [
            _judge_value(rule, one)
            for one in run.metrics
            if one.metric == rule.metric and rule.attribute in {"", one.attribute}
        ]
    else:
        found = list(_judge_changes(rule, against))
    if not found:
        return _undecided(rule, _nothing_found(rule, run, against))
    order = (RuleVerdict.BROKEN, RuleVerdict.UNDECIDED, RuleVerdict.KEPT)
    return min(found, key=lambda one: order.index(one.verdict))


def _nothing_found(rule: GateRule, run: AssessmentResults, against: RunComparison | None) -> str:
    """Why there is nothing to judge, where there could be. Raises AssessmentInputError."""
    if rule.metric in (() if against is None else against.too_few):
        return "fewer than two prompts have it in both runs"
    names = {base_name(rule.metric), planned_name(rule.metric)}
    planned = next((one for one in run.plan if one.metric in names), None)
    attributes = {one.attribute for one in run.coverage.attributes}
    is_change = rule.max_increase is not None or rule.max_decrease is not None
    if planned is None or is_change or rule.attribute not in {"", *attributes}:
        raise AssessmentInputError(f"{rule.name}: the run has nothing under {rule.metric!r}")
    if not planned.applies:
        return f"it was not assessed: {planned.reason}"
    return "too few prompts have a value"


def _judge_value(rule: GateRule, one: MetricValue) -> RuleResult:
    reading = one.reading
    if reading is None:
        return RuleResult(rule=rule, verdict=RuleVerdict.UNDECIDED, reason=one.undefined)
    told = f"{reading.value:.4g}, between {reading.low:.4g} and {reading.high:.4g}, n = {reading.n}"
    if reading.n < rule.min_n:
        return _undecided(rule, f"{told}: fewer than {rule.min_n}")
    bound, sign = (rule.max, 1.0) if rule.max is not None else (rule.min or 0.0, -1.0)
    if sign * reading.value <= sign * (bound or 0.0):
        if _is_unscored(rule, reading.n, one.unscored):
            return _undecided(rule, f"{told}: {one.unscored} more have no score")
        return RuleResult(rule=rule, verdict=RuleVerdict.KEPT, reason=told)
    nearest = reading.low if sign > 0 else reading.high
    beyond = sign * nearest > sign * (bound or 0.0)
    return RuleResult(
        rule=rule, verdict=RuleVerdict.BROKEN if beyond else RuleVerdict.UNDECIDED, reason=told
    )


def _judge_groups(rule: GateRule, one: GroupComparison) -> RuleResult:
    if one.difference.n < rule.min_n:
        return _undecided(rule, f"{one.sentence}: n is below {rule.min_n}")
    if one.conclusion is Conclusion.DIFFERENT:
        return RuleResult(rule=rule, verdict=RuleVerdict.BROKEN, reason=one.sentence)
    if rule.groups == "alike" and one.conclusion is Conclusion.UNDECIDED:
        return _undecided(rule, one.sentence)
    return RuleResult(rule=rule, verdict=RuleVerdict.KEPT, reason=one.sentence)


def _judge_changes(rule: GateRule, against: RunComparison | None) -> Iterator[RuleResult]:
    if against is None:
        raise AssessmentInputError(f"{rule.name}: give a baseline with --against")
    for one in against.differences:
        if one.metric != rule.metric or one.corrected is None:
            continue
        low, high = one.corrected.low, one.corrected.high
        left_out = against.left_out.get(one.metric, 0)
        if rule.max_increase is None:
            low, high = -high, -low
        bound = rule.max_increase if rule.max_increase is not None else rule.max_decrease or 0.0
        told = f"{one.difference.value:+.4g} against {one.second}, n = {one.difference.n}"
        told += f", between {one.corrected.low:.4g} and {one.corrected.high:.4g}"
        if one.difference.n < rule.min_n:
            yield _undecided(rule, f"{told}: fewer than {rule.min_n}")
        elif low > bound:
            yield RuleResult(rule=rule, verdict=RuleVerdict.BROKEN, reason=told)
        elif _is_unscored(rule, one.difference.n, left_out):
            yield _undecided(rule, f"{told}: {left_out} more prompts cannot be compared in it")
        else:
            verdict = RuleVerdict.KEPT if high <= bound else RuleVerdict.UNDECIDED
            yield RuleResult(rule=rule, verdict=verdict, reason=told)


def _is_unscored(rule: GateRule, n: int, without: int) -> bool:
    return without > rule.max_unscored * (n + without)


def _undecided(rule: GateRule, reason: str) -> RuleResult:
    return RuleResult(rule=rule, verdict=RuleVerdict.UNDECIDED, reason=reason)
