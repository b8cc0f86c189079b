"""What an offline assessment found: immutable records that hold everything a report shows.

A renderer needs nothing else: no store, no model, no data file. Numbers are finite; what has no
value says why. `encode_results` and `decode_results` write and read the canonical JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from importlib import import_module
from typing import Any, Literal

from guard.records import Reading

SCHEMA = 1
"""Of the JSON; another number is refused."""


class Conclusion(StrEnum):
    """What a comparison of groups says after the correction for the number of looks.

    DIFFERENT: the test finds a difference, and the estimate is at least as large as `material`.
    SMALL: the test finds one, smaller than `material`. ALIKE: no difference as large as `material`
    is compatible with the data: the corrected interval lies inside of it. UNDECIDED: neither; the
    data are too few to say, which is not parity. UNTESTED: shown without a test.
    """

    DIFFERENT = "different"
    SMALL = "small"
    ALIKE = "alike"
    UNDECIDED = "undecided"
    UNTESTED = "untested"


class Direction(StrEnum):
    """Which values of a metric speak for fairness."""

    LOW = "low"
    HIGH = "high"
    ZERO = "zero"
    ONE = "one"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits95:
    """The ends of an interval that covers with 95 % after the correction for all looks."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedMetric:
    """Whether a metric is assessed, and why. by: `framework`, `data` or `option`."""

    metric: str
    applies: bool
    reason: str
    by: str = "framework"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricValue:
    """One metric.

    attribute, groups: what it is about; empty where it is about all replies. reading: None where it
    has no value, and then `undefined` says why. control: the same of two replies to one prompt, or
    to a prompt about other people of the same group; deficit: control minus the metric, prompt by
    prompt, where it is a similarity. m: replies per prompt where the value depends on it.
    unscored: observations without a score. words: by word, where it is a mean over words. best: the
    values that speak for fairness.
    """

    metric: str
    title: str
    best: Direction
    attribute: str = ""
    groups: tuple[str, ...] = ()
    reading: Reading | None = None
    undefined: str = ""
    control: Reading | None = None
    deficit: Reading | None = None
    threshold: float | None = None
    m: int | None = None
    unscored: int = 0
    words: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupValue:
    """The mean of something in one group, for plots of groups side by side."""

    group: str
    reading: Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupComparison:
    """One group beside another, or beside all others it was compared with (`second` is empty).

    difference: first minus second, pointwise; where it is not `directed`, how much more replies
    about the two differ than replies about one of them do. corrected: its interval at a level
    divided by `looks`, the number of tests of the run; without 0 where the test
    rejects, and only there. values: the mean of each side where it has
    one. control: the same difference between replies to one prompt, or of the same group: what
    sampling alone does. wins, losses, ties: prompts with a difference above, below and at 0, of
    more than two groups with one that is drawn for each prompt; sign_p: the exact two-sided test of
    wins against losses, None where signs are not even without a difference. p_value: of the test
    that decides; p_adjusted: times `looks`, at most 1. material: from which size on a difference
    matters. detectable: the size that this test would have found with 80 % (None where that cannot
    be told, and where it would find none).
    needed: observations that would find one of the size of `material` with 80 %.
    """

    metric: str
    title: str
    attribute: str
    first: str
    second: str = ""
    difference: Reading
    directed: bool = True
    corrected: Limits95 | None = None
    values: tuple[GroupValue, ...] = ()
    control: Reading | None = None
    wins: int = 0
    losses: int = 0
    ties: int = 0
    sign_p: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    looks: int = 0
    material: float = 0.0
    detectable: float | None = None
    needed: int | None = None
    conclusion: Conclusion = Conclusion.UNTESTED
    sentence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreHistogram:
    """How the scores of replies are distributed: counts in equal bins over [0, 1].

    attribute, group: whose replies; empty for all replies to the prompts as they are.
    """

    score: str
    counts: tuple[int, ...]
    attribute: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricAgreement:
    """How two metrics go together over prompts: Pearson's correlation."""

    first: str
    second: str
    reading: Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstResponse:
    """A reply with one of the highest scores. place: of its row in the input, `file:number`."""

    score: str
    value: float
    prompt: str
    response: str
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstSide:
    """One side of a pair: the group, and a prompt and reply about it, with the reply's scores."""

    group: str
    prompt: str
    response: str
    scores: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstPair:
    """A pair with one of the largest differences. value: signed, first minus second, for gaps."""

    metric: str
    value: float
    attribute: str
    first: WorstSide
    second: WorstSide
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BadRow:
    """A row that could not be used. place: `file:number`."""

    place: str
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeCoverage:
    """What became of the prompts for one attribute.

    mentioned: prompts that name a group; unaware: that name none; unknown: where that cannot be
    said. declined: by reason, rewrites that were not made. Of pairs: given: with the input;
    rewritten: a prompt and a variant of it. Of both together compared: with answers and scores on
    both sides; not_answered, unscored: those without on at least one. masked: of the rewritten
    those that could not be brought to the same group and were compared masked. replies: by group,
    those of the model that pairs are made of; lost: of them those that failed or came too late.
    """

    attribute: str
    mentioned: int = 0
    unaware: int = 0
    unknown: int = 0
    given: int = 0
    rewritten: int = 0
    declined: Mapping[str, int] = field(default_factory=dict)
    compared: int = 0
    not_answered: int = 0
    unscored: int = 0
    masked: int = 0
    replies: Mapping[str, int] = field(default_factory=dict)
    lost: Mapping[str, int] = field(default_factory=dict)

    @property
    def ftu(self) -> float | None:
        """Fairness through unawareness: the share of prompts that name no group."""
        known = self.mentioned + self.unaware
        return self.unaware / known if known else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What the figures rest on, and what they do not.

    rows: read; bad_rows: how many of them could not be used; shown: the first of those. prompts:
    distinct ones that were assessed. Of replies to the prompts as they are, those that single
    figures are made of, each counted once: given, generated: from the input, and from the model (or
    its cache); missing: wanted and not there; endings: how they ended, in all given + generated;
    scored: with a score, unscored: by reason, in all as many again. paired, paired_missing: further
    replies of the model for comparisons, to rewritten prompts and to the prompt afresh. failures:
    why replies of the model failed or came too late, those for comparisons among them, the most
    frequent reasons with how often. warnings: what was not compared, or not as it ought to be, in
    words.
    """

    rows: int = 0
    bad_rows: int = 0
    shown: tuple[BadRow, ...] = ()
    prompts: int = 0
    given: int = 0
    generated: int = 0
    missing: int = 0
    paired: int = 0
    paired_missing: int = 0
    endings: Mapping[str, int] = field(default_factory=dict)
    scored: int = 0
    unscored: Mapping[str, int] = field(default_factory=dict)
    failures: Mapping[str, int] = field(default_factory=dict)
    attributes: tuple[AttributeCoverage, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedModel:
    """A model that made figures or replies. files: name to SHA-256. license: of its weights."""

    role: str
    name: str
    version: str = ""
    license: str = ""
    source: str = ""
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFile:
    """A file of input."""

    name: str
    sha256: str
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where the figures come from.

    settings: everything set or left at its default that a figure depends on, as text. notes:
    licences and departures from the papers. made_at: Unix seconds; seconds: how long the run took.
    """

    version: str = ""
    models: tuple[UsedModel, ...] = ()
    data: tuple[DataFile, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    made_at: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AssessmentResults:
    """One assessment of one use case.

    plan: every metric, whether it was assessed and why. looks: tests made, for which p-values and
    corrected intervals pay. level: of all of them together. summary: a sentence per question.
    """

    use_case: str
    task: str
    plan: tuple[PlannedMetric, ...] = ()
    summary: tuple[str, ...] = ()
    coverage: Coverage = field(default_factory=Coverage)
    metrics: tuple[MetricValue, ...] = ()
    comparisons: tuple[GroupComparison, ...] = ()
    histograms: tuple[ScoreHistogram, ...] = ()
    agreement: tuple[MetricAgreement, ...] = ()
    worst_responses: tuple[WorstResponse, ...] = ()
    worst_pairs: tuple[WorstPair, ...] = ()
    looks: int = 0
    level: float = 0.05
    provenance: Provenance = field(default_factory=Provenance)

    @property
    def not_assessed(self) -> Mapping[str, str]:
        """By metric, why there is no value: not in the plan, or undefined for these data."""
        planned = {one.metric: one.reason for one in self.plan if not one.applies}
        empty = {one.metric: one.undefined for one in self.metrics if one.reading is None}
        return planned | empty

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain dicts and lists."""
        return asdict(self)

    def to_pandas(self, what: Literal["metrics", "comparisons"] = "metrics") -> Any:
        """The metrics or the comparisons as a pandas DataFrame, a row each; readings are columns
        such as `reading.value`. Raises ImportError where pandas is not installed."""
        pandas = import_module("pandas")
        return pandas.json_normalize([asdict(one) for one in getattr(self, what)])
