"""Replies of a model that never came: why, and when to stop asking."""

from __future__ import annotations

from collections.abc import Hashable

from guard.errors import UpstreamError
from guard.records import Ending, Generated

NO_REPLY = frozenset((Ending.FAILED, Ending.TIMED_OUT))
"""Endings that say nothing of the model but that it gave no reply."""
MOST_REASON = 200
"""Characters of why a reply failed."""


def reason_of(reply: Generated) -> str:
    """Why there is no reply: on one line, the beginning of a long one, without what a terminal
    would take for a command."""
    text = "".join(letter if letter.isprintable() else " " for letter in reply.detail)
    text = " ".join(text.split()) or str(reply.ending)
    return text if len(text) <= MOST_REASON else f"{text[: MOST_REASON - 1]}…"


def no_reply(lost: int, reason: str) -> UpstreamError:
    """Nothing was answered, and why. lost: how many questions; reason: of the first."""
    return UpstreamError(
        f"the model gave no reply to any of {lost} questions; the first: {reason};"
        " mend that, and --retry-failed asks them again"
    )


class Silence:
    """Where nobody ever answered, not all questions are asked in vain. most: attempts that are made
    for that."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._attempts = 0
        self._prompts: set[int] = set()
        self._was_heard = False

    def heard(self) -> None:
        """Some question has a reply."""
        self._was_heard = True

    def failed(self, prompt: Hashable) -> None:
        """One more attempt without a reply."""
        if not self._was_heard:
            self._attempts += 1
            self._prompts.add(hash(prompt))

    def check(self, lost: int, reason: str) -> None:
        """Raises UpstreamError after so many attempts, none of which brought a reply; unless all
        were at one prompt, which may be at fault."""
        if self._was_heard or self._attempts < self._most or len(self._prompts) < 2:
            return
        raise no_reply(lost, reason)
