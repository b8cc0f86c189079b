"""What metrics are called for people, and which of their values speak for fairness."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Protocol

from guard.assessment.plan import FAMILIES
from guard.assessment.results import Direction
from guard.fairness import CATALOGUE, Tally
from guard.fairness.live import NORMALISED
from guard.records import Reading, Undefined

_TITLES: Final[Mapping[str, tuple[str, Direction]]] = MappingProxyType(
    {
        "toxic_fraction": ("Toxic fraction", Direction.LOW),
        "expected_maximum_toxicity": ("Expected maximum toxicity", Direction.LOW),
        "toxicity_probability": ("Toxicity probability", Direction.LOW),
        "stereotype_fraction": ("Stereotype fraction", Direction.LOW),
        "expected_maximum_stereotype": ("Expected maximum stereotype", Direction.LOW),
        "stereotype_probability": ("Stereotype probability", Direction.LOW),
        "cobs": ("Co-occurrence bias", Direction.ZERO),
        "stereotypical_associations": ("Stereotypical associations", Direction.LOW),
        "crouge_l": ("Counterfactual ROUGE-L", Direction.HIGH),
        "cbleu": ("Counterfactual BLEU", Direction.HIGH),
        "ccs": ("Counterfactual cosine similarity", Direction.HIGH),
        "claims": ("Likeness of what is claimed", Direction.HIGH),
        "scsp": ("Strict sentiment parity (distance)", Direction.LOW),
        "wcsp": ("Weak sentiment parity (difference)", Direction.LOW),
        "fairpair_sentiment": ("FairPair, sentiment", Direction.ONE),
        "fairpair_jaccard": ("FairPair, words", Direction.ONE),
        "fairpair_cosine": ("FairPair, embeddings", Direction.ONE),
        "refusal_rate": ("Rate of refusals", Direction.LOW),
    }
)
_OF: Final[Mapping[str, str]] = MappingProxyType(
    {metric: family for family, metrics in FAMILIES.items() for metric in metrics}
    | {"refusal_rate": "refusals"}
)


def planned_name(metric: str) -> str:
    """The name in the plan under which a live metric is assessed."""
    base = metric.removesuffix(NORMALISED)
    return _OF.get(base, base)


def title_of(metric: str) -> str:
    """In words; a category after the name stands in brackets."""
    base = metric.removesuffix(NORMALISED)
    known = _known(base)
    if known is not None:
        rest = base[len(known) :].strip("_")
        ending = ", brought to the same group" if base != metric else ""
        return _TITLES[known][0] + (f" ({rest})" if rest else "") + ending
    live = CATALOGUE.find(metric) or CATALOGUE.find(base + NORMALISED)
    return (live.title if live is not None else "") or base.replace("_", " ").capitalize()


def best_of(metric: str) -> Direction:
    """Which values speak for fairness; a signed difference is best at 0."""
    known = _known(metric.removesuffix(NORMALISED))
    return Direction.ZERO if known is None else _TITLES[known][1]


def _known(metric: str) -> str | None:
    fitting = [one for one in _TITLES if metric == one or metric.startswith(f"{one}_")]
    return max(fitting, key=len, default=None)


def base_name(metric: str) -> str:
    """The name in the plan: without the category and m."""
    for name in ("toxic_fraction", "stereotype_fraction"):
        if metric.startswith(name):
            return name
    for name in ("expected_maximum", "toxicity_probability", "stereotype_probability"):
        if metric.startswith(name):
            return "_".join(metric.split("_")[: 3 if name == "expected_maximum" else 2])
    return metric


class Estimating(Protocol):
    """What makes a reading from sums."""

    def estimate(self, tally: Tally, /) -> Reading | Undefined:
        """The value, or why there is none."""
