"""What the three operations of the API have to say for themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from guard.gateway.judging.strings import Reading
from guard.gateway.judging.waiting import Voice

Body = Mapping[str, Any]


class Dialect(Protocol):
    """How one operation is asked and answered.

    ends_with_done: whether its streams end with `[DONE]`.
    """

    ends_with_done: bool

    def replies(self, body: Body) -> int:
        """How many replies are asked for. Raises RefusedRequest for what cannot be judged."""

    def voice(self, reading: Reading, number: int) -> Voice:
        """For one reply of an answer."""

    def deal(self, value: Any, replies: int, reading: Reading) -> Iterable[tuple[int, Any]]:
        """The shares of the replies in an answer or an event of one; -1 for what says nothing and
        belongs to none. The value itself, where it is all of one."""

    def is_answer(self, value: Any) -> bool:
        """Whether a whole answer is one of this operation."""

    def joined(self, value: Any, shares: Mapping[int, Any]) -> Any:
        """The whole answer made of what is given of its shares."""

    def only(self, value: Any, number: int) -> Any:
        """The only reply of an answer or an event, as the one with this number."""

    def failure_in(self, event: Any) -> Any:
        """The event that tells the client of the failure that `event` reports; None where it
        reports none."""

    def failure(self, code: str, message: str) -> Any:
        """An event that says what went wrong."""

    def account(self, like: Any, usage: Mapping[str, Any]) -> Any:
        """The event that gives an account of tokens; None where there is no such event."""

    def again(self, body: Body, number: int, step: int) -> dict[str, Any]:
        """What is different where one reply is asked for once more. step: how often it was."""
