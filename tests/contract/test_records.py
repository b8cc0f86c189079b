"""Records that nobody made, as a spool may hold them: none is kept, and none holds up another."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from guard.ports import Store
from guard.records import Batch, Case, CaseFilter, Job, Position, Posting
from guard.store.sender import BatchSender
from guard.store.spool import Spool
from guard.store.spool.format import to_frame
from tests.contract.made import NEARBY, case, job, leased, posting

NO_TIMES: list[Any] = [None, True, "", "now", 1e308, -1e308, 2**64, 10**400, [], float("nan")]
WRONG: Mapping[str, list[Any]] = {
    "reviewers": [None, True, -1, 1.5, 2**31, 2**64, 10**400, "2", [], {}],
    "priority": [None, True, -1, 10**400, "high", [1.0]],
    "opened_at": NO_TIMES,
    "body": [None, 5, {"a": 1}, "\ud800"],
    "attribute": [None, True, ["gender"]],
    "reasons": [None, 1, "toxicity", {"toxicity": 1}, [None], [1]],
    "groups": [None, "female", [["female"]]],
    "kind": [None, "wish", []],
}
WRONG_OF_JOBS: Mapping[str, list[Any]] = {"offered_at": NO_TIMES, "payload": [None, 5, {}, ["x"]]}
WRONG_OF_POSTINGS: Mapping[str, list[Any]] = {
    "at_seconds": NO_TIMES,
    "use_case": [None, 5],
    "sums": [None, [], {"n": None}, {"n": True}, {"n": "1"}, {"n": [1]}, {"n": 10**400}],
    "evidence": [None, [], {"e": None}, {"e": {"n": None}}, {"e": {"n": True}}],
}
GOOD = (("job", job("good")), ("case", case("good")), ("posting", posting(n=1.0)))


def mutants(word: str, record: Job | Case | Posting, wrong: Mapping[str, list[Any]]) -> list[bytes]:
    """The record with each of the wrong values in turn, and without each of those fields."""
    fields = asdict(record)
    changed = [fields | {name: value} for name, values in wrong.items() for value in values]
    needed = wrong.keys() & {"opened_at", "offered_at", "at_seconds"}
    changed += [{key: fields[key] for key in fields.keys() - {name}} for name in needed]
    return [json.dumps({word: one}).encode("ascii") for one in changed]


def left_behind(folder: Path, payloads: list[bytes]) -> Spool:
    """A spool that has adopted these records from a process that died."""
    dead = folder / "spool" / "dead"
    dead.mkdir(parents=True)
    (dead / "lock").touch()
    (dead / "00000000000000000000.log").write_bytes(b"".join(map(to_frame, payloads)))
    return Spool(folder / "spool", max_bytes=2**24, new_id=lambda: "own")


def test_records_that_nobody_made_are_dropped_and_hold_up_no_other(
    store: Store, tmp_path: Path
) -> None:
    bad = [
        *mutants("case", case("bad"), WRONG),
        *mutants("job", job("bad"), WRONG_OF_JOBS),
        *mutants("posting", posting(n=8.0), WRONG_OF_POSTINGS),
    ]
    good = [json.dumps({word: asdict(record)}).encode("ascii") for word, record in GOOD]
    spool = left_behind(tmp_path, [*bad, *good])
    sender = BatchSender(spool, store, batch_bytes=4096, clock=lambda: 0.0)
    while sender.send_next():
        pass
    assert (sender.dropped, sender.shipped) == (len(bad), len(good))
    assert [one.case.id for one in store.query(CaseFilter())] == ["good"]
    assert [one.job.key for one in leased(store, 9)] == ["good"]
    assert store.total("support-chat", NEARBY) == {"n": 1.0}


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name in ("reviewers", "priority", "opened_at") for value in WRONG[name]],
)
def test_a_case_with_a_number_that_is_none_is_refused(store: Store, name: str, value: Any) -> None:
    wrong = case("c2", **{name: value})
    ways: tuple[Callable[[], bool], ...] = (
        lambda: store.open(wrong),
        lambda: store.accept(Batch(cases=(case("c1"), wrong)), Position(spool="s", end=1)),
    )
    for refused in ways:
        with pytest.raises(ValueError, match="case c2"):
            refused()
    assert store.query(CaseFilter()) == []
    assert store.position("s") == 0


def test_what_can_be_kept_comes_back(store: Store) -> None:
    first = case("c1", opened_at=-62_135_510_400.0, reviewers=0, priority=0.0)
    last = case("c2", opened_at=253_402_214_400, reviewers=2**31 - 1, priority=2**70)
    store.accept(Batch(cases=(first, last)), Position(spool="s", end=1))
    kept = [one.case for one in store.query(CaseFilter())]
    assert kept == [first, replace(last, opened_at=float(last.opened_at), priority=2.0**70)]
    store.add([posting(n=2**70)])
    assert store.total("support-chat", NEARBY) == {"n": 2.0**70}
