"""What LangChain's messages hold, as JSON has it: any Python object can stand in them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from guard.records import Unread
from guard.replies.fields import Extraction, Path, TextField
from guard.wrap.reply_objects import UnknownObjectError, as_text, plain_value


class PlainReading:
    """Makes objects plain. unread: what it left out so far, which is null in what it gives: bytes
    that are no text, and objects nobody knows."""

    def __init__(self) -> None:
        self.unread: set[Unread] = set()

    def of(self, thing: object) -> Any:
        """`thing` as JSON has it: tuples and sets are lists, bytes are text where they are any.
        Raises UnknownObjectError where it is nested too deep."""
        return plain_value(thing, of_bytes=self._text, of_unknown=self._nothing)

    def _text(self, value: bytes) -> str | None:
        try:
            return as_text(value)
        except UnknownObjectError:
            self.unread.add(Unread.DATA)
            return None

    def _nothing(self, _: object) -> None:
        self.unread.add(Unread.NOT_TEXT)


def without_joins(found: Extraction, thing: Any) -> Extraction:
    """The same with each text by itself that no chunk can go on: in tuples, sets and objects.

    thing: what was read, before it was plain.
    """
    return replace(found, fields=tuple(_settled(field, thing) for field in found.fields))


def _settled(field: TextField, thing: Any) -> TextField:
    return field if field.whole or _is_joined(thing, field.path) else replace(field, whole=True)


def _is_joined(thing: Any, path: Path) -> bool:
    """Whether LangChain joins what stands at this path to what comes in later chunks."""
    for step in path:
        if not isinstance(thing, dict | list):
            return False
        thing = thing.get(step) if isinstance(thing, dict) else thing[int(step)]
    return isinstance(thing, str | dict)
