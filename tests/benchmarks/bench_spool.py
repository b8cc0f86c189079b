"""What does it cost a request to have something stored? CPU time of one `put` over a bare write.

Both sides hand the same bytes to the same kind of file, in turns: a shadow job with a prompt of 600
characters, and a posting of twelve sums. The bare side has its bytes ready and calls os.write; ours
makes the record into JSON with a checksum, sees to its bound and to its file, and wakes a shipper.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bench_fairness import timed
from guard.records import Job, Posting
from guard.store.spool import Spool
from guard.store.spool.format import SpoolRecord, encode_record, to_frame
from paired import heading, in_turns, ratio, row

RECORDS, GOAL = 5000, 15.0
JOB = Job(
    key="5f0c" * 8,
    lane="http",
    use_case="support-chat",
    call_id="91ab" * 8,
    payload='{"turns":[{"role":"user","content":"' + "She asks. " * 60 + '"}]}',
    offered_at=1.5,
)
POSTING = Posting(
    use_case="support-chat",
    at_seconds=1.5,
    sums={f"toxicity.gap|gender|female,male|{number}": 0.5 for number in range(12)},
)


@dataclass(frozen=True, slots=True)
class Sides:
    """One record, to be written again and again by both sides, below one folder."""

    folder: Path
    record: SpoolRecord

    def ours(self) -> float:
        """CPU seconds of one put."""
        ids = itertools.count()
        spool = Spool(
            self.folder / "spool", max_bytes=2**30, new_id=lambda: f"{os.getpid()}-{next(ids)}"
        )
        seconds = timed(repeated(lambda: spool.put(self.record)))
        assert (spool.spooled, spool.dropped) == (RECORDS, 0)
        spool.close(lambda spool_id: sys.maxsize)
        return seconds / RECORDS

    def bare(self) -> float:
        """CPU seconds of one write of the same bytes."""
        path, data = self.folder / "bare", to_frame(encode_record(self.record))
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_TRUNC, 0o600)
        seconds = timed(repeated(lambda: os.write(descriptor, data)))
        os.close(descriptor)
        path.unlink()
        return seconds / RECORDS


def repeated(once: Callable[[], object]) -> Callable[[], None]:
    def many() -> None:
        for _ in range(RECORDS):
            once()

    return many


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds, met = parser.parse_args().rounds, True
    heading("Spooling one record, CPU time")
    with TemporaryDirectory(dir=Path.cwd()) as folder:
        for name, record in (("job", JOB), ("posting", POSTING)):
            sides = Sides(Path(folder), record)
            seen = in_turns([sides.ours, sides.bare], rounds)
            found = ratio([one for one, _ in seen], [one for _, one in seen])
            met &= found.value <= GOAL
            row(f"{name}: put / os.write", found, f"<= {GOAL:g}", met=found.value <= GOAL)
            row(f"{name}: one put", f"{statistics.median(one for one, _ in seen) * 1e6:.1f} us")
    sys.exit(not met)


if __name__ == "__main__":
    main()
