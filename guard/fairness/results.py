"""What became of the calls that were looked at for shadowing: counts that never expire.

They are kept beside the epochs of the tests, under a name of their own, so that they only grow and
can be shown as a counter whatever process is asked. Keys: `result|attribute|result`.
"""

from __future__ import annotations

from collections.abc import Mapping

from guard.fairness.tally import Tally, key, within

RESULTS = "results"
"""Where they are among what does not expire."""
_PREFIX = "result"


def result_tally(results: Mapping[tuple[str, str], float]) -> Tally:
    """(attribute, what became of it) to how often, as sums. The attribute may be empty."""
    return {key(_PREFIX, *parts): float(count) for parts, count in results.items()}


def results_of(tally: Tally) -> dict[tuple[str, str], float]:
    """The same out of a sum of tallies; other keys are passed over."""
    found = within(tally, _PREFIX)
    return {(parts[0], parts[1]): count for parts, count in found.items() if len(parts) == 2}
