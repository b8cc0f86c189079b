"""What the shadow path has found out so far, read from the store as an owner would."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from guard.errors import StoreError
from guard.ports import Clock
from guard.records import Evidence, Snapshot

COMPARED = "compared"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One use case. compared: pairs so far. strongest: of all tests. cases: opened so far."""

    compared: int = 0
    strongest: Evidence | None = None
    cases: int = 0


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
    return {
        name: Finding(
            compared=sum(
                int(one.calls)
                for one in snapshot.shadowed
                if (one.use_case, one.result) == (name, COMPARED)
            ),
            strongest=_strongest(one for one in snapshot.evidence if one.about.use_case == name),
            cases=sum(count for (use_case, _), count in snapshot.cases.items() if use_case == name),
        )
        for name in sorted(names)
    }


def highest(evidence: Evidence) -> float:
    """log10 e of the present epoch, or that of the last alarm, which began it."""
    return max(evidence.log10_e, evidence.alarm_log10_e)


def _strongest(evidence: Iterable[Evidence]) -> Evidence | None:
    return max(evidence, key=highest, default=None)
