"""`python -m evaluate.cascade --data DATA --fast DIR --second DIR`: what second looks are worth.

Texts as a whole, by toxicity alone: the fast classifier decides alone, or the larger one decides
in its place wherever the fast one would fire or is near its threshold. Errors of the two are
compared at equal recall: the larger one's threshold is moved until as many harmful texts fire.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evaluate.metrics import RESAMPLES, Labels
from evaluate.rivals import Rival, exported
from evaluate.sets import SETS
from evaluate.suites.hard import hard_cases
from evaluate.table import markdown
from export.quantise import Floats
from guard.settings import Settings
from train.heads import index_of

HARD = "hard texts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """Values in [0, 1] of the texts of a set, [texts]; second: NaN where it was not asked.

    harmful: what people say of each text.
    """

    fast: Floats
    second: Floats
    harmful: Labels


@dataclass(frozen=True, slots=True, kw_only=True)
class Errors:
    """recall: share of harmful texts that fire. false_positives: how many harmless ones do."""

    recall: float
    false_positives: int


def errors(fired: Labels, harmful: Labels) -> Errors:
    return Errors(recall=float(fired[harmful].mean()), false_positives=int(fired[~harmful].sum()))


def equal_recall_threshold(scored: Scored, recall: float) -> float:
    """The highest threshold of the second look at which at least as many harmful texts fire.

    Raises ValueError where even all that it was asked of would be too few.
    """
    found = np.sort(np.nan_to_num(scored.second[scored.harmful], nan=-1.0))[::-1]
    wanted = round(recall * len(found))
    if wanted and found[wanted - 1] < 0:
        raise ValueError("the second look was asked of fewer harmful texts than have to fire")
    return float(found[wanted - 1]) if wanted else 1.1


def at_equal_recall(scored: Scored, threshold: float) -> tuple[Errors, Errors]:
    """Of the fast classifier at its threshold, and of the two together."""
    alone = errors(scored.fast >= threshold, scored.harmful)
    moved = equal_recall_threshold(scored, alone.recall)
    both = errors(np.nan_to_num(scored.second, nan=-1.0) >= moved, scored.harmful)
    return alone, both


def ratio_interval(scored: Scored, threshold: float, seed: int = 0) -> tuple[float, float, float]:
    """False positives of the two together per one of the fast alone, with a 95 % interval.

    The interval comes from resampling the texts.
    """
    chance = np.random.default_rng(seed)

    def ratio(places: np.ndarray) -> float:
        part = Scored(
            fast=scored.fast[places],
            second=scored.second[places],
            harmful=scored.harmful[places],
        )
        alone, both = at_equal_recall(part, threshold)
        return both.false_positives / max(1, alone.false_positives)

    count = len(scored.harmful)
    found = [ratio(chance.integers(0, count, count)) for _ in range(RESAMPLES)]
    low, high = np.quantile(found, [0.025, 0.975])
    return ratio(np.arange(count)), float(low), float(high)


def score(texts: list[str], harmful: Labels, fast: Rival, second: Rival, lowest: float) -> Scored:
    """lowest: from which value of the fast classifier on the second one is asked."""
    place = index_of("toxicity")
    values = fast.predict(texts)[:, place]
    asked = np.flatnonzero(values >= lowest)
    answers = np.full(len(texts), np.nan)
    if len(asked):
        answers[asked] = second.predict([texts[n] for n in asked])[:, place]
    return Scored(fast=values, second=answers, harmful=harmful)


def joined(parts: Sequence[Scored]) -> Scored:
    return Scored(
        fast=np.concatenate([part.fast for part in parts]),
        second=np.concatenate([part.second for part in parts]),
        harmful=np.concatenate([part.harmful for part in parts]),
    )


def sets_of(data: Path) -> Iterator[tuple[str, list[str], Labels]]:
    """The development sets of toxicity, and the hard texts, which nothing has learnt."""
    for each in SETS:
        if each.name.startswith("tox_"):
            yield each.name, *each.read(data)
    cases = hard_cases()
    yield HARD, [case.text for case in cases], np.array([case.harmful for case in cases])


def line(name: str, scored: Scored, thresholds: tuple[float, float]) -> list[object]:
    fast, second = thresholds
    harmful, harmless = int(scored.harmful.sum()), int((~scored.harmful).sum())
    alone = errors(scored.fast >= fast, scored.harmful)
    both = errors(np.nan_to_num(scored.second, nan=-1.0) >= second, scored.harmful)
    equal, low, high = ratio_interval(scored, fast)
    return [
        name,
        harmful,
        harmless,
        f"{1 - np.isnan(scored.second).mean():.3f}",
        f"{alone.recall:.3f}, {alone.false_positives}",
        f"{both.recall:.3f}, {both.false_positives}",
        f"{equal:.2f} ({low:.2f}-{high:.2f})",
    ]


def table(parts: dict[str, Scored], thresholds: tuple[float, float]) -> str:
    everything = joined(list(parts.values()))
    lines = [line(name, part, thresholds) for name, part in parts.items()]
    header = [
        "set",
        "harmful",
        "harmless",
        "second looks",
        "fast alone: recall, false positives",
        "with second look",
        "false positives at equal recall, ratio (95 %)",
    ]
    return markdown(header, [*lines, line("all", everything, thresholds)])


def main() -> None:
    parser = argparse.ArgumentParser(prog="evaluate.cascade", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the normalised files")
    parser.add_argument("--fast", type=Path, required=True, help="folder of the fast classifier")
    parser.add_argument("--second", type=Path, required=True, help="folder of the larger one")
    options = parser.parse_args()
    fast, second = exported(options.fast), exported(options.second)
    thresholds = fast.thresholds["toxicity"], second.thresholds["toxicity"]
    lowest = thresholds[0] - Settings().scoring.second_look_margin
    parts = {
        name: score(texts, labels, fast, second, lowest)
        for name, texts, labels in sets_of(options.data)
    }
    print(table(parts, thresholds))


if __name__ == "__main__":
    main()
