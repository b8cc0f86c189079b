"""What the demo has seen so far: an observer of calls, and the findings of shadow requests."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Final

from guard.errors import StoreError
from guard.fairness.intervals import wilson
from guard.ports import Clock
from guard.records import Evidence, Outcome, Snapshot, Verdict
from guard.shadow.finding_counts import count_flagged

WATCHED: Final = ("toxicity", "stereotype")
LATENCIES_KEPT: Final = 10_000
OUTCOMES_KEPT: Final = 5
COMPARED: Final = "compared"


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """`count` of `of`. low, high: the 95 % interval of Wilson; 0 to 1 of nothing."""

    count: int
    of: int

    def __add__(self, other: Share) -> Share:
        return Share(count=self.count + other.count, of=self.of + other.of)

    @property
    def value(self) -> float:
        """The observed share; 0 of nothing."""
        return self.count / self.of if self.of else 0.0

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return wilson(self.count, self.of)[0] if self.count else 0.0

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return wilson(self.count, self.of)[1] if self.count < self.of else 1.0


def quantile(values: Sequence[float], share: float) -> float | None:
    """The smallest value that at least `share` of all values do not exceed; None of none."""
    if not values:
        return None
    return sorted(values)[max(0, ceil(share * len(values)) - 1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One use case.

    compared: pairs so far. strongest: of the tests of groups. cases: of pairs of groups, opened so
    far. reply_cases: of single replies on which a rule fired, whoever they are about.
    """

    compared: int = 0
    strongest: Evidence | None = None
    cases: int = 0
    reply_cases: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class UseCaseRow:
    """The figures of one use case, or of all.

    shares: for each watched score, the calls in which a rule about it was met, of those scored.
    added_seconds: what each of the latest calls waited for the guard.
    """

    name: str
    verdicts: Mapping[Verdict, int]
    shares: Mapping[str, Share]
    added_seconds: tuple[float, ...]

    @property
    def calls(self) -> int:
        """All calls."""
        return sum(self.verdicts.values())

    def added_ms(self, share: float) -> float | None:
        """A quantile of the added latency, in milliseconds."""
        seconds = quantile(self.added_seconds, share)
        return None if seconds is None else seconds * 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardSnapshot:
    """Everything at one moment.

    caught, released: the latest of each, newest first. findings: by use case.
    """

    rows: tuple[UseCaseRow, ...]
    caught: tuple[Outcome, ...]
    released: tuple[Outcome, ...]
    findings: Mapping[str, Finding] = field(default_factory=dict)

    @property
    def total(self) -> UseCaseRow:
        """All use cases as one."""
        none = Share(count=0, of=0)
        return UseCaseRow(
            name="all",
            verdicts={one: sum(row.verdicts[one] for row in self.rows) for one in Verdict},
            shares={key: sum((row.shares[key] for row in self.rows), none) for key in WATCHED},
            added_seconds=tuple(seconds for row in self.rows for seconds in row.added_seconds),
        )


@dataclass(slots=True)
class _Counts:
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    met: Counter[str] = field(default_factory=Counter)
    scored: Counter[str] = field(default_factory=Counter)
    added: deque[float] = field(default_factory=lambda: deque(maxlen=LATENCIES_KEPT))

    def add(self, outcome: Outcome) -> None:
        fired = {one.score for one in outcome.fired}
        self.verdicts[outcome.verdict] += 1
        self.added.append(outcome.added_seconds)
        for key in WATCHED:
            self.met[key] += key in fired
            self.scored[key] += key in fired or outcome.assessment.value(key) is not None

    def row(self, name: str) -> UseCaseRow:
        shares = {key: Share(count=self.met[key], of=self.scored[key]) for key in WATCHED}
        return UseCaseRow(
            name=name,
            verdicts={verdict: self.verdicts[verdict] for verdict in Verdict},
            shares=shares,
            added_seconds=tuple(self.added),
        )


class Board:
    """Hears every outcome, from any thread."""

    def __init__(self, use_cases: Iterable[str]) -> None:
        self._lock = threading.Lock()
        self._counts = {name: _Counts() for name in use_cases}
        self._caught: deque[Outcome] = deque(maxlen=OUTCOMES_KEPT)
        self._released: deque[Outcome] = deque(maxlen=OUTCOMES_KEPT)

    def outcome(self, outcome: Outcome) -> None:
        """Count one call and keep it for a while."""
        with self._lock:
            self._counts.setdefault(outcome.call.use_case, _Counts()).add(outcome)
            kept = self._released if outcome.verdict is Verdict.RELEASED else self._caught
            kept.appendleft(outcome)

    def upstream_error(self, use_case: str) -> None:
        """The scripted model never fails."""

    def snapshot(self, findings: Mapping[str, Finding] | None = None) -> BoardSnapshot:
        """Everything so far, with what has been found out about it."""
        with self._lock:
            return BoardSnapshot(
                rows=tuple(counts.row(name) for name, counts in self._counts.items()),
                caught=tuple(self._caught),
                released=tuple(self._released),
                findings=findings or {},
            )


class Findings:
    """The latest findings, by use case; read anew when they are older than `every_seconds`."""

    def __init__(
        self, read: Callable[[], Snapshot], *, clock: Clock, every_seconds: float = 2.0
    ) -> None:
        self._read = read
        self._clock = clock
        self._every = every_seconds
        self._read_at: float | None = None
        self._latest: Mapping[str, Finding] = {}

    def latest(self, *, fresh: bool = False) -> Mapping[str, Finding]:
        """By use case. What could be read last, where the store cannot be read now."""
        now = self._clock()
        if fresh or self._read_at is None or now - self._read_at >= self._every:
            self._read_at = now
            try:
                self._latest = found_in(self._read())
            except StoreError:
                return self._latest
        return self._latest


def found_in(snapshot: Snapshot) -> dict[str, Finding]:
    """The findings of every use case that anything is known of."""
    names = {one.use_case for one in snapshot.shadowed} | {name for name, _ in snapshot.cases}
    return {name: _finding(name, snapshot) for name in sorted(names)}


def _finding(name: str, snapshot: Snapshot) -> Finding:
    results = _results_of_pairs(name, snapshot)
    pair_cases = count_flagged(results).cases
    all_cases = sum(count for (use_case, _), count in snapshot.cases.items() if use_case == name)
    own = (one for one in snapshot.evidence if one.about.use_case == name and one.about.groups)
    return Finding(
        compared=results[COMPARED],
        strongest=max(own, key=highest, default=None),
        cases=pair_cases,
        reply_cases=max(0, all_cases - pair_cases),
    )


def _results_of_pairs(name: str, snapshot: Snapshot) -> Counter[str]:
    """What became of the pairs of a use case. Single replies are counted without an attribute."""
    found: Counter[str] = Counter()
    for one in snapshot.shadowed:
        if one.use_case == name and one.attribute:
            found[one.result] += int(one.calls)
    return found


def highest(evidence: Evidence) -> float:
    """log10 e of the present epoch, or that of the last alarm."""
    return max(evidence.log10_e, evidence.alarm_log10_e)
