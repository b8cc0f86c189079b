"""What is assessed and how: everything a figure depends on besides data and models."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import TypeVar

from guard.assessment.classes import RATES
from guard.errors import SettingsError
from guard.fairness import (
    CATALOGUE,
    Intervention,
    Measured,
    MetricCatalogue,
    ModelTask,
    UseCaseFacts,
    WeakParity,
)
from guard.fairness.catalogue import PAPER_THRESHOLD, label
from guard.fairness.langfair import TOXICITY_THRESHOLD
from guard.fairness.live import NORMALISED
from guard.shadow.options import ShadowOptions

E = TypeVar("E", bound=StrEnum)
PAPER_M = 25
"""Replies per prompt in the paper [LF 3.1.1]."""


class NumbersOf(StrEnum):
    """Whose definitions are used where the paper and the toolkit differ."""

    PAPER = "paper"
    LANGFAIR = "langfair"


@dataclass(frozen=True, slots=True, kw_only=True)
class AssessmentOptions:
    """How one use case is assessed.

    task: generation, classification or recommendation. invariance, content_may_differ,
    representation_parity, intervention: see `UseCaseFacts`. metrics: those wanted, empty for what
    the framework picks. groups: attribute to the groups compared. attributes: those whose groups
    are compared where rows name them; empty for all. m: replies for each prompt; 0
    for as many as are given. generations: fresh replies on each side of a pair. max_variants: other
    groups asked about for each attribute. deterministic: replies do not vary. positive: the classes
    taken against the rest, empty for all of them ("1" where there are 0 and 1). level: of all tests
    together. response_threshold: from which score on a reply counts as toxic or stereotyped, in
    [0, 1]; None for that of the preset. sentiment_threshold: tau of WCSP. material: by metric, from
    which size on a difference matters. worst: responses and pairs kept of each metric. seed: of
    draws and choices. parameters: that go along with every question.
    Names may be given as text. Raises SettingsError for what an option cannot be.
    """

    use_case: str
    task: ModelTask = ModelTask.GENERATION
    invariance: bool = True
    content_may_differ: bool = False
    representation_parity: bool = False
    intervention: Intervention | None = None
    metrics: tuple[str, ...] = ()
    preset: NumbersOf = NumbersOf.PAPER
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    attributes: tuple[str, ...] = ()
    m: int = 0
    generations: int = 2
    max_variants: int = 2
    deterministic: bool = False
    positive: tuple[str, ...] = ()
    level: float = 0.05
    response_threshold: float | None = None
    sentiment_threshold: float = 0.5
    material: Mapping[str, float] = field(default_factory=dict)
    worst: int = 10
    seed: int = 0
    parameters: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, kind in (("task", ModelTask), ("preset", NumbersOf)):
            object.__setattr__(self, name, _member(kind, name, getattr(self, name)))
        if self.intervention is not None:
            intervention = _member(Intervention, "intervention", self.intervention)
            object.__setattr__(self, "intervention", intervention)
        for name in ("metrics", "positive", "attributes"):
            if isinstance(getattr(self, name), str):
                raise SettingsError(f"{name}: a list of names is wanted, not one text")
            object.__setattr__(self, name, tuple(getattr(self, name)))
        for name, least in (("m", 0), ("generations", 1), ("max_variants", 1), ("worst", 0)):
            if getattr(self, name) < least:
                raise SettingsError(f"{name}: {getattr(self, name)} must be at least {least}")
        if not 0 < self.level < 1:
            raise SettingsError(f"level: {self.level} must be between 0 and 1")
        for name in ("response_threshold", "sentiment_threshold"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise SettingsError(f"{name}: {value} must be in 0..1")
        _check_material(self.material)

    def facts(self, *, unaware: bool, has_groups: bool) -> UseCaseFacts:
        """What the framework has to know. has_groups: rows say which group they are about."""
        return UseCaseFacts(
            task=self.task,
            unaware=unaware,
            invariance_wanted=self.invariance,
            content_may_differ=self.content_may_differ,
            maps_to_attribute=has_groups,
            representation_parity=self.representation_parity,
            intervention=self.intervention,
        )

    def compares(self, attribute: str) -> bool:
        """Whether groups of an attribute are compared, as results call it."""
        named = {*map(label, self.attributes), *self.groups}
        return not self.attributes or attribute in named

    def pairing(self, m: int) -> ShadowOptions:
        """How prompts are rewritten and asked again. m: replies to the prompt as it is."""
        return ShadowOptions(
            groups=self.groups,
            key=self.seed.to_bytes(8, "big"),
            max_variants=self.max_variants,
            generations=self.generations,
            resamples=m,
            control=True,
            deterministic=self.deterministic,
            tests=False,
            confirmations=0,
        )

    @property
    def catalogue(self) -> MetricCatalogue:
        """The metrics of pairs, with this threshold of sentiment."""
        parity = partial(_weak_parity, self.sentiment_threshold)
        weak = {"wcsp", "wcsp" + NORMALISED}
        return MetricCatalogue(
            replace(one, metric=parity) if one.name in weak else one for one in CATALOGUE.metrics
        )

    @property
    def threshold(self) -> float:
        """From which score on a reply counts as toxic or stereotyped."""
        if self.response_threshold is not None:
            return self.response_threshold
        is_langfair = self.preset is NumbersOf.LANGFAIR
        return TOXICITY_THRESHOLD if is_langfair else PAPER_THRESHOLD

    def as_texts(self) -> dict[str, str]:
        """Every option by name, for the record."""
        values = asdict(self)
        return {name: json.dumps(one, sort_keys=True, default=str) for name, one in values.items()}


def _member(kind: type[E], name: str, value: object) -> E:
    """An option that is one of some names, also where it is given as text."""
    found = "generation" if (name, value) == ("task", "summarization") else value
    if found not in set(kind):
        raise SettingsError(f"{name}: {value!r} is none of {', '.join(kind)}")
    return kind(str(found))


def _check_material(material: Mapping[str, float]) -> None:
    known = [one.name for one in CATALOGUE.tested] + list(RATES)
    for metric, size in material.items():
        if metric not in known:
            raise SettingsError(
                f"material: no test of {metric!r}; there are tests of {', '.join(known)}"
            )
        if not 0.0 <= size <= 1.0:
            raise SettingsError(f"material: {metric}: {size:g} is not in [0, 1]")


def _weak_parity(threshold: float, measured: Measured) -> WeakParity:
    return WeakParity(name=measured.name, threshold=threshold)
