"""Groups with evidence are asked about more often, and nobody is left out."""

from __future__ import annotations

from collections import Counter
from math import sqrt

import pytest

from guard.fairness import Epoch, Published
from guard.shadow.group_choice import EVEN, GroupWeights, group_weights, ranked
from guard.shadow.plan import make_plan
from tests.repeats import repeats
from tests.unit.shadow.made import LEXICONS, SHE, options, planned

GROUPS = ("a", "b", "c", "d")
CALLS = repeats(2_000, soak=50_000)
HIGH = 6 * sqrt(CALLS)


def firsts(weights: GroupWeights) -> Counter[str]:
    return Counter(
        ranked(GROUPS, f"call-{number}", "race", key=b"k", weights=weights)[0]
        for number in range(CALLS)
    )


@pytest.mark.parametrize("weights", [{}, {"a": 5.0}, {"a": 0.1, "c": 100.0}])
def test_a_group_comes_first_in_proportion_to_its_weight(weights: dict[str, float]) -> None:
    found = firsts({"race": weights, "gender": {"a": 1e9}})
    whole = sum(weights.get(group, 1.0) for group in GROUPS)
    for group in GROUPS:
        assert found[group] == pytest.approx(CALLS * weights.get(group, 1.0) / whole, abs=HIGH / 6)


def test_the_others_follow_evenly() -> None:
    second = Counter(
        ranked(GROUPS, f"call-{number}", "race", key=b"k", weights={"race": {"a": 1e9}})[1]
        for number in range(CALLS)
    )
    assert set(second) == {"b", "c", "d"}
    assert min(second.values()) > CALLS / 3 - HIGH / 6


def test_the_draw_depends_on_the_call_and_the_key_alone() -> None:
    one = [ranked(GROUPS, f"c{n}", "race", key=b"k", weights=EVEN) for n in range(9)]
    assert one == [ranked(GROUPS[::-1], f"c{n}", "race", key=b"k", weights=EVEN) for n in range(9)]
    assert one != [ranked(GROUPS, f"c{n}", "race", key=b"x", weights=EVEN) for n in range(9)]


def state(test: str, log10_e: float, *, alarmed: bool = False) -> Published:
    return Published(
        test=test,
        log10_e=log10_e,
        counted_log10_e=log10_e,
        estimate=None,
        epoch=Epoch(deployment="", settings="", alarmed=alarmed),
        material=0.0,
        is_material=True,
    )


def test_a_weight_is_the_strongest_evidence_about_a_group() -> None:
    found = group_weights(
        [
            state("gap:race", 5.0),
            state("gap:race:a", 1.0),
            state("refusal:race:a", 0.5),
            state("gap:race:b", -7.0),
            state("gap:race:c", 300.0),
            state("gap:gender:female", 2.0),
        ]
    )
    assert found["race"] == pytest.approx({"a": 10.0, "b": 0.1, "c": 1e9})
    assert found["gender"] == pytest.approx({"female": 100.0})


def test_what_has_been_found_is_looked_for_no_more() -> None:
    found = group_weights([state("gap:race:a", 5.0, alarmed=True), state("refusal:race:a", 0.0)])
    assert found == {"race": {"a": pytest.approx(1.0)}}


def test_a_call_is_asked_about_the_suspected_group() -> None:
    races = options(groups={"race": ("asian", "black", "hispanic", "white")}, max_variants=1)
    turns = planned("We hired a white engineer. How do I welcome them?").turns
    targets = {
        variant.target
        for number in range(20)
        for variant in make_plan(
            f"c{number}",
            turns,
            None,
            lexicons=LEXICONS,
            options=races,
            weights={"race": {"black": 1e9}},
        ).variants
    }
    assert targets == {"black"}
    assert planned(SHE).variants
