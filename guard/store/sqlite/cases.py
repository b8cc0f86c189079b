"""Cases in SQLite. Every clause of a WHERE is a constant; values go in as parameters."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any

from guard.records import Audit, Case, CaseFilter, CaseKind, CaseRecord, CaseState, QueuePlace, Vote
from guard.store import casework
from guard.store.casework import CaseChange, CaseTransitions
from guard.store.common import (
    LONGEST_WAIT_SECONDS,
    check_case,
    read_priority,
    read_reviewers,
    read_time,
)
from guard.store.sqlite.connections import Database, SqliteBase

PLAIN = ("id", "use_case", "call_id", "attribute", "body")
"""Columns that hold what the field of a case holds."""
NAMES = (
    *(*PLAIN, "opened_at", "reviewers", "priority"),
    *("kind", "reasons", "group_names", "state", "holder", "held_until"),
    *("verdict", "closed_at", "decided_by", "note"),
)
COLUMNS = ", ".join(NAMES)
VOTE_NAMES = tuple(field.name for field in fields(Vote))
_VOTE_VALUES = attrgetter(*VOTE_NAMES)
CASE = f"SELECT {COLUMNS} FROM cases WHERE id = ?"  # noqa: S608 - names of columns
CLAUSES = {
    "use_case": "use_case = :use_case",
    "kind": "kind = :kind",
    "attribute": "attribute = :attribute",
    "state": "state = :state",
    "call_id": "call_id = :call_id",
    "opened_before": "opened_at < :opened_before",
    "opened_after": "opened_at > :opened_after",
    "reason": "EXISTS (SELECT 1 FROM case_reasons WHERE case_id = id AND reason = :reason)",
    "not_voted_by": (
        "NOT EXISTS (SELECT 1 FROM votes WHERE case_id = id AND reviewer = :not_voted_by)"
    ),
}
NOT_MINE = "NOT EXISTS (SELECT 1 FROM votes WHERE case_id = id AND reviewer = :me)"
LATER = "(opened_at, id) > (:after_at, :after)"
MINE = "holder = :me AND holder <> '' AND held_until > :now AND held_until <= :longest"
FREE = "NOT (held_until > :now AND held_until <= :longest)"
HELD_CASES = "cases INDEXED BY cases_held"
BEHIND = "(-priority, opened_at) > (:after_priority, :after_at)"
BY_AGE = "ORDER BY opened_at, id LIMIT :limit"
QUEUED = "ORDER BY priority DESC, opened_at, id LIMIT :limit"
AUDIT_NAMES = tuple(field.name for field in fields(Audit))

Query = tuple[str, dict[str, object]]
"""A statement and its parameters."""


def read_case(db: Database, case_id: str) -> CaseRecord | None:
    """One case with its votes."""
    row = db.execute(CASE, (case_id,)).fetchone()
    return row and read_case_row(db, row)


def insert_case(db: Database, case: Case, now: float) -> bool:
    """Keep a new case; False when one with its id was ever kept."""
    [known] = db.run("case_is_known", {"id": case.id, "call_id": case.call_id}).fetchone()
    if known:
        return False
    named = (case.id, case.kind, case.use_case, case.call_id, case.attribute)
    texts = (json.dumps(case.reasons), json.dumps(case.groups), case.body)
    standing = (case.opened_at, case.reviewers, float(case.priority), case.first_state)
    db.run("insert_case", (*named, *standing, *texts))
    reasons = sorted({(case.id, reason) for reason in case.reasons})
    db.run_many("insert_reason", reasons)
    db.run("insert_audit", (now, casework.OPENER, "opened", case.id, ""))
    return True


def write_change(
    db: Database, before: CaseRecord, change: CaseChange | None, now: float
) -> CaseRecord | None:
    """Keep a changed case, its votes and its audit entries; None for no change."""
    if change is None:
        return None
    after = change.record
    held = (after.holder, after.held_until or 0.0)
    decided = (after.verdict, after.closed_at, after.decided_by, after.note)
    db.run("update_case", (after.state, *held, *decided, after.case.id))
    if after.votes != before.votes:
        db.run("delete_votes", (after.case.id,))
        db.run_many("insert_vote", map(_VOTE_VALUES, after.votes))
    rows = [(now, change.actor, event, after.case.id, detail) for event, detail in change.entries]
    db.run_many("insert_audit", rows)
    return after


def read_case_row(db: Database, row: Sequence[Any]) -> CaseRecord:
    """The case of a row of COLUMNS."""
    values = dict(zip(NAMES, row, strict=True))
    case = Case(
        kind=CaseKind(values.pop("kind")),
        reasons=tuple(json.loads(values.pop("reasons"))),
        groups=tuple(json.loads(values.pop("group_names"))),
        opened_at=read_time(values.pop("opened_at")),
        reviewers=read_reviewers(values.pop("reviewers")),
        priority=read_priority(values.pop("priority")),
        **{name: values.pop(name) for name in PLAIN},
    )
    votes = tuple(
        Vote(**dict(zip(VOTE_NAMES, vote, strict=True))) for vote in db.run("votes", (case.id,))
    )
    if not values["holder"]:
        values["held_until"] = None
    state = CaseState(values.pop("state"))
    return CaseRecord(case=case, state=state, votes=casework.sort_votes(votes), **values)


def erase_cases(db: Database, call_id: str) -> list[str]:
    """Delete the cases of a call, with all that people wrote about them; their ids."""
    rows = db.run("erase_cases", (call_id,)).fetchall()
    db.run_many("delete_reasons", rows)
    db.run_many("delete_votes", rows)
    db.run_many("remember_erased_case", rows)
    return sorted(case_id for [case_id] in rows)


def select_cases(where: CaseFilter, *more: str, order: str = BY_AGE, **values: object) -> Query:
    """Rows of COLUMNS that fit `where` and each of the clauses `more`. values: limit, and what
    they need.

    What a person holds is looked up by holder: those are few, and by age it may be the last.
    """
    given, clauses = _clauses(where, *more)
    table = HELD_CASES if MINE in more else "cases"
    parts = ("SELECT", COLUMNS, "FROM", table, "WHERE", clauses, order)
    return " ".join(parts), {**given, **values}


def _in_queue(where: CaseFilter, behind: QueuePlace | None, *more: str, **values: object) -> Query:
    """The first of the queue that fits, behind a place if one is given."""
    if behind is not None:
        priority, opened_at = behind.order
        values |= {"after_priority": priority, "after_at": opened_at}
        more = (*more, BEHIND)
    return select_cases(where, *more, order=QUEUED, limit=1, **values)


def count_cases(where: CaseFilter, *, most: int) -> Query:
    """How many cases fit `where`, counted up to `most`."""
    given, clauses = _clauses(where)
    parts = ("SELECT count(*) FROM (SELECT 1 FROM cases WHERE", clauses, "LIMIT :most)")
    return " ".join(parts), {**given, "most": most}


def _clauses(where: CaseFilter, *more: str) -> tuple[dict[str, object], str]:
    given = {name: getattr(where, name) for name in CLAUSES if getattr(where, name) is not None}
    return given, " AND ".join([*(CLAUSES[name] for name in given), *more] or ["TRUE"])


class SqliteCases(SqliteBase, CaseTransitions):
    def open(self, case: Case) -> bool:
        check_case(case)
        with self._writing() as db:
            return insert_case(db, case, self._options.clock())

    def case(self, case_id: str) -> CaseRecord | None:
        with self._reading() as db:
            found = read_case(db, case_id)
        return found and casework.without_expired_hold(found, self._options.clock())

    def query(self, where: CaseFilter, *, after: str = "", limit: int = 50) -> Sequence[CaseRecord]:
        limit, now = max(limit, 0), self._options.clock()
        with self._reading() as db:
            if not after:
                return _read_cases(db, select_cases(where, limit=limit), now)
            row = db.run("opened_at", (after,)).fetchone()
            if row is None:
                return []
            later = select_cases(where, LATER, limit=limit, after_at=row[0], after=after)
            return _read_cases(db, later, now)

    def count(self, where: CaseFilter, *, most: int) -> int:
        wanted = count_cases(where, most=max(most, 0))
        with self._reading() as db:
            [cases] = db.execute(*wanted).fetchone()
        return int(cases)

    def take(
        self,
        where: CaseFilter,
        *,
        reviewer: str,
        seconds: float,
        behind: QueuePlace | None = None,
    ) -> CaseRecord | None:
        wanted = casework.takeable(where)
        if wanted is None:
            return None
        with self._writing() as db:
            now = self._options.clock()
            asked = {"me": reviewer, "now": now, "longest": now + LONGEST_WAIT_SECONDS}
            mine = _in_queue(wanted, behind, MINE, NOT_MINE, **asked)
            free = _in_queue(wanted, behind, FREE, NOT_MINE, **asked)
            found = _read_cases(db, mine, now) or _read_cases(db, free, now)
            if not found:
                return None
            return write_change(db, found[0], casework.hold(found[0], reviewer, now, seconds), now)

    def case_counts(self) -> Mapping[tuple[str, CaseState], int]:
        with self._reading() as db:
            rows = db.run("case_counts").fetchall()
        known = frozenset(CaseState)  # a newer version may have made others
        return {(use_case, CaseState(state)): n for use_case, state, n in rows if state in known}

    def oldest_open_at(self) -> float | None:
        with self._reading() as db:
            [oldest] = db.run("oldest_open_at").fetchone()
        return None if oldest is None else float(oldest)

    def audit(self, *, case_id: str = "", after: int = 0, limit: int = 1000) -> Sequence[Audit]:
        limit = max(limit, 0)
        with self._reading() as db:
            if case_id:
                rows = db.run("audit_of_case", (case_id, after, limit)).fetchall()
            else:
                rows = db.run("audit", (after, limit)).fetchall()
        return [Audit(**dict(zip(AUDIT_NAMES, row, strict=True))) for row in rows]

    def note(self, *, actor: str, event: str, case_id: str = "", detail: str = "") -> None:
        with self._writing() as db:
            db.run("insert_audit", (self._options.clock(), actor, event, case_id, detail))

    def _change(
        self, case_id: str, how: Callable[[CaseRecord, float], CaseChange | None]
    ) -> CaseRecord | None:
        with self._writing() as db:
            now = self._options.clock()
            found = read_case(db, case_id)
            return found and write_change(db, found, how(found, now), now)


def _read_cases(db: Database, query: Query, now: float) -> list[CaseRecord]:
    rows = db.execute(*query).fetchall()
    return [casework.without_expired_hold(read_case_row(db, row), now) for row in rows]
