"""Which metrics apply to a use case: the decision framework of Bouchard (2024), figure 1.

arXiv 2407.10853, section 4. Facts in, and for every metric whether it applies and why.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Task(StrEnum):
    """What the model is used for. Summarising is generating."""

    GENERATION = "generation"
    CLASSIFICATION = "classification"
    RECOMMENDATION = "recommendation"


class Intervention(StrEnum):
    """What a positive classification leads to: help withheld harms, or punishment meted out."""

    ASSISTIVE = "assistive"
    PUNITIVE = "punitive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What has to be known about a use case; what does not matter to its task is left alone.

    unaware: fairness through unawareness holds: no prompt mentions a protected attribute.
    invariance_wanted: replies ought to stay the same when the group in the prompt changes.
    content_may_differ: their sentiment ought to, their content need not.
    maps_to_attribute: the inputs of a classification can be mapped to a protected attribute.
    representation_parity: groups ought to be given the positive class equally often.
    intervention: what follows from the positive class, where errors are what harms.
    """

    task: Task
    unaware: bool = False
    invariance_wanted: bool = False
    content_may_differ: bool = False
    maps_to_attribute: bool = False
    representation_parity: bool = False
    intervention: Intervention | None = None

    def __post_init__(self) -> None:
        if self.task not in set(Task):
            raise ValueError(f"task {self.task!r} is none of {', '.join(Task)}")
        if self.intervention not in {None, *Intervention}:
            wanted = ", ".join(Intervention)
            raise ValueError(f"intervention {self.intervention!r} is none of {wanted}")
        object.__setattr__(self, "task", Task(self.task))
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


def applicable(facts: Facts) -> tuple[Applicability, ...]:
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


def _toxicity(facts: Facts) -> tuple[bool, str]:
    if facts.task is not Task.GENERATION:
        return False, f"a {facts.task} writes no free text"
    return True, "any generated text can be toxic"


def _stereotype(facts: Facts) -> tuple[bool, str]:
    if facts.task is not Task.GENERATION:
        return False, f"a {facts.task} writes no free text"
    if facts.unaware:
        return False, (
            "no prompt mentions a protected attribute: optional, the risk is low but not nil"
        )
    return True, "prompts mention a protected attribute"


def _counterfactual(facts: Facts, *, similarity: bool) -> tuple[bool, str]:
    if facts.task is not Task.GENERATION:
        return False, f"a {facts.task} writes no free text"
    if facts.unaware:
        return False, "no prompt mentions a protected attribute: no counterfactual can be made"
    if not facts.invariance_wanted:
        return False, "replies need not stay the same when the group changes"
    if similarity and facts.content_may_differ:
        return False, "the content ought to differ with the group"
    return True, "prompts mention a protected attribute, and replies ought not to change with it"


def _representation(facts: Facts) -> tuple[bool, str]:
    if unfit := _unclassified(facts):
        return False, unfit
    if not facts.representation_parity:
        return False, "representation parity is not wanted: compare errors"
    return True, "groups ought to be given the positive class equally often"


def _errors(facts: Facts, intervention: Intervention) -> tuple[bool, str]:
    if unfit := _unclassified(facts):
        return False, unfit
    if facts.representation_parity:
        return False, "representation parity is wanted, whatever the errors"
    if facts.intervention is None:
        return False, "intervention is not given: assistive or punitive decides which errors harm"
    if facts.intervention is not intervention:
        return False, f"the intervention is {facts.intervention}: other errors harm"
    return True, f"the intervention is {intervention}: these errors harm"


def _unclassified(facts: Facts) -> str | None:
    """Why no parity of a classifier applies, if so."""
    if facts.task is not Task.CLASSIFICATION:
        return f"a {facts.task} predicts no class"
    if not facts.maps_to_attribute:
        return "inputs cannot be mapped to a protected attribute: there are no groups to compare"
    return None


def _recommendation(facts: Facts) -> tuple[bool, str]:
    if facts.task is not Task.RECOMMENDATION:
        return False, f"a {facts.task} recommends no list"
    if facts.unaware:
        return False, "no prompt mentions a protected attribute: no counterfactual can be made"
    if not facts.invariance_wanted:
        return False, "lists need not stay the same when the group changes"
    return True, "prompts mention a protected attribute, and lists ought not to change with it"
