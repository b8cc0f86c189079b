"""Runs the soak and says what holds: see the package."""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from guard.ports import Store
from guard.store import open_store
from tests.soak.callers import Callers
from tests.soak.faults import Faults
from tests.soak.ledger import EVERYTHING, USE_CASES, Finding, Ledger
from tests.soak.plot import draw
from tests.soak.scene import Scene
from tests.soak.watch import Watch

Trouble: TypeAlias = Callable[[asyncio.Event], Coroutine[None, None, None]]

STORM = 0.6
"""The share of the time in which processes are killed; in the rest they are not."""
REST_SECONDS = 300.0
STILL_SECONDS = 10.0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--callers", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plot", type=Path, help="where to draw memory and descriptors (SVG)")
    parser.add_argument("--keep", action="store_true", help="keep the folder with the logs")
    return parser.parse_args()


async def ride_out(
    scene: Scene, options: argparse.Namespace
) -> tuple[Ledger, Faults, Watch, float]:
    """The storm, then the calm part; when that began, in seconds."""
    seconds, ledger = 60 * options.minutes, Ledger()
    faults = Faults(scene, random.Random(options.seed))
    callers = Callers(scene, ledger, faults.disk_was_full_since, random.Random(options.seed + 1))
    watch, over = Watch(scene), asyncio.Event()
    running = [asyncio.create_task(callers.ask_on(over)) for _ in range(options.callers)]
    running.append(asyncio.create_task(watch.look_on(over)))
    running.append(asyncio.create_task(faults.revive(over)))
    await for_a_while(STORM * seconds, faults.kill, faults.trouble)
    calm_since = watch.now
    await for_a_while((1 - STORM) * seconds, faults.trouble)
    over.set()
    await asyncio.gather(*running)
    await faults.heal()
    return ledger, faults, watch, calm_since


async def for_a_while(seconds: float, *troubles: Trouble) -> None:
    """Faults until the time is over; the last ones are seen to their end."""
    over = asyncio.Event()
    going = [asyncio.create_task(trouble(over)) for trouble in troubles]
    await asyncio.sleep(seconds)
    over.set()
    await asyncio.gather(*going)


@contextmanager
def opened(scene: Scene) -> Iterator[Store]:
    """The store, to be looked at."""
    store = open_store(scene.redis.url, clock=time.time)
    try:
        yield store
    finally:
        store.shut()


def wait_for_rest(store: Store) -> None:
    """Until every job is done, and for a while nothing more comes in from the spools."""
    give_up, still_since, before = time.monotonic() + REST_SECONDS, time.monotonic(), ""
    while time.monotonic() < min(give_up, still_since + STILL_SECONDS):
        counts = store.job_counts()
        now = f"{counts} {[store.total(use_case, EVERYTHING) for use_case in USE_CASES]}"
        if now != before or counts.ready + counts.delayed + counts.leased:
            still_since, before = time.monotonic(), now
        time.sleep(0.5)


def come_to_rest(scene: Scene) -> list[Finding]:
    """Wait until all that is spooled is shipped and every job is done, then end every process."""
    with opened(scene) as store:
        wait_for_rest(store)
    statuses = [one.stop() for one in scene.services]
    logs = "".join(one.log.read_text(encoding="utf-8") for one in scene.services)
    return [
        Finding(what="exit statuses", found=str(statuses), wanted="all 0", holds=not any(statuses)),
        Finding(
            what="tracebacks in the logs",
            found=str(logs.count("Traceback")),
            wanted="0",
            holds="Traceback" not in logs,
        ),
    ]


def show(ledger: Ledger, faults: Faults, scene: Scene, findings: list[Finding]) -> None:
    """Print what was done and what became of it."""
    asked = Counter(one.use_case for one in ledger.attempts)
    whole = Counter(one.use_case for one in ledger.attempts if one.whole)
    statuses = Counter(one.status for one in ledger.attempts)
    print("asked, answered whole:", {name: (asked[name], whole[name]) for name in asked})
    print("statuses (0: no answer):", dict(statuses.most_common()))
    print("may be missing, since the disk was full:", sum(o.droppable for o in ledger.attempts))
    print("starts, of these after it ended by itself:")
    print({one.name: (one.starts, one.gave_up) for one in scene.services})
    print("| fault | times |\n|---|---|")
    for name, times in sorted(faults.counts.items()):
        print(f"| {name} | {times} |")
    print("\n| what must hold | found | wanted | |\n|---|---|---|---|")
    for one in findings:
        print(f"| {one.what} | {one.found} | {one.wanted} | {'' if one.holds else 'FALLS SHORT'} |")


def run(scene: Scene, options: argparse.Namespace) -> bool:
    """Whether everything held."""
    try:
        scene.open()
        ledger, faults, watch, calm_since = asyncio.run(ride_out(scene, options))
        findings = come_to_rest(scene)
        with opened(scene) as store:
            findings += ledger.findings(store) + watch.findings(calm_since)
    finally:
        scene.close()
    show(ledger, faults, scene, findings)
    if options.plot:
        options.plot.parent.mkdir(parents=True, exist_ok=True)
        options.plot.write_text(draw(watch.samples, calm_since), encoding="utf-8")
    return all(one.holds for one in findings)


def main() -> int:
    options = arguments()
    if options.keep:
        folder = tempfile.mkdtemp(prefix="soak-")
        print(f"logs: {folder}", flush=True)
        return 0 if run(Scene(Path(folder)), options) else 1
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        return 0 if run(Scene(Path(folder)), options) else 1


if __name__ == "__main__":
    sys.exit(main())
