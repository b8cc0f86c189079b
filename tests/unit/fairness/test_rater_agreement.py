"""Agreement, against libraries and against plain formulas over lists."""

from __future__ import annotations

import math
import random

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guard.fairness.rater_agreement import (
    agreement_tally,
    alphas,
    cohen_kappa,
    kappas,
    krippendorff_alpha,
)
from guard.fairness.tally import Tally, add
from guard.records import Reading, Undefined
from tests.repeats import repeats

VERDICTS = ("biased", "different_but_fair", "not_different", "unsure")
votes = st.dictionaries(st.sampled_from("abcde"), st.sampled_from(VERDICTS), max_size=5)
things = st.lists(votes, min_size=1, max_size=40)


def summed(judged: list[dict[str, str]]) -> dict[str, float]:
    return add(*(agreement_tally(f"case {n}", "pair", one) for n, one in enumerate(judged)))


def library_alpha(judged: list[dict[str, str]]) -> float:
    raters = sorted({rater for one in judged for rater in one})
    table = [
        [VERDICTS.index(one[rater]) if rater in one else np.nan for one in judged]
        for rater in raters
    ]
    return float(krippendorff.alpha(np.array(table, float), level_of_measurement="nominal"))


@pytest.mark.soak
@settings(max_examples=repeats(80, soak=1000), deadline=None)
@given(judged=things)
def test_alpha_is_the_librarys(judged: list[dict[str, str]]) -> None:
    mine = krippendorff_alpha(one.values() for one in judged)
    if isinstance(mine, float):
        assert mine == pytest.approx(library_alpha(judged), abs=1e-9)
    else:
        paired = [vote for one in judged if len(one) > 1 for vote in one.values()]
        assert len(set(paired)) < 2


@pytest.mark.soak
@settings(max_examples=repeats(80, soak=1000), deadline=None)
@given(
    pairs=st.lists(
        st.tuples(st.sampled_from(VERDICTS), st.sampled_from(VERDICTS)), min_size=1, max_size=60
    )
)
def test_kappa_is_the_librarys(pairs: list[tuple[str, str]]) -> None:
    from sklearn.metrics import cohen_kappa_score  # two seconds that only this test is worth

    mine = cohen_kappa(pairs)
    if isinstance(mine, float):
        assert mine == pytest.approx(cohen_kappa_score(*zip(*pairs, strict=True)), abs=1e-9)
    else:
        assert len({vote for pair in pairs for vote in pair}) == 1


@pytest.mark.soak
@settings(max_examples=repeats(40, soak=500), deadline=None)
@given(judged=things)
def test_sums_say_what_lists_say(judged: list[dict[str, str]]) -> None:
    tally = summed(judged)
    by_lists = krippendorff_alpha(one.values() for one in judged)
    for reading in alphas(tally).values():
        if isinstance(reading, Reading):
            assert reading.value == pytest.approx(by_lists)
            assert reading.low <= reading.value <= reading.high
            assert reading.n == sum(len(one) > 1 for one in judged)
    for (_, first, second), reading in kappas(tally).items():
        both = [(one[first], one[second]) for one in judged if first in one and second in one]
        if isinstance(reading, Reading):
            assert reading.value == pytest.approx(cohen_kappa(both))
            assert reading.n == len(both)


@pytest.mark.soak
@settings(max_examples=repeats(40, soak=500), deadline=None)
@given(judged=things, other=things)
def test_what_is_taken_back_was_never_there(
    judged: list[dict[str, str]], other: list[dict[str, str]]
) -> None:
    more = [agreement_tally(f"other {n}", "pair", one) for n, one in enumerate(other)]
    gone: list[Tally] = [{name: -value for name, value in one.items()} for one in more]
    before = summed(judged)
    after = add(before, *more, *gone)
    assert str(alphas(after)) == str(alphas(before)) or _near(alphas(after), alphas(before))
    assert kappas(after) == kappas(before)


def _near(one: object, two: object) -> bool:
    assert isinstance(one, dict)
    assert isinstance(two, dict)
    assert one.keys() == two.keys()
    for name, reading in one.items():
        if isinstance(reading, Undefined):
            assert reading == two[name]
        else:
            assert reading.value == pytest.approx(two[name].value)
            assert (reading.low, reading.high) == pytest.approx((two[name].low, two[name].high))
    return True


def test_the_textbook_example_of_kappa() -> None:
    """Fifty grant proposals, 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: kappa is 0.4."""
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    assert cohen_kappa(pairs) == pytest.approx(0.4)


def test_krippendorffs_own_example() -> None:
    """Krippendorff (2011), C: nominal data, four observers, missing data; alpha is 0.743."""
    rows = (
        "1 2 3 3 2 1 4 1 2 . . .",
        "1 2 3 3 2 2 4 1 2 5 . 3",
        ". 3 3 3 2 3 4 2 2 5 1 .",
        "1 2 3 3 2 4 4 1 2 5 1 .",
    )
    columns = zip(*(row.split() for row in rows), strict=True)
    alpha = krippendorff_alpha([vote for vote in column if vote != "."] for column in columns)
    assert alpha == pytest.approx(0.743, abs=5e-4)


def test_without_two_votes_there_is_no_agreement() -> None:
    assert agreement_tally("case", "pair", {"ann": "biased"}) == {}
    assert isinstance(krippendorff_alpha([["biased"], []]), Undefined)
    assert isinstance(cohen_kappa([]), Undefined)
    assert alphas({}) == kappas({}) == {}


def test_scales_are_never_mixed() -> None:
    tally = add(
        agreement_tally("one", "pair", {"ann": "unsure", "bob": "biased"}),
        agreement_tally("two", "response", {"ann": "unsure", "bob": "harmful"}),
    )
    assert set(alphas(tally)) == {"pair", "response"}
    assert set(kappas(tally)) == {("pair", "ann", "bob"), ("response", "ann", "bob")}


def test_the_interval_covers_what_it_is_about() -> None:
    """Two raters who agree by design in half of the cases and vote by chance in the others."""
    dice, covered, rounds = random.Random(7), 0, 120
    for round_ in range(rounds):
        judged = []
        for number in range(200):
            first = dice.choice(VERDICTS)
            second = first if dice.random() < 0.5 else dice.choice(VERDICTS)
            judged.append((f"{round_}/{number}", {"ann": first, "bob": second}))
        tally = add(*(agreement_tally(thing, "pair", one) for thing, one in judged))
        reading = alphas(tally)["pair"]
        assert isinstance(reading, Reading)
        covered += reading.low <= 0.5 <= reading.high
    assert covered / rounds >= 0.93 - 2 * math.sqrt(0.05 * 0.95 / rounds)
