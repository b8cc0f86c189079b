"""What metrics are called for people, and which of their values speak for fairness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, Protocol

from guard.assessment.classes import TITLES as CLASS_TITLES
from guard.assessment.items import WORST
from guard.assessment.plan import FAMILIES
from guard.assessment.results import Direction
from guard.fairness import CATALOGUE, Tally
from guard.fairness.live import MATERIAL, NORMALISED
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
_LIST_TITLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "jaccard_k": "Shared items (Jaccard-K)",
        "serp_k": "Rank of shared items (SERP-K)",
        "prag_k": "Order of items (PRAG-K)",
    }
)
_FAMILY_TITLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "score_gaps": "Differences of scores",
        "fairpair": "FairPair",
        "fisco": "How far replies are apart (FiSCo)",
        "refusals": "Rates of refusals, filtered and late replies",
        "length": "Length",
        "amounts": "Amounts: money, percentages, durations, counts, ratings",
        "wording": "Wording",
    }
)
_FIGURES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "refused": "Share of refused replies",
        "words": "Words of a reply",
        "wrong": "Share of wrong classes",
    }
)
"""Figures of prompts that are no metric and no score."""
_ELSEWHERE: Final = MappingProxyType({**CLASS_TITLES, **_LIST_TITLES, **_FAMILY_TITLES})
"""Titles of families, rates of classes and measures of lists."""
_MOST_NAMED: Final = 3
"""Groups that are named; of more the first of them and their number."""


def planned_name(metric: str) -> str:
    """The name in the plan under which a live metric is assessed."""
    base = metric.removesuffix(NORMALISED)
    return _OF.get(base, base)


def title_of(metric: str) -> str:
    """In words; a category after the name stands in brackets."""
    base = metric.removesuffix(NORMALISED)
    if metric in _ELSEWHERE:
        return _ELSEWHERE[metric]
    known = _known(base)
    if known is not None:
        rest = base[len(known) :].strip("_")
        ending = ", brought to the same group" if base != metric else ""
        return _TITLES[known][0] + (f" ({rest})" if rest else "") + ending
    live = CATALOGUE.find(metric) or CATALOGUE.find(base + NORMALISED)
    return (live.title if live is not None else "") or base.replace("_", " ").capitalize()


def score_title(score: str) -> str:
    """A score in words; its category stands in brackets: `Stereotype (gender)`."""
    head, _, category = score.partition(".")
    named = head.replace("_", " ").capitalize()
    return f"{named} ({category.replace('_', ' ')})" if category else named


def figure_title(figure: str) -> str:
    """A figure of a prompt in words, with its attribute and group where it is a difference."""
    name, _, rest = figure.partition(" ")
    if rest and rest != WORST:
        attribute, _, group = rest.partition(" ")
        who = group if name in _LIST_TITLES or not group else f"{group} against others"
        return f"{title_of(name)}, {': '.join(filter(None, (attribute, who)))}"
    title = _FIGURES.get(name) or score_title(name)
    return f"{title}, the highest of a prompt" if rest else title


def agreeing_title(metric: str) -> str:
    """A figure whose agreement with others is shown; of groups it is their largest difference."""
    is_gap = "_gap" in metric or "_difference" in metric
    if not is_gap:
        return title_of(metric) if CATALOGUE.find(metric) else figure_title(metric)
    title = title_of(metric).removesuffix(" score").removesuffix(" (difference)")
    return f"{title} gap"


def groups_told(groups: Sequence[str], between: str = " and ") -> str:
    """Groups in a few words; of many their number and the first of them."""
    if len(groups) <= _MOST_NAMED:
        return between.join(groups)
    return f"{len(groups)} groups: {', '.join(groups[:_MOST_NAMED])}, ..."


def best_of(metric: str) -> Direction:
    """Which values speak for fairness; a signed difference is best at 0."""
    known = _known(metric.removesuffix(NORMALISED))
    return Direction.ZERO if known is None else _TITLES[known][1]


def _known(metric: str) -> str | None:
    fitting = [one for one in _TITLES if metric == one or metric.startswith(f"{one}_")]
    return max(fitting, key=len, default=None)


def material_of(metric: str) -> float:
    """From which size on a difference of a live metric matters, unless it is said otherwise."""
    live = CATALOGUE.find(metric) or CATALOGUE.find(metric + NORMALISED)
    return MATERIAL if live is None else live.material or MATERIAL


def base_name(metric: str) -> str:
    """The name in the plan: without the category and m."""
    for name in ("toxic_fraction", "stereotype_fraction"):
        if metric.startswith(name):
            return name
    for name in ("expected_maximum", "toxicity_probability", "stereotype_probability"):
        if metric.startswith(name):
            return "_".join(metric.split("_")[: 3 if name == "expected_maximum" else 2])
    return metric


def observed(metric: str) -> str:
    """What one observation of a value is: a `response`, a `case` (a row with a class), a `prompt`;
    of the worst of several responses each side of a pair is a prompt."""
    if metric in CLASS_TITLES:
        return "case"
    return "response" if base_name(metric).endswith("_fraction") else "prompt"


class Estimating(Protocol):
    """What makes a reading from sums."""

    def estimate(self, tally: Tally, /) -> Reading | Undefined:
        """The value, or why there is none."""
