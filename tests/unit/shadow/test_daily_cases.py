"""Only so many cases a day, whoever opens them and however often a job is done again."""

from __future__ import annotations

from collections.abc import Sequence

from guard.ports import Store
from guard.records import Case, CaseKind
from guard.shadow.daily_cases import DAY, DailyCases
from guard.store import open_store

NOON = 20_000 * DAY + 43_200.0


def store() -> Store:
    return open_store("memory:", clock=lambda: NOON)


def cases(*names: str) -> list[Case]:
    return [
        Case(
            id=name,
            kind=CaseKind.PAIR,
            use_case="chat",
            call_id=name,
            reasons=(),
            opened_at=NOON,
            body="{}",
        )
        for name in names
    ]


def ids(admitted: Sequence[Case]) -> list[str]:
    return [one.id for one in admitted]


def test_the_first_so_many_of_a_day_are_admitted() -> None:
    cap = DailyCases(store=store(), limits={"chat": 3})
    assert ids(cap.admit("chat", NOON, cases("a", "b"))) == ["a", "b"]
    assert ids(cap.admit("chat", NOON, cases("c", "d"))) == ["c"]
    assert ids(cap.admit("chat", NOON, cases("e"))) == []
    assert ids(cap.admit("chat", NOON + DAY, cases("f"))) == ["f"]


def test_a_job_that_is_done_again_takes_no_second_place() -> None:
    cap = DailyCases(store=store(), limits={"chat": 2})
    for _ in range(3):
        assert ids(cap.admit("chat", NOON, cases("a"))) == ["a"]
    assert ids(cap.admit("chat", NOON, cases("b", "c"))) == ["b"]
    assert ids(cap.admit("chat", NOON, cases("c"))) == []


def test_processes_share_one_count() -> None:
    kept = store()
    one, other = (DailyCases(store=kept, limits={"chat": 1}) for _ in range(2))
    assert ids(one.admit("chat", NOON, cases("a"))) == ["a"]
    assert ids(other.admit("chat", NOON, cases("b"))) == []


def test_use_cases_have_caps_of_their_own() -> None:
    cap = DailyCases(store=store(), limits={"chat": 1, "summaries": 0})
    assert ids(cap.admit("chat", NOON, cases("a"))) == ["a"]
    assert ids(cap.admit("summaries", NOON, cases("b"))) == []
    assert ids(cap.admit("no longer shadowed", NOON, cases("c"))) == ["c"]


def test_a_call_of_yesterday_that_is_judged_now_counts_for_today() -> None:
    cap = DailyCases(store=store(), limits={"chat": 1})
    assert ids(cap.admit("chat", NOON, cases("a"))) == ["a"]
    assert ids(cap.admit("chat", NOON - DAY, cases("b"))) == []
    assert ids(cap.admit("chat", NOON, cases("c"))) == []
