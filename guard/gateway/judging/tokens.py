"""What is told of the tokens of a text (`logprobs`): the same text once more, in small parts."""

from __future__ import annotations

from typing import Any

_LONGEST_TOKEN = 64


def tokens_of(value: Any, *, alternatives: bool) -> tuple[str, list[str]]:
    """The text that the tokens make, and every other string.

    alternatives: tokens that the model did not choose are left out, where they are short.
    """
    copied: list[str] = []
    more: list[str] = []
    waiting = [(value, "")]
    while waiting:
        node, key = waiting.pop()
        if isinstance(node, str):
            chosen = key in {"token", "tokens"}
            (copied if chosen else more).append(node)
        elif isinstance(node, list):
            waiting += [(one, key) for one in reversed(node)]
        elif isinstance(node, dict):
            waiting += _members(node, key, alternatives, more)
    return "".join(copied), [text for text in more if text]


def _members(
    node: dict[str, Any], key: str, alternatives: bool, more: list[str]
) -> list[tuple[Any, str]]:
    if key == "top_logprobs":
        told = [*node, *(one for one in node.values() if isinstance(one, str))]
        more += [one for one in told if not (alternatives and len(one) <= _LONGEST_TOKEN)]
        return [(one, "?") for one in node.values() if not isinstance(one, str)]
    if spelled := _spelled(node):
        node = {**node, "token": spelled}
    return [(one, name) for name, one in reversed(node.items())]


def _spelled(node: dict[str, Any]) -> str:
    """The token by its bytes, where the string stands for a part of a character only."""
    found = node.get("bytes")
    if not isinstance(node.get("token"), str) or not isinstance(found, list):
        return ""
    try:
        return bytes(found).decode("utf-8")
    except (TypeError, ValueError):
        return ""
