"""Objects of client libraries as values that `guard.replies` reads, and edited copies of them.

No client library is imported: what their classes have in common is seen at the objects.
"""

from __future__ import annotations

import copy
import dataclasses
import sys
from base64 import b64encode
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, get_args

_PLAIN = (str, int, float, bool, type(None))


def plain_value(thing: object) -> Any:
    """`thing` as JSON has it: mappings, pydantic models and dataclasses are objects, bytes base64.

    What is none of these, nor a list, a text or a number, is null. Raises RecursionError for what
    holds itself.
    """
    if isinstance(thing, bytes):
        return b64encode(thing).decode("ascii")
    if isinstance(thing, Enum):
        return plain_value(thing.value)
    if isinstance(thing, _PLAIN):
        return thing
    if isinstance(thing, list | tuple):
        return [plain_value(one) for one in thing]
    members = _members(thing)
    if members is None:
        return None
    return {str(name): plain_value(one) for name, one in members.items()}


def edited(thing: Any, before: Any, after: Any) -> Any:
    """A copy of `thing` that differs as `after` does from `before`, which is its plain value.

    What did not change is not copied, and each object in it keeps its type.
    """
    if before == after:
        return thing
    if isinstance(before, dict) and isinstance(after, dict):
        known = {str(name): name for name in _members(thing) or {}}
        changed = {
            known.get(name, name): edited(_child(thing, name), before.get(name), one)
            for name, one in after.items()
            if name not in before or before[name] != one
        }
        return _with_members(thing, changed)
    if isinstance(before, list) and isinstance(after, list):
        return _edited_list(thing, before, after)
    return after


def _edited_list(things: Any, before: list[Any], after: list[Any]) -> Any:
    if len(before) == len(after):
        return type(things)(edited(*one) for one in zip(things, before, after, strict=True))
    known = {id(value): thing for thing, value in zip(things, before, strict=True)}
    return type(things)(known.get(id(one), one) for one in after)


def built_like(thing: object, value: Mapping[str, Any]) -> Any:
    """`value` as an object of the type of `thing`."""
    return value if isinstance(thing, Mapping) else _build(type(thing), value)


def built_event(seen: Iterable[object], value: Mapping[str, Any]) -> Any:
    """`value` as an event of the library that the events in `seen`, the last first, are of.

    Each type of event has a class: that of one seen before, or the one beside its class whose field
    `type` says so. Otherwise it is of the class of the last one.
    """
    found = list(seen)
    last = found[0] if found else {}
    if "type" not in value or isinstance(last, Mapping):
        return built_like(last, value)
    for one in found:
        if getattr(one, "type", None) == value["type"]:
            return _build(type(one), value)
    package = sys.modules.get(type(last).__module__.rpartition(".")[0])
    classes = [one for one in vars(package).values() if isinstance(one, type)] if package else []
    kinds = (one for one in classes if value["type"] in _event_types(one))
    return _build(next(kinds, type(last)), value)


def _members(thing: object) -> Mapping[Any, Any] | None:
    """The fields of an object; None where it has none that can be seen."""
    if isinstance(thing, Mapping):
        return thing
    if _is_model(thing):
        return {**vars(thing), **(getattr(thing, "__pydantic_extra__", None) or {})}
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        return {one.name: getattr(thing, one.name) for one in dataclasses.fields(thing)}
    return None


def _with_members(thing: Any, changed: Mapping[Any, Any]) -> Any:
    if isinstance(thing, Mapping):
        made = copy.copy(thing) if isinstance(thing, dict) else dict(thing)
        made.update(changed)
        return made
    if _is_model(thing):
        return thing.model_copy(update=changed)
    return dataclasses.replace(thing, **changed)


def _child(thing: Any, name: str) -> Any:
    members = _members(thing) or {}
    return next((one for key, one in members.items() if str(key) == name), None)


def _build(kind: type[Any], value: Mapping[str, Any]) -> Any:
    """Validated where the library can; otherwise as it builds what a server answered."""
    try:
        return kind.model_validate(value)
    except ValueError:
        return kind.model_construct(**value)


def _is_model(thing: object) -> bool:
    """Whether it is a pydantic model."""
    return hasattr(type(thing), "model_fields") and hasattr(type(thing), "model_copy")


def _event_types(kind: type[Any]) -> tuple[Any, ...]:
    field = getattr(kind, "model_fields", {}).get("type")
    return get_args(getattr(field, "annotation", None))
