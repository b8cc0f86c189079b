"""Only so many cases a day, whoever opens them and however often a job is done again."""

from __future__ import annotations

from collections.abc import Sequence

from guard.ports import Store
from guard.records import Case, CaseKind
from guard.shadow.daily_cases import DAY, DailyCases
from guard.store import open_store
from tests.contract.clock import ManualClock

NOON = 20_000 * DAY + 43_200.0


def capped(
    clock: ManualClock | None = None, kept: Store | None = None, **limits: int
) -> DailyCases:
    return DailyCases(store=kept or store(), limits=limits, clock=clock or ManualClock(NOON))


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
    clock = ManualClock(NOON)
    cap = capped(clock, chat=3)
    assert ids(cap.admit("chat", cases("a", "b"))) == ["a", "b"]
    assert ids(cap.admit("chat", cases("c", "d"))) == ["c"]
    assert ids(cap.admit("chat", cases("e"))) == []
    clock.advance(DAY)
    assert ids(cap.admit("chat", cases("f"))) == ["f"]


def test_a_job_that_is_done_again_takes_no_second_place() -> None:
    cap = capped(chat=2)
    for _ in range(3):
        assert ids(cap.admit("chat", cases("a"))) == ["a"]
    assert ids(cap.admit("chat", cases("b", "c"))) == ["b"]
    assert ids(cap.admit("chat", cases("c"))) == []


def test_processes_share_one_count() -> None:
    kept = store()
    one, other = (capped(kept=kept, chat=1) for _ in range(2))
    assert ids(one.admit("chat", cases("a"))) == ["a"]
    assert ids(other.admit("chat", cases("b"))) == []


def test_use_cases_have_caps_of_their_own() -> None:
    cap = capped(chat=1, summaries=0)
    assert ids(cap.admit("chat", cases("a"))) == ["a"]
    assert ids(cap.admit("summaries", cases("b"))) == []
    assert ids(cap.admit("no longer shadowed", cases("c"))) == ["c"]


def test_a_clock_that_is_a_day_behind_counts_for_the_latest_day() -> None:
    kept = store()
    one, behind = (capped(ManualClock(at), kept, chat=1) for at in (NOON, NOON - DAY))
    assert ids(one.admit("chat", cases("a"))) == ["a"]
    assert ids(behind.admit("chat", cases("b"))) == []
    assert ids(one.admit("chat", cases("c"))) == []


def test_a_clock_that_was_ahead_takes_the_room_of_no_later_day() -> None:
    clock = ManualClock(NOON + 365 * DAY)
    cap = capped(clock, chat=2)
    assert ids(cap.admit("chat", cases("a"))) == ["a"]
    clock.advance(-365 * DAY)
    for names in ("bc", "de", "fg"):
        assert ids(cap.admit("chat", cases(*names, "over"))) == list(names)
        clock.advance(DAY)
