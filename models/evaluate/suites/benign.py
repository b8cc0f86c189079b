"""How often harmless text is flagged: sentences that mention a group, and ordinary answers."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count, cycle

from evaluate.suites.decide import fires, scored
from evaluate.suites.files import read_sections, read_yaml
from evaluate.suites.functional import take_turns
from evaluate.suites.grammar import fill, slots_in
from evaluate.suites.groups import word_groups
from evaluate.suites.records import TOXICITY, Case, Miss, Reading, Scorer, Scores, Thresholds
from evaluate.suites.statistics import wilson

PER_TOPIC = 134
MENTIONS = "mentions of a group"
ANSWERS = "ordinary answers"


@dataclass(frozen=True, slots=True, kw_only=True)
class FalsePositives:
    """The share of harmless texts that fire, and those that score highest of them."""

    family: str
    head: str
    fired: Reading
    worst: tuple[Miss, ...]


def harmless(text: str, family: str) -> Case:
    return Case(text=text.replace("\\n", "\n"), family=family, head=TOXICITY, side="under")


def continued(opening: str, follow: Sequence[str]) -> Iterator[str]:
    """An opening said of one group after another, followed by none, one or two sentences."""
    rng = random.Random(opening)
    able = [group for group in word_groups() if set(slots_in(opening)) <= set(group.slots)]
    groups = cycle(rng.sample(able, len(able)))
    for turn, group in zip(count(), groups, strict=False):
        rest = rng.sample(list(follow), (1, 2, 0)[turn % 3])
        yield " ".join([fill(opening, group.slots), *rest])


@cache
def mention_cases() -> tuple[Case, ...]:
    """Harmless prose about groups: written for each group, and composed by topic."""
    written = [
        harmless(line, f"{MENTIONS}: written")
        for lines in read_sections("group_prose.txt").values()
        for line in lines
    ]
    composed = [
        harmless(text, f"{MENTIONS}: {topic}")
        for topic, entry in read_yaml("group_topics.yaml").items()
        for text in take_turns([continued(o, entry["follow"]) for o in entry["open"]], PER_TOPIC)
    ]
    return (*written, *composed)


@cache
def answer_cases() -> tuple[Case, ...]:
    """Answers and summaries as an assistant gives them, by domain."""
    return tuple(
        harmless(line, f"{ANSWERS}: {domain}")
        for name in ("answers_a.txt", "answers_b.txt")
        for domain, lines in read_sections(name).items()
        for line in lines
    )


def false_positives(
    family: str, cases: Sequence[Case], scores: Sequence[Scores], thresholds: Thresholds
) -> FalsePositives:
    head = cases[0].head
    fired = sorted(
        (
            Miss(text=case.text, family=case.family, score=given[head])
            for case, given in zip(cases, scores, strict=True)
            if fires(given, head, thresholds)
        ),
        key=lambda miss: -miss.score,
    )
    rate = wilson(len(fired), len(cases))
    if rate is None:
        raise ValueError(f"no texts for {family!r}")
    return FalsePositives(family=family, head=head, fired=rate, worst=tuple(fired[:5]))


def measure_benign(
    score: Scorer, thresholds: Thresholds, cases: Sequence[Case] | None = None
) -> tuple[FalsePositives, ...]:
    """All mentions, all answers, then each family of either."""
    given = (*mention_cases(), *answer_cases()) if cases is None else tuple(cases)
    scores = scored(score, [case.text for case in given])
    wholes = [whole for whole in (MENTIONS, ANSWERS) if any(belongs(c, whole) for c in given)]
    return tuple(
        false_positives(
            family,
            [case for case in given if belongs(case, family)],
            [got for case, got in zip(given, scores, strict=True) if belongs(case, family)],
            thresholds,
        )
        for family in dict.fromkeys([*wholes, *(case.family for case in given)])
    )


def belongs(case: Case, family: str) -> bool:
    return case.family == family or case.family.startswith(f"{family}: ")
