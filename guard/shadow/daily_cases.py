"""How many cases of a use case are put before people each day, over all processes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from guard.ports import Clock, FactStore
from guard.records import Case

DAY: Final = 86_400.0

CaseLimit = Callable[[str, Sequence[Case]], Sequence[Case]]
"""Of these cases of a use case, those that are put before people."""


def admit_all(_: str, cases: Sequence[Case]) -> Sequence[Case]:
    """All of them."""
    return cases


def day_of(at_seconds: float) -> int:
    """The number of the day (UTC) of a Unix time."""
    return int(at_seconds // DAY)


def begins_anew(day: int, latest: int) -> bool:
    """Whether what is counted by day begins anew. Clocks differ by less than a day: a latest day
    that is further ahead is that of a clock which has been set back since."""
    return not latest - 1 <= day <= latest


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyCases:
    """At most so many cases a day (UTC). limits: by use case. clock: Unix seconds.

    The ids of the day's cases are a fact of the store, so that processes share one count, and a job
    that is done again after a crash takes no second place. A call counts for the day on which it is
    judged, since the clock of whoever made it may be wrong.
    """

    store: FactStore
    limits: Mapping[str, int]
    clock: Clock

    def admit(self, use_case: str, cases: Sequence[Case]) -> Sequence[Case]:
        """The first of these cases that there is room for. Raises StoreError."""
        limit = self.limits.get(use_case)
        if limit is None or not cases:
            return cases
        wanted = [case.id for case in cases]
        day = day_of(self.clock())
        text = self.store.update_fact(
            f"cases_of_the_day/{use_case}", lambda known: _with_cases(known, day, wanted, limit)
        )
        admitted = _read(text)[1]
        return [case for case in cases if case.id in admitted]


def _with_cases(known: str | None, day: int, wanted: Sequence[str], limit: int) -> str:
    """The fact with as many of these cases as there is room for."""
    latest, ids = _read(known)
    if begins_anew(day, latest):
        latest, ids = day, []
    for case_id in wanted:
        if case_id not in ids and len(ids) < limit:
            ids.append(case_id)
    return json.dumps({"day": latest, "ids": ids})


def _read(text: str | None) -> tuple[int, list[str]]:
    known = json.loads(text or '{"day": -1, "ids": []}')
    return known["day"], known["ids"]
