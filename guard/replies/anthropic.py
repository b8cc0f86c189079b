"""Anthropic's Messages API: how its messages are read, and written when a reply is withheld."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from guard.replies.fields import Extraction, ReadOptions, extract
from guard.replies.finish import stated_reason
from guard.replies.reply_format import is_plain, usage_numbers

REFUSED: Final = "refusal"
"""Why a reply ended that was withheld, in the words of this API."""
EVENTS: Final = frozenset(
    {
        *("message_start", "content_block_start", "content_block_delta", "content_block_stop"),
        *("message_delta", "message_stop"),
    }
)
"""Types of events by which a stream is known to be of this API."""
_ENVELOPE: Final = ("id", "type", "role", "model", "container")


class MessageFormat:
    """A message, whole or as a stream of events."""

    def __init__(self, options: ReadOptions) -> None:
        self._options = options
        self._block: str | None = None
        self._index = -1
        self._usage: Mapping[str, Any] = {}

    def read(self, value: Any) -> Extraction:
        index = value.get("index") if isinstance(value, Mapping) else None
        channel = (index,) if isinstance(index, int) else ()
        return extract(value, self._options, channel=channel)

    def finish_reason(self, value: Any) -> str:
        about = value if isinstance(value, Mapping) else {}
        delta = about.get("delta")
        return stated_reason((about, delta if isinstance(delta, Mapping) else None))

    def track(self, value: Any) -> Any:
        match value.get("type"):
            case "content_block_start":
                self._index = _index_of(value, self._index + 1)
                self._block = str(_part(value, "content_block").get("type"))
            case "content_block_stop":
                self._block = None
        self._usage = value.get("usage") or _part(value, "message").get("usage") or self._usage
        return value

    def withheld_events(self, value: Any, text: str) -> Iterator[Any]:
        del value
        if self._block is not None and self._block != "text":
            yield self._stop()
        if self._block is None:
            self._index += 1
            block = {"type": "text", "text": ""}
            yield {"type": "content_block_start", "index": self._index, "content_block": block}
        said = {"type": "text_delta", "text": text}
        yield {"type": "content_block_delta", "index": self._index, "delta": said}
        yield self._stop()
        yield {
            "type": "message_delta",
            "delta": {"stop_reason": REFUSED, "stop_sequence": None},
            "usage": {"output_tokens": 0, **(usage_numbers(self._usage) or {})},
        }
        yield {"type": "message_stop"}

    def withheld_body(self, value: Any, text: str) -> Any:
        kept = {key: value[key] for key in _ENVELOPE if key in value and is_plain(value[key])}
        return {
            **kept,
            "content": [{"type": "text", "text": text}],
            "stop_reason": REFUSED,
            "stop_sequence": None,
            "usage": usage_numbers(value.get("usage")),
        }

    def _stop(self) -> Any:
        self._block = None
        return {"type": "content_block_stop", "index": self._index}


def _index_of(value: Mapping[str, Any], default: int) -> int:
    index = value.get("index")
    return index if type(index) is int else default


def _part(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = value.get(key)
    return found if isinstance(found, Mapping) else {}
