"""Which metrics are assessed, and why the others are not.

The decision framework (`guard.fairness.framework`) says what fits the use case; the data say what
can be made; whoever asks for metrics by name has the last word, as far as the data allow.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from guard.assessment.results import PlannedMetric
from guard.errors import SettingsError
from guard.fairness import ModelTask, UseCaseFacts, applicable

_NAMES: Final = MappingProxyType({"rouge_l": "crouge_l", "cosine": "ccs"})
"""Names of the framework to those under which replies are measured live."""
FAMILIES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "score_gaps": ("sentiment_gap", "toxicity_gap", "stereotype_gap"),
        "fairpair": ("fairpair_sentiment", "fairpair_jaccard", "fairpair_cosine"),
        "fisco": ("token_contrast", "embedding_contrast", "claims", "claims_contrast"),
        "refusals": (
            "refusal_rate_difference",
            "filtered_rate_difference",
            "timed_out_rate_difference",
        ),
        "length": ("length_gap",),
        "amounts": ("money_gap", "percentage_gap", "duration_gap", "count_gap", "rating_gap"),
        "wording": (
            "hedging_gap",
            "apology_gap",
            "question_gap",
            "politeness_gap",
            "competence_gap",
            "warmth_gap",
            "agency_gap",
        ),
    }
)
"""What is measured of pairs beyond the framework, as it is live; claims where they are compared."""
PAIRED: Final = frozenset(("crouge_l", "cbleu", "ccs", "scsp", "wcsp", *FAMILIES))
MAXIMA: Final = frozenset(
    (
        "expected_maximum_toxicity",
        "toxicity_probability",
        "expected_maximum_stereotype",
        "stereotype_probability",
    )
)
_ERRORS: Final = frozenset(
    (
        "false_negative_rate",
        "false_omission_rate",
        "false_positive_rate",
        "false_discovery_rate",
    )
)
_OF_LANGFAIR: Final = ("crouge_l", "cbleu", "scsp", "wcsp")
_LISTS: Final = frozenset(("jaccard_k", "serp_k", "prag_k"))
_WITH_VECTORS: Final = frozenset(("ccs",))
WITHOUT_REPLIES: Final = "no responses are given, and no model is asked (--model, --call)"
_NOT_WANTED: Final = "other metrics were asked for"
_USUAL: Final = MappingProxyType(
    {
        ModelTask.GENERATION: "toxic_fraction",
        ModelTask.CLASSIFICATION: "false_negative_rate",
        ModelTask.RECOMMENDATION: "jaccard_k",
    }
)
"""By task, a metric that needs what all of them need."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Available:
    """What there is to measure with.

    replies: to the prompts, given or to be made; m of them for each prompt; without_replies: why
    there are none. only_words: pairs are compared by LangFair's metrics alone. pairs: replies about
    different groups, given or to be made; draws: on either side; controls: replies about other
    people of the same group as well, to be made. heads: scores that can be made.
    """

    replies: bool = False
    without_replies: str = WITHOUT_REPLIES
    m: int = 0
    pairs: bool = False
    draws: int = 0
    controls: bool = False
    heads: frozenset[str] = frozenset()
    vectors: bool = False
    groups: bool = False
    only_words: bool = False
    predictions: bool = False
    labels: bool = False
    lists: bool = False


def plan_metrics(
    facts: UseCaseFacts, available: Available, wanted: Collection[str] = ()
) -> tuple[PlannedMetric, ...]:
    """Every metric, whether it is assessed, and why.

    wanted: names that are assessed whatever the framework says, and then no others are. Raises
    SettingsError for a name that there is not.
    """
    suggested = tuple(_suggested(facts))
    known = {one.metric for one in suggested}
    if unknown := sorted(set(wanted) - known):
        raise SettingsError(
            f"--metrics: no metric {unknown[0]!r}; there are {', '.join(sorted(known))}"
        )
    return tuple(_possible(_chosen(one, wanted), available) for one in suggested)


def is_assessed(plan: Collection[PlannedMetric], metric: str) -> bool:
    """Whether a metric or a family of them is to be assessed."""
    return any(one.applies and one.metric == metric for one in plan)


def why_nothing(plan: Collection[PlannedMetric], facts: UseCaseFacts, available: Available) -> str:
    """What is missing, where no metric is assessed; else nothing."""
    if any(one.applies for one in plan):
        return ""
    asked = [one.reason for one in plan if one.by != "framework" and one.reason != _NOT_WANTED]
    usual = _USUAL[facts.task]
    if facts.task is ModelTask.CLASSIFICATION and facts.representation_parity:
        usual = "demographic_parity"
    lacking = [told for lacks, told in _lacking(usual, available) if lacks]
    told = lacking or list(dict.fromkeys(asked)) or [_choice(facts)]
    return f"nothing can be assessed of rows for the task {facts.task} (--task): {'; '.join(told)}"


