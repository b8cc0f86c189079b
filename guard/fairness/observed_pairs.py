"""What the metrics of live pairs saw of one of them, and which of them can be made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from guard.fairness.counterfactual import Likeness
from guard.fairness.live import Comparison, LiveMetric


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """Which metrics can be made. repeats: several replies of each side are drawn, and they vary.
    vectors: replies are embedded. claims: what they claim is checked against the others. texts:
    there are texts, and not scores alone. control: other people of the same group are asked about.
    """

    repeats: bool = False
    vectors: bool = False
    claims: bool = False
    texts: bool = True
    control: bool = False

    def allow(self, metric: LiveMetric) -> bool:
        """Whether a metric is made under these conditions."""
        return (
            (self.repeats or not metric.repeats)
            and (self.vectors or not metric.vectors)
            and (self.claims or not metric.claims)
            and (self.texts or metric.of_scores)
            and (self.control or not metric.against_control)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedPair:
    """What every metric saw of one pair, by its name.

    tested: the difference that its test adds, seen from the first group. undirected: the metrics
    of which that does not turn with the view. against_control: those compared with a control.
    """

    pair: Comparison
    observed: Mapping[str, Any]
    tested: Mapping[str, float | None]
    undirected: frozenset[str] = frozenset()
    against_control: frozenset[str] = frozenset()

    @property
    def has_contrast(self) -> bool:
        """Whether anything of it was compared with a control."""
        return any(self.tested[name] is not None for name in self.against_control)

    @property
    def without_contrast(self) -> ObservedPair:
        """The same with nothing to add to tests against a control."""
        unknown = dict.fromkeys(self.against_control)
        return replace(self, tested={**self.tested, **unknown})

    @property
    def similarities(self) -> dict[str, Likeness]:
        """Those of the observations that are similarities."""
        return {name: one for name, one in self.observed.items() if isinstance(one, Likeness)}
