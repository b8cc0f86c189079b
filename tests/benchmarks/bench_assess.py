"""`guard assess` without a classifier: what it finds, and what it takes where there is much.

    python -m tests.benchmarks.bench_assess planted [--runs 200]
    python -m tests.benchmarks.bench_assess memory [--responses 1000000]
    python -m tests.benchmarks.bench_assess groups [--groups 100000]

planted: differences of six kinds and five sizes, as scores (`tests.planted_scores`): how often each
is found beside the power that the report tells, and how many runs without a difference claim one.
memory: seconds and peak memory with ever more responses whose scores are given. groups: as many
groups, of classes, of pairs and all of one prompt.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

from guard.bootstrap.assess_files import write_results
from guard.counterfactual import bundled
from tests.planted_scores import FACTORS, KINDS, found_share, null_claims


def planted(runs: int) -> None:
    """A line for each kind and size."""
    claims = null_claims(runs)
    print(f"no difference: {claims} of {runs} runs claim one ({100 * claims / runs:.1f} %)")
    for kind in KINDS:
        for factor in FACTORS:
            size, share, promised = found_share(kind, factor, runs)
            told = f"found in {100 * share:5.1f} %, promised {100 * promised:5.1f} %"
            print(f"{kind:>12} {size:.3f}: {told}", flush=True)


def rows(kind: str, count: int) -> Iterator[dict[str, object]]:
    """Rows with scores, made as they are read."""
    draw = Random(1)
    for number in range(count):
        scores = {"toxicity": [draw.random() ** 4 for _ in range(25 if kind == "replies" else 1)]}
        if kind == "replies":
            yield {"prompt": f"{number}", "responses": ["some reply"] * 25, "scores": scores}
        elif kind == "single":
            yield {"prompt": f"{number}", "response": "some reply", "scores": scores}
        elif kind == "pairs":
            group = f"g{number % 100_000}"
            yield {"pair": number // 2, "group": group, "scores": scores}
        elif kind == "one pair":
            yield {"pair": 1, "group": f"g{number}", "scores": scores}
        else:
            yield {"group": f"g{number}", "prediction": draw.randrange(2), "label": 1}


def one(kind: str, count: int) -> None:
    """Assess so many rows in this process; prints what it took."""
    import guard
    from guard.assessment.reader import read_rows  # noqa: F401 - loaded before the clock starts

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "rows.jsonl")
        with file.open("w") as stream:
            stream.writelines(json.dumps(row) + "\n" for row in rows(kind, count))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        began = time.perf_counter()
        options = {"representation_parity": True, "positive": ("1",)} if kind == "classes" else {}
        found = guard.assess(file, attributes=["gender"], **options)
        measured = time.perf_counter() - began
        write_results(found, Path(folder), bundled())
        seconds = time.perf_counter() - began
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        page = Path(folder, "report.html").stat().st_size
    print(
        f"{kind:>9} {count:>9,} rows: {measured:6.1f} s measured, {seconds:6.1f} s with reports,"
        f" {peak / 1024:6.0f} MiB at most ({before / 1024:.0f} before), page {page / 1e6:.2f} MB,"
        f" {len(found.comparisons):,} comparisons",
        flush=True,
    )


def each(kind: str, *counts: int) -> None:
    """Each in a process of its own, so that peaks are its own."""
    for count in counts:
        command = [sys.executable, "-m", "tests.benchmarks.bench_assess", "one", kind, str(count)]
        subprocess.run(command, check=True)


def main() -> None:
    """See the top of the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("planted", "memory", "groups", "one"))
    parser.add_argument("rest", nargs="*")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--responses", type=int, default=1_000_000)
    parser.add_argument("--groups", type=int, default=100_000)
    given = parser.parse_args()
    if given.what == "one":
        one(given.rest[0], int(given.rest[1]))
    elif given.what == "planted":
        planted(given.runs)
    elif given.what == "memory":
        each("replies", *(given.responses // 25 // part for part in (100, 10, 1)))
        each("single", *(given.responses // part for part in (100, 10, 1)))
    else:
        for kind in ("classes", "pairs", "one pair"):
            each(kind, given.groups // 10, given.groups)


if __name__ == "__main__":
    main()
