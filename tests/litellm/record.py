"""Writes anew what the real LiteLLM proxy asks, for the tests that run without it.

python -m tests.litellm.record    after a change of LiteLLM's version in scripts/environment.sh
"""

from __future__ import annotations

import json
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.integration.gateway_cases import CHAT, COMPLETIONS, KIND, RESPONSES, WEATHER
from tests.litellm.recorder import Exchange
from tests.litellm.scene import Scene, open_scene
from tests.servers_openai import Behaviour, Choice, says

RECORDED = Path(__file__).parents[1] / "fixtures" / "litellm" / "requests.json"
FUNCTION = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}
PARTS = [
    {"type": "text", "text": "What is this?"},
    {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
]
SCENES: dict[str, tuple[str, str, Behaviour, dict[str, Any]]] = {
    "a reply": ("chat-sampled", CHAT, says(KIND), {}),
    "two choices": ("chat-sampled", CHAT, says(KIND, "Good morning."), {"n": 2}),
    "a call of a tool": ("chat-sampled", CHAT, says(Choice(tools=(WEATHER,))), {}),
    "a completion": ("chat-sampled", COMPLETIONS, says(KIND), {}),
    "a response": ("chat-sampled", RESPONSES, says(KIND), {}),
    "a held stream": ("chat-held", CHAT, says(KIND), {"stream": True}),
    "a stream at its end": ("chat-end", CHAT, says(KIND), {"stream": True}),
    "a prompt": ("before", CHAT, says(KIND), {}),
    "a prompt with tools": ("during", CHAT, says(KIND), {"tools": [FUNCTION]}),
    "a prompt with an image": (
        "before",
        CHAT,
        says(KIND),
        {"messages": [{"role": "user", "content": PARTS}]},
    ),
}
"""By name: the guardrail, where a client asks, what the model says, and more of the body."""


def recorded(scene: Scene) -> dict[str, list[dict[str, Any]]]:
    """The requests of each scene, without what is another one each time."""
    found: dict[str, list[dict[str, Any]]] = {}
    for name, (guardrail, operation, said, more) in SCENES.items():
        _, exchanges = scene.ask(guardrail, said, operation=operation, **more)
        found[name] = [_lasting(one) for one in exchanges]
    return found


def _lasting(exchange: Exchange) -> dict[str, Any]:
    asked = dict(exchange.asked)
    for key in ("litellm_call_id", "litellm_trace_id"):
        asked[key] = key if asked.get(key) else None
    headers = {**(asked.get("request_headers") or {}), "host": "127.0.0.1:4000"}
    return {**asked, "request_headers": headers}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        found = recorded(open_scene(Path(folder), stack))
    RECORDED.parent.mkdir(exist_ok=True)
    RECORDED.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
