"""Google's generateContent: replies that are candidates, in the spelling of Python or of JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from guard.replies.fields import Extraction, ReadOptions, extract
from guard.replies.finish import known_reason
from guard.replies.reply_format import is_plain, usage_numbers

FILTERED_BY: Final = "SAFETY"
"""Why a reply ended that was withheld, in the words of this API."""
_NOT_SAID: Final = frozenset(
    {"sdk_http_response", "automatic_function_calling_history", "parsed", "create_time"}
)
_ENVELOPE: Final = ("model_version", "modelVersion", "response_id", "responseId")
_USAGE: Final = ("usage_metadata", "usageMetadata")


class CandidateFormat:
    """The candidates of a response, or of one of the responses that a stream consists of."""

    def __init__(self, options: ReadOptions) -> None:
        self._options = options

    def read(self, value: Any) -> Extraction:
        """`parsed` repeats the text, and what the Python client adds is none of the model's."""
        said = {key: one for key, one in value.items() if key not in _NOT_SAID}
        return extract(said, self._options, growing=self._options.streamed)

    def finish_reason(self, value: Any) -> str:
        found = (one.get(_spelled(value)) for one in candidates_of(value))
        return next(filter(None, map(known_reason, found)), "")

    def track(self, value: Any) -> Any:
        return value

    def withheld_events(self, value: Any, text: str) -> Iterator[Any]:
        yield self.withheld_body(value, text)

    def withheld_body(self, value: Any, text: str) -> Any:
        known = value if isinstance(value, Mapping) else {}
        kept = {key: known[key] for key in _ENVELOPE if key in known and is_plain(known[key])}
        usage = {key: usage_numbers(known[key]) for key in _USAGE if key in known}
        content = {"role": "model", "parts": [{"text": text}]}
        candidate = {"index": 0, "content": content, _spelled(known): FILTERED_BY}
        return {**kept, **usage, "candidates": [candidate]}


def candidates_of(value: Any) -> list[Mapping[str, Any]]:
    """The candidates of a response; empty if it has none."""
    found = value.get("candidates") if isinstance(value, Mapping) else None
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def _spelled(value: Mapping[str, Any]) -> str:
    """The key of the reason that a candidate ended for."""
    camel = any("finishReason" in one for one in candidates_of(value))
    return "finishReason" if camel or "usageMetadata" in value else "finish_reason"
