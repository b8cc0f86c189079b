"""Symmetric differences, a look after each: how many streams without a difference ever alarm, how
long one with a difference takes, and what asking more often about a suspected group is worth.

`python -m tests.simulation.fairness.test_symmetric_evidence` prints the tables of decision 19.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from guard.fairness.evidence import log_mean_e
from guard.fairness.symmetric import SymmetricTest
from guard.fairness.tally import add
from guard.shadow.group_choice import ranked
from tests.repeats import repeats
from tests.simulation.shadow.runs import log10_e

pytestmark = [pytest.mark.slow, pytest.mark.soak]

Array = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Array]

STREAMS, EVENTS = repeats(40, soak=400), repeats(5_000, soak=100_000)
ALLOWED = STREAMS * 0.05 + 2 * math.sqrt(STREAMS * 0.05)
LN10 = math.log(10)
NEEDED = math.log10(3_000)
"""About what an omnibus test of ten groups, one of 15 metrics, needs of one group."""


def rare(rng: np.random.Generator, n: int) -> Array:
    return rng.choice(np.array([-1.0, 0.0, 1.0]), n, p=[0.025, 0.95, 0.025])


def templates(rng: np.random.Generator, n: int) -> Array:
    """The mean of two of five templates minus that of two others."""
    return rng.choice([0.2, 0.5, 0.55, 0.7, 0.9], (n, 4)) @ np.array([0.5, 0.5, -0.5, -0.5])


def bursts(rng: np.random.Generator, n: int) -> Array:
    """Ten differences in a row are of one size."""
    return np.asarray(np.repeat(rng.random(n // 10), 10) * rng.choice([-1.0, 1.0], n))


NULLS: Mapping[str, Draw] = {
    "normal": lambda rng, n: rng.normal(0.0, 0.15, n),
    "rare and large": rare,
    "Laplace": lambda rng, n: np.clip(rng.laplace(0.0, 0.1, n), -1.0, 1.0),
    "templates": templates,
    "sizes in bursts": bursts,
}


def replies(rng: np.random.Generator, n: int, size: int, chance: float) -> Array:
    """The mean of `size` replies, each 1 with this chance."""
    return np.asarray((rng.random((n, size)) < chance).mean(axis=1))


DIFFERENCES: Mapping[str, Draw] = {
    "mean .10, sd .28": lambda rng, n: rng.normal(0.1, 0.28, n),
    "mean .045, sd .15": lambda rng, n: rng.normal(0.045, 0.15, n),
    "mean .20, sd .25": lambda rng, n: rng.normal(0.2, 0.25, n),
    "mean .02, sd .10": lambda rng, n: rng.normal(0.02, 0.1, n),
    "mean .20, sd .05": lambda rng, n: rng.normal(0.2, 0.05, n),
    "refused 23 % against 0 %, one reply": lambda rng, n: replies(rng, n, 1, 0.23),
    "refused 23 % against 0 %, two replies": lambda rng, n: replies(rng, n, 2, 0.23),
    "refused 10 % against 3 %, two replies": (
        lambda rng, n: replies(rng, n, 2, 0.1) - replies(rng, n, 2, 0.03)
    ),
    ".2 in 30 % of replies, sd .11, one reply": (
        lambda rng, n: rng.normal(0.0, 0.11, n) + 0.2 * replies(rng, n, 1, 0.3)
    ),
    ".2 in 30 % of replies, sd .08, two replies": (
        lambda rng, n: rng.normal(0.0, 0.08, n) + 0.2 * replies(rng, n, 2, 0.3)
    ),
    "always .03, now and then .7 either way": (
        lambda rng, n: (
            rng.normal(0.03, 0.02, n) + 0.7 * (replies(rng, n, 1, 0.15) - replies(rng, n, 1, 0.15))
        )
    ),
}


def fan(d: Array) -> Array:
    """log10 e of `mean_evidence` after each difference."""
    n, total, squares = np.arange(1.0, len(d) + 1), d.cumsum(), (d * d).cumsum()
    both = np.logaddexp(log_mean_e(n, total, squares), log_mean_e(n, -total, squares))
    return np.asarray((both - math.log(2)) / LN10)


def normal_mixture(d: Array) -> Array:
    """log10 e with lambda^2 d^2 / 2 in the place of ln cosh, lambda normal with six spreads."""
    rho = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])[:, None]
    spread = 1.0 + rho**2 * (d * d).cumsum()
    each = -0.5 * np.log(spread) + rho**2 * d.cumsum() ** 2 / (2.0 * spread)
    return np.asarray((np.logaddexp.reduce(each) - math.log(len(rho))) / LN10)


FORMS: Mapping[str, Callable[[Array], Array]] = {
    "Fan's": fan,
    "normal": normal_mixture,
    "as it is": log10_e,
}


def ever(draw: Draw, form: Callable[[Array], Array], streams: int, events: int) -> int:
    """How many streams without a difference reach 20 at any of their looks."""
    return sum(
        bool(form(draw(np.random.default_rng(seed), events)).max() >= math.log10(20))
        for seed in range(streams)
    )


def delay(draw: Draw, form: Callable[[Array], Array], seeds: int, longest: int = 6_000) -> float:
    """The median number of differences until e is enough."""

    def first(seed: int) -> int:
        enough = form(draw(np.random.default_rng(seed), longest)) >= NEEDED
        return int(np.argmax(enough)) + 1 if enough.any() else longest

    return float(np.median([first(seed) for seed in range(seeds)]))


@pytest.mark.parametrize("name", NULLS)
def test_without_a_difference_one_stream_in_twenty_alarms_at_most(name: str) -> None:
    assert ever(NULLS[name], log10_e, STREAMS, EVENTS) <= ALLOWED


@pytest.mark.parametrize("name", DIFFERENCES)
def test_a_difference_is_found_sooner_than_by_other_forms(name: str) -> None:
    seeds = repeats(31, soak=201)
    found = {form: delay(DIFFERENCES[name], of, seeds) for form, of in FORMS.items()}
    assert found["as it is"] <= 1.1 * found["normal"]
    assert found["as it is"] <= 0.6 * found["Fan's"]


def test_the_fast_arithmetic_is_that_of_the_test() -> None:
    d = templates(np.random.default_rng(1), 60)
    test = SymmetricTest(name="gap")
    assert log10_e(d)[-1] == pytest.approx(test.log10_e(add(*map(test.tally, d.tolist()))))


def first_alarm(seed: int, *, suspects: bool, effect: float, calls: int = 237) -> int:
    """The call at which the omnibus test of ten groups alarms, one of 17 metrics; 0 for never.

    A prompt is about each group equally often and is asked about two others. A reply about group 0
    is lower by `effect` with a chance of 0.3. suspects: groups with evidence are asked about more.
    """
    rng = np.random.default_rng(seed)
    groups = [str(number) for number in range(10)]
    seen: dict[str, list[float]] = {group: [] for group in groups}
    e = dict.fromkeys(groups, 1.0)
    for call in range(1, calls + 1):
        source = str(rng.integers(10))
        weights = {"race": e} if suspects else {}
        order = ranked(groups, f"{seed}-{call}", "race", key=b"k", weights=weights)
        sides = [source, *[group for group in order if group != source][:2]]
        means = rng.choice([0.42, 0.5, 0.55, 0.6, 0.66, 0.72], (3, 2)).mean(axis=1)
        means[np.array(sides) == "0"] -= effect * replies(rng, 1, 2, 0.3)
        pairs = {sides[0]: int(rng.integers(1, 3)), sides[1]: 0, sides[2]: 0}
        for at, group in enumerate(sides):
            seen[group].append(float(means[at] - means[pairs[group]]))
            e[group] = 10 ** float(log10_e(np.array(seen[group]))[-1])
        if sum(e.values()) / 10 >= 17 / (0.9 * 0.05):
            return call
    return 0


def test_asking_more_often_about_suspected_groups_finds_them_sooner() -> None:
    seeds = range(repeats(12, soak=100))
    found = {
        suspects: sum(first_alarm(seed, suspects=suspects, effect=0.3) > 0 for seed in seeds)
        for suspects in (False, True)
    }
    assert found[True] >= found[False]
    assert found[True] >= 0.8 * len(seeds)


def test_asking_more_often_about_suspected_groups_raises_no_false_alarms() -> None:
    seeds = range(repeats(12, soak=200))
    alarmed = sum(first_alarm(seed, suspects=True, effect=0.0) > 0 for seed in seeds)
    assert alarmed <= len(seeds) * 0.05 / 17 + 2


def main() -> None:
    """Print the tables."""
    for name, draw in NULLS.items():
        _write(name, [ever(draw, form, 1_000, 20_000) for form in FORMS.values()])
    for name, draw in DIFFERENCES.items():
        _write(name, [delay(draw, form, 201) for form in FORMS.values()])


def _write(name: str, figures: Sequence[float]) -> None:
    sys.stdout.write(f"| {name} | {' | '.join(f'{one:.0f}' for one in figures)} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
