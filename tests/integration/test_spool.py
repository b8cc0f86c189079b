"""Real processes that are killed, or fork, while they spool; a real store that gets it all once."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from guard.ports import Store
from guard.store import open_store
from guard.store.sender import LEFT_SECONDS, BatchSender
from guard.store.shipper import Shipper
from guard.store.spool import Spool
from tests.repeats import repeats

pytestmark = pytest.mark.soak

KILLS = repeats(3, soak=50)
BUCKETS = range(10)

# Puts a job and a posting under each number, and says so once both are accepted.
WRITER = """
import itertools, os, random, sys, time, uuid
from pathlib import Path
from guard.records import Job, Posting
from guard.store import open_store
from guard.store.shipper import ShippingPace, Shipper
from guard.store.spool import Spool

folder, url, first = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
spool = Spool(folder, max_bytes=2**28, new_id=lambda: uuid.uuid4().hex)
store = open_store(url, clock=time.time, max_jobs=10**6)
shipper = Shipper(spool, store, clock=time.monotonic, random=random.Random(),
                  pace=ShippingPace(gather_seconds=0.002, batch_bytes=4096))
shipper.start()
for number in itertools.count(first):
    job = Job(key=f"job-{number}", lane="http", use_case="chat", call_id=f"call-{number}",
              payload="x" * (number * 37 % 700), offered_at=float(number))
    posting = Posting(use_case="chat", at_seconds=float(number % 600), sums={f"n{number}": 1.0})
    if spool.put(job) and spool.put(posting):
        os.write(1, b"%d\\n" % number)
"""

# Drafts a call under each number, says so, and ends it five calls later, in another bucket of time.
DRAFTER = """
import itertools, os, random, sys, time, uuid
from pathlib import Path
from guard.records import Draft, Posting
from guard.store import open_store
from guard.store.shipper import ShippingPace, Shipper
from guard.store.spool import Spool

folder, url, first = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
spool = Spool(folder, max_bytes=2**20, new_id=lambda: uuid.uuid4().hex)
store = open_store(url, clock=time.time, max_jobs=10**6)
shipper = Shipper(spool, store, clock=time.monotonic, random=random.Random(),
                  pace=ShippingPace(gather_seconds=0.002, batch_bytes=4096))
shipper.start()

def posting(number, minute):
    return Posting(use_case="chat", at_seconds=60.0 * minute, sums={f"n{number}": 1.0})

drafted = []
for number in itertools.count(first):
    draft = Draft(id=str(number), stream=("chat", str(number)), marks=(),
                  records=(posting(number, 1),))
    if spool.put_draft(draft):
        os.write(1, b"%d\\n" % number)
        drafted.append(number)
    if len(drafted) > 5:
        ended = drafted.pop(0)
        spool.finish(str(ended), [posting(ended, 2)])
"""

FORKER = """
import os, random, sys, time, uuid
from pathlib import Path
from guard.records import Job
from guard.store.shipper import Shipper
from guard.store.spool import Spool

class Ledger:
    bucket_seconds, left_out = 60.0, 0
    def __init__(self): self.keys = []
    def position(self, spool): return 0
    def accept(self, batch, position):
        self.keys += [job.key for job in batch.jobs]
        return True

def job(key):
    return Job(key=key, lane="http", use_case="u", call_id="", payload="", offered_at=0.0)

spool = Spool(Path(sys.argv[1]), max_bytes=2**20, new_id=lambda: uuid.uuid4().hex)
ledger = Ledger()
shipper = Shipper(spool, ledger, clock=time.monotonic, random=random.Random())
for number in range(5):
    spool.put(job(f"before-{number}"))
child = os.fork()
who = "parent" if child else "child"
if not child:
    ledger.keys.clear()
for number in range(5):
    spool.put(job(f"{who}-{number}"))
shipper.close(drain_seconds=30)
counts = shipper.counts()
line = f"{who} {counts.spooled} {counts.lag_bytes} {' '.join(ledger.keys)}\\n"
os.write(1, line.encode())
if not child:
    os._exit(0)
os.waitpid(child, 0)
"""

# The kernel takes the first part of a record that reaches over the limit, and then nothing.
LIMITED = """
import resource, sys, uuid
from pathlib import Path
from guard.records import Job
from guard.store.spool import Spool

spool = Spool(Path(sys.argv[1]), max_bytes=2**24, new_id=lambda: uuid.uuid4().hex)
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
for number in range(100):
    job = Job(key=f"job-{number}", lane="http", use_case="u", call_id="", payload="x" * 333,
              offered_at=0.0)
    if spool.put(job):
        print(number)
