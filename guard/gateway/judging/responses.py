"""The Responses API: how its answers are read, and ended in the model's stead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from guard.gateway.judging.choices import FILTERED, error_kind, plain_error
from guard.gateway.judging.echoes import Echoes
from guard.gateway.judging.items import OpenItems
from guard.gateway.judging.known import is_name, is_opaque
from guard.gateway.judging.strings import Found, Reading, strings
from guard.gateway.judging.usage import numbers_of
from guard.records import Unread

_OUTCOME = frozenset({"output", "output_text", "usage", "status", "error", "incomplete_details"})
_BARE = {"id": "", "object": "response", "created_at": 0, "model": ""}
_BARE_LISTS = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
_PLACE = ("type", "item_id", "output_index", "content_index", "summary_index")


class ResponsesVoice:
    """The reply of an answer."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._echoes = Echoes(reading.asked)
        self._items = OpenItems()
        self._response: Any = None
        self._number = -1

    def read(self, value: Any) -> Found:
        """See `Voice`."""
        if not isinstance(value, Mapping):
            return strings(value, self._reading)
        if not self._reading.streamed:
            return strings(self._echoes.left_out(value), self._reading)
        if isinstance(response := value.get("response"), Mapping):
            self._response = response
            value = {**value, "response": self._echoes.left_out(response)}
        if _is_sound(value):
            return Found(unread={Unread.AUDIO})
        place = tuple(_plain(value.get(key)) for key in _PLACE)
        return strings(value, self._reading, channel=place)

    def gave(self, value: Any) -> Any:
        """See `Voice`. Numbers only ever rise."""
        if not isinstance(value, Mapping):
            return value
        self._items.gave(value)
        number = value.get("sequence_number")
        if type(number) is not int:
            return value
        if number > self._number:
            self._number = number
            return value
        self._number += 1
        return {**value, "sequence_number": self._number}

    def blocked(self, value: Any, text: str) -> Iterator[Any]:
        """See `Voice`."""
        del value
        items = yield from self._items.ending(text, _message_id(self._response))
        response = self._filtered(self._response, items)
        yield {"type": "response.incomplete", "response": response, "sequence_number": 0}

    def blocked_whole(self, value: Any, text: str) -> Any:
        """See `Voice`."""
        message = {
            "id": _message_id(value),
            "type": "message",
            "status": "incomplete",
            "role": "assistant",
            "content": [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}],
        }
        return self._filtered(value, [message])

    def _filtered(self, like: Any, output: list[Any]) -> dict[str, Any]:
        known = like if isinstance(like, Mapping) else {}
        kept = {key: one for key, one in known.items() if self._says_nothing(key, one)}
        return {
            **_BARE,
            **_BARE_LISTS,
            **kept,
            "status": "incomplete",
            "error": None,
            "incomplete_details": {"reason": FILTERED},
            "output": output,
            "usage": numbers_of(known.get("usage")),
        }

    def _says_nothing(self, key: str, value: Any) -> bool:
        if key in _OUTCOME:
            return False
        found = strings(self._echoes.left_out({key: value}), self._reading)
        return not found.leaves and not found.unread


class Responses:
    """The operation. See `Dialect`."""

    ends_with_done = False

    def replies(self, body: Mapping[str, Any]) -> int:  # noqa: ARG002 - the interface is `Dialect`'s
        """See `Dialect`."""
        return 1

    def voice(self, reading: Reading, number: int) -> ResponsesVoice:
        """See `Dialect`."""
        del number
        return ResponsesVoice(reading)

    def deal(self, value: Any, replies: int, reading: Reading) -> Iterable[tuple[int, Any]]:
        """See `Dialect`."""
        del replies, reading
        return ((0, value),)

    def is_answer(self, value: Any) -> bool:
        """See `Dialect`."""
        return isinstance(value, dict) and isinstance(value.get("output"), list)

    def joined(self, value: Any, shares: Mapping[int, Any]) -> Any:
        """See `Dialect`."""
        del value
        return shares[0]

    def only(self, value: Any, number: int) -> Any:
        """See `Dialect`."""
        del number
        return value

    def failure_in(self, event: Any) -> Any:
        """See `Dialect`."""
        if not isinstance(event, Mapping):
            return None
        if event.get("type") == "error" or (event.get("error") and "type" not in event):
            told = plain_error(event.get("error") or event)
            return self.failure(told.get("code"), told["message"])
        response = event.get("response")
        if event.get("type") == "response.failed" and isinstance(response, Mapping):
            told = plain_error(response.get("error"))
            return self.failure(told.get("code"), told["message"])
        return None

    def failure(self, code: str | None, message: str) -> Any:
        """See `Dialect`. Said twice: in the fields that the reference names, and nested, as the API
        itself does it and as its clients wait for to raise something."""
        told = {"code": code, "message": message, "param": None}
        nested = {"type": error_kind(code), **told}
        return {"type": "error", **told, "error": nested, "sequence_number": 0}

    def account(self, like: Any, usage: Mapping[str, Any]) -> Any:
        """See `Dialect`: it stands in the last event."""
        del like, usage

    def again(self, body: Mapping[str, Any], number: int, step: int) -> dict[str, Any]:
        """See `Dialect`."""
        del body, number, step
        return {}


def _is_sound(event: Mapping[str, Any]) -> bool:
    kind, delta = event.get("type"), event.get("delta")
    sounds = isinstance(kind, str) and "audio" in kind and "transcript" not in kind
    return sounds and isinstance(delta, str) and is_opaque(delta)


def _plain(value: Any) -> str | int:
    return value if isinstance(value, str | int) else ""


def _message_id(response: Any) -> str:
    known = response.get("id") if isinstance(response, Mapping) else None
    plain = known if isinstance(known, str) and is_name(known) else ""
    return "msg_" + plain.removeprefix("resp_")
