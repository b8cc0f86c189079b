"""Edited copies of JSON values. The original is never changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from guard.replies.fields import Path, Steps, UnreadableError, values_at
from guard.replies.schema import LATER, NAMES, is_name
from guard.replies.tokens import are_numbers

_COPIES = frozenset({"logprobs", "parsed", "automatic_function_calling_history"})
"""Keys of what client libraries and servers make of a text, and put beside it."""
_LOG_PROBABILITIES = frozenset({"logprobs"})


def replace_texts(value: Any, texts: Mapping[Path, Any]) -> Any:
    """`value` with these texts (or other values) at these paths."""
    root = [value]
    own: dict[int, Any] = {}
    for path, text in texts.items():
        node: Any = root
        key: str | int = 0
        for step in path:
            node[key] = child = _own_copy(node[key], own)
            node, key = child, step
        node[key] = text
    return root[0]


def blank(value: Any, fields: Iterable[Steps]) -> Any:
    """`value` with null at every place of these fields that it has."""
    for steps in fields:
        try:
            found = values_at(value, steps)
        except UnreadableError:
            continue
        value = replace_texts(value, dict.fromkeys([path for path, _ in found]))
    return value


def drop_copies(value: Any) -> Any:
    """`value` without what repeats its texts in another form, wherever that stands: parsed, as log
    probabilities, or as lists of numbers, which may be tokens or bytes."""
    return _without(value, _COPIES, numbers=True)


def drop_log_probabilities(value: Any) -> Any:
    """`value` without log probabilities, which spell its texts, wherever they stand."""
    return _without(value, _LOG_PROBABILITIES, numbers=False)


def _without(value: Any, keys: frozenset[str], *, numbers: bool) -> Any:
    root = [value]
    waiting: list[Any] = [root]
    while waiting:
        node = waiting.pop()
        for key, child in list(enumerate(node) if isinstance(node, list) else node.items()):
            if isinstance(child, list) and (key in keys or (numbers and are_numbers(child))):
                node[key] = []
            elif key in keys:
                node[key] = None
            elif isinstance(child, dict | list):
                node[key] = copy = child.copy()
                waiting.append(copy)
    return root[0]


def goes_ahead(key: str, value: Any) -> bool:
    """Whether it stands in both halves of a split value: names and numbers."""
    if isinstance(value, str):
        return key in NAMES and is_name(value)
    return value is None or isinstance(value, int | float)


def take_head(
    value: Any, texts: Mapping[Path, str], ahead: Callable[[str, Any], bool] = goes_ahead
) -> Any:
    """The first half of a split `value`: these texts and what goes `ahead` with them, which is in
    both halves. Everything else belongs to the second half."""
    made: dict[Path, Any] = {(): _bare(value, ahead)}
    for path, text in texts.items():
        node = value
        for depth, step in enumerate(path[:-1]):
            node = node[step]
            if path[: depth + 1] not in made:
                made[path[: depth + 1]] = child = _bare(node, ahead)
                _put(made[path[:depth]], step, child)
        _put(made[path[:-1]], path[-1], text)
    return made[()]


def _own_copy(node: Any, own: dict[int, Any]) -> Any:
    if id(node) in own:
        return node
    copy = node.copy()
    own[id(copy)] = copy
    return copy


def _put(node: Any, step: str | int, child: Any) -> None:
    if isinstance(node, list):
        node.append(child)
    else:
        node[step] = child


def _bare(node: Any, ahead: Callable[[str, Any], bool]) -> Any:
    if isinstance(node, list):
        return []
    kept = {key: one for key, one in node.items() if ahead(key, one)}
    return {**kept, **dict.fromkeys(LATER & node.keys())}
