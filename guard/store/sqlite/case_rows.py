"""Cases as rows and back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any

from guard.records import Case, CaseKind, CaseRecord, CaseState, Vote
from guard.store import casework

PLAIN = ("id", "use_case", "call_id", "attribute", "opened_at", "reviewers", "body")
"""Columns that hold what the field of a case holds."""
NAMES = (
    *PLAIN,
    *("kind", "reasons", "group_names", "state", "holder", "held_until"),
    *("verdict", "closed_at", "decided_by", "note"),
)
COLUMNS = ", ".join(NAMES)
VOTE_NAMES = tuple(field.name for field in fields(Vote))
_VOTE_VALUES = attrgetter(*VOTE_NAMES)
INSERT_CASE = """
INSERT INTO cases (id, kind, use_case, call_id, attribute, opened_at, reviewers, reasons,
                   group_names, body)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
KNOWN = """
SELECT EXISTS (SELECT 1 FROM cases WHERE id = :id)
    OR EXISTS (SELECT 1 FROM erased_cases WHERE id = :id)
    OR EXISTS (SELECT 1 FROM erased_calls WHERE call_id = :call_id)
"""
CASE = f"SELECT {COLUMNS} FROM cases WHERE id = ?"  # noqa: S608 - names of columns
VOTES = f"SELECT {', '.join(VOTE_NAMES)} FROM votes WHERE case_id = ?"  # noqa: S608 - columns
CHANGE = """
UPDATE cases SET state = ?, holder = ?, held_until = ?, verdict = ?, closed_at = ?,
                 decided_by = ?, note = ?
WHERE id = ?
"""
VOTE = f"INSERT INTO votes ({', '.join(VOTE_NAMES)}) VALUES (?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
AUDIT = "INSERT INTO audit (at_seconds, actor, event, case_id, detail) VALUES (?, ?, ?, ?, ?)"


def read_case(db: sqlite3.Connection, case_id: str) -> CaseRecord | None:
    """One case with its votes."""
    row = db.execute(CASE, (case_id,)).fetchone()
    return row and read_case_row(db, row)


def insert_case(db: sqlite3.Connection, case: Case, now: float) -> bool:
    """Keep a new case; False when one with its id was ever kept."""
    [known] = db.execute(KNOWN, {"id": case.id, "call_id": case.call_id}).fetchone()
    if known:
        return False
    named = (case.id, case.kind, case.use_case, case.call_id, case.attribute)
    texts = (json.dumps(case.reasons), json.dumps(case.groups), case.body)
    db.execute(INSERT_CASE, (*named, case.opened_at, case.reviewers, *texts))
    reasons = sorted({(case.id, reason) for reason in case.reasons})
    db.executemany("INSERT INTO case_reasons VALUES (?, ?)", reasons)
    db.execute(AUDIT, (now, casework.OPENER, "opened", case.id, ""))
    return True


def write_change(
    db: sqlite3.Connection, before: CaseRecord, change: casework.CaseChange, now: float
) -> None:
    """Keep a changed case, its votes and what the audit says of it."""
    after = change.record
    held = (after.holder, after.held_until or 0.0)
    decided = (after.verdict, after.closed_at, after.decided_by, after.note)
    db.execute(CHANGE, (after.state, *held, *decided, after.case.id))
    if after.votes != before.votes:
        db.execute("DELETE FROM votes WHERE case_id = ?", (after.case.id,))
        db.executemany(VOTE, map(_VOTE_VALUES, after.votes))
    rows = [(now, change.actor, event, after.case.id, detail) for event, detail in change.entries]
    db.executemany(AUDIT, rows)


def read_case_row(db: sqlite3.Connection, row: Sequence[Any]) -> CaseRecord:
    """The case of a row of COLUMNS."""
    values = dict(zip(NAMES, row, strict=True))
    case = Case(
        kind=CaseKind(values.pop("kind")),
        reasons=tuple(json.loads(values.pop("reasons"))),
        groups=tuple(json.loads(values.pop("group_names"))),
        **{name: values.pop(name) for name in PLAIN},
    )
    votes = tuple(
        Vote(**dict(zip(VOTE_NAMES, vote, strict=True))) for vote in db.execute(VOTES, (case.id,))
    )
    if not values["holder"]:
        values["held_until"] = None
    state = CaseState(values.pop("state"))
    return CaseRecord(case=case, state=state, votes=casework.sort_votes(votes), **values)


def erase_cases(db: sqlite3.Connection, call_id: str) -> list[str]:
    """Delete the cases of a call, with all that people wrote about them; their ids."""
    rows = db.execute("DELETE FROM cases WHERE call_id = ? RETURNING id", (call_id,)).fetchall()
    for table in ("case_reasons", "votes"):
        db.executemany(f"DELETE FROM {table} WHERE case_id = ?", rows)  # noqa: S608 - two tables
    db.executemany("INSERT INTO erased_cases VALUES (?)", rows)
    return sorted(case_id for [case_id] in rows)
