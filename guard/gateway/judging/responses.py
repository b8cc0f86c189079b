"""`/responses`: how its answers are told apart, and its errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from guard.gateway.judging.formats import Dialect, error_type, plain_error
from guard.replies.fields import ReadOptions
from guard.replies.reply_format import Body, ReplyFormat
from guard.replies.responses import ResponseFormat


class Responses(Dialect):
    """`/responses`."""

    def reply_format(self, options: ReadOptions, body: Body, number: int) -> ReplyFormat:
        del number
        return ResponseFormat(options, body)

    def is_answer(self, value: Any) -> bool:
        return isinstance(value, dict) and isinstance(value.get("output"), list)

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
        """The error at top level, as the API reference says, and nested, as clients expect it."""
        told = {"code": code, "message": message, "param": None}
        nested = {"type": error_type(code), **told}
        return {"type": "error", **told, "error": nested, "sequence_number": 0}

    def _error_event_of(self, error: Any) -> Any:
        told = plain_error(error)
        return self.error_event(told.get("code"), told["message"])
