"""Requests of the proxy with very many texts hold up no other work of the gateway."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from guard.flow import Flow
from guard.gateway.litellm import Guardrail, StreamRecords, read_request
from guard.policy import Policy, PromptMode, Rule, prompt_policy
from guard.records import Action
from guard.replies.large import LARGE_BYTES
from guard.telemetry import GatewayMetrics
from guard.testing import Recorder, WordScorer

BLOCK = Policy(rules=(Rule(score="toxicity", action=Action.BLOCK, threshold=0.9),))
NASTY = WordScorer({"toxicity": {"nasty": 0.95}})


def guardrail() -> Guardrail:
    policy = Policy(rules=BLOCK.rules, prompt=prompt_policy(BLOCK, PromptMode.BLOCK, "No."))
    records = StreamRecords(Recorder(), lambda seconds, function: None)
    flow = Flow(
        scorer=NASTY,
        observer=records,
        policy_of=lambda _: policy,
        clock=lambda: 0.0,
        new_id=lambda: "call",
    )
    metrics = GatewayMetrics(CollectorRegistry(), open_requests=lambda: 0)
    return Guardrail(flow=flow, records=records, metrics=metrics)


async def turns_beside(body: dict[str, Any]) -> tuple[int, Any]:
    """How often another task of the loop ran while the request was answered, and the answer."""
    turns, asked = 0, read_request(body, len(json.dumps(body)))

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    _, answer, _ = await guardrail().answer(asked, "chat")
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    return turns, json.loads(answer)


@pytest.mark.parametrize("kind", ["request", "response"])
@pytest.mark.parametrize(("last", "action"), [("fine", "NONE"), ("nasty", "BLOCKED")])
async def test_others_get_their_turn(kind: str, last: str, action: str) -> None:
    texts = ["fine"] * (LARGE_BYTES // len(json.dumps("fine, "))) + [last]
    turns, answer = await turns_beside({"input_type": kind, "texts": texts})
    assert answer["action"] == action
    assert turns > 100
