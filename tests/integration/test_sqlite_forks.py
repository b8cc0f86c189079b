"""A store in a SQLite file that is open while its process forks."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from guard.store import open_store

ROOT = Path(__file__).parents[2]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


def intact(file: Path) -> bool:
    connection = sqlite3.connect(file)
    try:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    finally:
        connection.close()


FORK = """
import os, sys, time
from guard.store import open_store
from tests.contract.made import case, job, leased

store = open_store(sys.argv[1], clock=time.time)
store.offer(job("before"))
child = os.fork()
if child == 0:
    [lease] = leased(store)
    ended = store.finish(lease) and store.open(case("of the child"))
    store.shut()
    os._exit(0 if ended else 1)
_, status = os.waitpid(child, 0)
assert status == 0, status
assert store.case("of the child")
assert store.offer(job("after"))
assert [one.job.key for one in leased(store, 5)] == ["after"]
store.shut()
"""


def test_a_forked_child_has_connections_of_its_own(file: Path) -> None:
    command = [sys.executable, "-c", FORK, f"sqlite:///{file}"]
    subprocess.run(command, cwd=ROOT, check=True, timeout=60)
    store = open_store(f"sqlite:///{file}", clock=time.time)
    assert store.job_counts().leased == 1
    store.shut()
    assert intact(file)


FORK_AND_LEAVE = """
import os, subprocess, sys, time
from guard.store import open_store
from tests.contract.made import case

OTHER = "import sys, time; from guard.store import open_store;" \\
    "s = open_store(sys.argv[1], clock=time.time); s.note(actor='x', event='came'); s.shut()"
url = sys.argv[1]
store = open_store(url, clock=time.time)
store.open(case("of the parent"))
ready, go = os.pipe(), os.pipe()
child = os.fork()
if child == 0:
    store.open(case("of the child"))
    os.write(ready[1], b".")
    os.read(go[0], 1)
    store.open(case("of the child, later"))
    os._exit(0)
os.read(ready[0], 1)
store.shut()
subprocess.run([sys.executable, "-c", OTHER, url], check=True)
os.write(go[1], b".")
assert os.waitpid(child, 0)[1] == 0
store = open_store(url, clock=time.time)
assert all(map(store.case, ["of the parent", "of the child", "of the child, later"]))
store.shut()
"""


def test_a_forked_child_keeps_its_file_when_its_parent_is_gone(file: Path) -> None:
    command = [sys.executable, "-c", FORK_AND_LEAVE, f"sqlite:///{file}"]
    subprocess.run(command, cwd=ROOT, check=True, timeout=60)
    assert intact(file)


FORK_WHILE_WRITING = """
import os, sys, threading, time
from guard.store import open_store

store = open_store(sys.argv[1], clock=time.time)
over = threading.Event()

def write():
    while not over.is_set():
        store.note(actor="parent", event="wrote")
        store.case_counts()

threads = [threading.Thread(target=write) for _ in range(3)]
for thread in threads:
    thread.start()
children = []
for _ in range(20):
    child = os.fork()
    if child == 0:
        store.note(actor="child", event="wrote")
        os._exit(0 if store.audit(limit=1) else 1)
    children.append(child)
assert [os.waitpid(child, 0)[1] for child in children] == [0] * 20
over.set()
for thread in threads:
    thread.join()
written = [one.actor for one in store.audit(limit=10**6)]
assert written.count("child") == 20
"""


def test_a_fork_does_not_cut_a_write_in_two(file: Path) -> None:
    command = [sys.executable, "-c", FORK_WHILE_WRITING, f"sqlite:///{file}"]
    subprocess.run(command, cwd=ROOT, check=True, timeout=100)
    assert intact(file)
