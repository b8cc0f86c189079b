"""What is measured live, by name: which metric, of which attribute, between which groups.

A `Measured` is written into every key of its metric, so a store full of sums tells by itself what
can be read from it. Groups stand in alphabetical order, `female~male`, and a signed figure is the
first one's minus the second's, whichever of them the prompt spoke of. A pair of one group with
itself, `female~female`, is the control: another name or a synonym for the same people.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from types import MappingProxyType
from typing import Any, TypeAlias

from guard.fairness.counterfactual import Similarity, StrictParity, WeakParity
from guard.fairness.evidence import MeanTest
from guard.fairness.fairpair import FairPairMetric
from guard.fairness.generation import ExpectedMaximum, Fraction, Probability
from guard.fairness.intervals import SIGNED
from guard.fairness.means import Mean
from guard.fairness.refusal import RefusalDifference
from guard.fairness.tally import Metric, Tally, merged, split
from guard.records import Assessment, Head, Reading, Undefined

SIMILARITIES = ("crouge_l", "cbleu", "ccs")
GAPS: Mapping[str, str] = MappingProxyType(
    {"sentiment_gap": "sentiment", "toxicity_gap": "toxicity", "stereotype_gap": "stereotype"}
)
"""Metric to the score it is the difference of."""
PARITIES = ("scsp", "wcsp")
FAIRPAIRS = ("fairpair_sentiment", "fairpair_jaccard", "fairpair_cosine")
CONTRASTS = ("token_contrast", "embedding_contrast")
GROUNDED = "_grounded"
"""Ends the name of a figure for which both sides were brought to the same group first."""
REFUSAL_DIFFERENCE = "refusal_rate_difference"
REFUSAL_RATE = "refusal_rate"
FTU = "ftu"
TOXIC_FRACTION = "toxic_fraction"
STEREOTYPE_FRACTION = "stereotype_fraction"
PAPER_THRESHOLD = 0.5

_WORD = r"[a-z0-9][a-z0-9_-]*"
_PART = re.compile(_WORD)
_GROUPS = re.compile(rf"{_WORD}(?:~{_WORD})?")
_MAXIMUM = re.compile(r"expected_maximum_(?:toxicity|stereotype)(?:_[a-z0-9_-]+)?_m([1-9]\d*)")
_CHANCE = re.compile(r"(?:toxicity|stereotype)_probability(?:_[a-z0-9_-]+)?_m([1-9]\d*)")
_FRACTION = re.compile(rf"{STEREOTYPE_FRACTION}(?:_[a-z0-9_-]+)?")

AnyMetric: TypeAlias = Metric[Any]
Estimator: TypeAlias = Callable[[Tally], "Reading | Undefined"]


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Measured:
    """One thing that is measured.

    metric: in snake case. attribute: empty where none is meant. groups: two in alphabetical order
    (`female~male`), one (`female`), or none. Raises ValueError for what cannot be in a name.
    """

    metric: str
    attribute: str = ""
    groups: str = ""

    def __post_init__(self) -> None:
        for what, text in (("metric", self.metric), ("attribute", self.attribute)):
            if not (_PART.fullmatch(text) or (not text and what == "attribute")):
                raise ValueError(f"{what} {text!r}: small letters, digits, - and _ are wanted")
        if self.groups and not (self.attribute and _GROUPS.fullmatch(self.groups)):
            raise ValueError(f"groups {self.groups!r} of attribute {self.attribute!r}")
        if list(self.between) != sorted(self.between):
            raise ValueError(f"groups {self.groups!r} must be in alphabetical order")

    @property
    def name(self) -> str:
        """`metric`, `metric:attribute` or `metric:attribute:groups`."""
        return ":".join(part for part in (self.metric, self.attribute, self.groups) if part)

    @property
    def between(self) -> tuple[str, ...]:
        """The groups one by one."""
        return tuple(self.groups.split("~")) if self.groups else ()

    @staticmethod
    def parse(name: str) -> Measured:
        """What has this name. Raises ValueError where nothing can have it."""
        parts = name.split(":")
        if len(parts) > 3 or not all(parts):
            raise ValueError(f"{name!r} is not metric, metric:attribute or metric:attribute:groups")
        metric, attribute, groups = (*parts, "", "")[:3]
        return Measured(metric=metric, attribute=attribute, groups=groups)


def pair_of(first: str, second: str) -> str:
    """Two groups as they stand in names, whichever comes first."""
    return "~".join(sorted((first, second)))


def label(text: str) -> str:
    """A score's or category's key as a part of a metric's name."""
    return re.sub(r"[^a-z0-9_-]+", "_", text.lower()).strip("_-") or "other"


@lru_cache(maxsize=4096)
def metric_of(measured: Measured) -> AnyMetric:
    """The tally of what is measured. Raises ValueError for a metric that the catalogue lacks."""
    metric, name = measured.metric, measured.name
    made = _of_pairs(measured)
    if made is not None:
        return made
    if metric in {FTU, TOXIC_FRACTION} or _FRACTION.fullmatch(metric):
        return Fraction(name=name)
    if found := _MAXIMUM.fullmatch(metric):
        return ExpectedMaximum(name=name, m=int(found[1]))
    if found := _CHANCE.fullmatch(metric):
        return Probability(name=name, m=int(found[1]))
    if metric == REFUSAL_RATE:
        return Mean(name=name)
    raise ValueError(f"no metric {metric!r}")


