"""Planted differences are found as often as a report promises, and none where there is none.

The long form, 200 runs of each: `python -m tests.benchmarks.bench_assess planted`.
"""

from __future__ import annotations

import pytest

from tests.planted_scores import FACTORS, KINDS, found_share, null_claims
from tests.repeats import SOAK, repeats


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_promised_is_found(kind: str) -> None:
    runs = repeats(20, soak=400)
    for factor in FACTORS if SOAK else (1.0,):
        _, found, promised = found_share(kind, factor, runs)
        assert abs(found - promised) <= 0.07 + 3 * (0.16 / runs) ** 0.5


def test_without_a_difference_few_runs_claim_one() -> None:
    runs = repeats(10, soak=400)
    assert null_claims(runs) <= 0.05 * runs + 3 * (0.05 * 0.95 * runs) ** 0.5
