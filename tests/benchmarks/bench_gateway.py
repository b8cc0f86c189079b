"""What does the gateway cost, beside the LiteLLM proxy, in front of the same upstream?

Ours is `guard serve`, theirs the proxy as released, in an environment and a process of its own; one
worker each, a key checked by each, the same upstream, the same requests, in turns.

1. Throughput of callers who ask again as soon as they are answered, replies passed unread.
2. What is added to the latency of the bare upstream, with one caller and with many.
3. Streams judged sentence by sentence: the time between the model's first full sentence and the
   first released text. A full stop ends a sentence only once something follows it, as in 3.5, so
   the sentence is full with the token after it; the time since the full stop is shown as well.
4. What a request costs by stage, as the gateway says it in `server-timing`.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import statistics
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import uvloop

from gateways import Process, litellm, ours, passed, upstream
from load import Load, Target, closed_loop, connect, once
from paired import heading, in_turns, quantile, ratio, row

THROUGHPUT_GOAL = 8.0
ADDED_P50_GOAL_MS = 1.5
ADDED_P99_GOAL = 0.2
RELEASE_GOAL_MS = 25.0
CALLERS, CROWD = 16, 64
STREAMS, PACE = 10, 20.0
STAGES = {"upstream": "asking the model", "guard": "judging: score, policy, record"}
TIMING = re.compile(r"([\w-]+);dur=([\d.]+)")
BODY: dict[str, Any] = {
    "model": "bench",
    "messages": [
        {"role": "system", "content": "You are a helpful assistant of the service desk."},
        {
            "role": "user",
            "content": "I cannot sign in any more since I changed my password yesterday. What"
            " should I do now, and how long will it take?",
        },
    ],
    "temperature": 0.2,
    "max_tokens": 200,
}


def marked(marker: str, **more: object) -> dict[str, Any]:
    """A request of its own, whose reply is like no other."""
    return {**BODY, "metadata": {"marker": marker, **more}}


def loaded(target: Target, callers: int, seconds: float) -> Load:
    """Callers of one side."""
    return uvloop.run(closed_loop(target, BODY, callers, seconds))


def throughput(sides: Sequence[Target], options: argparse.Namespace) -> bool:
    """Print requests a second of ours, theirs and the bare upstream; whether the goal is met."""
    heading(f"Throughput of {CALLERS} callers, replies passed unread")

    def turn(target: Target) -> Callable[[], float]:
        return lambda: loaded(target, CALLERS, options.seconds).per_second

    bare, mine, theirs = zip(*in_turns([turn(one) for one in sides], options.rounds), strict=True)
    for name, rates in (("upstream alone", bare), ("ours", mine), ("LiteLLM", theirs)):
        row(name, f"{statistics.median(rates):,.0f} requests/s")
    found = ratio(mine, theirs)
    met = found.value >= THROUGHPUT_GOAL
    row("ours / LiteLLM", found, f">= {THROUGHPUT_GOAL:g}", met=met)
    return met


def latency(sides: Sequence[Target], options: argparse.Namespace) -> bool:
    """Print what is added to one caller's median and to the 99th percentile of many."""
    alone = _added(sides, options, callers=1, share=0.5)
    heading("Added to the median of one caller, replies passed unread")
    median = statistics.median(alone[0])
    fast = median <= ADDED_P50_GOAL_MS
    row("ours", f"{median:.2f} ms", f"<= {ADDED_P50_GOAL_MS:g} ms", met=fast)
    row("LiteLLM", f"{statistics.median(alone[1]):.2f} ms")
    crowded = _added(sides, options, callers=CROWD, share=0.99)
    heading(f"Added to the 99th percentile of {CROWD} callers, replies passed unread")
    row("ours", f"{statistics.median(crowded[0]):.1f} ms")
    row("LiteLLM", f"{statistics.median(crowded[1]):.1f} ms")
    found = ratio(*crowded)
    steady = found.value <= ADDED_P99_GOAL
    row("ours / LiteLLM", found, f"<= {ADDED_P99_GOAL:g}", met=steady)
    return fast and steady


