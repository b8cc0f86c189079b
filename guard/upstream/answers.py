"""What the answer of a chat completion means. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from guard.records import Ending, Generated
from guard.replies.json_text import MAX_REPLY_VALUES, JsonReader, NotJsonError

_FILTER_CODES = {"content_filter", "content_management_policy", "ResponsibleAIPolicyViolation"}
_DETAIL_CHARACTERS = 200
_NOT_READ = f"the answer is no JSON object in UTF-8, or has more than {MAX_REPLY_VALUES:,} values"


def read_completion(status: int, body: bytes) -> Generated:
    """How the call ended, by what came with a status that is not one of `send again`."""
    answer = _json(body)
    if status == 200:
        return _failed(_NOT_READ) if answer is None else _read(answer)
    error = _mapping((answer or {}).get("error"))
    if status == 400 and _filter_codes(error) & _FILTER_CODES:
        return Generated(text="", ending=Ending.FILTERED, detail="the prompt was filtered")
    return _failed(f"HTTP {status}{_error_message(error)}")


def retry_after_seconds(header: str | None, clock: Callable[[], float]) -> float | None:
    """How long to wait, by the header `Retry-After`: seconds, or a date against `clock`.

    clock: Unix seconds. None where nothing sensible was said (RFC 9110, section 10.2.3).
    """
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(header).timestamp() - clock()
        except (ValueError, OverflowError):
            return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def _read(answer: Mapping[str, Any]) -> Generated:
    tokens = _tokens(_mapping(answer.get("usage")))
    choices = answer.get("choices")
    choice = _mapping(choices[0]) if isinstance(choices, list) and choices else {}
    if not choice:
        return _failed(
            f"the answer has no choices{_error_message(_mapping(answer.get('error')))}", tokens
        )
    return _chosen(choice, _mapping(choice.get("message")), tokens)


def _chosen(choice: Mapping[str, Any], message: Mapping[str, Any], tokens: int) -> Generated:
    refusal, text = message.get("refusal"), _text(message.get("content"))
    if choice.get("finish_reason") == "content_filter":
        return Generated(
            text="", ending=Ending.FILTERED, tokens=tokens, detail="the reply was filtered"
        )
    if isinstance(refusal, str) and refusal:
        return Generated(text=refusal, ending=Ending.REFUSED, tokens=tokens)
    if text is None or (
        not text and (_calls_tools(message) or choice.get("finish_reason") == "length")
    ):
        return _failed(_why_silent(choice, message), tokens)
    return Generated(text=text, ending=Ending.ANSWERED, tokens=tokens)


def _calls_tools(message: Mapping[str, Any]) -> bool:
    return bool(message.get("tool_calls") or message.get("function_call"))


def _why_silent(choice: Mapping[str, Any], message: Mapping[str, Any]) -> str:
    if _calls_tools(message):
        return "the model called tools and said nothing"
    if choice.get("finish_reason") == "length":
        return "the reply was cut off before its first word"
    return "the answer has no text"


def _text(content: object) -> str | None:
    """The content of a message: a string, or parts of which some are text."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    texts = [part["text"] for part in content if isinstance(_mapping(part).get("text"), str)]
    return "".join(texts) if texts else None


def _tokens(usage: Mapping[str, Any]) -> int:
    both = _count(usage.get("prompt_tokens")) + _count(usage.get("completion_tokens"))
    return both or _count(usage.get("total_tokens"))


def _count(value: object) -> int:
    return value if type(value) is int and value > 0 else 0


def _filter_codes(error: Mapping[str, Any]) -> set[str]:
    inner = _mapping(error.get("innererror"))
    said = (error.get("code"), error.get("type"), inner.get("code"))
    return {one for one in said if isinstance(one, str)}


def _error_message(error: Mapping[str, Any]) -> str:
    """What the server says of an error, short."""
    parts = [str(error[name]) for name in ("code", "type", "message") if error.get(name)]
    return (": " + ", ".join(parts))[:_DETAIL_CHARACTERS] if parts else ""


def _failed(detail: str, tokens: int = 0) -> Generated:
    return Generated(text="", ending=Ending.FAILED, tokens=tokens, detail=detail)


def _json(body: bytes) -> Mapping[str, Any] | None:
    try:
        found = JsonReader().read(body)
    except NotJsonError:
        return None
    return found if isinstance(found, dict) else None


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
