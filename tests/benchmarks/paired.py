"""Two sides measured in turns, and what their ratio is."""

from __future__ import annotations

import os
import random
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

RESAMPLES = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """The median over rounds, with a bootstrap interval of 95 %."""

    value: float
    low: float
    high: float
    rounds: int

    def __str__(self) -> str:
        return f"{self.value:.3g} [{self.low:.3g}, {self.high:.3g}] over {self.rounds} rounds"


def in_turns(
    sides: Sequence[Callable[[], float]], rounds: int, *, warm_up: int = 1
) -> list[tuple[float, ...]]:
    """What each side measures, round by round; every other round runs in reverse order."""
    seen = []
    for number in range(rounds + warm_up):
        order = range(len(sides)) if number % 2 else reversed(range(len(sides)))
        measured = {side: sides[side]() for side in order}
        print(".", end="", file=sys.stderr, flush=True)
        if number >= warm_up:
            seen.append(tuple(measured[side] for side in range(len(sides))))
    print(file=sys.stderr)
    return seen


def ratio(over: Sequence[float], under: Sequence[float]) -> Ratio:
    """`over` to `under`, pair by pair."""
    quotients = [a / b for a, b in zip(over, under, strict=True)]
    rng = random.Random(0)
    medians = sorted(
        statistics.median(rng.choices(quotients, k=len(quotients))) for _ in range(RESAMPLES)
    )
    return Ratio(
        value=statistics.median(quotients),
        low=medians[int(RESAMPLES * 0.025)],
        high=medians[int(RESAMPLES * 0.975)],
        rounds=len(quotients),
    )


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of all do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def heading(title: str) -> None:
    """The title, and how busy the machine is besides: a loaded one gives no figure to quote."""
    cores = len(os.sched_getaffinity(0))
    print(f"\n{title}\n  {cores} cores, load {os.getloadavg()[0]:.1f} before the run", flush=True)


def row(name: str, value: object, goal: str = "", *, met: bool | None = None) -> None:
    """One line of the report."""
    verdict = {None: "", True: "holds", False: "FALLS SHORT"}[met]
    print(f"  {name:<58} {value!s:<40} {goal:<12} {verdict}".rstrip(), flush=True)
