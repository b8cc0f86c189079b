"""What an error of the upstream says to whoever reads it, as JSON, as events or as bare text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from guard.replies.fields import Path, ReadOptions, TextField, extract
from guard.replies.json_text import JsonReader, NotJsonError, has_few_values
from guard.replies.layout import APART
from guard.replies.sse import EventSplitter, line_ends

MOST_PARTS: Final = 100_000
"""Lines, or values of JSON, of an error that is read."""


def error_text(error: bytes | Mapping[str, Any], options: ReadOptions) -> str | None:
    """All texts of an error in one. error: its body, or an event that was read already.

    A body that is no JSON is read as it stands, and as the events that may be in it, whose texts
    clients join. None for one of more than MOST_PARTS.
    """
    if not isinstance(error, bytes):
        return _text_in(error, options)
    if not has_few_values(error, MOST_PARTS) or line_ends(error) > MOST_PARTS:
        return None
    try:
        return _text_in({"": JsonReader().read(error)}, options)
    except NotJsonError:
        told = error.decode("utf-8", "replace")
        return APART.join([told, *_joined(_event_fields(error, options))])


def _text_in(error: Mapping[str, Any], options: ReadOptions) -> str:
    return APART.join(field.text for field in extract(error, options).fields)


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
