"""Requests of the proxy with very many texts hold up no other work of the gateway."""

from __future__ import annotations

import json

import pytest
from prometheus_client import CollectorRegistry

from guard.flow import Flow
from guard.gateway.litellm import Guardrail, StreamRecords, read_request
from guard.policy import Policy, PromptMode, Rule, prompt_policy
from guard.records import Action
from guard.replies.large import LARGE_BYTES
from guard.telemetry import GatewayMetrics
from guard.testing import Recorder, WordScorer
from tests.event_loop import turns_beside

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


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "times"), [("request", 16), ("response", 1)])
@pytest.mark.parametrize(("last", "action"), [("fine", "NONE"), ("nasty", "BLOCKED")])
async def test_others_get_their_turn(kind: str, times: int, last: str, action: str) -> None:
    """times: how much larger than large; requests are judged too fast to count turns otherwise."""
    texts = ["fine"] * (times * LARGE_BYTES // len(json.dumps("fine, "))) + [last]
    body = {"input_type": kind, "texts": texts}
    asked = read_request(body, len(json.dumps(body)))
    turns, (_, answer, _) = await turns_beside(guardrail().answer(asked, "chat"))
    assert json.loads(answer)["action"] == action
    assert turns > 100