print(spool.spooled, spool.dropped, file=sys.stderr)
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(url(tmp_path), clock=time.time, max_jobs=10**6)
    yield opened
    opened.shut()


def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'guard.db'}"


def killed_after(lines: int, arguments: list[str], program: str = WRITER) -> list[int]:
    """What a process says it has accepted; it is killed once it has said so `lines` times."""
    command = [sys.executable, "-c", program, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(lines)]
        process.kill()
        said += process.stdout.readlines()
    return [int(line) for line in said if line.endswith(b"\n")]


def drain(folder: Path, store: Store) -> int:
    """Adopt and ship all; how many torn bytes there were."""
    spool = Spool(folder, max_bytes=2**28, new_id=lambda: uuid.uuid4().hex)
    shipper = Shipper(spool, store, clock=time.monotonic, random=random.Random(0))
    shipper.start()
    shipper.close(drain_seconds=60)
    assert shipper.counts().lag_bytes == 0
    return shipper.counts().cut_bytes


def jobs(store: Store) -> set[int]:
    found = store.lease(["http"], worker="w", limit=10**6, seconds=60.0)
    return {int(lease.job.key.removeprefix("job-")) for lease in found}


def test_a_killed_process_loses_nothing_and_doubles_nothing(tmp_path: Path, store: Store) -> None:
    rng, accepted, folder = random.Random(6), set[int](), tmp_path / "spool"
    for _ in range(KILLS):
        first = max(accepted, default=0) + 10  # a few may have been put and not said
        accepted |= set(
            killed_after(rng.randint(1, 3000), [str(folder), url(tmp_path), str(first)])
        )
    drain(folder, store)
    shipped = jobs(store)
    assert accepted <= shipped
    assert len(shipped - accepted) <= KILLS
    sums = store.total("chat", BUCKETS)
    assert set(sums.values()) == {1.0}
    assert {f"n{number}" for number in accepted} <= set(sums)
    assert len(sums) <= len(shipped)
    assert [path for path in folder.iterdir() if path.name[0] != "."] == []


def test_of_calls_that_a_killed_process_had_drafted_each_is_counted_once(
    tmp_path: Path, store: Store
) -> None:
    rng, drafted, folder = random.Random(7), set[int](), tmp_path / "spool"
    for _ in range(KILLS):
        first = max(drafted, default=0) + 10
        arguments = [str(folder), url(tmp_path), str(first)]
        drafted |= set(killed_after(rng.randint(1, 3000), arguments, DRAFTER))
    spool, times = Spool(folder, max_bytes=2**28, new_id=lambda: "last"), count(step=LEFT_SECONDS)
    sender = BatchSender(spool, store, batch_bytes=4096, clock=lambda: next(times))
    while sender.send_next():
        pass
    sums = store.total("chat", BUCKETS)
    assert set(sums.values()) == {1.0}
    assert {f"n{number}" for number in drafted} <= set(sums)
    assert len(sums) <= len(drafted) + KILLS
    assert [path for path in folder.iterdir() if path.name[0] != "."] == []


def test_a_disk_that_takes_no_more_leaves_whole_records_only(tmp_path: Path, store: Store) -> None:
    folder = tmp_path / "spool"
    unmeasured = {key: value for key, value in os.environ.items() if "COVERAGE" not in key}
    run = subprocess.run(
        [sys.executable, "-c", LIMITED, str(folder)],
        capture_output=True,
        text=True,
        check=True,
        env=unmeasured,  # a tracer writes files too
    )
    accepted = [int(line) for line in run.stdout.split()]
    assert 10 < len(accepted) < 100
    assert run.stderr.splitlines()[-1] == f"{len(accepted)} {100 - len(accepted)}"
    assert run.stderr.count("cannot be written") == 1
    assert drain(folder, store) == 0
    assert jobs(store) == set(accepted)


def test_a_forked_child_has_a_spool_and_a_thread_of_its_own(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", FORKER, str(tmp_path / "spool")],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    said = dict(line.split(" ", 1) for line in run.stdout.splitlines())
    child = " ".join(f"child-{number}" for number in range(5))
    parent = " ".join(f"{who}-{number}" for who in ("before", "parent") for number in range(5))
    assert said == {"child": f"5 0 {child}", "parent": f"10 0 {parent}"}
    assert list((tmp_path / "spool").iterdir()) == []
