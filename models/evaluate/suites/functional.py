"""Functional tests in the spirit of CheckList and HateCheck: one skill each, and its pass rate."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import cycle, islice
from typing import Any

from evaluate.suites.decide import fires, scored
from evaluate.suites.files import read_lines, read_yaml
from evaluate.suites.grammar import choices, fill, slots_in
from evaluate.suites.groups import Group, word_groups
from evaluate.suites.records import (
    SENTIMENT,
    TOXICITY,
    Case,
    Miss,
    Reading,
    Scorer,
    Scores,
    Side,
    Thresholds,
)
from evaluate.suites.spelling import TRICKS, disguised, plain
from evaluate.suites.statistics import wilson

FILES = ("toxic.yaml", "calm.yaml", "stereotype.yaml", "sentiment.yaml")
ROUNDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Functionality:
    """One skill: the share of its texts on the right side, recall for `over`, else specificity."""

    family: str
    head: str
    side: Side
    passed: Reading
    misses: tuple[Miss, ...]

    @property
    def measure(self) -> str:
        return "recall" if self.side == "over" else "specificity"


def told_of(
    frame: str, slots: Mapping[str, Sequence[str]], groups: Sequence[Group]
) -> Iterator[str]:
    """The frame filled again and again, each time with other words and another group."""
    rng = random.Random(frame)
    able = [group for group in groups if set(slots_in(frame)) <= {*group.slots, *slots}]
    told = cycle(rng.sample(able, len(able)))
    for words, group in zip(choices(frame, slots, rng), told, strict=False):
        yield fill(frame, {**words, **group.slots})


def take_turns(sources: Sequence[Iterator[str]], n: int) -> list[str]:
    """`n` distinct texts, one from each source in turn."""
    found: dict[str, None] = {}
    for _ in range(ROUNDS):
        for source in sources:
            found.update(dict.fromkeys(islice(source, 1)))
            if len(found) == n:
                return list(found)
    raise ValueError(f"{len(found)} of {n} texts: give more frames or words")


def cases_in(data: Mapping[str, Any]) -> Iterator[Case]:
    """All families of one file; a family is a list of frames, or frames with a side of its own."""
    groups = [group for group in word_groups() if group.id in data["groups"]]
    for family, given in data["families"].items():
        entry = given if isinstance(given, dict) else {"frames": given, "side": data["side"]}
        sources = [told_of(frame, data["slots"], groups) for frame in entry["frames"]]
        for text in take_turns(sources, data["n"]):
            yield Case(text=text, family=family, head=data["head"], side=entry["side"])


def spelling_cases() -> Iterator[Case]:
    """The plain sentences, then each trick on all of them."""
    frames = read_lines("spelling.txt")
    for frame in frames:
        yield Case(text=plain(frame), family="spelling: plain", head=TOXICITY, side="over")
    for family, trick in TRICKS.items():
        for frame in frames:
            yield Case(text=disguised(frame, trick), family=family, head=TOXICITY, side="over")


@cache
def functional_cases() -> tuple[Case, ...]:
    written = (case for name in FILES for case in cases_in(read_yaml(name)))
    return (*written, *spelling_cases())


def passes(case: Case, scores: Scores, thresholds: Thresholds) -> bool:
    return fires(scores, case.head, thresholds) == (case.side == "over")


def functionality(
    cases: Sequence[Case], scores: Sequence[Scores], thresholds: Thresholds
) -> Functionality:
    """The row of one family; `misses` are the worst five."""
    failed = [
        Miss(text=case.text, family=case.family, score=given[case.head])
        for case, given in zip(cases, scores, strict=True)
        if not passes(case, given, thresholds)
    ]
    passed = wilson(len(cases) - len(failed), len(cases))
    if passed is None:
        raise ValueError("a functionality without cases")
    first = cases[0]
    failed.sort(key=lambda miss: miss.score, reverse=first.side == "under")
    return Functionality(
        family=first.family,
        head=first.head,
        side=first.side,
        passed=passed,
        misses=tuple(failed[:5]),
    )


def measure_functional(
    score: Scorer, thresholds: Thresholds, cases: Sequence[Case] | None = None
) -> tuple[Functionality, ...]:
    """One row per functionality. Sentiment is decided at the middle unless given a threshold."""
    given = functional_cases() if cases is None else cases
    scores = scored(score, [case.text for case in given])
    by: dict[str, list[int]] = {}
    for place, case in enumerate(given):
        by.setdefault(case.family, []).append(place)
    return tuple(
        functionality([given[i] for i in places], [scores[i] for i in places], thresholds)
        for places in by.values()
    )


def toxic_recall(rows: Sequence[Functionality]) -> Reading | None:
    """Recall over all functionalities whose texts ought to be flagged as toxic."""
    return pooled([row for row in rows if row.head == TOXICITY and row.side == "over"])


def calm_specificity(rows: Sequence[Functionality]) -> Reading | None:
    return pooled([row for row in rows if row.head == TOXICITY and row.side == "under"])


def sentiment_accuracy(rows: Sequence[Functionality]) -> Reading | None:
    return pooled([row for row in rows if row.head == SENTIMENT])


def pooled(rows: Sequence[Functionality]) -> Reading | None:
    counts = [row.passed.n for row in rows]
    hits = [round(row.passed.value * row.passed.n) for row in rows]
    return wilson(sum(hits), sum(counts))
