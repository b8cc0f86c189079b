"""From a filter to a WHERE clause. Every clause is a constant; values go in as parameters."""

from __future__ import annotations

from dataclasses import dataclass

from guard.records import CaseFilter
from guard.store.sqlite.filed import COLUMNS

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
LATER = "(opened_at, id) > (:after_at, :after)"
MINE = "holder = :me AND holder <> '' AND held_until > :now"
FREE = "held_until <= :now"
HELD_CASES = "cases INDEXED BY cases_held"
ORDER = "ORDER BY opened_at, id LIMIT :limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """A statement that gives rows of COLUMNS by age, and its parameters."""

    statement: str
    values: dict[str, object]


def selection(where: CaseFilter, *more: str, **values: object) -> Selection:
    """Cases that fit `where` and each of the clauses `more`. values: limit, and what they need.

    What a person holds is looked up by holder: those are few, and by age it may be the last.
    """
    given, clauses = _clauses(where, *more)
    table = HELD_CASES if MINE in more else "cases"
    parts = ("SELECT", COLUMNS, "FROM", table, "WHERE", clauses, ORDER)
    return Selection(statement=" ".join(parts), values={**given, **values})


def counting(where: CaseFilter, *, most: int) -> Selection:
    """How many cases fit `where`, counted up to `most`."""
    given, clauses = _clauses(where)
    parts = ("SELECT count(*) FROM (SELECT 1 FROM cases WHERE", clauses, "LIMIT :most)")
    return Selection(statement=" ".join(parts), values={**given, "most": most})


def _clauses(where: CaseFilter, *more: str) -> tuple[dict[str, object], str]:
    given = {name: getattr(where, name) for name in CLAUSES if getattr(where, name) is not None}
    return given, " AND ".join([*(CLAUSES[name] for name in given), *more] or ["TRUE"])
