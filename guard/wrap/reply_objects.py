"""Objects of client libraries as values that `guard.replies` reads, and edited copies of them.

No client library is imported: what their classes have in common is seen at the objects.
"""

from __future__ import annotations

import copy
import dataclasses
import sys
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, get_args
from uuid import UUID

from guard.errors import may_be_signal

DEEPEST = 100
"""Objects within objects; those of client libraries hold a tenth of that. What is deeper in a value
of JSON is read as the texts in it."""
_PLAIN = (str, int, float, bool, type(None))
_BYTES = (bytes, bytearray, memoryview)
_LISTS = (list, tuple, set, frozenset)
_WITHOUT_WORDS = (date, time, timedelta, Decimal, UUID)
_NUMBERS = (int, float, *_WITHOUT_WORDS)


class UnknownObjectError(ValueError):
    """There is an object of which nobody knows what it says."""


def as_text(value: bytes) -> str:
    """Bytes that are text. Raises UnknownObjectError for others."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise UnknownObjectError("bytes that are no text") from None


def text_or_base64(value: bytes) -> str:
    """Bytes as a text, and as JSON has them where they are none."""
    try:
        return as_text(value)
    except UnknownObjectError:
        return b64encode(value).decode("ascii")


def _refuse(thing: object) -> Any:
    raise UnknownObjectError(f"{type(thing).__module__}.{type(thing).__qualname__}")


def plain_value(
    thing: object,
    deepest: int = DEEPEST,
    *,
    of_bytes: Callable[[bytes], Any] = text_or_base64,
    of_unknown: Callable[[object], Any] = _refuse,
) -> Any:
    """`thing` as JSON has it: mappings, pydantic models and dataclasses are objects.

    Dates and whatever else has no words are null. Raises UnknownObjectError for what is none of
    these, nor a list, a text or a number, where others than dicts and lists are nested deeper than
    that, and for what contains itself so. of_bytes: what bytes are. of_unknown: what an object is
    that would raise.
    """
    return _PlainValues(of_bytes, of_unknown).of(thing, deepest)


class _PlainValues:
    """Makes one value plain. What stands deep in it is read once: it may contain itself."""

    def __init__(
        self, of_bytes: Callable[[bytes], Any], of_unknown: Callable[[object], Any]
    ) -> None:
        self._of_bytes = of_bytes
        self._of_unknown = of_unknown
        self._deep = set[int]()

    def of(self, thing: object, deepest: int) -> Any:
        """As JSON has it."""
        if isinstance(thing, _BYTES):
            return self._of_bytes(bytes(thing))
        if isinstance(thing, Enum):
            return self.of(thing.value, deepest)
        if isinstance(thing, _PLAIN):
            return thing
        if isinstance(thing, _WITHOUT_WORDS):
            return None
        if not deepest:
            return "\n\n".join(self._deep_texts(thing))
        if isinstance(thing, _LISTS):
            return [self.of(one, deepest - 1) for one in thing]
        members = _members(thing)
        if members is None:
            return self._of_unknown(thing)
        return {key_of(name): self.of(one, deepest - 1) for name, one in members.items()}

    def _deep_texts(self, thing: object) -> Iterator[str]:
        """The texts in a value of JSON, in order, however deep."""
        waiting = [thing]
        while waiting:
            node = waiting.pop()
            if id(node) in self._deep:
                raise UnknownObjectError("an object that stands twice in it, or in itself")
            if isinstance(node, dict | list | tuple):
                self._deep.add(id(node))
            if isinstance(node, str):
                yield node
            elif isinstance(node, dict):
                waiting += [one for pair in reversed(node.items()) for one in reversed(pair)]
            elif isinstance(node, list | tuple):
                waiting += reversed(node)
            elif not isinstance(node, _PLAIN):
                raise UnknownObjectError(f"objects that are nested more than {DEEPEST} deep")


def key_of(name: object) -> str:
    """The key of a mapping as JSON has it."""
    return str(name.value if isinstance(name, Enum) else name)


def own_copy(thing: Any) -> Any:
    """A copy with copies of all in it: some generators fill one object again and again, and what
    was judged must not change while it waits. The object itself where it cannot be copied."""
    if isinstance(thing, memoryview):
        return memoryview(bytes(thing))
    try:
        return copy.deepcopy(thing)
    except Exception as error:  # whatever an object raises that holds a lock or a connection
        if may_be_signal(error):
            raise
        return thing


def edited(thing: Any, before: Any, after: Any) -> Any:
    """A copy of `thing` that differs as `after` does from `before`, which is its plain value.

    What did not change is not copied, and each object in it keeps its type.
    """
    if before == after:
        return thing
    if isinstance(before, dict) and isinstance(after, dict):
        members = {key_of(name): (name, one) for name, one in (_members(thing) or {}).items()}
        changed = {}
        for key, value in after.items():
            if key not in before or before[key] != value:
                name, one = members.get(key, (key, None))
                changed[name] = edited(one, before.get(key), value)
        return _with_members(thing, changed)
    if isinstance(before, list) and isinstance(after, list):
        return _edited_list(thing, before, after)
    as_bytes = isinstance(thing, _BYTES) and isinstance(after, str)
    return type(thing)(after.encode("utf-8", "replace")) if as_bytes else after


def _edited_list(things: Any, before: list[Any], after: list[Any]) -> Any:
    make = getattr(things, "_make", type(things))
    if len(before) == len(after):
        return make(edited(*one) for one in zip(things, before, after, strict=True))
    known = {id(value): thing for thing, value in zip(things, before, strict=True)}
    return make(known.get(id(one), one) for one in after)


def built_like(thing: Any, value: Mapping[str, Any]) -> Any:
    """`value` as an object of the type of `thing`."""
    if _is_model(thing):
        try:
            return type(thing).model_validate(value)
        except ValueError:  # it has fields of its own, which have to be there
            pass
    return _rewritten(thing, value)


def built_event(seen: Iterable[object], value: Mapping[str, Any]) -> Any:
    """`value` as an event of the library that the events in `seen`, the last first, are of.

    Each type of event has a class: that of one seen before, or the one beside its class whose field
    `type` says so. Otherwise it is of the class of the last one.
    """
    found = list(seen)
    last = found[0] if found else {}
    kind = value.get("type")
    if kind is None or not _is_model(last):
        return built_like(last, value)
    for one in found:
        if getattr(one, "type", None) == kind:
            return built_like(one, value)
    package = sys.modules.get(type(last).__module__.rpartition(".")[0])
    classes = [one for one in vars(package).values() if isinstance(one, type)] if package else []
    own = next((one for one in classes if kind in _event_types(one)), type(last))
    return _constructed(own, value)


def _rewritten(thing: Any, value: Any) -> Any:
    """A copy of `thing` that says `value`. What is not in `value` remains, without its words."""
    if isinstance(value, list) and isinstance(thing, _LISTS):
        return type(thing)(_rewritten(_alike(thing, one), one) for one in value)
    members = None if type(thing) is dict else _members(thing)
    if members is None or not isinstance(value, Mapping):
        return value
    silent = {name: _without_words(one) for name, one in members.items() if name not in value}
    said = {name: _rewritten(one, value[name]) for name, one in members.items() if name in value}
    return _with_members(thing, silent | said)


def _alike(things: Iterable[Any], value: Any) -> Any:
    """The first one of the same type of block."""
    kind = value.get("type") if isinstance(value, Mapping) else None
    return next((one for one in things if (_members(one) or {}).get("type") == kind), None)


def _without_words(thing: Any) -> Any:
    """`thing` with empty texts and lists, its numbers, and its objects made so."""
    if isinstance(thing, Enum):
        return None
    if isinstance(thing, _NUMBERS):
        return thing
    if type(thing) in {str, bytes, *_LISTS}:
        return type(thing)()
    return None if _members(thing) is None else _rewritten(thing, {})


def _members(thing: object) -> Mapping[Any, Any] | None:
    """The fields of an object; None where it has none that can be seen."""
    if _is_model(thing):
        own = {name: one for name, one in vars(thing).items() if not name.startswith("_")}
        return {**own, **(getattr(thing, "__pydantic_extra__", None) or {})}
    fields = _attributes(thing)
    return {**thing, **(fields or {})} if isinstance(thing, Mapping) else fields


def _attributes(thing: object) -> dict[str, Any] | None:
    """Those of a dataclass, which may be a mapping as well; None for another object."""
    if isinstance(thing, type) or not dataclasses.is_dataclass(thing):
        return None
    fields = {one.name: getattr(thing, one.name, None) for one in dataclasses.fields(thing)}
    return {**fields, **getattr(thing, "__dict__", {})}


def _with_members(thing: Any, changed: Mapping[Any, Any]) -> Any:
    if _is_model(thing):
        return thing.model_copy(update=changed)
    own = _attributes(thing)
    made = dict(thing) if own is None and not isinstance(thing, dict) else copy.copy(thing)
    for name in changed.keys() & (own or {}).keys():
        object.__setattr__(made, name, changed[name])
    if isinstance(made, dict):
        made.update(changed)
    return made


def _constructed(kind: type[Any], value: Mapping[str, Any]) -> Any:
    """Validated; where that fails, as a client builds what a server answered."""
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
