"""What a client of the Responses API has got of the items of a stream, and how they are ended."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

_TEXT = "response.output_text"


class ResponseItems:
    """What is complete, and the message that is being said, if one is."""

    def __init__(self) -> None:
        self._complete: list[Any] = []
        self._next = 0
        self._message: Any = None
        self._output_index = 0
        self._parts = 0
        self._open = False
        self._said: list[str] = []

    def track(self, event: Mapping[str, Any]) -> None:
        """The client got this event."""
        match event.get("type"):
            case "response.output_text.delta":
                self._said.append(str(event.get("delta", "")))
            case "response.output_item.added":
                self._begin(event)
            case "response.content_part.added":
                self._begin_part(event)
            case "response.content_part.done":
                self._open = False
            case "response.output_item.done":
                self._message, self._open = None, False
                self._complete.append(event.get("item"))

    def end(self, text: str, new_id: str) -> Generator[Any, None, list[Any]]:
        """The events with which `text` is said and the message ends; returns all items. new_id: of
        the message where there is none yet."""
        if self._message is None:
            yield from self._new_message(new_id)
        at = {"item_id": self._message, "output_index": self._output_index}
        if not self._open:
            yield from self._new_part(at)
        place = {**at, "content_index": self._parts - 1}
        whole = "".join([*self._said, text])
        if text:
            yield _event(f"{_TEXT}.delta", **place, delta=text, logprobs=[])
        yield _event(f"{_TEXT}.done", **place, text=whole, logprobs=[])
        yield _event("response.content_part.done", **place, part=_part(whole))
        message = message_item(self._message, "incomplete", whole)
        items = [*self._complete, message]
        yield _event("response.output_item.done", output_index=self._output_index, item=message)
        return items

    def _new_message(self, new_id: str) -> Generator[Any, None, None]:
        self._message, self._output_index, self._parts = new_id, self._next, 0
        item = message_item(new_id, "in_progress")
        yield _event("response.output_item.added", output_index=self._output_index, item=item)

    def _new_part(self, at: Mapping[str, Any]) -> Generator[Any, None, None]:
        self._said, self._parts = [], self._parts + 1
        place = {**at, "content_index": self._parts - 1}
        yield _event("response.content_part.added", **place, part=_part(""))

    def _begin(self, event: Mapping[str, Any]) -> None:
        index, item = event.get("output_index"), event.get("item")
        self._output_index = index if type(index) is int else self._next
        self._next = self._output_index + 1
        self._parts, self._open, self._said = 0, False, []
        self._message = None
        if isinstance(item, Mapping) and item.get("type") == "message":
            self._message = str(item.get("id", ""))

    def _begin_part(self, event: Mapping[str, Any]) -> None:
        index, part = event.get("content_index"), event.get("part")
        self._parts = (index if type(index) is int else self._parts) + 1
        self._said = []
        self._open = isinstance(part, Mapping) and part.get("type") == "output_text"


def message_item(name: str, status: str, text: str | None = None) -> dict[str, Any]:
    """A message that says `text`. name: its id."""
    return {
        "id": name,
        "type": "message",
        "status": status,
        "role": "assistant",
        "content": [] if text is None else [_part(text)],
    }


def _event(kind: str, **told: Any) -> dict[str, Any]:
    """Its number is given when it is written."""
    return {"type": kind, **told, "sequence_number": 0}


def _part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
