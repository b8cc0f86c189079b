"""A small set across the suites, kept as a file, for a test that guards against regressions."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path

from evaluate.suites.benign import answer_cases, mention_cases
from evaluate.suites.counterfactual import counterfactual_sets
from evaluate.suites.files import DATA
from evaluate.suites.functional import functional_cases
from evaluate.suites.records import TOXICITY, Case

FILE = DATA / "golden.json"


def evenly(cases: Sequence[Case], n: int) -> list[Case]:
    """`n` cases from the first to the last at equal steps."""
    return [cases[i * len(cases) // n] for i in range(n)]


def swapped_cases() -> list[Case]:
    """One version of one benign and one toxic sentence for every third attribute."""
    first = {(item.attribute, item.toxic): item for item in reversed(counterfactual_sets())}
    return [
        Case(
            text=item.texts[0],
            family=f"counterfactual: {attribute}",
            head=TOXICITY,
            side="over" if toxic else "under",
        )
        for (attribute, toxic), item in list(first.items())[::3]
    ]


def selected() -> tuple[Case, ...]:
    """Two texts of each functionality, and some of each suite of harmless text."""
    by: dict[str, list[Case]] = {}
    for case in functional_cases():
        by.setdefault(case.family, []).append(case)
    functional = [case for cases in by.values() for case in evenly(cases, 2)]
    return (*functional, *swapped_cases(), *evenly(mention_cases(), 8), *evenly(answer_cases(), 8))


def write_golden(path: Path = FILE) -> None:
    """Choose anew, and write the file."""
    rows = [asdict(case) for case in selected()]
    path.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


@cache
def golden_cases() -> tuple[Case, ...]:
    """The cases in the file."""
    return tuple(Case(**row) for row in json.loads(FILE.read_text(encoding="utf-8")))
