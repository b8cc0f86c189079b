"""Cases in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from guard.records import Audit, Case, CaseFilter, CaseRecord, CaseState
from guard.store import casework
from guard.store.casework import Change
from guard.store.changing import ChangingCases
from guard.store.checks import check_case
from guard.store.memory.alone import Alone
from guard.store.options import Options


class MemoryCases(Alone, ChangingCases):
    """See `ports.Cases`, but for `erase`."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._filed: dict[str, CaseRecord] = {}
        self._gone: set[str] = set()
        self._log: list[Audit] = []

    def open(self, case: Case) -> bool:
        """See `ports.Cases`."""
        check_case(case)
        with self._alone() as now:
            return self._file(case, now)

    def case(self, case_id: str) -> CaseRecord | None:
        """See `ports.Cases`."""
        with self._alone() as now:
            filed = self._filed.get(case_id)
            return filed and casework.shown(filed, now)

    def query(self, where: CaseFilter, *, after: str = "", limit: int = 50) -> Sequence[CaseRecord]:
        """See `ports.Cases`."""
        with self._alone() as now:
            if after and after not in self._filed:
                return []
            start = _place(self._filed[after]) if after else None
            fitting = [one for one in self._fitting(where) if start is None or _place(one) > start]
            return [casework.shown(one, now) for one in fitting[: max(limit, 0)]]

    def count(self, where: CaseFilter, *, most: int) -> int:
        """See `ports.Cases`."""
        with self._alone():
            found = sum(casework.fits(one, where) for one in self._filed.values())
            return min(found, max(most, 0))

    def take(self, where: CaseFilter, *, reviewer: str, seconds: float) -> CaseRecord | None:
        """See `ports.Cases`."""
        wanted = casework.takeable(where, reviewer)
        with self._alone() as now:
            if wanted is None:
                return None
            free = [casework.shown(one, now) for one in self._fitting(wanted)]
            mine = [one for one in free if one.holder == reviewer]
            first = next(iter([*mine, *(one for one in free if not one.holder)]), None)
            return first and self._done(
                first, lambda one: casework.held(one, reviewer, now, seconds)
            )

    def case_counts(self) -> Mapping[tuple[str, CaseState], int]:
        """See `ports.Cases`."""
        with self._alone():
            return Counter((one.case.use_case, one.state) for one in self._filed.values())

    def oldest_open_at(self) -> float | None:
        """See `ports.Cases`."""
        with self._alone():
            waiting = [one for one in self._filed.values() if one.state is not CaseState.CLOSED]
            return min((one.case.opened_at for one in waiting), default=None)

    def audit(self, *, case_id: str = "", after: int = 0, limit: int = 1000) -> Sequence[Audit]:
        """See `ports.Cases`."""
        with self._alone():
            later = self._log[max(after, 0) :]
            fitting = [one for one in later if case_id in {"", one.case_id}]
            return fitting[: max(limit, 0)]

    def note(self, *, actor: str, event: str, case_id: str = "", detail: str = "") -> None:
        """See `ports.Cases`."""
        (actor + event + case_id + detail).encode()
        with self._alone() as now:
            self._write(actor, [(event, detail)], case_id, now)

    def _file(self, case: Case, now: float) -> bool:
        if case.id in self._filed or case.id in self._gone:
            return False
        self._filed[case.id] = CaseRecord(case=case, state=CaseState.OPEN)
        self._write(casework.OPENER, [("opened", "")], case.id, now)
        return True

    def _fitting(self, where: CaseFilter) -> Iterable[CaseRecord]:
        return sorted((f for f in self._filed.values() if casework.fits(f, where)), key=_place)

    def _change(
        self, case_id: str, how: Callable[[CaseRecord, float], Change | None]
    ) -> CaseRecord | None:
        with self._alone() as now:
            filed = self._filed.get(case_id)
            return filed and self._done(filed, lambda one: how(one, now))

    def _done(
        self, filed: CaseRecord, how: Callable[[CaseRecord], Change | None]
    ) -> CaseRecord | None:
        change = how(filed)
        if change is None:
            return None
        self._filed[filed.case.id] = change.filed
        self._write(change.actor, change.entries, filed.case.id, self._options.clock())
        return change.filed

    def _write(
        self, actor: str, entries: Iterable[tuple[str, str]], case_id: str, now: float
    ) -> None:
        for event, detail in entries:
            self._log.append(
                Audit(
                    number=len(self._log) + 1,
                    at_seconds=now,
                    actor=actor,
                    event=event,
                    case_id=case_id,
                    detail=detail,
                )
            )

    def _erase_cases(self, call_id: str) -> list[str]:
        """Their ids."""
        ids = sorted(one.case.id for one in self._filed.values() if one.case.call_id == call_id)
        for case_id in ids:
            del self._filed[case_id]
        self._gone.update(ids)
        return ids


def _place(filed: CaseRecord) -> tuple[float, str]:
    return filed.case.opened_at, filed.case.id
