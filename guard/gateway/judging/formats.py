"""The interface of an operation of the API, its errors, and token usage."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

from guard.replies.fields import ReadOptions
from guard.replies.reply_format import FILTERED, Body, ReplyFormat, is_plain

WITHHELD_PROMPT = ("content_filter", "the prompt was withheld and not sent to the model")
WITHHELD = (
    "upstream_error_withheld",
    "the model's server reported an error whose words were withheld by policy",
)
"""Code and message in place of an upstream error whose text is withheld."""
_LONGEST_MESSAGE = 2000
_OF_ERRORS = ("type", "param", "code")


class Dialect(ABC):
    """How one operation is requested and answered; the defaults are for one reply per request.

    ends_with_done: whether its streams end with `[DONE]`.
    """

    ends_with_done = False

    def count_replies(self, body: Body) -> int:  # noqa: ARG002 - what is asked may say it
        """How many replies are asked for. Raises RefusedRequest for what cannot be judged."""
        return 1

    @abstractmethod
    def reply_format(self, options: ReadOptions, body: Body, number: int) -> ReplyFormat:
        """How one reply to this request is read and written."""

    def split(self, value: Any, replies: int, options: ReadOptions) -> Iterable[tuple[int, Any]]:
        """The parts of an answer or of an event by the number of their reply; -1 for what says
        nothing and belongs to none. The value itself, where it is all of one."""
        del replies, options
        return ((0, value),)

    @abstractmethod
    def is_answer(self, value: Any) -> bool:
        """Whether a parsed body is a response of this operation."""

    def join(self, value: Any, parts: Mapping[int, Any]) -> Any:
        """The whole response, put together from its released parts."""
        del value
        return parts[0]

    def renumber(self, value: Any, number: int) -> Any:
        """A response or event with one reply, renumbered."""
        del number
        return value

    @abstractmethod
    def error_in(self, event: Any) -> Any:
        """The event that tells the client of the error that `event` reports; None where it
        reports none."""

    @abstractmethod
    def error_event(self, code: str, message: str) -> Any:
        """An event that says what went wrong."""

    def usage_event(self, like: Any, usage: Mapping[str, Any]) -> Any:
        """The event that carries the token usage; None if there is no such event."""
        del like, usage

    def retry_parameters(self, body: Body, number: int, step: int) -> dict[str, Any]:
        """Parameters to change when one reply is requested again. step: the number of retries."""
        del body, number, step
        return {}


def plain_error(error: Any) -> dict[str, Any]:
    """The message, type, param and code of an error, and nothing else."""
    if not isinstance(error, Mapping):
        return {"message": str(error)[:_LONGEST_MESSAGE]}
    message = error.get("message")
    kept = {key: error[key] for key in _OF_ERRORS if key in error and is_plain(error[key])}
    return {"message": message[:_LONGEST_MESSAGE] if isinstance(message, str) else "", **kept}


def error_type(code: str | None) -> str:
    """The `type` of an error with this code."""
    return "invalid_request_error" if code == FILTERED else "server_error"


def add_usage(first: Any, second: Any) -> Any:
    """The sum of two token usages, nested ones included; either may lack entries."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return {key: add_usage(first.get(key), second.get(key)) for key in {**first, **second}}
    if {type(first), type(second)} <= {int, float}:
        return first + second
    return first if second is None else second
