"""What does tracing cost a guarded call, and does a collector at fault cost more?

The same guarded function, whose model answers at once, in turns: all that a call takes is what the
guard adds. Every text is new, so that every call is scored.

1. Untraced; with the API package and no SDK; with an SDK that records every call and exports it to
   a collector beside, once a second. Calls come at a steady rate, as a model's replies do, one of
   each side in turns. What the cores do beside the calls is shown as well: it is not free where
   they are busy.
2. With a collector that answers, one that is away, and one that takes requests and never answers.
   Each call follows the last one at once. The 99th percentile of each round.
"""

from __future__ import annotations

import argparse
import logging
import os
import socket
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random
from unittest.mock import patch

from bench_shadow import process
from canned_model import REPLY
from guard import Guard
from guard.bootstrap.tracing import Tracing, open_tracing
from guard.flow import STRINGS
from guard.telemetry.opentelemetry.outlets import TraceOutlets
from guard.telemetry.opentelemetry.sdk import exporting
from guard.wrap.callables import WrapOptions, wrap_function
from paired import Ratio, heading, in_turns, quantile, ratio, row

HERE = Path(__file__).parent
ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
RECORDED_GOAL = 1.03
SETTLE_SECONDS = 1.5
"""In which everything is exported."""
OFTEN = {"OTEL_BSP_SCHEDULE_DELAY": "1000", "OTEL_BLRP_SCHEDULE_DELAY": "1000"}
NUMBERS = count(1)


class Side:
    """The same guard with a tracer of its own, so that nothing else differs."""

    def __init__(self, guard: Guard, tracing: Tracing) -> None:
        self._tracing = tracing
        flow = replace(guard.flow, tracer=tracing.calls)
        options = WrapOptions(flow=flow, use_case="chat", codec=STRINGS)
        self._ask = wrap_function(lambda _: f"{REPLY} ({next(NUMBERS)})", options)

    def paced_call(self, rate: float, random: Random) -> float:
        """The seconds of one call, after a pause; at about this rate, in calls a second."""
        time.sleep(random.expovariate(rate))
        return self._call()

    def core_seconds(self, calls: int) -> float:
        """What one call takes of all cores, with everything that comes of it later."""
        began = time.process_time()
        for _ in range(calls):
            self._call()
        self._tracing.close(drain_seconds=SETTLE_SECONDS)
        time.sleep(SETTLE_SECONDS)
        return (time.process_time() - began) / calls

    def closed_turn(self, calls: int) -> float:
        """The 99th percentile of calls one after the other."""
        return quantile([self._call() for _ in range(calls)], 0.99)

    def _call(self) -> float:
        began = time.perf_counter()
        self._ask("How do I reset my password?")
        return time.perf_counter() - began


def tracing(guard: Guard, outlets: TraceOutlets) -> Tracing:
    """The tracers of a guard whose spans go there."""
    runtime = guard.runtime
    return open_tracing(
        runtime.settings,
        outlets,
        scorers=(runtime.engine, None),
        rules_of=lambda use_case: runtime.flow.policy(use_case).rules,
        failed=runtime.metrics.observer_error,
    )


@contextmanager
def exported(url: str, **more: str) -> Iterator[TraceOutlets]:
    """Outlets of an SDK that exports to this address."""
    with patch.dict(os.environ, {ENDPOINT: url, **more}), exporting(os.environ) as outlets:
        yield outlets


def overhead(options: argparse.Namespace) -> bool:
    """Print what the API alone and an SDK add; whether the goals are met."""
    heading("A guarded call: untraced, with the API alone, with an SDK that records and exports")
    with ExitStack() as around:
        url = around.enter_context(process(sys.executable, HERE / "sink.py"))
        outlets = around.enter_context(exported(url, **OFTEN))
        guard = around.enter_context(Guard.open())
        plain = Side(guard, Tracing())
        with_api = Side(guard, tracing(guard, TraceOutlets.of()))
        recorded = Side(guard, tracing(guard, outlets))
        idle = _added((with_api, plain), options)
        busy = _added((recorded, plain), options)
        for name, side in (("untraced", plain), ("recording SDK", recorded)):
            row(f"time of all cores, {name}", f"{1000 * side.core_seconds(500):.2f} ms a call")
        for path in ("/spans", "/events"):
            with urllib.request.urlopen(f"{url}{path}") as answer:
                row(f"bytes exported, {path.removeprefix('/')}", f"{int(answer.read()):,}")
    has_none, is_cheap = idle.low <= 1.0, busy.value <= RECORDED_GOAL
    row("no SDK / untraced", idle, "includes 1", met=has_none)
    row("recording SDK / untraced", busy, f"<= {RECORDED_GOAL}", met=is_cheap)
    return has_none and is_cheap


def _added(sides: tuple[Side, Side], options: argparse.Namespace) -> Ratio:
    """The first to the second, call by call: only two, so that both stand in every place."""
    random = Random(1)
    turns: list[Callable[[], float]] = [
        lambda side=side: side.paced_call(options.rate, random)  # type: ignore[misc]
        for side in sides
    ]
    over, under = zip(*in_turns(turns, options.calls), strict=True)
    row("p50 of both", f"{1000 * quantile(over, 0.5):.2f} ms, {1000 * quantile(under, 0.5):.2f} ms")
    return ratio(over, under)


def faults(options: argparse.Namespace) -> bool:
    """Print the tails with collectors at fault; whether none is longer."""
    calls = options.fault_rounds * options.fault_calls
    heading(f"{calls:,} calls each: p99 with a collector that answers, is away, never answers")
    with ExitStack() as around:
        url = around.enter_context(process(sys.executable, HERE / "sink.py"))
        silent = around.enter_context(_silent())
        guard = around.enter_context(Guard.open())
        sides = [
            Side(guard, tracing(guard, around.enter_context(exported(one))))
            for one in (url, f"http://127.0.0.1:{_closed_port()}", silent)
        ]
        turns: list[Callable[[], float]] = [
            lambda side=side: side.closed_turn(options.fault_calls)  # type: ignore[misc]
            for side in sides
        ]
        seen = in_turns(turns, options.fault_rounds)
    up, *others = zip(*seen, strict=True)
    row("answers, p99", f"{1000 * quantile(up, 0.5):.2f} ms")
    held = True
    for name, figures in zip(("away", "never answers"), others, strict=True):
        found = ratio(figures, up)
        met = found.low <= 1.0
        row(f"{name} / answers, p99", found, "includes 1", met=met)
        held = held and met
    return held


@contextmanager
def _silent() -> Iterator[str]:
    """The address of a listener whose connections are never accepted."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def _closed_port() -> int:
    """One on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=600, help="of each side")
    parser.add_argument("--rate", type=float, default=25.0, help="calls a second")
    parser.add_argument("--fault-rounds", type=int, default=40)
    parser.add_argument("--fault-calls", type=int, default=250, help="the same, of collectors")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)  # it tells of every fault we make
    results = [overhead(options), faults(options)]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
