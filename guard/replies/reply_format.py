"""How a reply is read in its API, and how a withheld one is written there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from guard.replies.fields import Extraction
from guard.replies.schema import is_name

Body = Mapping[str, Any]

FILTERED = "content_filter"
"""Why a reply ended that was withheld, in the words of OpenAI."""


class ReplyFormat(Protocol):
    """How one reply is read, and how it is written when it is withheld."""

    def read(self, value: Any) -> Extraction:
        """The texts of an event or of a whole answer."""

    def finish_reason(self, value: Any) -> str:
        """Why the model stopped, where an event or a whole answer says so; otherwise empty."""

    def track(self, value: Any) -> Any:
        """Note that the client gets this event; returns the event to write."""

    def withheld_events(self, value: Any, text: str) -> Iterable[Any]:
        """The events with which `text` is said in place of what is withheld. value: an event of
        the stream, like which they are to be."""

    def withheld_body(self, value: Any, text: str) -> Any:
        """A whole response with `text` in place of the reply. value: the original response."""


def is_plain(value: object) -> bool:
    """Whether the value is null, a number or a name, so not text."""
    return value is None or isinstance(value, int) or (isinstance(value, str) and is_name(value))


def usage_numbers(usage: Any) -> dict[str, Any] | None:
    """The numbers of a token usage, and nothing else; None if it is no object."""
    if not isinstance(usage, Mapping):
        return None
    return {key: _numbers(value) for key, value in usage.items() if is_name(key)}


def _numbers(value: Any) -> Any:
    if isinstance(value, Mapping):
        kept = {key: one for key, one in value.items() if isinstance(one, int | float)}
        return {key: one for key, one in kept.items() if is_name(key)}
    return value if isinstance(value, int | float) else None