def _added(
    sides: Sequence[Target], options: argparse.Namespace, *, callers: int, share: float
) -> tuple[list[float], list[float]]:
    """Milliseconds that ours and theirs add to the bare upstream, round by round."""

    def turn(target: Target) -> Callable[[], float]:
        return lambda: 1000 * quantile(loaded(target, callers, options.seconds).seconds, share)

    rounds = in_turns([turn(one) for one in sides], options.rounds)
    return [mine - bare for bare, mine, _ in rounds], [theirs - bare for bare, _, theirs in rounds]


def release(gateway: Process, model: Process, options: argparse.Namespace) -> bool:
    """Print how long after the first full sentence its text is released."""
    heading(f"{STREAMS} streams of {PACE:g} tokens/s, judged and held by sentence")
    uvloop.run(_streams(gateway.target, "warm", STREAMS))
    seen = uvloop.run(_streams(gateway.target, "case", options.streams))
    told = model.told("/sentences")
    full = [1000 * (at - told[marker][1]) for marker, at in seen.items()]
    stopped = [1000 * (at - told[marker][0]) for marker, at in seen.items()]
    met = quantile(full, 0.95) <= RELEASE_GOAL_MS
    row("streams", len(full))
    row("first text after the first full sentence, p50", f"{quantile(full, 0.5):.1f} ms")
    row("the same, p95", f"{quantile(full, 0.95):.1f} ms", f"<= {RELEASE_GOAL_MS:g} ms", met=met)
    row("first text after its full stop, p95", f"{quantile(stopped, 0.95):.1f} ms")
    return met


async def _streams(target: Target, prefix: str, count: int) -> dict[str, float]:
    """When the first text of each stream came, by its marker; always as many at once."""
    waiting, seen = iter(range(count)), dict[str, float]()
    rng = random.Random(0)

    async def caller() -> None:
        for number in waiting:
            await asyncio.sleep(rng.random() / PACE)
            marker = f"{prefix}{number}"
            body = marked(marker, tokens=60, tokens_per_second=PACE)
            answer = await once(target, {**body, "stream": True})
            seen[marker] = next(answer.deltas())[0]

    await asyncio.gather(*(caller() for _ in range(STREAMS)))
    return seen


def stages(gateway: Process, options: argparse.Namespace) -> None:
    """Print the medians of what `server-timing` says."""
    for name, target in (("passed unread", passed(gateway)), ("judged", gateway.target)):
        heading(f"One caller, by stage: {name}")
        took = uvloop.run(_timings(target, options.requests))
        for stage, values in took.items():
            both = f"{quantile(values, 0.5):.2f} ms, p99 {quantile(values, 0.99):.2f} ms"
            row(stage, both)


async def _timings(target: Target, count: int) -> dict[str, list[float]]:
    found = defaultdict[str, list[float]](list)
    connection = await connect(target)
    for number in range(count):
        answer = await connection.ask(target.post(marked(f"stage{number}", tokens=100)))
        told = TIMING.findall(answer.headers.get("server-timing", ""))
        took = {STAGES[stage]: float(value) for stage, value in told}
        whole = 1000 * answer.seconds
        took["taking in and giving out: HTTP, key, JSON"] = whole - sum(took.values())
        for stage, value in {**took, "all, as the caller sees it": whole}.items():
            found[stage].append(value)
    connection.close()
    return dict(found)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("litellm", help="the interpreter of the environment with LiteLLM")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=4, help="of each side in each round")
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--requests", type=int, default=500, help="by stage")
    return parser.parse_args()


def measured(options: argparse.Namespace) -> Iterator[bool]:
    """Whether each goal is met."""
    with ExitStack() as around:
        model = around.enter_context(upstream())
        base_url = f"{model.target.url}/v1"
        gateway = around.enter_context(ours(base_url))
        stages(gateway, options)
        yield release(gateway, model, options)
        theirs = around.enter_context(litellm(options.litellm, base_url))
        sides = (model.target, passed(gateway), theirs.target)
        yield throughput(sides, options)
        yield latency(sides, options)


if __name__ == "__main__":
    sys.exit(not all(list(measured(arguments()))))
