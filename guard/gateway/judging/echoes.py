"""What an answer repeats of the request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from guard.gateway.judging.known import is_name

_ECHOED = frozenset(
    (
        "instructions",
        "metadata",
        "prompt",
        "prompt_cache_key",
        "reasoning",
        "safety_identifier",
        "text",
        "tool_choice",
        "tools",
        "truncation",
        "user",
    )
)


class Echoes:
    """Knows the strings of one request. asked: its body."""

    def __init__(self, asked: Mapping[str, Any]) -> None:
        self._asked = asked

    def left_out(self, response: Mapping[str, Any]) -> dict[str, Any]:
        """`response` without the fields that only say what the client said itself."""
        return {key: one for key, one in response.items() if not self._is_echo(key, one)}

    def _is_echo(self, key: str, value: Any) -> bool:
        if key not in _ECHOED:
            return False
        return all(is_name(text) or text in self._known for text in _strings(value) if text)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(_strings(self._asked))


def _strings(value: Any) -> Iterator[str]:
    """All strings in `value`, keys as well."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, Mapping):
            waiting += [*node, *node.values()]
        elif isinstance(node, list):
            waiting += node
