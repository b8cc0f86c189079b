"""What does shadowing cost the callers?

The same guarded function is called at a steady rate by one guard that samples nothing and by others
that sample every call, in turns. `worker`: jobs are done by `guard shadow`, a process beside.
`over budget`: ten times more jobs than it may do. `in process`: by a thread beside the calls.
After each turn the jobs that are left are waited for, so that no side pays for another.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random

from canned_model import REPLY
from guard import Guard
from guard.ports import Store
from guard.store import open_store
from paired import heading, in_turns, quantile, ratio, row

HERE = Path(__file__).parent
GUARD = Path(sys.executable).with_name("guard")
BOUND = 1.05
ASKED = "My sister Emma forgot her password {} and could not get back in. What should she do?"
SETTINGS = """
store: {{url: "sqlite:///{folder}/store.db", spool: "{folder}/spool", max_jobs: 1000000}}
upstreams: {{canned: {{base_url: "{base_url}"}}}}
use_cases:
  chat:
    shadow:
      share: {share}
      attributes: [gender]
      max_variants: 1
      {asked}
      budget: {{calls_per_minute: {budget}, tokens_per_day: 1000000000, concurrency: 4}}
"""
BY_WORKER = "upstream: canned\n      parameters: {model: canned}"
PLENTY = 1_000_000


class Side:
    """A guard of its own, and everything around it."""

    def __init__(self, around: ExitStack, base_url: str, **given: object) -> None:
        folder = Path(around.enter_context(tempfile.TemporaryDirectory()))
        values = {"share": 0.0, "asked": "", "budget": PLENTY, "folder": folder} | given
        file = folder / "guard.yaml"
        file.write_text(SETTINGS.format(base_url=base_url, **values))
        if values["asked"]:
            around.enter_context(process(GUARD, "shadow", "--settings", file))
        guard = around.enter_context(Guard.open(file))
        self._ask = guard.wrap(self._reply, use_case="chat", shadow=self._reply)
        self._store: Store = open_store(f"sqlite:///{folder}/store.db", clock=time.time)
        around.callback(self._store.shut)
        self._number = 0

    def _reply(self, prompt: str) -> str:
        """Another one every time, so that nothing comes from the cache of scores."""
        return f"{REPLY} This is about: {prompt}"

    def turn(self, calls: int, rate: float, random: Random) -> float:
        """Call at about this rate, in calls a second; the 99th percentile, in seconds."""
        taken = []
        for _ in range(calls):
            time.sleep(random.expovariate(rate))
            self._number += 1
            began = time.perf_counter()
            self._ask(ASKED.format(self._number))
            taken.append(time.perf_counter() - began)
        self._settle()
        return quantile(taken, 0.99)

    def _settle(self) -> None:
        time.sleep(0.5)  # what is spooled has been shipped
        while self._left():
            time.sleep(0.1)

    def _left(self) -> int:
        counts = self._store.job_counts()
        return counts.ready + counts.delayed + counts.leased


@contextmanager
def process(*command: object) -> Iterator[str]:
    """A process and its first line."""
    running = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True)
    try:
        assert running.stdout is not None
        yield running.stdout.readline().strip()
    finally:
        running.terminate()
        running.wait()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--calls", type=int, default=200, help="of each side in each round")
    parser.add_argument("--rate", type=float, default=15.0, help="calls a second")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    heading(f"Callers while calls are shadowed: p99 at {options.rate:g} calls/s")
    over = max(1, round(options.rate * 60 * 2 / 10))  # two questions for each job
    with ExitStack() as around:
        url = around.enter_context(process(sys.executable, HERE / "canned_model.py"))
        sides = {
            "nothing sampled": Side(around, url),
            "worker": Side(around, url, share=1.0, asked=BY_WORKER),
            "over budget": Side(around, url, share=1.0, asked=BY_WORKER, budget=over),
            "in process": Side(around, url, share=1.0),
        }
        random = Random(1)
        turns: list[Callable[[], float]] = [
            lambda side=side: side.turn(options.calls, options.rate, random)  # type: ignore[misc]
            for side in sides.values()
        ]
        seen = in_turns(turns, options.rounds)
    plain = [figures[0] for figures in seen]
    row("nothing sampled, p99", f"{1000 * sorted(plain)[len(plain) // 2]:.1f} ms")
    held = True
    for number, name in enumerate(list(sides)[1:], start=1):
        found = ratio([figures[number] for figures in seen], plain)
        bound = name != "in process"
        met = found.low <= BOUND
        row(
            f"every call sampled, {name}: p99 ratio",
            found,
            f"<= {BOUND}" if bound else "",
            met=met if bound else None,
        )
        held = held and (met or not bound)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
