"""A scripted model, the real LiteLLM proxy in front of it, and our gateway as its guardrail."""

from __future__ import annotations

import urllib.request
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from tests.integration.gateway_cases import CHAT, Answered, asking, post, started
from tests.litellm.proxy import MASTER_KEY, PYTHON, GuardrailEntry, LiteLLMProxy
from tests.litellm.recorder import Exchange, GuardrailRecorder
from tests.servers import free_port
from tests.servers_gateway import Gateway
from tests.servers_openai import Behaviour, Upstream

KEY = "sk-guardrail-0123456789"
GATEWAY = "  metrics: {port: 0}\n  keys: [{name: proxy, key_env: PROXY_KEY}]"
MODES = {
    "sampled": {},
    "end": {"streaming_end_of_stream_only": True},
    "held": {
        "streaming_transform_mode": "incremental_diff",
        "streaming_sampling_rate": 2,
        "additional_provider_specific_params": {"streaming_transform_mode": "incremental_diff"},
    },
}
"""How the proxy treats streams, by a name for it."""
TOOLS = "scripted"
MCP_SERVER = Path(__file__).with_name("mcp_server.py")
PARAMETERS = "additional_provider_specific_params"


@dataclass(frozen=True, kw_only=True)
class Scene:
    """Everything together."""

    upstream: Upstream
    gateway: Gateway
    recorder: GuardrailRecorder
    proxy: LiteLLMProxy

    def ask(
        self,
        guardrail: str,
        *said: Behaviour,
        operation: str = CHAT,
        call_id: str = "",
        **more: Any,
    ) -> tuple[Answered, list[Exchange]]:
        """The proxy's answer, and what it asked the gateway meanwhile. call_id: that the client
        chooses, if any. more: of the body."""
        prompt, before = self.upstream.plan(*said), len(self.recorder.exchanges)
        body = {**asking(operation, prompt), "guardrails": [guardrail], **more}
        answer = self.send(operation, body, call_id)
        return answer, self.recorder.exchanges[before:]

    def send(self, operation: str, body: dict[str, Any], call_id: str = "") -> Answered:
        """A request to the proxy."""
        url = f"{self.proxy.origin}/v1{operation}"
        chosen = {"x_litellm_call_id": call_id} if call_id else {}
        return post(url, body, authorization=f"Bearer {MASTER_KEY}", **chosen)

    def call_tool(self, text: str) -> tuple[Answered, list[Exchange]]:
        """The same for the tool `say`."""
        before = len(self.recorder.exchanges)
        body = {"server_id": TOOLS, "name": "say", "arguments": {"text": text}}
        url = f"{self.proxy.origin}/mcp-rest/tools/call"
        answer = post(url, body, authorization=f"Bearer {MASTER_KEY}")
        return answer, self.recorder.exchanges[before:]

    def counted(self, series: str, **labels: str) -> float:
        """What the gateway counted so far."""
        with urllib.request.urlopen(self.gateway.at("metrics")) as answer:
            families = text_string_to_metric_families(answer.read().decode())
        samples = [sample for family in families for sample in family.samples]
        return sum(
            sample.value
            for sample in samples
            if sample.name == series and labels.items() <= sample.labels.items()
        )


def open_scene(folder: Path, stack: ExitStack) -> Scene:
    """Started, and ended by the stack."""
    upstream = stack.enter_context(Upstream())
    gateway = stack.enter_context(started(folder, upstream, more=GATEWAY, PROXY_KEY=KEY))
    recorder = stack.enter_context(GuardrailRecorder(gateway.origin))
    entries = [
        *_judging(recorder.origin),
        *_prompts(recorder.origin),
        *_tools(recorder.origin),
        *_wrong(recorder.origin),
    ]
    tools = {"transport": "stdio", "command": str(PYTHON), "args": [str(MCP_SERVER)]}
    proxy = stack.enter_context(
        LiteLLMProxy(folder, upstream.base_url, entries, mcp_servers={TOOLS: tools})
    )
    return Scene(upstream=upstream, gateway=gateway, recorder=recorder, proxy=proxy)


def _judging(origin: str) -> list[GuardrailEntry]:
    """For each use case and each way of streams, as in `chat-held`."""
    return [
        GuardrailEntry(
            name=f"{use_case}-{mode}", api_base=f"{origin}/{use_case}", api_key=KEY, more=more
        )
        for use_case in ("chat", "full", "redact", "watch", "raise", "unread", "passing")
        for mode, more in MODES.items()
    ]


def _prompts(origin: str) -> list[GuardrailEntry]:
    """Those that ask before and during the call, and name the use case in other ways."""
    header = {"headers": {"x-guard-use-case": "chat", "authorization": f"Bearer {KEY}"}}
    parameter = {PARAMETERS: {"use_case": "chat"}}
    both = ["pre_call", "post_call"]
    return [
        GuardrailEntry(name="before", api_base=origin, mode="pre_call", more=header),
        GuardrailEntry(
            name="during", api_base=origin, api_key=KEY, mode="during_call", more=parameter
        ),
        GuardrailEntry(name="both", api_base=origin, api_key=KEY, mode=both, more=parameter),
        GuardrailEntry(name="blocking", api_base=f"{origin}/prompts", api_key=KEY, mode="pre_call"),
    ]


def _tools(origin: str) -> list[GuardrailEntry]:
    """Those that are asked about every call of a tool, before and after."""
    always: dict[str, Any] = {"default_on": True, **MODES["held"]}
    return [
        GuardrailEntry(name=mode, api_base=f"{origin}/redact", api_key=KEY, mode=mode, more=always)
        for mode in ("pre_mcp_call", "post_mcp_call")
    ]


def _wrong(origin: str) -> list[GuardrailEntry]:
    """Those that cannot work."""
    nobody = f"http://127.0.0.1:{free_port()}"
    fail_open = {"unreachable_fallback": "fail_open"}
    return [
        GuardrailEntry(name="away", api_base=nobody, api_key=KEY),
        GuardrailEntry(name="away-open", api_base=nobody, api_key=KEY, more=fail_open),
        GuardrailEntry(name="no-key", api_base=f"{origin}/chat", more=fail_open),
        GuardrailEntry(name="nowhere", api_base=f"{origin}/nowhere", api_key=KEY),
        GuardrailEntry(
            name="nowhere-open",
            api_base=f"{origin}/nowhere",
            api_key=KEY,
            more={"fail_on_error": False},
        ),
    ]
