"""Areas per group on templates: subgroup, BPSN and BNSP AUC (Borkan et al. 2019).

Subgroup AUC parts the toxic from the benign sentences that mention the group. BPSN AUC parts the
benign ones that mention it from the toxic ones that mention none: low when a mention alone raises
the score. BNSP AUC parts the toxic ones that mention it from the benign ones that mention none:
low when a mention lowers the score.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from evaluate.suites.decide import scored
from evaluate.suites.files import read_yaml
from evaluate.suites.grammar import fill
from evaluate.suites.groups import Group, parse_group, word_groups
from evaluate.suites.records import TOXICITY, GroupCase, Reading, Scorer, Scores
from evaluate.suites.statistics import Array, bootstrap_area

ROUNDS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupAreas:
    """The three areas of one group, each with a bootstrap interval."""

    group: str
    attribute: str
    subgroup: Reading
    bpsn: Reading
    bnsp: Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Subgroups:
    """All groups, the worst by BPSN AUC first, and the area on sentences about no group."""

    head: str
    background: Reading
    groups: tuple[GroupAreas, ...]

    @property
    def worst_bpsn(self) -> GroupAreas:
        return min(self.groups, key=lambda row: row.bpsn.value)

    @property
    def worst_bnsp(self) -> GroupAreas:
        return min(self.groups, key=lambda row: row.bnsp.value)

    @property
    def worst_subgroup(self) -> GroupAreas:
        return min(self.groups, key=lambda row: row.subgroup.value)


def background_groups() -> tuple[Group, ...]:
    return tuple(parse_group("", line) for line in read_yaml("subgroups.yaml")["background"])


def cases_about(groups: Sequence[Group], *, named: bool) -> list[GroupCase]:
    data = read_yaml("subgroups.yaml")
    return [
        GroupCase(text=fill(frame, group.slots), group=group.id if named else None, toxic=toxic)
        for toxic, kind in ((False, "benign"), (True, "toxic"))
        for group in groups
        for frame in data[kind]
    ]


@cache
def group_cases() -> tuple[GroupCase, ...]:
    """Every frame said of every group, and of the background."""
    return (
        *cases_about(background_groups(), named=False),
        *cases_about(word_groups(), named=True),
    )


def values(
    cases: Sequence[GroupCase], scores: Sequence[Scores], head: str
) -> dict[tuple[str | None, bool], Array]:
    """The scores of a head by group and by whether the sentence is toxic."""
    found: dict[tuple[str | None, bool], list[float]] = {}
    for case, given in zip(cases, scores, strict=True):
        found.setdefault((case.group, case.toxic), []).append(given[head])
    return {key: np.asarray(listed, dtype=np.float64) for key, listed in found.items()}


def areas_of(
    group: str, attribute: str, by: dict[tuple[str | None, bool], Array], seed: int
) -> GroupAreas:
    benign, toxic = by[group, False], by[group, True]
    return GroupAreas(
        group=group,
        attribute=attribute,
        subgroup=bootstrap_area(benign, toxic, rounds=ROUNDS, seed=seed),
        bpsn=bootstrap_area(benign, by[None, True], rounds=ROUNDS, seed=seed),
        bnsp=bootstrap_area(by[None, False], toxic, rounds=ROUNDS, seed=seed),
    )


def measure_subgroups(
    score: Scorer, *, head: str = TOXICITY, cases: Sequence[GroupCase] | None = None
) -> Subgroups:
    """The areas of every group, worst BPSN AUC first."""
    given = group_cases() if cases is None else cases
    by = values(given, scored(score, [case.text for case in given]), head)
    attributes = {group.id: group.attribute for group in word_groups()}
    named = dict.fromkeys(case.group for case in given if case.group is not None)
    rows = [areas_of(group, attributes.get(group, ""), by, i) for i, group in enumerate(named)]
    return Subgroups(
        head=head,
        background=bootstrap_area(by[None, False], by[None, True], rounds=ROUNDS, seed=0),
        groups=tuple(sorted(rows, key=lambda row: row.bpsn.value)),
    )
