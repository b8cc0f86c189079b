"""What the demo has seen so far: an observer whose snapshots the view draws."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from guard.cli.demo.figures import Share, quantile
from guard.cli.demo.findings import Finding
from guard.records import Outcome, Verdict

WATCHED: Final = ("toxicity", "stereotype")
LATENCIES_KEPT: Final = 10_000
OUTCOMES_KEPT: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
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
class Snapshot:
    """Everything at one moment.

    caught, released: the latest of each, newest first. findings: by use case.
    """

    rows: tuple[Row, ...]
    caught: tuple[Outcome, ...]
    released: tuple[Outcome, ...]
    findings: Mapping[str, Finding] = field(default_factory=dict)

    @property
    def total(self) -> Row:
        """All use cases as one."""
        return _total(self.rows)


@dataclass(slots=True)
class _Running:
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

    def row(self, name: str) -> Row:
        shares = {key: Share(count=self.met[key], of=self.scored[key]) for key in WATCHED}
        return Row(
            name=name,
            verdicts={verdict: self.verdicts[verdict] for verdict in Verdict},
            shares=shares,
            added_seconds=tuple(self.added),
        )


class Board:
    """Hears every outcome, from any thread."""

    def __init__(self, use_cases: Iterable[str]) -> None:
        self._lock = threading.Lock()
        self._running = {name: _Running() for name in use_cases}
        self._caught: deque[Outcome] = deque(maxlen=OUTCOMES_KEPT)
        self._released: deque[Outcome] = deque(maxlen=OUTCOMES_KEPT)

    def outcome(self, outcome: Outcome) -> None:
        """Count one call and keep it for a while."""
        with self._lock:
            self._running.setdefault(outcome.call.use_case, _Running()).add(outcome)
            kept = self._released if outcome.verdict is Verdict.RELEASED else self._caught
            kept.appendleft(outcome)

    def upstream_error(self, use_case: str) -> None:
        """The scripted model never fails."""

    def snapshot(self, findings: Mapping[str, Finding] | None = None) -> Snapshot:
        """Everything so far, with what has been found out about it."""
        with self._lock:
            return Snapshot(
                rows=tuple(running.row(name) for name, running in self._running.items()),
                caught=tuple(self._caught),
                released=tuple(self._released),
                findings=findings or {},
            )


def _total(rows: tuple[Row, ...]) -> Row:
    none = Share(count=0, of=0)
    return Row(
        name="all",
        verdicts={verdict: sum(row.verdicts[verdict] for row in rows) for verdict in Verdict},
        shares={key: sum((row.shares[key] for row in rows), none) for key in WATCHED},
        added_seconds=tuple(seconds for row in rows for seconds in row.added_seconds),
    )
