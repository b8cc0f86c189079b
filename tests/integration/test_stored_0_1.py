"""What version 0.1.0 has kept is there when this version opens it."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

import pytest
from redis import Redis

from guard.errors import StoreError
from guard.ports import Store
from guard.records import Batch, CaseFilter, CaseKind, InboxCounts, Position, Vote
from guard.store import open_store
from guard.store.shipper import Shipper
from guard.store.spool import Spool
from tests import stored_0_1 as old

ROOT = Path(__file__).parents[2]
BUCKETS = range(29_666_666 - 200, 29_666_666 + 200)
KINDS = ("sqlite", "redis")


@contextmanager
def place(kind: str, folder: Path) -> Iterator[str]:
    if kind == "sqlite":
        yield old.sqlite_url(folder)
    else:
        with old.redis_url(folder) as url:
            yield url


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def url(kind: str, tmp_path: Path) -> Iterator[str]:
    with place(kind, tmp_path) as found:
        yield found


def opened(url: str) -> Store:
    now = float(old.contents("redis" if url.startswith("redis") else "sqlite")["now"])
    return open_store(url, clock=lambda: now)


@contextmanager
def facts_of(url: str) -> Iterator[dict[str, str]]:
    """The facts as they lie in the file or the server; what is put into them is kept there."""
    if url.startswith("redis"):
        client: Any = Redis.from_url(url, decode_responses=True)
        found = dict(client.hgetall("{guard}:facts"))
        yield found
        client.hset("{guard}:facts", mapping=found)
        client.close()
        return
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as db:
        yield dict(db.execute("SELECT name, value FROM facts"))


def jsonable(value: object) -> Any:
    return json.loads(json.dumps(value))


def test_jobs_are_where_they_were(url: str, kind: str) -> None:
    wanted, store = old.contents(kind), opened(url)
    counts = wanted["job_counts"]
    counts["dead_letters"] = counts.pop("buried")
    assert asdict(store.job_counts()) == counts
    dead = [asdict(one) for one in store.dead_letters(limit=9)]
    assert [one | {"buried_at": one["failed_at"]} for one in jsonable(dead)] == [
        one | {"failed_at": one["buried_at"]} for one in wanted["buried"]
    ]
    leases = store.lease(
        ["http/openai", "local/write_letter", "local/rewrite"], worker="w", limit=9, seconds=60
    )
    assert {lease.job.call_id: lease.attempt for lease in leases} == {
        "call-lost": 2,
        "call-waiting": 1,
        "call-waiting-local": 1,
    }
    assert all(store.finish(lease) for lease in leases)
    assert store.requeue("shadow:call-buried")
    assert store.job_counts() == InboxCounts(
        ready=1, delayed=1, leased=1, dead_letters=1, oldest_at=counts["oldest_at"]
    )
    store.shut()


def test_sums_and_epochs_are_what_they_were(url: str, kind: str) -> None:
    wanted, store = old.contents(kind), opened(url)
    assert list(store.use_cases()) == wanted["use_cases"]
    for name in wanted["use_cases"]:
        series = {str(bucket): sums for bucket, sums in store.series(name, BUCKETS).items()}
        assert series == wanted["series"][name]
    for name, evidence in wanted["evidence"].items():
        assert store.evidence(name, list(evidence)) == evidence
        assert store.fact(f"epochs|{name}") == wanted["epochs"][name]
    for name, key in (("sampling_key", "sampling_key"), ("review/order_key", "order_key")):
        assert store.fact(name) == wanted[key]
    store.shut()


def test_cases_votes_and_the_audit_are_what_they_were(url: str, kind: str) -> None:
    wanted, store = old.contents(kind), opened(url)
    found = [asdict(one) for one in store.query(CaseFilter(), limit=99)]
    without = [one | {"case": one["case"] | {"priority": 0.0}} for one in wanted["cases"]]
    assert jsonable(found) == without  # that version knew no priorities
    assert jsonable([asdict(one) for one in store.audit()]) == wanted["audit"]
    counts = sorted([*name, count] for name, count in store.case_counts().items())
    assert counts == wanted["case_counts"]
    assert store.oldest_open_at() == wanted["oldest_open_at"]
    assert store.position("review/audit") == wanted["position"]
    again = store.query(CaseFilter(kind=CaseKind.PAIR, call_id="call-voted"))[0]
    assert store.hold(again.case.id, reviewer="bob", seconds=60)
    vote = Vote(case_id=again.case.id, reviewer="bob", verdict="biased", at_seconds=1.0)
    closed = store.vote(vote)
    assert closed is not None
    assert (closed.state, closed.verdict) == ("closed", "biased")
    store.shut()


def test_what_was_erased_stays_away(url: str) -> None:
    store = opened(url)
    leases = store.lease(["http/openai"], worker="w", limit=1, seconds=60)
    [lease] = leases
    for call_id in ("call-erased", "call-erased-case"):
        assert store.offer(_like(lease.job, call_id)) == "duplicate"
    assert store.query(CaseFilter(call_id="call-erased-case")) == []
    store.shut()


def _like(job: Any, call_id: str) -> Any:
    return type(job)(**{**asdict(job), "key": f"shadow:{call_id}", "call_id": call_id})


def test_everybody_has_an_account(url: str, kind: str) -> None:
    with facts_of(url) as facts:
        kept = json.loads(facts["users"])
    wanted, store = old.contents(kind), opened(url)
    assert _accounts(store) == {
        user["name"]: {
            "role": user["role"],
            "session_version": user["generation"],
            "disabled": user["disabled"],
            "created_at": None,
            "password_hash": _hash(kept[user["name"]]),
        }
        for user in wanted["users"]
    }
    for name, memory in wanted["memory"].items():
        cursor = store.cursor(name)
        assert cursor.skipped_at == memory.get("passed")
        assert list(cursor.recent_votes) == memory.get("votes", [])
    store.shut()


def _accounts(store: Store) -> dict[str, dict[str, object]]:
    found = {one.name: asdict(one) for one in store.accounts()}
    return {name: {k: v for k, v in one.items() if k != "name"} for name, one in found.items()}


def _hash(kept: Mapping[str, Any]) -> str:
    cost = f"n={kept['n']},r={kept['r']},p={kept['p']}"
    return f"$scrypt${cost}${kept['salt']}${kept['hash']}"


def test_an_account_is_not_brought_back_by_opening_again(url: str) -> None:
    store = opened(url)
    assert store.remove_account("ann")
    store.update_cursor("bob", lambda known: type(known)(reviewer="bob", skipped_at=1.0))
    store.shut()
    again = opened(url)
    assert again.account("ann") is None
    assert again.cursor("bob").skipped_at == 1.0
    again.shut()
    with facts_of(url) as facts:
        assert not any(name == "users" or name.startswith("review/of/") for name in facts)


def test_many_processes_that_migrate_at_once_make_one_store(url: str) -> None:
    script = (
        "import sys; from guard.store import open_store;"
        "print('ready', flush=True); sys.stdin.readline();"
        "store = open_store(sys.argv[1], clock=lambda: 1_780_000_300.0);"
        "store.update_account('ann', lambda one: type(one)(**{**{n: getattr(one, n) for n in"
        " one.__slots__}, 'session_version': one.session_version + 1}));"
        "print(len(store.accounts()))"
    )
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", script, url]
    crews = [
        subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) for _ in range(6)
    ]
    for crew in crews:
        assert crew.stdout is not None
        assert crew.stdout.readline() == "ready\n"
    for crew in crews:
        assert crew.stdin is not None
        crew.stdin.write("go\n")
        crew.stdin.flush()
    assert [crew.communicate(timeout=60)[0] for crew in crews] == ["5\n"] * 6
    store = opened(url)
    begun = old.contents("redis" if url.startswith("redis") else "sqlite")["users"][0]
    ann = store.account("ann")
    assert ann is not None
    assert ann.session_version == begun["generation"] + 6
    store.shut()


def test_what_an_old_process_adds_to_redis_meanwhile_is_taken_over(tmp_path: Path) -> None:
    with old.redis_url(tmp_path) as url:
        opened(url).shut()
        with facts_of(url) as facts:
            kept = {"role": "reviewer", "salt": "c2FsdA==", "hash": "aA==", "n": 2, "r": 8, "p": 1}
            facts["users"] = json.dumps({"zoe": kept, "ann": kept | {"role": "admin"}})
            facts["review/of/zoe"] = json.dumps({"passed": None})
        store = opened(url)
        zoe, ann = store.account("zoe"), store.account("ann")
        assert zoe is not None
        assert ann is not None
        assert (zoe.password_hash, zoe.session_version) == (_hash(kept), 0)
        assert ann.role == "reviewer", "what this version keeps is newer"
        assert store.cursor("zoe").recent_votes == ()
        assert len(store.accounts()) == 6
        store.shut()


def test_a_redis_of_a_later_version_is_left_alone(tmp_path: Path) -> None:
    with old.redis_url(tmp_path) as url:
        opened(url).shut()
        client: Any = Redis.from_url(url)
        client.hset("{guard}:settings", "version", "3")
        with pytest.raises(StoreError, match=r"version 3.*later evenguard.*store\.url"):
            opened(url)
        client.close()


def test_who_may_only_read_reads_what_is_not_migrated(tmp_path: Path) -> None:
    with old.redis_url(tmp_path) as url:
        client: Any = Redis.from_url(url)
        rights = ["+@read", "+ping", "+eval", "+evalsha", "+info", "+hello", "+client"]
        client.execute_command("ACL", "SETUSER", "reader", "on", ">pass", "~*", *rights)
        client.close()
        store = opened(url.replace("redis://", "redis://reader:pass@"))
        assert list(store.use_cases()) == old.contents("redis")["use_cases"]
        assert store.job_counts().dead_letters == 2
        store.shut()


def test_a_spool_is_taken_in(url: str, tmp_path: Path) -> None:
    store = opened(url)
    spool = Spool(old.spool_folder(tmp_path), max_bytes=2**20, new_id=lambda: "mine")
    shipper = Shipper(spool, store, clock=lambda: 0.0, random=Random(1))
    shipper.start()
    shipper.close(drain_seconds=30.0)
    counts = shipper.counts()
    assert (counts.shipped, counts.dropped, counts.lag_bytes) == (6, 0, 0)
    assert counts.cut_bytes > 0
    assert store.position("spool-of-0-1") > 0
    assert not store.accept(Batch(), Position(spool="spool-of-0-1", end=1))
    kinds = [
        store.query(CaseFilter(call_id=f"call-spooled-{name}"))[0].case.kind
        for name in ("pair", "surrogate", "response")
    ]
    assert kinds == ["pair", "response", "response"]
    leases = store.lease(["http/openai", "local/write_letter"], worker="w", limit=9, seconds=9)
    assert {"call-spooled", "call-spooled-local"} <= {one.job.call_id for one in leases}
    assert store.evidence("letters", ["e"]) == {"e": {"k": 0.5}}
    assert list((tmp_path / "fairguard-spool").iterdir()) == []
    store.shut()
