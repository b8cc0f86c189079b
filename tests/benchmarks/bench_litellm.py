"""What does our guardrail add to a reply that passes through the LiteLLM proxy?

One proxy, as released, in an environment and a process of its own, in front of one upstream; of
three requests that are alike one names no guardrail, one `guard serve` where it passes the reply
unread, one where it judges it. They are asked in turns, on a connection each, and compared with
the first of the same turn. The reply has 100 tokens, the special ones included, and comes near no
threshold, as five of six ordinary ones; scores are not cached.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import uvloop

from gateways import KEY, Process, litellm, ours, upstream
from load import Connection, Target, connect
from paired import heading, quantile, row

ADDED_P50_GOAL_MS = 12.0
WARM_UP = 20
GUARDRAILS = """
guardrails:
  - guardrail_name: passed
    litellm_params: &guardrail
      guardrail: generic_guardrail_api
      mode: post_call
      api_base: {url}/passed
      api_key: {key}
  - guardrail_name: judged
    litellm_params: {{<<: *guardrail, api_base: "{url}/judged"}}
"""
SIDES = ("", "passed", "judged")
BODY: dict[str, Any] = {
    "model": "bench",
    "messages": [{"role": "user", "content": "I cannot sign in any more. What should I do now?"}],
}


async def asked(target: Target, turns: int) -> list[tuple[float, ...]]:
    """Milliseconds of a request of each side, turn by turn."""
    connections = [await connect(target) for _ in SIDES]
    found = []
    for number in range(turns + WARM_UP):
        order = range(len(SIDES)) if number % 2 else reversed(range(len(SIDES)))
        took = {at: await _took(connections[at], target, SIDES[at]) for at in order}
        if number >= WARM_UP:
            found.append(tuple(took[at] for at in range(len(SIDES))))
    for connection in connections:
        connection.close()
    return found


async def _took(connection: Connection, target: Target, guardrail: str) -> float:
    body = {**BODY, "guardrails": [guardrail]} if guardrail else BODY
    answer = await connection.ask(target.post(body))
    if answer.status != 200:
        raise SystemExit(f"the proxy answered {answer.status}: {answer.body.decode()}")
    if answer.headers.get("x-litellm-applied-guardrails", "") != guardrail:
        raise SystemExit("the proxy asked another guardrail than it was told to")
    return 1000 * answer.seconds


def report(found: Sequence[tuple[float, ...]]) -> bool:
    """Print what was measured; whether the goal is met."""
    heading(f"A reply of 100 tokens through the LiteLLM proxy, {len(found)} turns")
    plain, _, judged = zip(*found, strict=True)
    unread = quantile([one - without for without, one, _ in found], 0.5)
    added = quantile([one - without for without, _, one in found], 0.5)
    met = added <= ADDED_P50_GOAL_MS
    row("without a guardrail, p50", f"{quantile(plain, 0.5):.1f} ms")
    row("with it, p50; p95", f"{quantile(judged, 0.5):.1f} ms; {quantile(judged, 0.95):.1f} ms")
    row("added where it passes replies unread, p50", f"{unread:.1f} ms")
    row(
        "added where it judges them, p50",
        f"{added:.1f} ms",
        f"<= {ADDED_P50_GOAL_MS:g} ms",
        met=met,
    )
    return met


def measured(options: argparse.Namespace) -> bool:
    """Start everything, measure and report."""
    with ExitStack() as around:
        base_url = f"{around.enter_context(upstream()).target.url}/v1"
        gateway: Process = around.enter_context(ours(base_url, cache_mb=0))
        section = GUARDRAILS.format(url=gateway.target.url, key=KEY)
        proxy = around.enter_context(litellm(options.litellm, base_url, section))
        found = uvloop.run(asked(proxy.target, options.turns))
        return report(found)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("litellm", help="the interpreter of the environment with LiteLLM")
    parser.add_argument("--turns", type=int, default=300)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(not measured(arguments()))
