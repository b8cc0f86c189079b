"""Nothing differs, and somebody looks after every event: how many streams ever alarm?

At most 5 in 100 may, whatever the distribution; 100 streams of 20,000 events each, 400 of 100,000
under `make soak`. The e-value is below exp(sup over lambda), which has a closed form and is
computed for all looks; where it could reach the alarm the published function decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from guard.fairness.evidence import log_mean_e
from tests.repeats import repeats

pytestmark = [pytest.mark.slow, pytest.mark.soak]

STREAMS, EVENTS, BLOCK = repeats(100, soak=400), repeats(20_000, soak=100_000), 10
ALLOWED = STREAMS // 20
NEEDED = math.log(20)

Array = np.ndarray
Draw = Callable[[np.random.Generator, tuple[int, int]], Array]


def two_points(up: float, chance: float) -> Draw:
    down = -up * chance / (1 - chance)
    return lambda rng, shape: np.where(rng.random(shape, dtype=np.float32) < chance, up, down)


def uniform(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    return 2.0 * rng.random(shape, dtype=np.float32) - 1.0


def mostly_nothing(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    return rng.choice(np.array([-0.5, 0.0, 0.5]), shape, p=[0.05, 0.9, 0.05])


def in_bursts(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Dependent: the size of a difference is that of the one before, half of the time."""
    size = rng.random(shape)
    size[:, 1::2] = size[:, 0::2]
    return size * rng.choice(np.array([-1.0, 1.0]), shape)


def at_the_tolerance(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    return np.where(rng.random(shape, dtype=np.float32) < 0.55, 1.0, -1.0)  # mean 0.1


def ever(draw: Draw, tolerance: float, rng: np.random.Generator) -> int:
    """How many streams alarm at any of their looks."""
    alarmed = 0
    for _ in range(STREAMS // BLOCK):
        d = draw(rng, (BLOCK, EVENTS)).astype(float)
        total, squares = d.cumsum(axis=1), (d * d).cumsum(axis=1)
        n = np.arange(1.0, EVENTS + 1)
        up = (total - n * tolerance) / (1 + tolerance)
        down = (-total - n * tolerance) / (1 + tolerance)
        most = squares - 2 * tolerance * total * np.sign(total) + n * tolerance**2
        first, second = np.maximum(up, down), most / (1 + tolerance) ** 2
        bound = first - second * np.log1p(np.maximum(first, 0.0) / np.maximum(second, 1e-12))
        rows, looks = np.nonzero((first > 0) & (bound >= NEEDED))
        sums = n[looks], total[rows, looks], squares[rows, looks]
        one = log_mean_e(*sums, tolerance)
        other = log_mean_e(sums[0], -sums[1], sums[2], tolerance)
        rings = np.logaddexp(one, other) - math.log(2) >= NEEDED
        alarmed += len(set(rows[rings].tolist()))
    return alarmed


@pytest.mark.parametrize(
    ("draw", "tolerance"),
    [
        pytest.param(two_points(1.0, 0.5), 0.0, id="heads-or-tails"),
        pytest.param(uniform, 0.0, id="uniform"),
        pytest.param(two_points(1.0, 0.03), 0.0, id="rare-and-large-above"),
        pytest.param(two_points(-1.0, 0.03), 0.0, id="rare-and-large-below"),
        pytest.param(mostly_nothing, 0.0, id="three-values"),
        pytest.param(in_bursts, 0.0, id="dependent"),
        pytest.param(at_the_tolerance, 0.1, id="exactly-at-the-tolerance"),
    ],
)
def test_mean_difference(draw: Draw, tolerance: float) -> None:
    assert ever(draw, tolerance, np.random.default_rng(20)) <= ALLOWED
