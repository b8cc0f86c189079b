"""What the operations of the API have to say for themselves, and accounts of tokens."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from guard.replies.fields import Extraction, ReadOptions
from guard.replies.schema import is_name

Body = Mapping[str, Any]

FILTERED = "content_filter"
WITHHELD = (
    "upstream_error_withheld",
    "the model's server reported an error whose words were withheld by policy",
)
"""The code and the message in place of an error that says what a reply must not."""
_LONGEST_MESSAGE = 2000
_OF_ERRORS = ("type", "param", "code")


class ReplyFormat(Protocol):
    """How one reply is read, and how it is ended in the model's stead."""

    def read(self, value: Any) -> Extraction:
        """The texts of an event or of a whole answer."""

    def track(self, value: Any) -> Any:
        """The event as it has to be written, now that the client gets it."""

    def withheld_events(self, value: Any, text: str) -> Iterable[Any]:
        """The events with which `text` is said in place of what is withheld. value: an event of
        the stream, like which they are to be."""

    def withheld_body(self, value: Any, text: str) -> Any:
        """A whole answer that says `text`, and nothing of what the model said. value: its own."""


class Dialect(ABC):
    """How one operation is asked and answered: by default with one reply.

    ends_with_done: whether its streams end with `[DONE]`.
    """

    ends_with_done = False

    def count_replies(self, body: Body) -> int:  # noqa: ARG002 - what is asked may say it
        """How many replies are asked for. Raises RefusedRequest for what cannot be judged."""
        return 1

    @abstractmethod
    def reply_format(self, options: ReadOptions, body: Body, number: int) -> ReplyFormat:
        """For one reply of the answer to a request."""

    def split(self, value: Any, replies: int, options: ReadOptions) -> Iterable[tuple[int, Any]]:
        """The parts of an answer or of an event by the number of their reply; -1 for what says
        nothing and belongs to none. The value itself, where it is all of one."""
        del replies, options
        return ((0, value),)

    @abstractmethod
    def is_answer(self, value: Any) -> bool:
        """Whether a whole answer is one of this operation."""

    def join(self, value: Any, parts: Mapping[int, Any]) -> Any:
        """The whole answer made of what is given of its parts."""
        del value
        return parts[0]

    def renumber(self, value: Any, number: int) -> Any:
        """The only reply of an answer or an event, as the one with this number."""
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
        """The event that gives an account of tokens; None where there is no such event."""
        del like, usage

    def retry_parameters(self, body: Body, number: int, step: int) -> dict[str, Any]:
        """What is different where one reply is asked for once more. step: how often it was."""
        del body, number, step
        return {}


def plain_error(error: Any) -> dict[str, Any]:
    """What an error says in the words of the API, and nothing else."""
    if not isinstance(error, Mapping):
        return {"message": str(error)[:_LONGEST_MESSAGE]}
    message = error.get("message")
    kept = {key: error[key] for key in _OF_ERRORS if key in error and is_plain(error[key])}
    return {"message": message[:_LONGEST_MESSAGE] if isinstance(message, str) else "", **kept}


def is_plain(value: object) -> bool:
    """Whether it is a number or a name, and says nothing."""
    return value is None or isinstance(value, int) or (isinstance(value, str) and is_name(value))


def error_type(code: str | None) -> str:
    """The type of an error of ours with this code."""
    return "invalid_request_error" if code == FILTERED else "server_error"


def usage_numbers(usage: Any) -> dict[str, Any] | None:
    """The numbers in an account of tokens, and nothing else; None where it is none."""
    if not isinstance(usage, Mapping):
        return None
    return {key: _numbers(value) for key, value in usage.items() if is_name(key)}


def add_usage(first: Any, second: Any) -> Any:
    """The sum of two accounts, and of those inside them; what one lacks is as in the other."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return {key: add_usage(first.get(key), second.get(key)) for key in {**first, **second}}
    if {type(first), type(second)} <= {int, float}:
        return first + second
    return first if second is None else second


def _numbers(value: Any) -> Any:
    if isinstance(value, Mapping):
        kept = {key: one for key, one in value.items() if isinstance(one, int | float)}
        return {key: one for key, one in kept.items() if is_name(key)}
    return value if isinstance(value, int | float) else None
