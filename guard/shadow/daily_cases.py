"""How many cases of a use case are put before people each day, over all processes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from guard.ports import FactStore
from guard.records import Case

DAY: Final = 86_400.0

CaseLimit = Callable[[str, float, Sequence[Case]], Sequence[Case]]
"""Of these cases of a use case, at this time (Unix seconds), those that are put before people."""


def admit_all(_: str, __: float, cases: Sequence[Case]) -> Sequence[Case]:
    """All of them."""
    return cases


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyCases:
    """At most so many cases a day (UTC). limits: by use case.

    The ids of the day's cases are a fact of the store, so that processes share one count, and a job
    that is done again after a crash takes no second place. A call of an earlier day that is only
    judged now counts for the present one.
    """

    store: FactStore
    limits: Mapping[str, int]

    def admit(self, use_case: str, at_seconds: float, cases: Sequence[Case]) -> Sequence[Case]:
        """The first of these cases that there is room for. Raises StoreError."""
        limit = self.limits.get(use_case)
        if limit is None or not cases:
            return cases
        wanted = [case.id for case in cases]
        day = int(at_seconds // DAY)
        text = self.store.update_fact(
            f"cases_of_the_day/{use_case}", lambda known: _with_cases(known, day, wanted, limit)
        )
        admitted = _read(text)[1]
        return [case for case in cases if case.id in admitted]


def _with_cases(known: str | None, day: int, wanted: Sequence[str], limit: int) -> str:
    """The fact with as many of these cases as there is room for."""
    latest, ids = _read(known)
    if day > latest:
        latest, ids = day, []
    for case_id in wanted:
        if case_id not in ids and len(ids) < limit:
            ids.append(case_id)
    return json.dumps({"day": latest, "ids": ids})


def _read(text: str | None) -> tuple[int, list[str]]:
    known = json.loads(text or '{"day": -1, "ids": []}')
    return known["day"], known["ids"]
