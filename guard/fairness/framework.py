"""Which metrics apply to a use case: the decision framework of Bouchard (2024), figure 1.

arXiv 2407.10853, section 4. Facts in, and for every metric whether it applies and why. One of the
facts is measured: fairness through unawareness (section 2), whether prompts mention a protected
attribute at all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from guard.fairness.intervals import proportion
from guard.fairness.tally import Tally, hit_or_miss, hits_of, listed
from guard.fairness.words import Response, mentions
from guard.records import Reading, Undefined


class ModelTask(StrEnum):
    """What the model is used for. Summarising is generating."""

    GENERATION = "generation"
    CLASSIFICATION = "classification"
    RECOMMENDATION = "recommendation"


class Intervention(StrEnum):
    """What a positive classification leads to: help withheld harms, or punishment meted out."""

    ASSISTIVE = "assistive"
    PUNITIVE = "punitive"


@dataclass(frozen=True, slots=True, kw_only=True)
class UseCaseFacts:
    """What has to be known about a use case; what does not matter to its task is left alone.

    unaware: fairness through unawareness holds: no prompt mentions a protected attribute.
    invariance_wanted: replies ought to stay the same when the group in the prompt changes.
    content_may_differ: their sentiment ought to, their content need not.
    maps_to_attribute: the inputs of a classification can be mapped to a protected attribute.
    representation_parity: groups ought to be given the positive class equally often.
    intervention: what follows from the positive class, where errors are what harms.
    """

    task: ModelTask
    unaware: bool = False
    invariance_wanted: bool = False
    content_may_differ: bool = False
    maps_to_attribute: bool = False
    representation_parity: bool = False
    intervention: Intervention | None = None

    def __post_init__(self) -> None:
        if self.task not in set(ModelTask):
            raise ValueError(f"task {self.task!r} is none of {', '.join(ModelTask)}")
        if self.intervention not in {None, *Intervention}:
            wanted = ", ".join(Intervention)
            raise ValueError(f"intervention {self.intervention!r} is none of {wanted}")
        object.__setattr__(self, "task", ModelTask(self.task))
        if self.intervention is not None:
            object.__setattr__(self, "intervention", Intervention(self.intervention))


@dataclass(frozen=True, slots=True, kw_only=True)
class Applicability:
    """Whether a metric applies, and why."""

    metric: str
    applies: bool
    reason: str


TOXICITY = ("toxic_fraction", "expected_maximum_toxicity", "toxicity_probability")
STEREOTYPE = (
    "stereotype_fraction",
    "expected_maximum_stereotype",
    "stereotype_probability",
    "cobs",
    "stereotypical_associations",
)
SIMILARITY = ("rouge_l", "cbleu", "cosine")
SENTIMENT = ("scsp", "wcsp")
REPRESENTATION = ("demographic_parity",)
ASSISTIVE = ("false_negative_rate", "false_omission_rate")
PUNITIVE = ("false_positive_rate", "false_discovery_rate")
RECOMMENDATION = ("jaccard_k", "serp_k", "prag_k")


def applicable(facts: UseCaseFacts) -> tuple[Applicability, ...]:
    """Every metric, whether it applies to the use case, and the reason."""
    return (
        *_each(TOXICITY, *_toxicity(facts)),
        *_each(STEREOTYPE, *_stereotype(facts)),
        *_each(SIMILARITY, *_counterfactual(facts, similarity=True)),
        *_each(SENTIMENT, *_counterfactual(facts, similarity=False)),
        *_each(REPRESENTATION, *_representation(facts)),
        *_each(ASSISTIVE, *_errors(facts, Intervention.ASSISTIVE)),
        *_each(PUNITIVE, *_errors(facts, Intervention.PUNITIVE)),
        *_each(RECOMMENDATION, *_recommendation(facts)),
    )


def _each(metrics: tuple[str, ...], applies: bool, reason: str) -> tuple[Applicability, ...]:
    return tuple(Applicability(metric=m, applies=applies, reason=reason) for m in metrics)


def _toxicity(facts: UseCaseFacts) -> tuple[bool, str]:
    if facts.task is not ModelTask.GENERATION:
        return False, f"a {facts.task} writes no free text"
    return True, "any generated text can be toxic"


def _stereotype(facts: UseCaseFacts) -> tuple[bool, str]:
    if facts.task is not ModelTask.GENERATION:
        return False, f"a {facts.task} writes no free text"
    if facts.unaware:
        return False, (
            "no prompt mentions a protected attribute: optional, the risk is low but not nil"
        )
    return True, "prompts mention a protected attribute"


def _counterfactual(facts: UseCaseFacts, *, similarity: bool) -> tuple[bool, str]:
    if facts.task is not ModelTask.GENERATION:
        return False, f"a {facts.task} writes no free text"
    if facts.unaware:
        return False, "no prompt mentions a protected attribute: no counterfactual can be made"
    if not facts.invariance_wanted:
        return False, "replies need not stay the same when the group changes"
    if similarity and facts.content_may_differ:
        return False, "the content ought to differ with the group"
    return True, "prompts mention a protected attribute, and replies ought not to change with it"


def _representation(facts: UseCaseFacts) -> tuple[bool, str]:
    if unfit := _unclassified(facts):
        return False, unfit
    if not facts.representation_parity:
        return False, "representation parity is not wanted: compare errors"
    return True, "groups ought to be given the positive class equally often"


def _errors(facts: UseCaseFacts, intervention: Intervention) -> tuple[bool, str]:
    if unfit := _unclassified(facts):
        return False, unfit
    if facts.representation_parity:
        return False, "representation parity is wanted, whatever the errors"
    if facts.intervention is None:
        return False, "intervention is not given: assistive or punitive decides which errors harm"
    if facts.intervention is not intervention:
        return False, f"the intervention is {facts.intervention}: other errors harm"
    return True, f"the intervention is {intervention}: these errors harm"


def _unclassified(facts: UseCaseFacts) -> str | None:
    """Why no parity of a classifier applies, if so."""
    if facts.task is not ModelTask.CLASSIFICATION:
        return f"a {facts.task} predicts no class"
    if not facts.maps_to_attribute:
        return "inputs cannot be mapped to a protected attribute: there are no groups to compare"
    return None


def _recommendation(facts: UseCaseFacts) -> tuple[bool, str]:
    if facts.task is not ModelTask.RECOMMENDATION:
        return False, f"a {facts.task} recommends no list"
    if facts.unaware:
        return False, "no prompt mentions a protected attribute: no counterfactual can be made"
    if not facts.invariance_wanted:
        return False, "lists need not stay the same when the group changes"
    return True, "prompts mention a protected attribute, and lists ought not to change with it"


def ftu_share(prompts: Iterable[Response], lexicon: Collection[str]) -> float | Undefined:
    """The share of prompts with no word or phrase of an attribute's lexicon.

    Mean of 1[no entry of the lexicon in the prompt]. prompts: texts or lists of words. In [0, 1]:
    1, no prompt mentions the attribute as far as the lexicon knows; 0, each does. [LF figure 1].
    Not a proof of unawareness: names, places and style tell an attribute without its words.
    """
    given, entries = listed(prompts, "prompts"), frozenset(listed(lexicon, "lexicon"))
    if not given:
        return Undefined("no prompts")
    return sum(not mentions(prompt, entries) for prompt in given) / len(given)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unawareness:
    """The FTU share of one attribute as a tally. Observation: a prompt. Keys: 2."""

    name: str
    lexicon: Collection[str]
    _entries: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_entries", frozenset(listed(self.lexicon, "lexicon")))

    def tally(self, observation: Response, /) -> Tally:
        """The sums of one prompt."""
        return hit_or_miss(not mentions(observation, self._entries), self.name)

    def estimate(self, tally: Tally, /) -> Reading | Undefined:
        """The share over all prompts."""
        return proportion(*hits_of(tally, self.name), f"{self.name}: no prompts")
