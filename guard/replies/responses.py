"""The Responses API: how its responses are read, and written when a reply is withheld."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from functools import cached_property
from typing import Any

from guard.records import Unread
from guard.replies.fields import Extraction, Path, ReadOptions, extract
from guard.replies.finish import response_reason
from guard.replies.json_text import texts_in
from guard.replies.reply_format import FILTERED, Body, usage_numbers
from guard.replies.schema import is_name, is_opaque

_OUTCOME = frozenset({"output", "output_text", "usage", "status", "error", "incomplete_details"})
_BARE = {
    "id": "",
    "object": "response",
    "created_at": 0,
    "model": "",
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
}
_TEXT = "response.output_text"
_PLACE = ("item_id", "output_index", "content_index", "summary_index")
_ECHOED_KEYS = """
    instructions metadata prompt prompt_cache_key reasoning safety_identifier text tool_choice
    tools truncation user
"""
_ECHOED = frozenset(_ECHOED_KEYS.split())


class ResponseFormat:
    """The reply of a response."""

    def __init__(self, options: ReadOptions, body: Body | None) -> None:
        """body: of the request; None where it is not known."""
        self._options = options
        self._echoes = _Echoes(body)
        self._items = ResponseItems()
        self._places: dict[Path, int] = {}
        self._response: Any = None
        self._number = -1

    def read(self, value: Any) -> Extraction:
        if not isinstance(value, Mapping):
            return extract(value, self._options)
        if not self._options.streamed:
            return extract(self._echoes.left_out(value), self._options)
        if isinstance(response := value.get("response"), Mapping):
            self._response = response
            value = {**value, "response": self._echoes.left_out(response)}
        if _is_sound(value):
            return Extraction(unread=frozenset({Unread.AUDIO}))
        return extract(value, self._options, channel=self._channel(value))

    def _channel(self, event: Mapping[str, Any]) -> Path:
        """The type of an event and the number of the place that it is for."""
        kind, place = event.get("type"), tuple(map(_known, map(event.get, _PLACE)))
        number = self._places.setdefault(place, len(self._places))
        return (kind if isinstance(kind, str) else "", number)

    def finish_reason(self, value: Any) -> str:
        inside = self._options.streamed and isinstance(value, Mapping)
        return response_reason(value.get("response") if inside else value)

    def track(self, value: Any) -> Any:
        """With a higher `sequence_number` where it would not increase."""
        if not isinstance(value, Mapping):
            return value
        self._items.track(value)
        number = value.get("sequence_number")
        if type(number) is not int:
            return value
        if number > self._number:
            self._number = number
            return value
        self._number += 1
        return {**value, "sequence_number": self._number}

    def withheld_events(self, value: Any, text: str) -> Iterator[Any]:
        del value
        items = yield from self._items.end(text, _message_id(self._response))
        response = self._filtered_response(self._response, items)
        yield {"type": "response.incomplete", "response": response, "sequence_number": 0}

    def withheld_body(self, value: Any, text: str) -> Any:
        return self._filtered_response(
            value, [_message_item(_message_id(value), "incomplete", text)]
        )

    def _filtered_response(self, like: Any, output: list[Any]) -> dict[str, Any]:
        known = like if isinstance(like, Mapping) else {}
        kept = {key: one for key, one in known.items() if self._says_nothing(key, one)}
        return {
            **_BARE,
            **kept,
            "status": "incomplete",
            "error": None,
            "incomplete_details": {"reason": FILTERED},
            "output": output,
            "usage": usage_numbers(known.get("usage")),
        }

    def _says_nothing(self, key: str, value: Any) -> bool:
        if key in _OUTCOME:
            return False
        found = extract(self._echoes.left_out({key: value}), self._options)
        return not found.fields and not found.unread


class ResponseItems:
    """The items that are complete, and the message in progress, if there is one."""

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
        message = _message_item(self._message, "incomplete", whole)
        items = [*self._complete, message]
        yield _event("response.output_item.done", output_index=self._output_index, item=message)
        return items

    def _new_message(self, new_id: str) -> Generator[Any, None, None]:
        self._message, self._output_index, self._parts = new_id, self._next, 0
        item = _message_item(new_id, "in_progress")
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


class _Echoes:
    """The parts of a response that repeat its request. body: of the request; where it is not known,
    what stands under their keys is taken for a repetition."""

    def __init__(self, body: Body | None) -> None:
        self._body = body

    def left_out(self, response: Body) -> dict[str, Any]:
        """`response` without the fields that only say what the client said itself."""
        return {key: one for key, one in response.items() if not self._is_echo(key, one)}

    def _is_echo(self, key: str, value: Any) -> bool:
        if key not in _ECHOED or self._body is None:
            return key in _ECHOED
        return all(is_name(text) or text in self._known for text in texts_in(value) if text)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(texts_in(self._body))


def _known(step: object) -> str | int:
    return step if isinstance(step, str | int) else ""


def _is_sound(event: Mapping[str, Any]) -> bool:
    kind, delta = event.get("type"), event.get("delta")
    sounds = isinstance(kind, str) and "audio" in kind and "transcript" not in kind
    return sounds and isinstance(delta, str) and is_opaque(delta)


def _message_id(response: Any) -> str:
    known = response.get("id") if isinstance(response, Mapping) else None
    plain = known if isinstance(known, str) and is_name(known) else ""
    return "msg_" + plain.removeprefix("resp_")


def _message_item(name: str, status: str, text: str | None = None) -> dict[str, Any]:
    """A message item with `text`. name: its id."""
    return {
        "id": name,
        "type": "message",
        "status": status,
        "role": "assistant",
        "content": [] if text is None else [_part(text)],
    }


def _event(kind: str, **told: Any) -> dict[str, Any]:
    """An event; its `sequence_number` is set when it is written."""
    return {"type": kind, **told, "sequence_number": 0}


def _part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
