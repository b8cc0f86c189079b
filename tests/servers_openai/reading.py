"""Server-sent events as a test reads them: all bytes are there, so it is short and certain."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class SseEvent:
    """One event. data: its lines joined; comments are no part of it."""

    event: str
    data: str

    @property
    def json(self) -> Any:
        return json.loads(self.data)


def read_events(raw: bytes) -> tuple[list[SseEvent], list[str]]:
    """The events that are complete, and all comments."""
    lines = re.split(r"\r\n|\r|\n", raw.decode())
    comments = [line[1:].removeprefix(" ") for line in lines if line.startswith(":")]
    found: list[SseEvent] = []
    name, data = "", []
    for line in lines[:-1]:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line and data:
            found.append(SseEvent(event=name, data="\n".join(data)))
        if not line:
            name, data = "", []
        elif field == "event":
            name = value
        elif field == "data":
            data.append(value)
    return found, comments


def spoken(events: Iterable[Any], *, index: int = 0) -> str:
    """The text of one choice of a stream of any of the three interfaces."""
    return "".join(_said(event, index) for event in events if isinstance(event, dict))


def _said(event: dict[str, Any], index: int) -> str:
    if event.get("type") == "response.output_text.delta":
        return str(event["delta"])
    return "".join(
        choice.get("text") or (choice.get("delta") or {}).get("content") or ""
        for choice in event.get("choices", ())
        if choice["index"] == index
    )
