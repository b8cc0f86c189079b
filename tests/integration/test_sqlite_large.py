"""A SQLite store with many cases and as many jobs in it: found by indexes, and quickly.

20,000 of each, 100,000 under `make soak`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from guard.ports import Store
from guard.records import Batch, CaseFilter, CaseKind, CaseState, Position
from guard.store import open_store
from guard.store.sqlite import SqliteStore
from guard.store.sqlite.cases import FREE, LATER, MINE, select_cases
from guard.store.sqlite.schema import read_statements
from tests.contract.clock import START, ManualClock
from tests.contract.made import case, job, leased
from tests.repeats import repeats

pytestmark = [pytest.mark.slow, pytest.mark.soak]

MANY = repeats(20_000, soak=100_000)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Many open cases and as many jobs."""
    url = f"sqlite:///{tmp_path_factory.mktemp('large')}/store.db"
    store = open_store(url, clock=ManualClock(START + MANY), max_jobs=MANY)
    for start in range(0, MANY, 5000):
        numbers = range(start, start + 5000)
        cases = tuple(
            case(
                f"c{number}",
                opened_at=START + number,
                use_case=f"use-{number % 5}",
                reasons=("rare",) if number % 1000 == 999 else ("refusal", "toxicity"),
                attribute=("gender", "age")[number % 2],
                kind=(CaseKind.PAIR, CaseKind.RESPONSE)[number % 3 == 0],
            )
            for number in numbers
        )
        jobs = tuple(job(f"j{number}") for number in numbers)
        store.accept(Batch(cases=cases, jobs=jobs), Position(spool="s", end=start + 1))
    yield store
    store.shut()


WHERE = {
    "any": CaseFilter(),
    "open": CaseFilter(state=CaseState.OPEN),
    "use case": CaseFilter(use_case="use-3"),
    "open of a use case": CaseFilter(use_case="use-3", state=CaseState.OPEN),
    "attribute": CaseFilter(attribute="age"),
    "reason": CaseFilter(reason="rare"),
    "kind": CaseFilter(kind=CaseKind.RESPONSE),
    "call": CaseFilter(call_id=f"call-of-c{MANY * 3 // 4}"),
    "not voted by": CaseFilter(not_voted_by="ann", state=CaseState.OPEN),
    "between": CaseFilter(opened_after=START + MANY // 2, opened_before=START + MANY // 2 + 100),
}


def plan(store: Store, statement: str, values: object) -> list[str]:
    assert isinstance(store, SqliteStore)
    with store._reading() as db:
        rows = db.execute(f"EXPLAIN QUERY PLAN {statement}", values).fetchall()
    return [row[3] for row in rows]


def walks_a_table(steps: list[str]) -> list[str]:
    """Steps that read rows one by one without an index to go by."""
    return [
        step
        for step in steps
        if step.startswith("SCAN") and "USING INDEX" not in step and "CONSTANT ROW" not in step
        if not step.startswith(("SCAN case_counts", "SCAN (subquery", "SCAN use_cases"))
    ]


@pytest.mark.parametrize("more", [(), (LATER,), (FREE,), (MINE,)], ids=str)
@pytest.mark.parametrize("name", WHERE)
def test_cases_are_found_by_an_index(large: Store, name: str, more: tuple[str, ...]) -> None:
    values = {"limit": 50, "after_at": START, "after": "c1", "me": "ann"}
    values |= {"now": START, "longest": START + 86_400.0}
    selected = select_cases(WHERE[name], *more, **values)
    steps = plan(large, *selected)
    assert walks_a_table(steps) == []
    if not {"call", "use case"} & {name} and MINE not in more:
        assert "USE TEMP B-TREE FOR ORDER BY" not in steps


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("opened_at", ("c1",)),
        ("case_counts", ()),
        ("oldest_open_at", ()),
        ("audit", (MANY - 1000, 10)),
        ("audit_of_case", ("c1", 0, 10)),
        ("due_jobs", ("http", START, 5)),
        ("job_is_known", {"key": "j1", "digest": b"", "forgotten": 0, "call_id": "c"}),
        ("total", ("use-1", 0, 9)),
        ("series", ("use-1", 0, 9)),
        ("delete_old_buckets", (9,)),
        ("use_cases", ()),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_everything_else_is_found_by_an_index(large: Store, name: str, values: object) -> None:
    assert walks_a_table(plan(large, read_statements()[name], values)) == []


def test_many_cases_do_not_make_anybody_wait(large: Store) -> None:
    looks = {
        **{
            f"query {name}": lambda where=where: large.query(where) for name, where in WHERE.items()
        },
        "query late": lambda: large.query(CaseFilter(), after=f"c{MANY - 1000}"),
        "take": lambda: large.take(CaseFilter(), reviewer="ann", seconds=60),
        "take rare": lambda: large.take(CaseFilter(reason="rare"), reviewer="bob", seconds=60),
        "case counts": large.case_counts,
        "oldest": large.oldest_open_at,
        "job counts": large.job_counts,
        "lease": lambda: leased(large, 10),
        "audit": lambda: large.audit(after=MANY - 1000),
    }
    took = {}
    for name, look in looks.items():
        begun = time.perf_counter()
        assert look()
        took[name] = time.perf_counter() - begun
    assert {name: seconds for name, seconds in took.items() if seconds > 0.5} == {}
