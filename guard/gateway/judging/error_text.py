"""What an error of the upstream says to whoever reads it, as JSON, as events or as bare text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from guard.replies.fields import Path, ReadOptions, TextField, extract
from guard.replies.json_text import JsonReader, NotJsonError
from guard.replies.layout import APART
from guard.replies.sse import EventSplitter


def error_text(error: bytes | Mapping[str, Any], options: ReadOptions) -> str:
    """All texts of an error in one. error: its body, or an event that was read already.

    A body that is no JSON is read as it stands, and as the events that may be in it, whose texts
    clients join.
    """
    if not isinstance(error, bytes):
        return APART.join(field.text for field in extract(error, options).fields)
    try:
        return error_text({"": JsonReader().read(error)}, options)
    except NotJsonError:
        told = error.decode("utf-8", "replace")
        return APART.join([told, *_joined(_event_fields(error, options))])


def _event_fields(body: bytes, options: ReadOptions) -> Iterator[TextField]:
    events, reader = EventSplitter(len(body)), JsonReader()
    as_events = replace(options, streamed=True)
    for event in [*events.feed(body), *events.end()]:
        try:
            value = reader.read(event.data or b"")
        except NotJsonError:
            continue
        yield from extract(value, as_events, growing=True).fields


def _joined(fields: Iterable[TextField]) -> Iterator[str]:
    grown: dict[Path, list[str]] = {}
    for number, field in enumerate(fields):
        channel: Path = (number,) if field.whole else ("", *field.channel)
        grown.setdefault(channel, []).append(field.text)
    yield from map("".join, grown.values())