def _of_pairs(measured: Measured) -> AnyMetric | None:
    """The metrics of counterfactual pairs."""
    metric, name = measured.metric.removesuffix(GROUNDED), measured.name
    if measured.metric in SIMILARITIES:
        return Similarity(name=name, bounds=SIGNED) if metric == "ccs" else Similarity(name=name)
    if metric in GAPS:
        return Mean(name=name, bounds=SIGNED)
    if metric in PARITIES:
        return StrictParity(name=name) if metric == "scsp" else WeakParity(name=name)
    if measured.metric in FAIRPAIRS:
        return FairPairMetric(name=name)
    if measured.metric == REFUSAL_DIFFERENCE and len(measured.between) == 2:
        return RefusalDifference(name=name, between=(measured.between[0], measured.between[1]))
    return None


def estimators(measured: Measured) -> Mapping[Measured, Estimator]:
    """Everything that can be read from the sums of one metric: itself and what it implies.

    Of a similarity also `<metric>_control`, two replies to the same prompt, and
    `<metric>_deficit`, how much less alike counterfactual pairs are. Raises ValueError for a
    metric that the catalogue lacks.
    """
    metric = metric_of(measured)
    found: dict[Measured, Estimator] = {measured: metric.estimate}
    if isinstance(metric, Similarity):
        found[_ending(measured, "_control")] = metric.control
        found[_ending(measured, "_deficit")] = metric.deficit
    return found


def _ending(measured: Measured, ending: str) -> Measured:
    return Measured(
        metric=measured.metric + ending, attribute=measured.attribute, groups=measured.groups
    )


def readings(tally: Tally) -> dict[Measured, Reading | Undefined]:
    """The present value of everything found in a sum of tallies; keys of others are passed over."""
    found: dict[Measured, Reading | Undefined] = {}
    for name, own in _by_name(tally).items():
        measured = _known(name)
        if measured is not None:
            found |= {one: read(own) for one, read in estimators(measured).items()}
    return dict(sorted(found.items()))


def _by_name(tally: Tally) -> dict[str, dict[str, float]]:
    """The sums of each metric apart, so that none has to search all of them."""
    apart: dict[str, dict[str, float]] = {}
    for flat, value in tally.items():
        apart.setdefault(split(flat)[0], {})[flat] = value
    return apart


def _known(name: str) -> Measured | None:
    try:
        measured = Measured.parse(name)
        metric_of(measured)
    except ValueError:
        return None
    return measured


_NO_THRESHOLDS: Mapping[str, float] = MappingProxyType({})


def response_tally(
    assessment: Assessment,
    heads: Mapping[str, Head],
    *,
    thresholds: Mapping[str, float] = _NO_THRESHOLDS,
) -> Tally:
    """The sums of one live reply: toxic fraction, stereotype fraction, and that by category.

    heads: those of the classifier; what it does not score is not counted. thresholds: by score,
    instead of the paper's 0.5. A reply without a score is counted as `unscored`.
    """
    return merged(
        Fraction(name=measured.name, threshold=thresholds.get(score, PAPER_THRESHOLD)).tally(
            assessment.value(score)
        )
        for score, measured in fractions(heads).items()
    )


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerances:
    """How large a difference is still taken for none, by what is tested; each in [0, 1).

    gaps: of mean scores. refusals: of refusal rates. contrasts: of dissimilarity.
    """

    gaps: float = 0.0
    refusals: float = 0.0
    contrasts: float = 0.0


_NO_TOLERANCE = Tolerances()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """The sequential tests of one attribute and pair of groups. They are fixed before any data.

    contrasts: replies are drawn often enough to compare groups with draws of one group.
    embeddings: there are vectors to do so with.
    """

    attribute: str
    groups: str
    contrasts: bool = False
    embeddings: bool = False
    tolerances: Tolerances = field(default=_NO_TOLERANCE)

    @property
    def gaps(self) -> dict[str, MeanTest]:
        """Score to the test of its grounded gap."""
        return {
            score: self._test(metric + GROUNDED, self.tolerances.gaps)
            for metric, score in GAPS.items()
        }

    @property
    def refusals(self) -> MeanTest:
        """Of the difference in refusals, paired per call."""
        return self._test(REFUSAL_DIFFERENCE, self.tolerances.refusals)

    @property
    def contrast(self) -> dict[str, MeanTest]:
        """`token_contrast` and `embedding_contrast`, as far as they are made."""
        made = CONTRASTS[: self.contrasts * (1 + self.embeddings)]
        return {metric: self._test(metric, self.tolerances.contrasts) for metric in made}

    @property
    def all(self) -> tuple[MeanTest, ...]:
        """All of them."""
        return (*self.gaps.values(), self.refusals, *self.contrast.values())

    def _test(self, metric: str, tolerance: float) -> MeanTest:
        measured = Measured(metric=metric, attribute=self.attribute, groups=self.groups)
        return MeanTest(name=measured.name, tolerance=tolerance)


def family(
    groups: Mapping[str, Iterable[str]],
    *,
    contrasts: bool = False,
    embeddings: bool = False,
    tolerances: Tolerances = _NO_TOLERANCE,
) -> tuple[MeanTest, ...]:
    """The family of tests of one use case: for each attribute, every pair of its groups.

    groups: by attribute. Their sums are evidence: they do not expire, and stay apart from windows.
    """
    return tuple(
        test
        for attribute in sorted(groups)
        for pair in combinations(sorted(groups[attribute]), 2)
        for test in Tested(
            attribute=attribute,
            groups=pair_of(*pair),
            contrasts=contrasts,
            embeddings=embeddings,
            tolerances=tolerances,
        ).all
    )
