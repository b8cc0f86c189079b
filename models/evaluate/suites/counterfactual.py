"""What a score changes by when the sentence stays and the group or the name in it changes."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from evaluate.suites.decide import fires, scored
from evaluate.suites.files import read_yaml
from evaluate.suites.grammar import draw, fill, slots_in
from evaluate.suites.groups import Group, by_attribute
from evaluate.suites.records import (
    SENTIMENT,
    STEREOTYPE,
    TOXICITY,
    Reading,
    Scorer,
    Scores,
    Thresholds,
    Versions,
)
from evaluate.suites.statistics import bootstrap_mean, wilson

SENTENCES = {False: 160, True: 80}
PER_SET = {False: 4, True: 3}
KINDS = {"name": "name", "pronoun": "pronoun"}
HEADS = (TOXICITY, STEREOTYPE, SENTIMENT)
ROUNDS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Two versions of a sentence, and how far apart their scores are."""

    low: str
    high: str
    change: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Invariance:
    """How one head changes over the versions of the sentences of one attribute.

    change: mean |change| over pairs of versions, its interval from resampling sentences.
    percentile_99: of |change| over pairs. pair_flips: pairs on two sides of the threshold.
    sentence_flips: sentences with versions on both sides. Both None for a head without decision.
    """

    head: str
    attribute: str
    toxic: bool
    sentences: int
    pairs: int
    change: Reading
    percentile_99: float
    pair_flips: Reading | None
    sentence_flips: Reading | None
    worst: tuple[Gap, ...]


def dealt(groups: Sequence[Group], rng: random.Random) -> Iterator[Group]:
    """The groups in another order each time round, so that all are used and all meet."""
    while True:
        yield from rng.sample(groups, len(groups))


def chosen(frame: str, groups: Sequence[Group], deck: Iterator[Group], most: int) -> list[Group]:
    """The next groups that have words for every slot that is left in the frame."""
    able = [group for group in groups if set(slots_in(frame)) <= set(group.slots)]
    found: dict[Group, None] = {}
    while len(found) < min(most, len(able)):
        group = next(deck)
        if group in able:
            found[group] = None
    return list(found)


def versions(attribute: str, *, toxic: bool, everyone: bool) -> Iterator[Versions]:
    """The sentences of one attribute, each said of the next few groups or of everyone."""
    data, groups = read_yaml("counterfactual.yaml"), by_attribute()[attribute]
    deck = dealt(groups, random.Random(f"{attribute} {toxic}"))
    frames = data["toxic" if toxic else "benign"][KINDS.get(attribute, "group")]
    for frame in draw(frames, data["slots"], n=SENTENCES[toxic], seed=attribute):
        told = chosen(frame, groups, deck, len(groups) if everyone else PER_SET[toxic])
        yield Versions(
            attribute=attribute,
            toxic=toxic,
            groups=tuple(group.id for group in told),
            texts=tuple(fill(frame, group.slots) for group in told),
        )


@cache
def counterfactual_sets(*, everyone: bool = False) -> tuple[Versions, ...]:
    """Every sentence with its versions, for a few groups of the attribute each, or for everyone.

    The few differ from sentence to sentence, so that together they cover all groups.
    """
    return tuple(
        item
        for toxic in SENTENCES
        for attribute in by_attribute()
        for item in versions(attribute, toxic=toxic, everyone=everyone)
    )


def gaps(item: Versions, by_text: Mapping[str, Scores], head: str) -> Iterator[Gap]:
    for one, other in combinations(item.texts, 2):
        low, high = sorted((one, other), key=lambda text: by_text[text][head])
        yield Gap(low=low, high=high, change=by_text[high][head] - by_text[low][head])


def invariance(
    items: Sequence[Versions],
    by_text: Mapping[str, Scores],
    head: str,
    thresholds: Thresholds,
    attribute: str,
) -> Invariance:
    """One row: the given sentences, which are all benign or all toxic."""
    by_item = [list(gaps(item, by_text, head)) for item in items]
    every = [gap for found in by_item for gap in found]
    change = bootstrap_mean(
        [sum(g.change for g in found) / len(found) for found in by_item], rounds=ROUNDS, seed=0
    )
    if change is None:
        raise ValueError(f"no sentences for {attribute!r}")
    pair_flips, sentence_flips = flips(items, by_text, head, thresholds)
    return Invariance(
        head=head,
        attribute=attribute,
        toxic=items[0].toxic,
        sentences=len(items),
        pairs=len(every),
        change=change,
        percentile_99=float(np.percentile([gap.change for gap in every], 99)),
        pair_flips=pair_flips,
        sentence_flips=sentence_flips,
        worst=tuple(sorted(every, key=lambda gap: -gap.change)[:5]),
    )


def flips(
    items: Sequence[Versions], by_text: Mapping[str, Scores], head: str, thresholds: Thresholds
) -> tuple[Reading | None, Reading | None]:
    """The share of pairs, and of sentences, whose versions are decided differently."""
    if head == SENTIMENT:
        return None, None
    decided = [[fires(by_text[text], head, thresholds) for text in item.texts] for item in items]
    pairs = [a != b for found in decided for a, b in combinations(found, 2)]
    return wilson(sum(pairs), len(pairs)), wilson(
        sum(any(found) and not all(found) for found in decided), len(decided)
    )


def measure_counterfactual(
    score: Scorer, thresholds: Thresholds, sets: Sequence[Versions] | None = None
) -> tuple[Invariance, ...]:
    """Per head, for benign and toxic sentences: all attributes together, then each."""
    given = counterfactual_sets() if sets is None else sets
    texts = list(dict.fromkeys(text for item in given for text in item.texts))
    by_text = dict(zip(texts, scored(score, texts), strict=True))
    rows: list[Invariance] = []
    for head in HEADS:
        for toxic in (False, True):
            part = [item for item in given if item.toxic is toxic]
            for attribute in ("all", *dict.fromkeys(item.attribute for item in part)):
                here = [item for item in part if attribute in ("all", item.attribute)]
                if here:
                    rows.append(invariance(here, by_text, head, thresholds, attribute))
    return tuple(rows)
