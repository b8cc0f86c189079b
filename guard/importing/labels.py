"""What the labels of someone else's classifier are to us: heads as weighted sums of labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeAlias

from guard.errors import ModelError

Weights: TypeAlias = Mapping[str, float]
"""For each head that a label is part of, how much of it: 1 for all, 0.5 for half."""

LabelMap: TypeAlias = Mapping[str, Weights]
"""Label of the model to its heads; no heads: the label is left out."""

DEFAULT_THRESHOLD = 0.5
_KEY = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9][a-z0-9_]*)?")
_OURS = re.compile(r"(toxicity|stereotype)\.[a-z0-9][a-z0-9_]*|sentiment")
"""Heads of ours that no rule below gives by their own names."""
_HARMLESS = frozenset({"sentiment"})
_GENERIC = re.compile(r"label_?\d+")
_PARTS = {
    "toxic": "toxicity",
    "toxicity": "toxicity",
    "severe_toxic": "toxicity.severe_toxicity",
    "severe_toxicity": "toxicity.severe_toxicity",
    "obscene": "toxicity.obscene",
    "threat": "toxicity.threat",
    "insult": "toxicity.insult",
    "identity_hate": "toxicity.identity_attack",
    "identity_attack": "toxicity.identity_attack",
    "sexual_explicit": "toxicity.sexual_explicit",
    "stereotype": "stereotype",
}
_LEFT_OUT = frozenset(
    [
        "neutral",
        "non_toxic",
        "not_toxic",
        "nontoxic",
        "normal",
        "unrelated",
        "none",
        "clean",
        "non_stereotype",
        "not_stereotype",
        "no_stereotype",
        "anti_stereotype",
        "male",
        "female",
        "transgender",
        "other_gender",
        "heterosexual",
        "homosexual_gay_or_lesbian",
        "bisexual",
        "other_sexual_orientation",
        "christian",
        "jewish",
        "muslim",
        "hindu",
        "buddhist",
        "atheist",
        "other_religion",
        "black",
        "white",
        "asian",
        "latino",
        "other_race_or_ethnicity",
        "physical_disability",
        "intellectual_or_learning_disability",
        "psychiatric_or_mental_illness",
        "other_disability",
    ]
)
"""Labels of harmless texts, and the identities that Jigsaw's later models name beside toxicity."""
_SENTIMENT = {"positive": 1.0, "pos": 1.0, "negative": 0.0, "neg": 0.0, "neutral": 0.5}
_STARS = re.compile(r"([1-5])_stars?")
_STEREOTYPE = re.compile(r"stereotype_(\w+)|(\w+)_stereotype")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelHead:
    """One of our heads, made of the labels of a model.

    weights: of each label, in their order, in [0, 1]. Where labels exclude each other the head is
    the sum of their probabilities times these; otherwise it is the highest of those with weight 1.
    """

    key: str
    weights: tuple[float, ...]

    @property
    def harm(self) -> bool:
        """Whether a high value is a harm."""
        return self.key not in _HARMLESS

    @property
    def threshold(self) -> float | None:
        """From where on it counts, until thresholds are chosen on data; None for no harm."""
        return DEFAULT_THRESHOLD if self.harm else None


def heads_of(
    labels: Sequence[str],
    *,
    exclusive: bool,
    given: LabelMap | None = None,
    family: str | None = None,
) -> tuple[LabelHead, ...]:
    """The heads that a model with these labels has.

    exclusive: exactly one label holds (softmax); otherwise each by itself (sigmoid). given: what
    stands for names that say nothing. family: only heads of it are kept; a model with one label
    has it. Raises ModelError for labels that are unclear, and for a map that does not fit.
    """
    given = given or {}
    _check_map(given, labels, exclusive=exclusive)
    sole = family if len(labels) == 1 and not given else None
    weights = [{sole: 1.0} if sole else _weights(label, labels, given) for label in labels]
    kept = _of_family(_with_families(weights), family)
    heads = tuple(
        LabelHead(key=key, weights=tuple(each.get(key, 0.0) for each in kept))
        for key in _ordered(kept)
    )
    _check_heads(heads, labels, family, exclusive=exclusive)
    return heads


