"""What LangChain knows of the model that is asked, for whoever traces the call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from langchain_core.runnables.config import var_child_runnable_config

from guard.records import RequestedModel
from guard.wrap.langchain.drivers import ChatRequest

_PROVIDERS: Final = {
    "amazon_bedrock": "aws.bedrock",
    "azure": "azure.ai.openai",
    "google_genai": "gcp.gemini",
    "google_vertexai": "gcp.vertex_ai",
    "ibm": "ibm.watsonx.ai",
    "mistral": "mistral_ai",
    "moonshot": "moonshot_ai",
    "xai": "x_ai",
}
"""LangChain's names, where those of telemetry are others."""
_CONVERSATIONS: Final = ("thread_id", "session_id")


def requested_model(request: ChatRequest, *, streamed: bool) -> RequestedModel:
    """By the model's own word, and the thread of the run that it is asked in."""
    said: Mapping[str, Any] = request.model._get_ls_params(**request.arguments)
    provider = _text(said.get("ls_provider"))
    return RequestedModel(
        model=_text(said.get("ls_model_name")),
        provider=_PROVIDERS.get(provider, provider),
        conversation_id=_conversation(),
        streamed=streamed,
    )


def _conversation() -> str:
    config = var_child_runnable_config.get() or {}
    within = config.get("configurable") or {}
    return next((found for key in _CONVERSATIONS if (found := _text(within.get(key)))), "")


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
