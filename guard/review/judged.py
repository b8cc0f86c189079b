"""What verdicts say, in the words of readings: for whoever shows figures and no cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from guard.fairness.raters import alphas
from guard.fairness.tally import Tally
from guard.ports import Windows
from guard.records import Judged, Reading
from guard.review.counting import SUMS
from guard.review.statistics import flags


def judged_in(windows: Windows) -> Callable[[str], Sequence[Judged]]:
    """What to ask for a use case's precision of flags and agreement. It raises StoreError."""
    return lambda use_case: list(_judged(use_case, windows.evidence(use_case, [SUMS])[SUMS]))


def _judged(use_case: str, sums: Tally) -> Iterator[Judged]:
    precisions = ((flag.reason, flag.precision) for flag in flags(use_case, sums))
    for what, found in (("precision", precisions), ("agreement", alphas(sums).items())):
        for about, reading in found:
            if isinstance(reading, Reading):
                yield Judged(use_case=use_case, what=what, of=about, reading=reading)
