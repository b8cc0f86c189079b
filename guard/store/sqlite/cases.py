"""Cases in SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence

from guard.records import Audit, Case, CaseFilter, CaseRecord, CaseState
from guard.store import casework
from guard.store.casework import Change
from guard.store.changing import ChangingCases
from guard.store.checks import check_case
from guard.store.sqlite.filed import AUDIT, file, filed, with_votes, write
from guard.store.sqlite.selecting import FREE, LATER, MINE, Selection, counting, selection
from guard.store.sqlite.shared import Shared

AGE = "SELECT opened_at FROM cases WHERE id = ?"
COUNTS = "SELECT use_case, state, cases FROM case_counts WHERE cases > 0"
OLDEST = """
SELECT min(opened_at) FROM (
    SELECT min(opened_at) AS opened_at FROM cases WHERE state = 'open'
    UNION ALL SELECT min(opened_at) FROM cases WHERE state = 'disputed'
)
"""
LOG = """
SELECT number, at_seconds, actor, event, case_id, detail FROM audit
WHERE number > ? ORDER BY number LIMIT ?
"""
LOG_OF_CASE = """
SELECT number, at_seconds, actor, event, case_id, detail FROM audit
WHERE case_id = ? AND number > ? ORDER BY number LIMIT ?
"""


class SqliteCases(Shared, ChangingCases):
    """See `ports.Cases`, but for `erase`."""

    def open(self, case: Case) -> bool:
        """See `ports.Cases`."""
        check_case(case)
        with self._writing() as db:
            return file(db, case, self._options.clock())

    def case(self, case_id: str) -> CaseRecord | None:
        """See `ports.Cases`."""
        with self._reading() as db:
            found = filed(db, case_id)
        return found and casework.shown(found, self._options.clock())

    def query(self, where: CaseFilter, *, after: str = "", limit: int = 50) -> Sequence[CaseRecord]:
        """See `ports.Cases`."""
        limit, now = max(limit, 0), self._options.clock()
        with self._reading() as db:
            if not after:
                return _found(db, selection(where, limit=limit), now)
            row = db.execute(AGE, (after,)).fetchone()
            if row is None:
                return []
            later = selection(where, LATER, limit=limit, after_at=row[0], after=after)
            return _found(db, later, now)

    def count(self, where: CaseFilter, *, most: int) -> int:
        """See `ports.Cases`."""
        wanted = counting(where, most=max(most, 0))
        with self._reading() as db:
            [cases] = db.execute(wanted.statement, wanted.values).fetchone()
        return int(cases)

    def take(self, where: CaseFilter, *, reviewer: str, seconds: float) -> CaseRecord | None:
        """See `ports.Cases`."""
        wanted = casework.takeable(where, reviewer)
        if wanted is None:
            return None
        with self._writing() as db:
            now = self._options.clock()
            mine = selection(wanted, MINE, limit=1, me=reviewer, now=now)
            free = selection(wanted, FREE, limit=1, now=now)
            found = _found(db, mine, now) or _found(db, free, now)
            if not found:
                return None
            return _done(db, found[0], casework.held(found[0], reviewer, now, seconds), now)

    def case_counts(self) -> Mapping[tuple[str, CaseState], int]:
        """See `ports.Cases`."""
        with self._reading() as db:
            rows = db.execute(COUNTS).fetchall()
        return {(use_case, CaseState(state)): cases for use_case, state, cases in rows}

    def oldest_open_at(self) -> float | None:
        """See `ports.Cases`."""
        with self._reading() as db:
            [oldest] = db.execute(OLDEST).fetchone()
        return None if oldest is None else float(oldest)

    def audit(self, *, case_id: str = "", after: int = 0, limit: int = 1000) -> Sequence[Audit]:
        """See `ports.Cases`."""
        limit = max(limit, 0)
        with self._reading() as db:
            if case_id:
                rows = db.execute(LOG_OF_CASE, (case_id, after, limit)).fetchall()
            else:
                rows = db.execute(LOG, (after, limit)).fetchall()
        return [
            Audit(number=number, at_seconds=at, actor=actor, event=event, case_id=of, detail=detail)
            for number, at, actor, event, of, detail in rows
        ]

    def note(self, *, actor: str, event: str, case_id: str = "", detail: str = "") -> None:
        """See `ports.Cases`."""
        with self._writing() as db:
            db.execute(AUDIT, (self._options.clock(), actor, event, case_id, detail))

    def _change(
        self, case_id: str, how: Callable[[CaseRecord, float], Change | None]
    ) -> CaseRecord | None:
        with self._writing() as db:
            now = self._options.clock()
            found = filed(db, case_id)
            return found and _done(db, found, how(found, now), now)


def _done(
    db: sqlite3.Connection, before: CaseRecord, change: Change | None, now: float
) -> CaseRecord | None:
    if change is None:
        return None
    write(db, before, change, now)
    return change.filed


def _found(db: sqlite3.Connection, selected: Selection, now: float) -> list[CaseRecord]:
    rows = db.execute(selected.statement, selected.values).fetchall()
    return [casework.shown(with_votes(db, row), now) for row in rows]
