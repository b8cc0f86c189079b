"""How the time to read and to rewrite a hostile text grows: four times as long, how much longer?

    .venv/bin/python -m tests.benchmarks.bench_growth

Linear is 4, quadratic 16. Each piece is tried at both lengths, one after the other, and the least
of two times counts. Exit status 1 where one grows by more than 8.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable

from guard.counterfactual import bundled, rewrite
from guard.text import readings
from guard.text.one_by_one import put_together
from tests.bait import ABOUT_PEOPLE, BAIT, RLO, WORDS_APART, much

SHORT, LONG = 15_000, 60_000
MOST = 8.0
"""Times as long for four times the text, from which on it is not linear."""
SLACK = 0.1
"""Seconds below which times say nothing."""


def main() -> int:
    tried = {
        "readings": (lambda text: readings(RLO + text + "\u00e9"), BAIT),
        "words apart": (lambda text: put_together(text + "!"), WORDS_APART),
        "rewrite": (_rewrite, ABOUT_PEOPLE),
    }
    return max(_growth(name, *what) for name, what in tried.items())


def _rewrite(text: str) -> None:
    rewrite("My wife lost her card. " + text, bundled(), attribute="gender", to="male")


def _growth(name: str, read: Callable[[str], object], pieces: Iterable[str]) -> int:
    """1 where the time grows by more than it may for one of the pieces, else 0."""
    failed = 0
    for piece in pieces:
        short, long = (_least_seconds(read, much(piece, length)) for length in (SHORT, LONG))
        failed |= int(long > MOST * short + SLACK)
        print(f"{name:12}{long / short:7.1f}  {long * 1e6 / LONG:6.1f} us a character  {piece!r}")
    return failed


def _least_seconds(read: Callable[[str], object], text: str) -> float:
    """The least processor time of two: the first one fills caches as well."""
    times = []
    for _ in range(2):
        start = time.process_time()
        read(text)
        times.append(time.process_time() - start)
    return min(times)


if __name__ == "__main__":
    sys.exit(main())
