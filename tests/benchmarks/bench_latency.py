"""What does the engine add to a lone request, and how long does it hold up an event loop?

Overhead: the same texts go to the engine and, tokenized beforehand, to the bare session, in turns.
Stall: a tick is due every millisecond on a loop whose 32 tasks keep the engine saturated; the delay
of a tick is how long something else held the loop, or the machine. The same ticks beside bare
sessions that saturate the cores from threads show what the machine alone does.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from tokenizers import Tokenizer

from bare import Batch, batch, session
from guard.scoring import Catalogue, Engine, Model, open_engine
from paired import heading, quantile, ratio, row
from texts import Texts

if TYPE_CHECKING:
    import onnxruntime as ort

TOKENS = 64
CALLERS = 32
TICK_SECONDS = 0.001
OVERHEAD_GOAL_MS = 1.0
STALL_GOAL_MS = 5.0


def seconds_of(work: Callable[[], object]) -> float:
    """Wall time of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def lone(
    engine: Engine, bare: ort.InferenceSession, tokenizer: Tokenizer, texts: list[str]
) -> None:
    """Print what a lone request takes, and how much of it is not the model."""
    heading(f"A lone request of {TOKENS} tokens")
    ours, alone = list[float](), list[float]()
    for number, text in enumerate(texts):
        fed = batch(bare, np.array([tokenizer.encode(text).ids], dtype=np.int64))
        sides = [
            (ours, partial(score, engine, text)),
            (alone, partial(bare.run, None, fed)),
        ]
        for seconds, work in sides if number % 2 else reversed(sides):
            seconds.append(seconds_of(work))
    warm = len(texts) // 10
    report_lone(ours[warm:], alone[warm:])


def score(engine: Engine, text: str) -> None:
    """Send one text and wait."""
    engine.submit(text).result()


def report_lone(ours: list[float], bare: list[float]) -> None:
    """The quantiles of both, and what the engine adds to each."""
    for share in (0.5, 0.99):
        request, session_alone = quantile(ours, share), quantile(bare, share)
        added = request - session_alone
        both = f"{milli(request)} against {milli(session_alone)}"
        row(f"p{share * 100:g}, request against bare session", both)
        row(
            f"added at p{share * 100:g}",
            milli(added),
            f"<= {OVERHEAD_GOAL_MS:g} ms",
            met=added * 1000 <= OVERHEAD_GOAL_MS,
        )
    row("request / bare session, in turns", ratio(ours, bare))


def milli(seconds: float) -> str:
    """Seconds for people."""
    return f"{seconds * 1000:.2f} ms"


class Ticks:
    """Notes how late each tick of a loop comes."""

    def __init__(self) -> None:
        self.late: list[float] = []
        self._due = 0.0
        self._handle: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Begin ticking on the running loop."""
        loop = asyncio.get_running_loop()
        self._due = loop.time() + TICK_SECONDS
        self._handle = loop.call_at(self._due, self._tick)

    def stop(self) -> None:
        """No more ticks."""
        if self._handle is not None:
            self._handle.cancel()

    def _tick(self) -> None:
        self.late.append(asyncio.get_running_loop().time() - self._due)
        self.start()


async def beside_the_engine(engine: Engine, texts: Texts, seconds: float) -> list[float]:
    """Delays of ticks while 32 tasks on the same loop wait for scores."""
    ticks, end = Ticks(), time.monotonic() + seconds
    prepared = iter(texts.mix(int(seconds * 2000)))

    async def caller() -> None:
        while time.monotonic() < end:
            await asyncio.wrap_future(engine.submit(next(prepared)))

    ticks.start()
    await asyncio.gather(*(caller() for _ in range(CALLERS)))
    ticks.stop()
    return ticks.late


async def beside_bare_sessions(
    bare: ort.InferenceSession, fed: Batch, seconds: float
) -> list[float]:
    """Delays of ticks on an idle loop while threads keep every core in the session."""
    ticks, stop = Ticks(), threading.Event()

    def work() -> None:
        while not stop.is_set():
            bare.run(None, fed)

    threads = [threading.Thread(target=work) for _ in os.sched_getaffinity(0)]
    for one in threads:
        one.start()
    ticks.start()
    await asyncio.sleep(seconds)
    ticks.stop()
    stop.set()
    for one in threads:
        one.join()
    return ticks.late


def stalls(engine: Engine, bare: ort.InferenceSession, seconds: float, rounds: int) -> None:
    """Print the delays of both, in turns."""
    heading(f"An event loop whose {CALLERS} tasks keep the engine saturated")
    texts = Texts(seed=5)
    fed = batch(bare, np.full((8, TOKENS), 2000, dtype=np.int64))
    ours, machine = list[float](), list[float]()
    for _ in range(rounds):
        ours += asyncio.run(beside_the_engine(engine, texts, seconds / rounds))
        machine += asyncio.run(beside_bare_sessions(bare, fed, seconds / rounds))
    row("ticks", f"{len(ours):,} and {len(machine):,}")
    for share in (0.5, 0.99, 0.999):
        both = f"{milli(quantile(ours, share))} against {milli(quantile(machine, share))}"
        row(f"p{share * 100:g} delay of a tick, engine against bare", both)
    met = max(ours) * 1000 <= STALL_GOAL_MS
    longest = f"{milli(max(ours))} against {milli(max(machine))}"
    row("longest stall, engine against bare", longest, f"<= {STALL_GOAL_MS:g} ms", met=met)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=40, help="of saturation, both sides")
    parser.add_argument("--rounds", type=int, default=10)
    return parser.parse_args()


def main() -> None:
    options = arguments()
    model: Model = Catalogue.installed().find("bundled")
    tokenizer = Tokenizer.from_file(str(model.folder / "tokenizer.json"))
    bare = session(model.folder / "model.onnx", intra=1, spinning=False)
    with open_engine(model) as engine:
        lone(engine, bare, tokenizer, Texts(seed=1).of(TOKENS, options.requests))
        stalls(engine, bare, options.seconds, options.rounds)
    sys.exit(0)


if __name__ == "__main__":
    main()
