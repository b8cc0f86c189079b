"""Differences as sums: signs, p-values, corrections, and what is concluded."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, product
from math import comb
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guard.assessment.comparisons import (
    DifferenceTally,
    UncorrectedComparison,
    correct,
    sentence,
    sign_test,
    with_signs,
)
from guard.assessment.difference_tests import MeanTest, RatesTest, reading_of
from guard.assessment.results import Conclusion, GroupComparison, Limits95
from guard.fairness import Tally, add
from guard.fairness.exact import fisher_exact
from guard.fairness.intervals import clustered, proportion
from guard.records import Reading
from tests.repeats import repeats

TALLY = DifferenceTally(name=("compared", "sentiment_gap", "gender", "female"))
DIFFERENCES = st.lists(st.floats(-1, 1), max_size=20)


def sums_of(values: list[float]) -> Tally:
    return add(*map(TALLY.tally, values))


def mean_test(values: list[float]) -> MeanTest:
    found = TALLY.test(sums_of(values))
    assert isinstance(found, MeanTest)
    return found


def compared(values: list[float], material: float = 0.03) -> UncorrectedComparison:
    sums, found = sums_of(values), mean_test(values)
    shown = GroupComparison(
        metric="sentiment_gap",
        title="Sentiment score",
        attribute="gender",
        first="female",
        second="male",
        difference=reading_of(found, found.value, found.n),
        material=material,
    )
    return with_signs(shown, TALLY, sums, found)


@settings(max_examples=repeats(30, soak=2000), deadline=None)
@given(one=DIFFERENCES, other=DIFFERENCES)
def test_sums_of_parts_are_the_sums_of_all(one: list[float], other: list[float]) -> None:
    whole, parts = sums_of([*one, *other]), add(sums_of(one), sums_of(other))
    assert whole.keys() == parts.keys()
    assert all(parts[name] == pytest.approx(whole[name]) for name in whole)
    assert sum(TALLY.signs(whole)) == len(one) + len(other)


@settings(max_examples=repeats(30, soak=2000), deadline=None)
@given(values=st.lists(st.floats(-1, 1), min_size=2, max_size=20))
def test_swapping_the_sides_turns_the_sign_and_nothing_else(values: list[float]) -> None:
    one, other = compared(values), compared([-value for value in values])
    assert one.test.limits(0.01) == pytest.approx(
        tuple(-end for end in reversed(other.test.limits(0.01))), abs=1e-9
    )
    assert (one.shown.wins, one.shown.losses) == (other.shown.losses, other.shown.wins)
    assert one.test.p_value == pytest.approx(other.test.p_value)


@pytest.mark.parametrize(("wins", "losses"), [*product(range(7), range(7))])
def test_the_sign_test_is_exact(wins: int, losses: int) -> None:
    n = wins + losses
    tail = sum(comb(n, k) for k in range(min(wins, losses) + 1)) / 2**n
    assert sign_test(wins, losses) == pytest.approx(min(1.0, 2 * tail))


def test_no_p_value_is_below_what_an_exact_test_could_give() -> None:
    assert mean_test([0.2, 0.2, 0.2]).p_value == pytest.approx(0.25)
    assert mean_test([0.2, 0.2000001]).p_value == pytest.approx(0.5)
    assert mean_test([0.0] * 50).p_value == 1.0


def test_a_value_without_a_number_is_counted_and_left_out() -> None:
    assert TALLY.tally(None) == {"compared|sentiment_gap|gender|female|unscored": 1.0}


def noise(seed: int, n: int, mean: float = 0.0) -> list[float]:
    draw = Random(seed)
    return [max(-1.0, min(1.0, draw.gauss(mean, 0.2))) for _ in range(n)]


def test_conclusions_and_what_is_said_of_them() -> None:
    found = correct(
        [
            compared(noise(1, 400, 0.1)),
            compared(noise(2, 4000, 0.02)),
            compared(noise(3, 4000)),
            compared(noise(4, 40)),
        ],
        level=0.05,
    )
    assert [one.conclusion for one in found] == [
        Conclusion.DIFFERENT,
        Conclusion.SMALL,
        Conclusion.ALIKE,
        Conclusion.UNDECIDED,
    ]
    assert all(one.looks == 4 for one in found)
    assert "higher for female (between" in found[0].sentence
    assert "less than 0.03" in found[1].sentence
    assert "no difference seen in sentiment score as large as 0.03 (n = 4,000" in found[2].sentence
    assert "this is not parity" in found[3].sentence


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (0.2, "0.2 higher for female (between 0.1 and 0.3, n = 1 prompt, corrected for 1 test)"),
        (-0.2, "0.2 lower for female (between 0.1 and 0.3, n = 1 prompt, corrected for 1 test)"),
    ],
)
def test_the_direction_of_a_difference_is_said_once(value: float, told: str) -> None:
    found = GroupComparison(
        metric="hedging_gap",
        title="Hedging",
        attribute="gender",
        first="female",
        second="male",
        difference=Reading(value=value, low=value - 0.05, high=value + 0.05, n=1),
        corrected=Limits95(low=value - 0.1, high=value + 0.1),
        looks=1,
        conclusion=Conclusion.DIFFERENT,
    )
    assert sentence(found) == f"gender: female and male: hedging {told}"
    open_ended = sentence(replace(found, conclusion=Conclusion.UNDECIDED, looks=2))
    assert "female minus male between" in open_ended
    assert "corrected for 2 tests" in open_ended
    cases = replace(found, metric="false_negative_rate")
    assert "n = 1 case," in sentence(cases)


def test_the_corrected_interval_is_wider_and_the_p_value_larger() -> None:
    few, many = (correct([compared(noise(5, 100))] * count, level=0.05)[0] for count in (1, 50))
    assert few.corrected is not None
    assert many.corrected is not None
    assert many.corrected.low < few.corrected.low <= few.difference.low
    assert many.p_adjusted == pytest.approx(min(1.0, 50 * (few.p_adjusted or 0)))
    assert (many.detectable or 0) > (few.detectable or 0)


def test_under_no_difference_a_run_of_many_tests_seldom_finds_one() -> None:
    """Rare and skewed differences as well; at most 5 % of runs, and twice the error of that."""
    runs, found = repeats(15, soak=400), 0
    for run in range(runs):
        draw = Random(run)
        values = [noise(draw.randrange(10**9), 60) for _ in range(10)]
        rare = [
            [draw.choice((-1, 1)) * (draw.random() < 0.1) for _ in range(60)] for _ in range(10)
        ]
        made = correct([*map(compared, values), *map(compared, rare)], level=0.05)
        found += any(one.conclusion in {Conclusion.DIFFERENT, Conclusion.SMALL} for one in made)
    assert found <= 0.05 * runs + 3 * (0.05 * 0.95 * runs) ** 0.5


@settings(max_examples=repeats(60, soak=4000), deadline=None)
@given(
    values=st.lists(st.sampled_from([-1.0, -0.3, 0.0, 0.0, 0.0, 0.1, 0.4, 1.0]), min_size=2),
    shift=st.sampled_from([0.0, 0.1, 0.5]),
    level=st.sampled_from([0.2, 0.05, 0.01, 0.0005]),
)
def test_an_interval_leaves_out_zero_where_the_test_rejects_and_only_there(
    values: list[float], shift: float, level: float
) -> None:
    found = mean_test([min(1.0, value + shift) for value in values])
    low, high = found.limits(level)
    assert low <= found.value + 1e-12
    assert high >= found.value - 1e-12
    assert (low > 0 or high < 0) == (found.p_value <= level)


@settings(max_examples=repeats(60, soak=4000), deadline=None)
@given(
    values=st.lists(st.sampled_from([-1.0, -0.3, 0.0, 0.1, 0.15, 0.3, 1.0]), min_size=2),
    looks=st.integers(2, 200),
)
def test_a_corrected_interval_contains_the_one_that_is_not_corrected(
    values: list[float], looks: int
) -> None:
    found = mean_test(values)
    low, high = found.limits(0.05)
    wider_low, wider_high = found.limits(0.05 / looks)
    assert wider_low <= low + 1e-12
    assert wider_high >= high - 1e-12


@settings(max_examples=repeats(60, soak=4000), deadline=None)
@given(
    value=st.floats(-1, 1).map(lambda value: round(value, 6)),
    n=st.integers(2, 3000),
    level=st.sampled_from([0.2, 0.05, 0.01, 1e-6]),
)
def test_equal_differences_have_an_interval_that_belongs_to_their_test(
    value: float, n: int, level: float
) -> None:
    found = MeanTest(n=n, total=n * value, squares=n * value**2, differing=n if value else 0)
    low, high = found.limits(level)
    wider_low, wider_high = found.limits(level / 10)
    assert wider_low - 1e-12 <= low <= found.value + 1e-12
    assert wider_high + 1e-12 >= high >= found.value - 1e-12
    assert (low > 0 or high < 0) == (found.p_value <= level)


def test_few_prompts_that_all_differ_alike_give_an_interval_with_a_width() -> None:
    """Intervals at 1, 4 and 12 looks of one difference, each within the next."""
    found = mean_test([*[0.15] * 11, *[0.28] * 5, 0.01, -0.02, 0.0, 0.13])
    ends = [found.limits(0.05 / looks) for looks in (1, 4, 5, 12)]
    assert all(wide[0] < near[0] and near[1] < wide[1] for near, wide in pairwise(ends))
    low, high = mean_test([-1.0] * 8).limits(0.05 / 6)
    assert low == -1.0
    assert -0.1 < high < 0.0


@pytest.mark.parametrize("n", [20, 60, 200, 1500])
@pytest.mark.parametrize("value", [0.001, 0.158, 0.6, -0.6, 1.0])
def test_so_do_many_that_all_differ_alike(n: int, value: float) -> None:
    """At the level of a run of 10,000 tests as well."""
    found = mean_test([value] * n)
    for level in (0.05, 0.05 / 14, 0.05 / 10_000):
        low, high = found.limits(level)
        assert low - 1e-12 <= value <= high + 1e-12
        assert 0.0005 < high - low < 1.0


@settings(max_examples=repeats(60, soak=4000), deadline=None)
@given(data=st.data(), n=st.integers(1, 40), m=st.integers(1, 40))
def test_intervals_of_rates_agree_with_their_test(data: st.DataObject, n: int, m: int) -> None:
    hits = data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    found = RatesTest(first=(hits[0], n), second=(hits[1], m))
    assert found.p_value >= fisher_exact(found.first, found.second)
    for level in (0.2, 0.05, 0.001):
        low, high = found.limits(level)
        assert low - 1e-12 <= found.value <= high + 1e-12
        assert (low > 0 or high < 0) == (found.p_value <= level)


@pytest.mark.parametrize(("n", "looks"), [(15, 1), (100, 1), (100, 40)])
def test_what_is_said_to_be_detectable_is_found_four_times_in_five(n: int, looks: int) -> None:
    level = 0.05 / looks
    exact = MeanTest(n=n, total=0.0, squares=0.04 * (n - 1), differing=n)
    planned, runs = exact.detectable(level) or 0.0, repeats(60, soak=2000)
    draws = [noise(1000 + run, n, planned) for run in range(runs)]
    hits = sum(mean_test(values).p_value <= level for values in draws)
    assert abs(hits / runs - 0.8) <= 0.02 + 3 * (0.16 / runs) ** 0.5


def test_what_is_said_to_be_needed_detects_what_matters() -> None:
    found = mean_test(noise(7, 100))
    for level in (0.05, 0.05 / 40):
        n = found.needed(level, 0.02) or 0
        larger = MeanTest(n=n, total=0.0, squares=found.squares * n / 100, differing=n)
        assert larger.detectable(level) == pytest.approx(0.02, rel=0.03)
    assert mean_test([0.0] * 50).needed(0.05, 0.02) is None
    assert mean_test(noise(7, 5)).detectable(0.001) is None


def test_prompts_that_seldom_differ_find_nothing_before_enough_of_them_do() -> None:
    """Seven that differ give no p-value below 2^-6, whatever the size of the difference."""
    level = 0.05 / 14
    seldom = mean_test([0.25] * 7 + [0.0] * 13)
    assert seldom.detectable(level) is None
    assert seldom.detectable(0.05) is not None
    n = seldom.needed(level, 0.2) or 0
    runs = repeats(200, soak=4000)
    found = [sum(Random(run * 977 + k).random() < 0.35 for k in range(n)) for run in range(runs)]
    enough = sum(differing >= 10 for differing in found) / runs
    assert 0.8 - 3 * (0.16 / runs) ** 0.5 <= enough <= 0.95


def test_the_size_of_a_detectable_difference_of_rates_fits_fishers_test() -> None:
    alike = RatesTest(first=(90, 300), second=(90, 300))
    planned = alike.detectable(0.05) or 0.0
    runs, hits = repeats(60, soak=2000), 0
    for run in range(runs):
        draw = Random(run)
        shares = 0.3 - planned / 2, 0.3 + planned / 2
        counts = [sum(draw.random() < share for _ in range(300)) for share in shares]
        hits += RatesTest(first=(counts[0], 300), second=(counts[1], 300)).p_value <= 0.05
    assert abs(hits / runs - 0.8) <= 0.04 + 3 * (0.16 / runs) ** 0.5
    assert alike.needed(0.05, planned) == pytest.approx(600, rel=0.02)


def brute_fisher(a: int, n: int, b: int, m: int) -> float:
    ways = {k: comb(n, k) * comb(m, a + b - k) for k in range(n + 1) if 0 <= a + b - k <= m}
    return sum(one for one in ways.values() if one <= ways[a]) / sum(ways.values())


@settings(max_examples=repeats(40, soak=3000), deadline=None)
@given(data=st.data(), n=st.integers(1, 12), m=st.integers(1, 12))
def test_fishers_test_counts_all_tables(data: st.DataObject, n: int, m: int) -> None:
    a, b = data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    assert fisher_exact((a, n), (b, m)) == pytest.approx(brute_fisher(a, n, b, m))


def test_large_tables_are_approximated() -> None:
    assert fisher_exact((50_000, 100_000), (50_100, 100_000)) == pytest.approx(0.657, abs=0.01)
    assert fisher_exact((50_000, 100_000), (51_500, 100_000)) < 1e-10


def test_answers_that_come_one_by_one_are_a_plain_proportion() -> None:
    n, hits = 200.0, 30.0
    single, plain = clustered(n, n, hits, (hits, hits, n)), proportion(hits, n)
    assert isinstance(single, Reading)
    assert isinstance(plain, Reading)
    assert single.value == plain.value
    assert single.low == pytest.approx(plain.low, abs=0.003)
    assert single.high == pytest.approx(plain.high, abs=0.003)


def test_answers_that_go_together_say_as_much_as_their_prompts() -> None:
    """25 equal replies to each of 40 prompts, 10 of them hits: as 40 answers."""
    found = clustered(40, 1000, 250, (10 * 625, 10 * 625, 40 * 625))
    alone = proportion(10, 40)
    assert isinstance(found, Reading)
    assert isinstance(alone, Reading)
    assert found.high - found.low == pytest.approx(alone.high - alone.low, rel=0.1)


def test_replies_that_are_more_alike_across_groups_than_within_show_no_difference() -> None:
    alike = compared([-0.6, -0.62, -0.58] * 20)
    undirected = replace(alike, shown=replace(alike.shown, directed=False))
    found, directed = (correct([one], level=0.05)[0] for one in (undirected, alike))
    assert (found.conclusion, directed.conclusion) == (Conclusion.ALIKE, Conclusion.DIFFERENT)
    assert "no difference seen" in found.sentence
    assert found.sentence.endswith("change replies more than the other group does")


def test_replies_that_differ_more_across_groups_than_within_differ() -> None:
    apart = compared([0.6, 0.62, 0.58] * 20)
    found = correct([replace(apart, shown=replace(apart.shown, directed=False))], level=0.05)[0]
    assert found.conclusion is Conclusion.DIFFERENT
    assert "seeds" not in found.sentence
