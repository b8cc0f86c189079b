"""Cases as rows and back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from guard.records import Case, CaseKind, CaseRecord, CaseState, Vote
from guard.store import casework

COLUMNS = (
    "id, kind, use_case, call_id, attribute, opened_at, reviewers, state, holder, held_until,"
    " verdict, closed_at, decided_by, note, reasons, group_names, body"
)
FILE = """
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
VOTES = """
SELECT case_id, reviewer, verdict, at_seconds, reason, note, seconds_taken FROM votes
WHERE case_id = ?
"""
CHANGE = """
UPDATE cases SET state = ?, holder = ?, held_until = ?, verdict = ?, closed_at = ?,
                 decided_by = ?, note = ?
WHERE id = ?
"""
VOTE = """
INSERT INTO votes (case_id, reviewer, verdict, at_seconds, reason, note, seconds_taken)
VALUES (?, ?, ?, ?, ?, ?, ?)
"""
AUDIT = "INSERT INTO audit (at_seconds, actor, event, case_id, detail) VALUES (?, ?, ?, ?, ?)"


def filed(db: sqlite3.Connection, case_id: str) -> CaseRecord | None:
    """One case with its votes."""
    row = db.execute(CASE, (case_id,)).fetchone()
    return row and with_votes(db, row)


def file(db: sqlite3.Connection, case: Case, now: float) -> bool:
    """Keep a new case; False when one with its id was ever kept."""
    [known] = db.execute(KNOWN, {"id": case.id, "call_id": case.call_id}).fetchone()
    if known:
        return False
    named = (case.id, case.kind, case.use_case, case.call_id, case.attribute)
    texts = (json.dumps(case.reasons), json.dumps(case.groups), case.body)
    db.execute(FILE, (*named, case.opened_at, case.reviewers, *texts))
    reasons = sorted({(case.id, reason) for reason in case.reasons})
    db.executemany("INSERT INTO case_reasons VALUES (?, ?)", reasons)
    db.execute(AUDIT, (now, casework.OPENER, "opened", case.id, ""))
    return True


def write(db: sqlite3.Connection, before: CaseRecord, change: casework.Change, now: float) -> None:
    """Keep a changed case, its votes and what the audit says of it."""
    after = change.filed
    held = (after.holder, after.held_until or 0.0)
    decided = (after.verdict, after.closed_at, after.decided_by, after.note)
    db.execute(CHANGE, (after.state, *held, *decided, after.case.id))
    if after.votes != before.votes:
        db.execute("DELETE FROM votes WHERE case_id = ?", (after.case.id,))
        db.executemany(VOTE, [_vote_row(vote) for vote in after.votes])
    rows = [(now, change.actor, event, after.case.id, detail) for event, detail in change.entries]
    db.executemany(AUDIT, rows)


def with_votes(db: sqlite3.Connection, row: Sequence[Any]) -> CaseRecord:
    """The case of a row of COLUMNS."""
    case_id, kind, use_case, call_id, attribute, opened_at, reviewers, *rest = row
    state, holder, held_until, verdict, closed_at, decided_by, note, *texts = rest
    reasons, groups, body = texts
    return CaseRecord(
        case=Case(
            id=case_id,
            kind=CaseKind(kind),
            use_case=use_case,
            call_id=call_id,
            attribute=attribute,
            opened_at=opened_at,
            reviewers=reviewers,
            reasons=tuple(json.loads(reasons)),
            groups=tuple(json.loads(groups)),
            body=body,
        ),
        state=CaseState(state),
        votes=casework.in_order(tuple(_votes(db, case_id))),
        verdict=verdict,
        closed_at=closed_at,
        holder=holder,
        held_until=held_until if holder else None,
        decided_by=decided_by,
        note=note,
    )


def erase_cases(db: sqlite3.Connection, call_id: str) -> list[str]:
    """Delete the cases of a call, with all that people wrote about them; their ids."""
    rows = db.execute("DELETE FROM cases WHERE call_id = ? RETURNING id", (call_id,)).fetchall()
    for table in ("case_reasons", "votes"):
        db.executemany(f"DELETE FROM {table} WHERE case_id = ?", rows)  # noqa: S608 - two tables
    db.executemany("INSERT INTO erased_cases VALUES (?)", rows)
    return sorted(case_id for [case_id] in rows)


def _votes(db: sqlite3.Connection, case_id: str) -> Iterator[Vote]:
    for row in db.execute(VOTES, (case_id,)):
        case, reviewer, verdict, at_seconds, reason, note, seconds_taken = row
        yield Vote(
            case_id=case,
            reviewer=reviewer,
            verdict=verdict,
            at_seconds=at_seconds,
            reason=reason,
            note=note,
            seconds_taken=seconds_taken,
        )


def _vote_row(vote: Vote) -> tuple[object, ...]:
    who = (vote.case_id, vote.reviewer)
    return (*who, vote.verdict, vote.at_seconds, vote.reason, vote.note, vote.seconds_taken)
