"""A value like another one, with other texts in it. The given one is never changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from guard.gateway.judging.known import NAMES, is_name
from guard.gateway.judging.strings import Path

_COPIES = ("logprobs", "token_ids")
_LATER = frozenset({"finish_reason", "native_finish_reason", "stop_reason"})


def replaced(value: Any, texts: Mapping[Path, str]) -> Any:
    """`value` with these strings in place of those it has."""
    root = [value]
    own: dict[int, Any] = {}
    for path, text in texts.items():
        node: Any = root
        key: str | int = 0
        for step in path:
            node[key] = child = _owned(node[key], own)
            node, key = child, step
        node[key] = text
    return root[0]


def without_copies(value: Any) -> Any:
    """`value` without what repeats its texts as tokens, wherever that stands."""
    root = [value]
    waiting: list[Any] = [root]
    while waiting:
        node = waiting.pop()
        for key, child in list(enumerate(node) if isinstance(node, list) else node.items()):
            if key in _COPIES:
                node[key] = _none(child)
            elif isinstance(child, dict | list):
                node[key] = copy = child.copy()
                waiting.append(copy)
    return root[0]


def _none(value: Any) -> Any:
    return [] if isinstance(value, list) else None


def _owned(node: Any, own: dict[int, Any]) -> Any:
    if id(node) in own:
        return node
    copy = node.copy()
    own[id(copy)] = copy
    return copy


def beginning(value: Any, texts: Mapping[Path, str]) -> Any:
    """What goes ahead of `value`: these strings, and by what names they are found. Everything else
    comes with the rest."""
    made: dict[Path, Any] = {(): _bare(value)}
    for path, text in texts.items():
        node = value
        for depth, step in enumerate(path[:-1]):
            node = node[step]
            if path[: depth + 1] not in made:
                made[path[: depth + 1]] = child = _bare(node)
                _put(made[path[:depth]], step, child)
        _put(made[path[:-1]], path[-1], text)
    return made[()]


def _put(node: Any, step: str | int, child: Any) -> None:
    if isinstance(node, list):
        node.append(child)
    else:
        node[step] = child


def _bare(node: Any) -> Any:
    if isinstance(node, list):
        return []
    kept = {key: one for key, one in node.items() if _goes_ahead(key, one)}
    return {**kept, **dict.fromkeys(_LATER & node.keys())}


def _goes_ahead(key: str, value: Any) -> bool:
    if isinstance(value, str):
        return key in NAMES and is_name(value)
    return value is None or isinstance(value, int | float)


def without(value: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    """`value` without these keys."""
    left_out = set(keys)
    return {key: one for key, one in value.items() if key not in left_out}
