"""What does it cost to start, to stay, and to read a long file?

Start: a fresh process, from before `import guard` to the first score. Stay: resident memory after
that score and after a thousand more. Read: resident memory of `guard score` over many lines.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO

from paired import heading, quantile, row
from texts import Texts

FIRST_SCORE_GOAL_SECONDS = 1.0
RESIDENT_GOAL_MB = 250
FLAT = 1.05

FRESH = """
import json, sys, time
texts = json.load(sys.stdin)
def resident_mb(key):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1000 for line in status if line.startswith(key))
start = time.perf_counter()
from guard import Guard
guard = Guard.open()
guard.check(texts[0], use_case="bench")
seconds = time.perf_counter() - start
first = resident_mb("VmRSS")
for text in texts[1:]:
    guard.check(text, use_case="bench")
print(json.dumps({"seconds": seconds, "first": first, "then": resident_mb("VmRSS"),
                  "peak": resident_mb("VmHWM")}))
"""


def start_and_stay(runs: int) -> None:
    """Print the time to the first score and the memory held."""
    heading("A fresh process")
    texts = json.dumps(Texts(seed=9).mix(1001))
    seen = [fresh(texts) for _ in range(runs)]
    seconds = quantile([one["seconds"] for one in seen], 0.5)
    peak = max(one["peak"] for one in seen)
    row(
        f"import to first score, median of {runs}",
        f"{seconds:.2f} s",
        f"<= {FIRST_SCORE_GOAL_SECONDS:g} s",
        met=seconds <= FIRST_SCORE_GOAL_SECONDS,
    )
    row("resident after the first score", f"{max(one['first'] for one in seen):.0f} MB")
    row("resident after a thousand more", f"{max(one['then'] for one in seen):.0f} MB")
    row(
        "peak resident",
        f"{peak:.0f} MB",
        f"<= {RESIDENT_GOAL_MB} MB",
        met=peak <= RESIDENT_GOAL_MB,
    )


def fresh(texts: str) -> dict[str, float]:
    """What one fresh process saw."""
    run = subprocess.run(
        [sys.executable, "-c", FRESH], input=texts, capture_output=True, text=True, check=True
    )
    seen: dict[str, float] = json.loads(run.stdout)
    return seen


def read_lines(lines: int) -> None:
    """Print the memory of `guard score` on its way through the lines."""
    heading(f"`guard score` over {lines:,} lines")
    command = [str(Path(sys.executable).with_name("guard")), "score", "-"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    if process.stdin is None or process.stdout is None:
        raise SystemExit("no pipes")
    threading.Thread(target=write, args=(process.stdin, lines), daemon=True).start()
    seen = [
        resident_mb(process.pid)
        for number, _ in enumerate(process.stdout, start=1)
        if not number % (lines // 100)
    ]
    if process.wait() or len(seen) != 100:
        raise SystemExit(f"guard score ended with {process.returncode} after {len(seen)} %")
    report_lines(seen)


def report_lines(seen: list[float]) -> None:
    """Resident memory at each hundredth; flat means that the second half adds next to nothing."""
    for percent in (1, 10, 25, 50, 75, 99):
        row(f"resident after {percent} %", f"{seen[percent - 1]:.0f} MB")
    growth = max(seen[50:]) / max(seen[:50])
    row("highest of the second half / of the first", f"{growth:.3f}", "flat", met=growth <= FLAT)


def write(stdin: IO[str], lines: int) -> None:
    """Feed distinct lines, made as they are needed."""
    texts = Texts(seed=7)
    for _ in range(lines):
        stdin.write(texts.mix(1)[0] + "\n")
    stdin.close()


def resident_mb(process: int) -> float:
    """What the process holds in memory now."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return next(int(v.split()[1]) / 1000 for v in status.splitlines() if v.startswith("VmRSS"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    start_and_stay(options.runs)
    read_lines(options.lines)


if __name__ == "__main__":
    main()
