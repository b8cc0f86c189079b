"""What a scripted model says, before any interface puts it into its own words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any
from zlib import crc32

_TOKEN = re.compile(r"\s?[^\W_]{1,4}|\s?[\W_]", re.DOTALL)

CREATED = 1_741_569_952


class Dialect(StrEnum):
    """Whose habits an answer has."""

    OPENAI = "openai"
    AZURE = "azure"
    DEEPSEEK = "deepseek"
    VLLM = "vllm"


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A call of a function. arguments: as the model wrote them, which may be no JSON."""

    name: str
    arguments: str
    id: str = "call_DdmO9pD3xa9XTPNJ32zg2hcA"


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One of the alternatives. text: None where there is none, as beside tools and refusals."""

    text: str | None = None
    refusal: str | None = None
    reasoning: str = ""
    tools: tuple[Tool, ...] = ()
    finish: str = "stop"

    @property
    def finish_reason(self) -> str:
        return "tool_calls" if self.tools and self.finish == "stop" else self.finish


@dataclass(frozen=True, kw_only=True)
class Saying:
    """A whole answer. extra: fields of the top level that no specification knows."""

    choices: tuple[Choice, ...]
    dialect: Dialect = Dialect.OPENAI
    extra: Mapping[str, Any] = field(default_factory=dict)


def tokens(text: str | None) -> list[str]:
    """`text` in the small pieces in which models give it; a long word is several."""
    found = _TOKEN.findall(text or "")
    assert "".join(found) == (text or "")
    return found


def token_id(token: str) -> int:
    """A number that nothing else has, so that one that leaks is found."""
    return crc32(token.encode()) + 10**10


def logprob(token: str, *, top: int) -> dict[str, Any]:
    """As chat and responses give it."""
    known = {"token": token, "logprob": -0.31725305, "bytes": list(token.encode())}
    other = {"token": token.upper(), "logprob": -1.3190403, "bytes": list(token.upper().encode())}
    return {**known, "top_logprobs": [known, other][:top]}


def usage(saying: Saying) -> dict[str, Any]:
    """Of chat and completions."""
    said = sum(len(tokens(choice.text or choice.refusal)) for choice in saying.choices)
    thought = sum(len(tokens(choice.reasoning)) for choice in saying.choices)
    counts: dict[str, Any] = {
        "prompt_tokens": 19,
        "completion_tokens": said + thought,
        "total_tokens": 19 + said + thought,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": thought,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }
    if saying.dialect is Dialect.DEEPSEEK:
        counts |= {"prompt_cache_hit_tokens": 0, "prompt_cache_miss_tokens": 19}
    return counts


def filtered() -> dict[str, Any]:
    """What Azure adds to what it has looked at."""
    kinds = ("hate", "self_harm", "sexual", "violence")
    return {kind: {"filtered": False, "severity": "safe"} for kind in kinds}
