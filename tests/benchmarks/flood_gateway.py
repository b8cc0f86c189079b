"""What becomes of a gateway that is asked for far more than it can do, and of what it holds?

Flood: ten times as many long replies as can be judged. Every request is to be answered in time, be
it judged, unscored because its deadline was over, or refused with 429; memory is to stay bounded,
and shortly after the flood every reply is to be judged again.

Streams: many at once, each with a marker of its own in every sentence, of which some callers leave
half-way. No text may reach another caller, none may be lost, and afterwards no descriptor and no
connection to the upstream may be left.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvloop

from bench_gateway import marked
from fast_upstream import text
from gateways import Process, ours, upstream
from load import Answer, Target, connect, once
from paired import heading, quantile, row

OVERLOAD = 10
CALLERS = 2
FEW = 4
LEAST = 0.5  # replies a second: below it the flood would be none
DEADLINE_SECONDS = 1.0
LEAVES = 4  # one in so many
SETTLE_SECONDS = 5.0
CALM_SECONDS = 2.0
NUMBERS = itertools.count()


def long_reply(options: argparse.Namespace) -> dict[str, Any]:
    """A request whose reply takes the model of the gateway a while to read."""
    return marked(f"case{next(NUMBERS)}", tokens=options.tokens)


def verdict(answer: Answer) -> str:
    """How a request was answered, in one word."""
    if answer.status == 200:
        scored = answer.headers.get("x-guard-verdict") != "unscored"
        return "judged" if scored else "unscored by policy"
    return str(answer.status or "no answer")


async def capacity(target: Target, options: argparse.Namespace) -> float:
    """Replies judged in a second, by callers who wait for each."""
    until, judged = time.monotonic() + options.seconds / 2, 0

    async def caller() -> None:
        nonlocal judged
        connection = await connect(target)
        while time.monotonic() < until:
            judged += verdict(await connection.ask(target.post(long_reply(options)))) == "judged"
        connection.close()

    began = time.monotonic()
    await asyncio.gather(*(caller() for _ in range(CALLERS)))
    return judged / (time.monotonic() - began)


async def flood(target: Target, rate: float, options: argparse.Namespace) -> list[Answer]:
    """Requests at that rate, whatever becomes of them."""
    loop, asked = asyncio.get_running_loop(), list[asyncio.Task[Answer]]()
    began = loop.time()
    for number in range(int(rate * options.seconds)):
        await asyncio.sleep(began + number / rate - loop.time())
        asked.append(asyncio.create_task(tried(target, options)))
    return await asyncio.gather(*asked)


async def tried(target: Target, options: argparse.Namespace) -> Answer:
    """One answer; one without a status where none came."""
    began = time.perf_counter()
    try:
        return await once(target, long_reply(options))
    except OSError:
        return Answer(seconds=time.perf_counter() - began)


async def recovery_seconds(target: Target, options: argparse.Namespace) -> float:
    """How long after the flood the last reply ended that was not judged; infinite where that does
    not come to an end."""
    began, recovered = time.monotonic(), 0.0
    while (now := time.monotonic() - began) < recovered + CALM_SECONDS:
        if verdict(await once(target, long_reply(options))) != "judged":
            recovered = time.monotonic() - began
        if recovered > 2 * options.recovery_seconds:
            return float("inf")
        await asyncio.sleep(max(0.0, began + now + 0.1 - time.monotonic()))
    return recovered


async def flooded(gateway: Process, rate: float, options: argparse.Namespace) -> bool:
    """Flood it and print what became of it; whether all holds."""
    await once(gateway.target, long_reply(options))
    before = gateway.resident_mb()
    with watched(gateway) as memory:
        answers = await flood(gateway.target, rate, options)
        recovered = await recovery_seconds(gateway.target, options)
    words = Counter(map(verdict, answers))
    known = words.keys() <= {"judged", "unscored by policy", "429"}
    row("requests", f"{len(answers)} at {rate:.0f}/s")
    row("answers", ", ".join(f"{name}: {n}" for name, n in words.most_common()), met=known)
    took = [answer.seconds for answer in answers]
    row("p50, p99 of an answer", f"{quantile(took, 0.5):.2f} s, {quantile(took, 0.99):.2f} s")
    row("memory before", f"{before:.0f} MB")
    bound = DEADLINE_SECONDS + options.slack_seconds
    held = [
        at_most("slowest answer", max(took), bound, "s"),
        at_most("memory at most, above that", max(memory) - before, options.memory_mb, "MB"),
        at_most("last reply not judged after it", recovered, options.recovery_seconds, "s"),
    ]
    return known and all(held)


def at_most(name: str, found: float, goal: float, unit: str) -> bool:
    """Print a figure beside its bound; whether it holds."""
    row(name, f"{found:.2f} {unit}", f"<= {goal:g} {unit}", met=found <= goal)
    return found <= goal


@contextmanager
def watched(gateway: Process) -> Iterator[list[float]]:
    """Its memory while the context lasts, four times a second."""
    seen, over = [gateway.resident_mb()], threading.Event()

    def watch() -> None:
        while not over.wait(0.25):
            seen.append(gateway.resident_mb())

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield seen
    finally:
        over.set()
        watching.join()


async def stream(target: Target, number: int, options: argparse.Namespace) -> str:
    """What is wrong with one stream; empty where nothing is."""
    pace = options.pace
    asked = marked(
        f"stream{number}x", tokens=int(pace * options.stream_seconds), tokens_per_second=pace
    )
    if number % LEAVES == 0:
        return await left(target, asked, options.stream_seconds / 2)
    answer = await once(target, {**asked, "stream": True})
    if answer.status != 200:
        return f"status {answer.status}"
    return "" if answer.text() == text(asked) else f"other text: {answer.text()[:200]!r}"


async def left(target: Target, asked: dict[str, Any], seconds: float) -> str:
    """A caller who leaves; also what it got so far is looked at."""
    connection = await connect(target)
    asking = asyncio.create_task(connection.ask(target.post({**asked, "stream": True})))
    await asyncio.sleep(seconds)
    said = connection.answer.text()
    connection.close()
    await asyncio.gather(asking, return_exceptions=True)
    return "" if text(asked).startswith(said) else f"other text: {said[:200]!r}"


async def streamed(gateway: Process, model: Process, options: argparse.Namespace) -> bool:
    """Stream and print what became of it; whether all holds."""
    count = options.streams
    heading(f"{count} streams for {options.stream_seconds:g} s, {options.pace:g} tokens/s each")
    before, memory = await settled(gateway, model), gateway.resident_mb()
    wrong = await asyncio.gather(
        *(stream(gateway.target, number, options) for number in range(count))
    )
    problems = Counter(filter(None, wrong))
    row("streams that left half-way", len(range(0, count, LEAVES)))
    row("streams mixed up, cut or failed", sum(problems.values()), "0", met=not problems)
    for problem, times in problems.most_common(3):
        print(f"    {times} x {problem}")
    after = await settled(gateway, model, at_most=before)
    left_open = model.told("/connections")["open"]
    row("open descriptors before", before)
    row("open descriptors afterwards", after, "no more", met=after <= before)
    row("connections to the upstream afterwards", left_open, "0", met=not left_open)
    row("memory, above that before", f"{gateway.resident_mb() - memory:.0f} MB")
    return not problems and after <= before and not left_open


async def settled(gateway: Process, model: Process, *, at_most: int = 0) -> int:
    """Open descriptors of the gateway, once idle connections to the model are closed."""
    until = time.monotonic() + SETTLE_SECONDS
    while True:
        await asyncio.to_thread(model.told, "/hang-up")
        await asyncio.sleep(0.25)
        now = gateway.descriptors()
        if now <= at_most or time.monotonic() > until:
            return now


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20, help="of flood")
    parser.add_argument("--tokens", type=int, default=1500, help="of a reply in the flood")
    parser.add_argument("--slack-seconds", type=float, default=1.0, help="beyond the deadline")
    parser.add_argument("--recovery-seconds", type=float, default=2.0, help="after the flood")
    parser.add_argument("--memory-mb", type=int, default=200, help="more than before")
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--stream-seconds", type=float, default=180)
    parser.add_argument("--pace", type=float, default=4, help="tokens a second of each stream")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    deadline_ms = int(1000 * DEADLINE_SECONDS)
    with upstream() as model:
        base_url = f"{model.target.url}/v1"
        with ours(base_url, deadline_ms=deadline_ms) as gateway:
            rate = OVERLOAD * max(LEAST, uvloop.run(capacity(gateway.target, options)))
            heading(f"A flood of replies of {options.tokens} tokens at {OVERLOAD}x capacity")
            roomy = uvloop.run(flooded(gateway, rate, options))
            tidy = uvloop.run(streamed(gateway, model, options))
        with ours(base_url, deadline_ms=deadline_ms, concurrency=FEW) as gateway:
            heading(f"The same flood, with room for {FEW} requests at once")
            crowded = uvloop.run(flooded(gateway, rate, options))
    return 0 if roomy and tidy and crowded else 1


if __name__ == "__main__":
    sys.exit(main())
