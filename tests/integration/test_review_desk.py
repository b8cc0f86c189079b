"""The review desk on real stores: many people at once, and processes killed in the middle."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from guard.errors import StoreError
from guard.fairness.tally import merged
from guard.ports import Store
from guard.records import CaseFilter, CaseState
from guard.review.decision_counts import SUMS, decision_sums, replay
from guard.review.retention import Retention
from guard.review.service import ReviewService
from guard.store import open_store
from tests.repeats import repeats
from tests.servers import PATIENCE_SECONDS, RedisServer
from tests.unit.review.made import body, pair, response

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.soak

KILLS = repeats(3, soak=50)


@pytest.fixture(params=["sqlite", "redis"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/cases.db"
    server: RedisServer = request.getfixturevalue("redis_server")
    return f"{server.url}?prefix={tmp_path.name}"


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    store = open_store(url, clock=time.time)
    yield store
    store.shut()


def desk_of(store: Store, **options: float) -> ReviewService:
    return ReviewService(store=store, clock=time.time, order_key=b"key", **options)


def assert_counted(store: Store) -> None:
    """The figures are those of all cases as their audit tells them; so are the cases."""
    filed = store.query(CaseFilter(), limit=10_000)
    states = {one.case.id: replay(store.audit(case_id=one.case.id)) for one in filed}
    expected = merged(decision_sums(one.case, states[one.case.id]) for one in filed)
    found = store.evidence("chat", [SUMS])[SUMS]
    assert {n: v for n, v in found.items() if abs(v) > 1e-9} == pytest.approx(expected)
    for one in filed:
        state = states[one.case.id]
        counted = {who: vote.verdict for who, vote in state.votes.items()}
        assert {vote.reviewer: vote.verdict for vote in one.votes} == counted
        assert one.verdict == (state.closed[0] if state.closed else "")


def test_people_at_once_never_hold_one_case(store: Store) -> None:
    for number in range(120):
        store.open(pair(f"p{number:03}", opened_at=time.time() - 1000 + number))
    desk, in_hands, lock, doubled = desk_of(store), set[str](), threading.Lock(), []

    def judge(name: str) -> int:
        decided = 0
        while opened := desk.next(name):
            case_id = opened.record.case.id
            with lock:
                doubled.extend({case_id} & in_hands)
                in_hands.add(case_id)
            desk.decide(case_id, name, "biased")
            decided += 1
        return decided

    with ThreadPoolExecutor(8) as people:
        done = list(people.map(judge, [f"r{number}" for number in range(8)]))
    assert doubled == []
    assert sum(done) == 120
    votes = [len(one.votes) for one in store.query(CaseFilter(), limit=1000)]
    assert Counter(votes) == {1: 120}
    assert desk.count_new(pages=100)
    assert_counted(store)


def test_killed_in_the_middle_of_a_vote_nothing_is_lost_or_doubled(url: str, store: Store) -> None:
    for number in range(KILLS * 40):
        reviewers = 1 + number % 3
        make = pair if number % 2 else response
        store.open(make(f"c{number:04}", reviewers=reviewers, opened_at=1.0 + number))
    seed = random.randrange(2**32)
    sys.stdout.write(f"seed {seed}\n")
    dice = random.Random(seed)
    for _ in range(KILLS // 2):
        kill_two(url, dice)
    desk = desk_of(store)
    assert desk.count_new(pages=1000)
    assert store.case_counts()["chat", CaseState.CLOSED] > 0
    assert_counted(store)


def kill_two(url: str, dice: random.Random) -> None:
    command = [sys.executable, "-m", "tests.integration.reviewing", url]
    workers = [
        subprocess.Popen([*command, f"{name}{dice.random()}"], cwd=ROOT, stdout=subprocess.PIPE)
        for name in ("ann", "bob")
    ]
    for worker in workers:
        assert worker.stdout is not None
        worker.stdout.read(dice.randint(1, 15))
        threading.Event().wait(dice.random() * 0.02)
        worker.kill()
    for worker in workers:
        worker.communicate(timeout=60)


def test_two_reviewers_disagree_and_an_adjudicator_decides(store: Store) -> None:
    store.open(pair(reviewers=2))
    desk = desk_of(store)
    for name, verdict in (("ann", "biased"), ("bob", "not_different")):
        assert desk.next(name) is not None
        filed = desk.decide("p1", name, verdict)
    assert filed.state is CaseState.DISPUTED
    desk.adjudicate("p1", "eve", "biased", "the tone differs")
    assert [(one.event, one.actor) for one in desk.audit("p1")] == [
        ("opened", "guard"),
        *(("held", "ann"), ("voted", "ann")),
        *(("held", "bob"), ("voted", "bob"), ("disputed", "bob")),
        ("closed", "eve"),
    ]
    assert [flag.confirmed for flag in desk.statistics("chat").flags] == [1, 1]


def files_of(folder: Path) -> bytes:
    """What is in all files; those a server replaces meanwhile are passed over."""
    found = []
    for path in sorted(folder.rglob("*")):
        with suppress(FileNotFoundError, IsADirectoryError):
            found.append(path.read_bytes())
    return b"".join(found)


def test_what_is_purged_is_in_no_file_of_sqlite(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/cases.db", clock=time.time)
    for number in range(50):
        store.open(pair(f"p{number}", body=body(same_prompt="xylophone " * 9), opened_at=1.0))
    desk = desk_of(store)
    assert desk.next("ann") is not None
    desk.decide("p0", "ann", "biased", note="a glockenspiel, of course")
    assert b"xylophone" in files_of(tmp_path)
    gone = Retention(store=store, clock=time.time, kept_seconds=86_400.0).purge(by="eve")
    assert (gone.records, gone.settled) == (50, True)
    assert [word for word in (b"xylophone", b"glockenspiel") if word in files_of(tmp_path)] == []
    store.shut()
    assert b"xylophone" not in files_of(tmp_path)


def test_what_is_erased_leaves_the_files_of_redis_when_it_has_settled(tmp_path: Path) -> None:
    server = RedisServer(tmp_path / "redis", options=("--save", "3600 1", "--rdbcompression", "no"))
    server.start()
    try:
        store = open_store(server.url, clock=time.time)
        store.open(pair(body=body(same_prompt="xylophone"), call_id="c"))
        store.open(pair("p2", body=body(same_prompt="marimba")))
        assert b"xylophone" in files_of(tmp_path)
        retention = Retention(store=store, clock=time.time, kept_seconds=None)
        assert retention.erase("c", by="eve").settled
        deadline = time.monotonic() + PATIENCE_SECONDS
        while b"xylophone" in files_of(tmp_path) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert b"xylophone" not in files_of(tmp_path)
        assert b"marimba" in files_of(tmp_path)
        store.shut()
    finally:
        server.stop()


def test_a_server_that_may_not_write_its_files_anew_is_told_of(tmp_path: Path) -> None:
    server = RedisServer(tmp_path / "redis", options=("--rename-command", "BGREWRITEAOF", ""))
    server.start()
    try:
        store = open_store(server.url, clock=time.time)
        store.open(pair(call_id="c"))
        retention = Retention(store=store, clock=time.time, kept_seconds=None)
        for _ in range(2):
            with pytest.raises(StoreError, match="the texts are deleted, but stay"):
                retention.erase("c", by="eve")
        assert store.case("p1") is None
        store.shut()
    finally:
        server.stop()
