"""Why a model stopped, as its server says it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

OTHER_REASON: Final = "other"
_KNOWN_REASONS = """
    stop length content_filter tool_calls function_call error
    end_turn max_tokens stop_sequence tool_use pause_turn refusal
    eos eos_token max_output_tokens safety recitation load unload
"""
_KNOWN: Final = frozenset(_KNOWN_REASONS.split())
_REASON_KEYS: Final = ("finish_reason", "stop_reason", "done_reason")
_OF_STATUS: Final = {"completed": "stop", "failed": "error", "cancelled": "error"}


def known_reason(said: object) -> str:
    """One of the reasons that servers give, in lower case; `other` for any other text.

    A server may write whatever it likes there, words of the reply included. Empty for no text.
    """
    if not isinstance(said, str) or not said:
        return ""
    reason = said.lower()
    return reason if reason in _KNOWN else OTHER_REASON


def choice_reason(choices: Iterable[Any]) -> str:
    """The first reason among choices of a completion; empty while none has one."""
    for choice in choices:
        if isinstance(choice, Mapping) and (reason := known_reason(choice.get("finish_reason"))):
            return reason
    return ""


def response_reason(response: Any) -> str:
    """Of a response of the Responses API, by its status; empty while it goes on."""
    if not isinstance(response, Mapping):
        return ""
    if response.get("status") == "incomplete":
        details = response.get("incomplete_details")
        said = details.get("reason") if isinstance(details, Mapping) else None
        return known_reason(said) or OTHER_REASON
    status = response.get("status")
    return _OF_STATUS.get(status, "") if isinstance(status, str) else ""


def stated_reason(said: Iterable[Mapping[str, Any] | None]) -> str:
    """The first reason in what a provider says about a reply, under any of its usual keys."""
    for about in said:
        for key in _REASON_KEYS:
            if about and (reason := known_reason(about.get(key))):
                return reason
    return ""
