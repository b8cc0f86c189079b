"""What other programs have written into a store or a spool holds up nothing of ours."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import redis

from guard.ports import Store
from guard.records import Batch, CaseFilter, Position
from guard.review.export import ExportFormat, export_cases
from guard.store import open_store
from guard.store.sender import BatchSender
from guard.store.spool import Spool
from tests.contract.clock import START, ManualClock
from tests.contract.made import case, vote

Damage = Callable[[str, str, Any], None]
"""Writes another value of one field of a case: id, field, value."""
IDS = ("c1", "c2", "c3", "c4", "c5", "c6")
DAMAGED = {
    "c1": ("opened_at", 1e308),
    "c2": ("opened_at", -1e308),
    "c3": ("opened_at", "True"),
    "c4": ("reviewers", "None"),
    "c5": ("priority", "high"),
}


@pytest.fixture(params=["sqlite", "redis"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/store.db"
    return f"{request.getfixturevalue('redis_server').url}?prefix={tmp_path.name}"


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    store = open_store(url, clock=ManualClock())
    yield store
    store.shut()


@pytest.fixture
def damage(url: str, tmp_path: Path, request: pytest.FixtureRequest) -> Damage:
    def in_sqlite(case_id: str, field: str, value: Any) -> None:
        with closing(sqlite3.connect(tmp_path / "store.db")) as connection, connection:
            statement = f"UPDATE cases SET {field} = ? WHERE id = ?"
            connection.execute(statement, (value, case_id))

    def in_redis(case_id: str, field: str, value: Any) -> None:
        with closing(redis.Redis.from_url(url.partition("?")[0])) as client:
            [key] = client.keys(f"*{tmp_path.name}*:case:{case_id}")
            client.hset(key, field, str(value))

    return in_sqlite if url.startswith("sqlite") else in_redis


@pytest.fixture
def damaged(store: Store, damage: Damage) -> Store:
    """A store with cases as a version took them in that did not look at their numbers."""
    store.accept(Batch(cases=tuple(map(case, IDS))), Position(spool="s", end=1))
    for case_id, (field, value) in DAMAGED.items():
        damage(case_id, field, value)
    return store


def test_cases_with_numbers_that_are_none_are_shown_and_can_be_decided(damaged: Store) -> None:
    kept = {one.case.id: one.case for one in damaged.query(CaseFilter())}
    assert sorted(kept) == sorted(IDS)
    assert kept["c1"].opened_at == 253_402_214_400.0
    assert kept["c2"].opened_at == -62_135_510_400.0
    assert (kept["c3"].opened_at, kept["c4"].reviewers, kept["c5"].priority) == (0.0, 0, 0.0)
    assert kept["c6"] == case("c6")
    assert sum(damaged.case_counts().values()) == len(IDS)
    for case_id in IDS:
        assert damaged.hold(case_id, reviewer="ann", seconds=60)
        assert damaged.vote(vote(case_id))
        assert damaged.case(case_id)


@pytest.mark.parametrize("form", ExportFormat)
def test_they_are_in_every_export(damaged: Store, form: ExportFormat) -> None:
    damaged.hold("c1", reviewer="ann", seconds=60)
    damaged.vote(vote("c1"))
    assert list(export_cases(damaged, CaseFilter(), form))


@pytest.mark.parametrize("words", [("status",), ("review", "list"), ("review", "export")], ids=str)
def test_commands_show_them(
    damaged: Store, url: str, tmp_path: Path, words: tuple[str, ...]
) -> None:
    settings = tmp_path / "guard.yaml"
    settings.write_text(f"version: 1\nstore: {{url: '{url}'}}\nuse_cases: {{support-chat: {{}}}}\n")
    command = [sys.executable, "-m", "guard", *words, "--settings", str(settings)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    shown = sum(case_id in done.stdout for case_id in IDS)
    assert shown == (0 if words == ("status",) else len(IDS))


def test_a_record_that_breaks_a_rule_of_the_database_is_left_out_alone(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/store.db", clock=ManualClock())
    with closing(sqlite3.connect(tmp_path / "store.db")) as connection, connection:
        connection.execute("CREATE UNIQUE INDEX a_rule ON cases (body)")
    spool = Spool(tmp_path / "spool", max_bytes=2**20, new_id=lambda: "own")
    for case_id, body in (("c1", "one"), ("bad", "one"), ("c2", "two")):
        spool.put(case(case_id, opened_at=START, body=body))
    sender = BatchSender(spool, store, batch_bytes=4096, clock=lambda: 0.0)
    failures = list(failures_of(sender))
    assert all("cannot keep what it was given: UNIQUE constraint failed" in one for one in failures)
    assert (sender.shipped, sender.dropped, len(failures)) == (2, 1, 2)
    assert [one.case.id for one in store.query(CaseFilter())] == ["c1", "c2"]
    store.shut()


def failures_of(sender: BatchSender) -> Iterator[str]:
    """What goes wrong until all is sent; at most ten times."""
    for _ in range(10):
        try:
            while sender.send_next():
                pass
        except Exception as error:
            yield str(error)
        else:
            return
