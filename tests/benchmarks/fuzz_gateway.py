"""Does anything make the gateway crash, or let a character through unjudged?

    python -m tests.benchmarks.fuzz_gateway [--inputs N] [--processes N] [--seed N]

Each input is an answer of a model's server, made by chance: a sensible one, one of any JSON, or the
bytes of either with some of them changed, cut into chunks anywhere. It goes through the parsers of
events and of JSON and through the hold-back, as a client would get it, under a policy that
withholds what has no score. Every word in it is unique, so that it can be told of each word that
comes out whether it was in a text that passed. Ends with an error if one was not, or if anything
but an answer or a refusal came of an input; `--only SEED` does one again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from random import Random
from typing import Any

from guard.errors import UpstreamError
from guard.gateway.errors import RefusedRequest
from guard.gateway.judging import reply_to
from guard.gateway.request import Operation
from guard.policy import Hold, OnUnscored, Policy, Rule
from guard.records import Action
from guard.replies.sse import EventSplitter, SseEvent
from guard.testing import Recorder
from tests.property.gateway_inputs import (
    Watching,
    Words,
    anything,
    cut,
    events,
    framed,
    whole,
)
from tests.unit.gateway.judging.fake import Scripted, ScriptedClient, asked, flow_of

SSE, JSON = {"content-type": "text/event-stream"}, {"content-type": "application/json"}
OPERATIONS = list(Operation)
POLICIES = [
    Policy(
        rules=(Rule(score="toxicity", action=action, threshold=0.5),),
        on_unscored=OnUnscored.WITHHOLD,
        fallback="<withheld>",
        redaction="[x]",
        hold=hold,
        raises=raises,
    )
    for action in (Action.BLOCK, Action.REDACT, Action.REGENERATE)
    for hold in (Hold.SENTENCE, Hold.FULL)
    for raises in (False, True)
]
BATCH = 5000


class LeakError(Exception):
    """A word came out that nobody had looked at."""


def answer(operation: Operation, words: Words, by: Random, *, streamed: bool) -> bytes:
    """The bytes of an answer."""
    replies = by.choice((1, 1, 2))
    if by.random() < 0.3:
        told = [anything(words, by, 2) for _ in range(by.randrange(1, 4))]
        for event in told:
            if isinstance(event, dict):
                event.pop("error", None)  # what is said of an error passes
    elif streamed:
        told = events(operation, words, by, replies)[: by.randrange(12)]
    else:
        told = [whole(operation, words, by, replies)]
    data = framed(told, by, odd=True) if streamed else json.dumps(told[0]).encode()
    return changed(data, by) if by.random() < 0.4 else data


def changed(data: bytes, by: Random) -> bytes:
    """The same with a few bytes lost, doubled, moved or others."""
    made = bytearray(data)
    for _ in range(by.choice((1, 1, 2, 8))):
        at = by.randrange(len(made) + 1)
        size = by.choice((1, 1, 2, 10))
        match by.randrange(4):
            case 0:
                del made[at : at + size]
            case 1:
                made[at:at] = made[at : at + size]
            case 2:
                made[at : at + size] = by.randbytes(size)
            case _:
                made[at:at] = by.choice((b"\n", b"\r", b'"', b"\\", b"{", b"\xc3", b"\x00"))
    return bytes(made)


def events_in(chunks: list[bytes]) -> list[SseEvent]:
    """The events in these chunks."""
    splitter = EventSplitter(2**20)
    return [event for chunk in chunks for event in splitter.feed(chunk)] + splitter.end()


def script(operation: Operation, words: Words, by: Random, *, streamed: bool) -> Scripted:
    """An answer in chunks."""
    data = answer(operation, words, by, streamed=streamed)
    chunks = cut(data, by)
    if streamed and events_in(chunks) != events_in([data]):
        raise AssertionError("chunks made a difference")
    return Scripted(chunks, headers=SSE if streamed else JSON)


async def one(seed: int) -> str:
    """Try one input; what came of it."""
    by = Random(seed)
    operation, streamed = by.choice(OPERATIONS), by.random() < 0.7
    words, policy = Words(by, "ok ok ok ok bad slow", most=2), by.choice(POLICIES)
    scripts = (script(operation, words, by, streamed=streamed) for _ in range(3))
    body: dict[str, Any] = {"stream": streamed, "messages": [], "input": "", "prompt": ""}
    if operation is not Operation.RESPONSES:
        body["n"] = by.choice((1, 1, 2))
    return await outcome(operation, body, policy, scripts)


async def outcome(
    operation: Operation, body: dict[str, Any], policy: Policy, scripts: Iterator[Scripted]
) -> str:
    """Ask, and look at all that is given."""
    scorer, recorder, client = Watching(), Recorder(), ScriptedClient(scripts)
    flow, read, ended = flow_of(policy, recorder, scorer), b"", "answered"
    try:
        reply = await reply_to(asked(body, client, operation), flow)
        async for chunk in reply.chunks:
            read += chunk
            if leaked := scorer.unjudged(chunk):
                raise LeakError(f"{leaked} in {read!r}")
    except (RefusedRequest, UpstreamError) as error:
        ended = type(error).__name__
    if not flow.drain(0) or client.open:
        raise AssertionError("something is left open")
    if leaked := scorer.unjudged(read):
        raise LeakError(f"{leaked} in {read!r}")
    verdicts = sorted({str(one.verdict) for one in recorder.outcomes})
    return f"{ended} {'+'.join(verdicts)}".strip()


async def several(first: int, count: int) -> Counter[str]:
    """What came of these inputs, by kind; crashes and leaks with their seed."""
    found: Counter[str] = Counter()
    for seed in range(first, first + count):
        try:
            found[await one(seed)] += 1
        except LeakError as error:
            found[f"LEAK with --only {seed}: {error}"[:400]] += 1
        except Exception as error:
            found[f"CRASH with --only {seed}: {error!r}"[:400]] += 1
    return found


def batch(first: int, count: int) -> Counter[str]:
    """The same in a process of its own."""
    return asyncio.run(several(first, count))


def main() -> int:
    """Try all, and say how it went."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int)
    options = parser.parse_args()
    if options.only is not None:
        print(asyncio.run(one(options.only)))
        return 0
    began, found = time.monotonic(), Counter[str]()
    firsts = range(options.seed, options.seed + options.inputs, BATCH)
    counts = [min(BATCH, options.seed + options.inputs - first) for first in firsts]
    with ProcessPoolExecutor(options.processes) as pool:
        for part in pool.map(batch, firsts, counts):
            found += part
            print(f"\r{sum(found.values()):>9,} inputs", end="", file=sys.stderr, flush=True)
    return told(found, time.monotonic() - began)


def told(found: Counter[str], seconds: float) -> int:
    """Print what was found; the exit status."""
    wrong = {name: count for name, count in found.items() if name.startswith(("LEAK", "CRASH"))}
    print(f"\n{sum(found.values()):,} inputs in {seconds:.0f} s")
    for name, count in found.most_common():
        if name not in wrong:
            print(f"{count:>9,}  {name}")
    leaks = sum(count for name, count in wrong.items() if name.startswith("LEAK"))
    print(f"{sum(wrong.values()) - leaks:>9,}  crashes\n{leaks:>9,}  leaks")
    for name in list(wrong)[:20]:
        print(name)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
