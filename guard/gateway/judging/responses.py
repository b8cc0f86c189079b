"""The Responses API: how its answers are read, and ended in the model's stead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from guard.gateway.judging.formats import (
    FILTERED,
    Body,
    ReplyFormat,
    error_type,
    plain_error,
    usage_numbers,
)
from guard.gateway.judging.response_items import ResponseItems, message_item
from guard.records import Unread
from guard.replies.fields import Extraction, ReadOptions, extract
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
_PLACE = ("type", "item_id", "output_index", "content_index", "summary_index")
_ECHOED_KEYS = """
    instructions metadata prompt prompt_cache_key reasoning safety_identifier text tool_choice
    tools truncation user
"""
_ECHOED = frozenset(_ECHOED_KEYS.split())


class ResponseFormat:
    """The reply of an answer."""

    def __init__(self, options: ReadOptions, body: Body) -> None:
        self._options = options
        self._echoes = _Echoes(body)
        self._items = ResponseItems()
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
        place = [value.get(key) for key in _PLACE]
        channel = tuple(one if isinstance(one, str | int) else "" for one in place)
        return extract(value, self._options, channel=channel)

    def track(self, value: Any) -> Any:
        """Its number may have to be another one: numbers only ever rise."""
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
        response = self._filtered(self._response, items)
        yield {"type": "response.incomplete", "response": response, "sequence_number": 0}

    def withheld_body(self, value: Any, text: str) -> Any:
        return self._filtered(value, [message_item(_message_id(value), "incomplete", text)])

    def _filtered(self, like: Any, output: list[Any]) -> dict[str, Any]:
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


class Responses:
    """The operation."""

    ends_with_done = False

    def count_replies(self, body: Body) -> int:  # noqa: ARG002 - the interface is `Dialect`'s
        return 1

    def reply_format(self, options: ReadOptions, body: Body, number: int) -> ReplyFormat:
        del number
        return ResponseFormat(options, body)

    def split(self, value: Any, replies: int, options: ReadOptions) -> Iterable[tuple[int, Any]]:
        del replies, options
        return ((0, value),)

    def is_answer(self, value: Any) -> bool:
        return isinstance(value, dict) and isinstance(value.get("output"), list)

    def join(self, value: Any, parts: Mapping[int, Any]) -> Any:
        del value
        return parts[0]

    def renumber(self, value: Any, number: int) -> Any:
        del number
        return value

    def error_in(self, event: Any) -> Any:
        if not isinstance(event, Mapping):
            return None
        if event.get("type") == "error" or (event.get("error") and "type" not in event):
            return self._error_event_of(event.get("error") or event)
        response = event.get("response")
        if event.get("type") == "response.failed" and isinstance(response, Mapping):
            return self._error_event_of(response.get("error"))
        return None

    def error_event(self, code: str | None, message: str) -> Any:
        """Said twice: in the fields that the reference names, and nested, as the API itself does it
        and as its clients wait for to raise something."""
        told = {"code": code, "message": message, "param": None}
        nested = {"type": error_type(code), **told}
        return {"type": "error", **told, "error": nested, "sequence_number": 0}

    def usage_event(self, like: Any, usage: Mapping[str, Any]) -> Any:
        """There is none: the account stands in the last event."""
        del like, usage

    def retry_parameters(self, body: Body, number: int, step: int) -> dict[str, Any]:
        del body, number, step
        return {}

    def _error_event_of(self, error: Any) -> Any:
        told = plain_error(error)
        return self.error_event(told.get("code"), told["message"])


class _Echoes:
    """Knows what an answer repeats of its request. body: of the request."""

    def __init__(self, body: Body) -> None:
        self._body = body

    def left_out(self, response: Body) -> dict[str, Any]:
        """`response` without the fields that only say what the client said itself."""
        return {key: one for key, one in response.items() if not self._is_echo(key, one)}

    def _is_echo(self, key: str, value: Any) -> bool:
        if key not in _ECHOED:
            return False
        return all(is_name(text) or text in self._known for text in _strings(value) if text)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(_strings(self._body))


def _strings(value: Any) -> Iterator[str]:
    """All strings in `value`, keys as well."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, Mapping):
            waiting += [*node, *node.values()]
        elif isinstance(node, list):
            waiting += node


def _is_sound(event: Mapping[str, Any]) -> bool:
    kind, delta = event.get("type"), event.get("delta")
    sounds = isinstance(kind, str) and "audio" in kind and "transcript" not in kind
    return sounds and isinstance(delta, str) and is_opaque(delta)


def _message_id(response: Any) -> str:
    known = response.get("id") if isinstance(response, Mapping) else None
    plain = known if isinstance(known, str) and is_name(known) else ""
    return "msg_" + plain.removeprefix("resp_")
