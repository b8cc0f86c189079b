"""What does our guardrail add to a reply that passes through the LiteLLM proxy?

One proxy, as released, in an environment and a process of its own, in front of one upstream; of
two requests that are alike one names the guardrail, `guard serve` beside it. They are asked in
turns, on a connection each, and compared pair by pair. The reply has 96 tokens, and scores are not
cached, so that each one is made.
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
  - guardrail_name: evenguard
    litellm_params:
      guardrail: generic_guardrail_api
      mode: post_call
      api_base: {url}/judged
      api_key: {key}
"""
PLAIN: dict[str, Any] = {
    "model": "bench",
    "messages": [{"role": "user", "content": "I cannot sign in any more. What should I do now?"}],
}
GUARDED = {**PLAIN, "guardrails": ["evenguard"]}


async def asked(target: Target, pairs: int) -> list[tuple[float, float]]:
    """Milliseconds of a plain and a guarded request, pair by pair."""
    plain, guarded = await connect(target), await connect(target)
    found = []
    for number in range(pairs + WARM_UP):
        order = (plain, guarded) if number % 2 else (guarded, plain)
        took = {id(one): await _took(one, target, guarded=one is guarded) for one in order}
        if number >= WARM_UP:
            found.append((took[id(plain)], took[id(guarded)]))
    plain.close()
    guarded.close()
    return found


async def _took(connection: Connection, target: Target, *, guarded: bool) -> float:
    answer = await connection.ask(target.post(GUARDED if guarded else PLAIN))
    if answer.status != 200:
        raise SystemExit(f"the proxy answered {answer.status}: {answer.body.decode()}")
    if guarded is not ("evenguard" in answer.headers.get("x-litellm-applied-guardrails", "")):
        raise SystemExit("the proxy did not ask the guardrail")
    return 1000 * answer.seconds


def report(found: Sequence[tuple[float, float]]) -> bool:
    """Print what was measured; whether the goal is met."""
    heading(f"A reply of 96 tokens through the LiteLLM proxy, {len(found)} pairs of requests")
    plain, guarded = zip(*found, strict=True)
    added = quantile([with_it - without for without, with_it in found], 0.5)
    met = added <= ADDED_P50_GOAL_MS
    row("without the guardrail, p50", f"{quantile(plain, 0.5):.1f} ms")
    row("with it, p50", f"{quantile(guarded, 0.5):.1f} ms")
    row("added, p50 of the pairs", f"{added:.1f} ms", f"<= {ADDED_P50_GOAL_MS:g} ms", met=met)
    row("added, p95 against p95", f"{quantile(guarded, 0.95) - quantile(plain, 0.95):.1f} ms")
    return met


def measured(options: argparse.Namespace) -> bool:
    """Start everything, measure and report."""
    with ExitStack() as around:
        base_url = f"{around.enter_context(upstream()).target.url}/v1"
        gateway: Process = around.enter_context(ours(base_url, cache_mb=0))
        section = GUARDRAILS.format(url=gateway.target.url, key=KEY)
        proxy = around.enter_context(litellm(options.litellm, base_url, section))
        found = uvloop.run(asked(proxy.target, options.pairs))
        return report(found)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("litellm", help="the interpreter of the environment with LiteLLM")
    parser.add_argument("--pairs", type=int, default=300)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(not measured(arguments()))