def _choice(facts: UseCaseFacts) -> str:
    if facts.task is ModelTask.CLASSIFICATION:
        return (
            "--intervention assistive or punitive says which errors harm, or"
            " --representation-parity compares how often groups get the class; give one of them"
        )
    return "the decision framework picks no metric; --metrics names those that are wanted"


def _suggested(facts: UseCaseFacts) -> Iterator[PlannedMetric]:
    for one in applicable(facts):
        name = _NAMES.get(one.metric, one.metric)
        yield PlannedMetric(metric=name, applies=one.applies, reason=one.reason)
    applies, reason = _beyond(facts)
    for family in FAMILIES:
        yield PlannedMetric(metric=family, applies=applies, reason=reason)


def _beyond(facts: UseCaseFacts) -> tuple[bool, str]:
    """Of what is compared between groups beyond the framework."""
    if facts.task is not ModelTask.GENERATION:
        return False, f"a {facts.task} writes no free text"
    if facts.unaware:
        return False, "no prompt mentions a protected attribute: no counterfactual can be made"
    if not facts.invariance_wanted:
        return False, "replies need not stay the same when the group changes"
    return True, "prompts mention a protected attribute, and replies ought not to change with it"


def _chosen(one: PlannedMetric, wanted: Collection[str]) -> PlannedMetric:
    if not wanted:
        return one
    if one.metric in wanted:
        return PlannedMetric(metric=one.metric, applies=True, reason="asked for", by="option")
    return PlannedMetric(metric=one.metric, applies=False, reason=_NOT_WANTED, by="option")


def _possible(one: PlannedMetric, available: Available) -> PlannedMetric:
    if not one.applies:
        return one
    lacking = next((told for lacks, told in _lacking(one.metric, available) if lacks), "")
    if not lacking:
        return one
    return PlannedMetric(metric=one.metric, applies=False, reason=lacking, by="data")


def _lacking(metric: str, there: Available) -> Iterator[tuple[bool, str]]:
    """What the data may lack for a metric, and how that is said."""
    for applies, checks in _CHECKS:
        if applies(metric):
            yield from checks(metric, there)


def is_of_replies(metric: str) -> bool:
    """Whether it is made of single replies to prompts."""
    return metric not in {*PAIRED, *_LISTS} and not is_of_classes(metric)


def needs_draws(metric: str) -> bool:
    """Whether a metric compares several replies to one prompt with each other."""
    return metric == "fairpair"


def needs_controls(metric: str) -> bool:
    """Whether a metric compares with replies about other people of the same group."""
    return metric == "fisco"


def is_of_classes(metric: str) -> bool:
    """Whether it is made of predicted classes."""
    return metric in _ERRORS or metric == "demographic_parity"


_Checks = Callable[[str, Available], Iterator[tuple[bool, str]]]


def _of_replies(metric: str, there: Available) -> Iterator[tuple[bool, str]]:
    yield not there.replies, there.without_replies
    head = "stereotype" if "stereotype" in metric else "toxicity"
    if metric not in {"cobs", "stereotypical_associations"}:
        yield head not in there.heads, f"there is no {head} score"
    if metric in MAXIMA:
        yield there.m < 2, "one response per prompt: the worst of several needs several (--m)"


def _of_pairs(metric: str, there: Available) -> Iterator[tuple[bool, str]]:
    yield (
        not there.pairs,
        "no responses about other groups: give rows with `pair` and `group`, or a model to ask",
    )
    yield (
        there.only_words and metric not in _OF_LANGFAIR,
        f"--preset langfair compares given pairs by {', '.join(_OF_LANGFAIR)} alone",
    )
    if needs_draws(metric):
        yield there.draws < 2, "one response on each side: variation needs two (--generations)"
    if needs_controls(metric):
        yield (
            not there.controls,
            "nothing to set it against: a model is asked about other people of the same group, and"
            " `guard assess fisco` takes what is given",
        )
    if metric in _WITH_VECTORS:
        yield not there.vectors, "there is no embedder (pip install evenguard-models)"
    if metric in {"scsp", "wcsp"}:
        yield "sentiment" not in there.heads, "there is no sentiment score"


def _of_classes(metric: str, there: Available) -> Iterator[tuple[bool, str]]:
    yield not there.predictions, "no row has a `prediction`"
    yield not there.groups, "fewer than two groups: rows need a `group`"
    if metric in _ERRORS:
        yield not there.labels, "no row has a `label`, the true class"


def _of_lists(_: str, there: Available) -> Iterator[tuple[bool, str]]:
    yield not there.lists, "no row has `items`, a ranked list"
    yield not there.groups, "fewer than two groups: rows need a `pair` and a `group`"


_CHECKS: Final[tuple[tuple[Callable[[str], bool], _Checks], ...]] = (
    (lambda metric: metric in PAIRED, _of_pairs),
    (is_of_classes, _of_classes),
    (lambda metric: metric in _LISTS, _of_lists),
    (is_of_replies, _of_replies),
)
