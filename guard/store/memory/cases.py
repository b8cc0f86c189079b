"""Cases in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from guard.records import Audit, Case, CaseFilter, CaseRecord, CaseState, QueuePlace
from guard.store import casework
from guard.store.casework import CaseChange, CaseTransitions
from guard.store.common import StoreOptions, check_case
from guard.store.memory.inbox import MemoryBase


class MemoryCases(MemoryBase, CaseTransitions):
    def __init__(self, options: StoreOptions) -> None:
        super().__init__(options)
        self._records: dict[str, CaseRecord] = {}
        self._erased_ids: set[str] = set()
        self._log: list[Audit] = []

    def open(self, case: Case) -> bool:
        check_case(case)
        with self._locked() as now:
            return self._insert(case, now)

    def case(self, case_id: str) -> CaseRecord | None:
        with self._locked() as now:
            record = self._records.get(case_id)
            return record and casework.without_expired_hold(record, now)

    def query(self, where: CaseFilter, *, after: str = "", limit: int = 50) -> Sequence[CaseRecord]:
        with self._locked() as now:
            if after and after not in self._records:
                return []
            start = _age_order(self._records[after]) if after else None
            matching = [
                one for one in self._matching(where) if start is None or _age_order(one) > start
            ]
            return [casework.without_expired_hold(one, now) for one in matching[: max(limit, 0)]]

    def count(self, where: CaseFilter, *, most: int) -> int:
        with self._locked():
            found = sum(casework.matches(one, where) for one in self._records.values())
            return min(found, max(most, 0))

    def take(
        self,
        where: CaseFilter,
        *,
        reviewer: str,
        seconds: float,
        behind: QueuePlace | None = None,
    ) -> CaseRecord | None:
        wanted = casework.takeable(where)
        with self._locked() as now:
            if wanted is None:
                return None
            queue = sorted(
                (
                    one
                    for one in self._matching(wanted)
                    if casework.may_take(one, wanted, reviewer)
                    and casework.is_behind(one.case, behind)
                ),
                key=lambda one: one.case.place.order,
            )
            free = [casework.without_expired_hold(one, now) for one in queue]
            mine = [one for one in free if one.holder == reviewer]
            first = next(iter([*mine, *(one for one in free if not one.holder)]), None)
            return first and self._apply(casework.hold(first, reviewer, now, seconds), now)

    def case_counts(self) -> Mapping[tuple[str, CaseState], int]:
        with self._locked():
            return Counter((one.case.use_case, one.state) for one in self._records.values())

    def oldest_open_at(self) -> float | None:
        with self._locked():
            waiting = [one for one in self._records.values() if one.state.waits]
            return min((one.case.opened_at for one in waiting), default=None)

    def audit(self, *, case_id: str = "", after: int = 0, limit: int = 1000) -> Sequence[Audit]:
        with self._locked():
            later = self._log[max(after, 0) :]
            matching = [one for one in later if case_id in {"", one.case_id}]
            return matching[: max(limit, 0)]

    def note(self, *, actor: str, event: str, case_id: str = "", detail: str = "") -> None:
        (actor + event + case_id + detail).encode()
        with self._locked() as now:
            self._write(actor, [(event, detail)], case_id, now)

    def _insert(self, case: Case, now: float) -> bool:
        if case.id in self._records or case.id in self._erased_ids:
            return False
        self._records[case.id] = CaseRecord(case=case, state=case.first_state)
        self._write(casework.OPENER, [("opened", "")], case.id, now)
        return True

    def _matching(self, where: CaseFilter) -> Iterable[CaseRecord]:
        return sorted(
            (f for f in self._records.values() if casework.matches(f, where)), key=_age_order
        )

    def _change(
        self, case_id: str, how: Callable[[CaseRecord, float], CaseChange | None]
    ) -> CaseRecord | None:
        with self._locked() as now:
            record = self._records.get(case_id)
            return record and self._apply(how(record, now), now)

    def _apply(self, change: CaseChange | None, now: float) -> CaseRecord | None:
        if change is None:
            return None
        case_id = change.record.case.id
        self._records[case_id] = change.record
        self._write(change.actor, change.entries, case_id, now)
        return change.record

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
        ids = sorted(one.case.id for one in self._records.values() if one.case.call_id == call_id)
        for case_id in ids:
            del self._records[case_id]
        self._erased_ids.update(ids)
        return ids


def _age_order(record: CaseRecord) -> tuple[float, str]:
    return record.case.opened_at, record.case.id