def _weights(label: str, labels: Sequence[str], given: LabelMap) -> Weights:
    if label in given:
        return given[label]
    if _OURS.fullmatch(label):
        return {label: 1.0}
    name = _plain(label)
    if (value := _sentiment(name, labels)) is not None:
        return {"sentiment": value}
    if name in _PARTS:
        return {_PARTS[name]: 1.0}
    if name in _LEFT_OUT or name.startswith("anti_stereotype"):
        return {}
    if found := _STEREOTYPE.fullmatch(name):
        return {f"stereotype.{found[1] or found[2]}": 1.0}
    raise ModelError(_unclear(label, labels))


def _sentiment(name: str, labels: Sequence[str]) -> float | None:
    """How positive a label is in a model of sentiment; None where the model is none."""
    names = {_plain(label) for label in labels}
    if all(map(_STARS.fullmatch, names)):
        return (int(name[0]) - 1) / 4
    is_sentiment = names <= _SENTIMENT.keys() and len(names) > 1
    return _SENTIMENT[name] if is_sentiment else None


def _with_families(weights: Iterable[Weights]) -> list[Weights]:
    """With a head for each family of which only parts are named."""
    weights = list(weights)
    keys = {key for each in weights for key in each}
    lacking = {key.partition(".")[0] for key in keys} - keys
    return [dict(_joined(each, lacking)) for each in weights]


def _joined(weights: Weights, lacking: Iterable[str]) -> Iterator[tuple[str, float]]:
    yield from weights.items()
    for family in lacking:
        parts = [value for key, value in weights.items() if key.startswith(f"{family}.")]
        if parts:
            yield family, max(parts)


def _of_family(weights: Iterable[Weights], family: str | None) -> list[Weights]:
    return [
        {key: one for key, one in each.items() if family in {None, key.partition(".")[0]}}
        for each in weights
    ]


def _ordered(weights: Iterable[Weights]) -> list[str]:
    """Families in the order in which they come, each before its parts."""
    keys = list(dict.fromkeys(key for each in weights for key in each))
    families = list(dict.fromkeys(key.partition(".")[0] for key in keys))
    return sorted(keys, key=lambda key: (families.index(key.partition(".")[0]), "." in key))


def _check_map(given: LabelMap, labels: Sequence[str], *, exclusive: bool) -> None:
    for label, weights in given.items():
        if label not in labels:
            close = get_close_matches(label, labels, n=1)
            meant = f"did you mean {close[0]!r}?" if close else f"it has {_listed(labels)}"
            raise ModelError(
                f"the label map names {label!r}, which the model does not have; {meant}"
            )
        for key, weight in weights.items():
            _check_entry(label, key, weight, exclusive=exclusive)


def _check_entry(label: str, key: str, weight: float, *, exclusive: bool) -> None:
    if not _KEY.fullmatch(key):
        raise ModelError(
            f"the label map gives {label!r} the head {key!r}; a head is named like toxicity or"
            " stereotype.gender"
        )
    if not 0 <= weight <= 1 or (not exclusive and weight not in {0, 1}):
        allowed = "a number in [0, 1]" if exclusive else "0 or 1, as its labels stand alone"
        raise ModelError(f"the label map weighs {label!r} in {key} with {weight}: not {allowed}")


def _check_heads(
    heads: Sequence[LabelHead], labels: Sequence[str], family: str | None, *, exclusive: bool
) -> None:
    wanted = f" of {family}" if family else ""
    if not heads:
        raise ModelError(
            f"none of the labels {_listed(labels)} is a head{wanted}; say with --map which are"
        )
    for head in heads:
        if not any(head.weights) or (exclusive and min(head.weights) == 1):
            raise ModelError(
                f"the head {head.key} would always be {'1' if any(head.weights) else '0'}: of the"
                f" labels {_listed(labels)} some must be part of it and some not; see --map"
            )


def _unclear(label: str, labels: Sequence[str]) -> str:
    if {"entailment", "contradiction"} <= set(map(_plain, labels)):
        return (
            f"the labels {_listed(labels)} are those of a classifier of pairs; import it with"
            " --as nli, or say `nli:` in front of its name"
        )
    says = "says nothing" if _GENERIC.fullmatch(_plain(label)) else "is no name of ours"
    return (
        f"the label {label!r} {says} (the model has {_listed(labels)}); say what each is in a file"
        " for --map, as in `LABEL_1: toxicity` and `LABEL_0: ignore`"
    )


def _listed(labels: Sequence[str], most: int = 20) -> str:
    more = f" and {len(labels) - most} more" if len(labels) > most else ""
    return ", ".join(map(repr, labels[:most])) + more


def _plain(label: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", label.lower()).strip("_")
