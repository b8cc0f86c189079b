"""What guarding, shadowing and assessing need from outside: scores, observers, models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Protocol

from guard.records import Ask, Assessment, Generated, Head, Outcome

if TYPE_CHECKING:
    from guard.counterfactual import Rewrite

Clock = Callable[[], float]
"""Monotonic seconds."""

NewId = Callable[[], str]
"""A fresh call id."""

Message = Mapping[str, str]
"""One turn of a conversation: `role` ("system", "user" or "assistant") and `content`."""

Chat = Callable[[Sequence[Message]], str]
"""Asks a chat model and returns the text of its reply. May raise; may return any text at all."""


class Scorer(Protocol):
    """Scores texts. Thread-safe."""

    @property
    def heads(self) -> Mapping[str, Head]:
        """What is scored, by flat key."""

    @property
    def window_characters(self) -> int:
        """How much text the model reads at once, about: what stands further back cannot matter."""

    def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
        """Begin scoring `text`; returns at once.

        The future is always answered with an assessment, by the deadline at the latest,
        never with an exception. Cancelling it drops the work that has not begun.
        """


class Observer(Protocol):
    """Hears what happened. Must not block; what it raises is swallowed and counted."""

    def outcome(self, outcome: Outcome) -> None:
        """A guarded call ended."""

    def upstream_error(self, use_case: str) -> None:
        """The wrapped function raised; the exception went to the caller unchanged."""


class Rewriter(Protocol):
    """Says the same about another group. Thread-safe."""

    def rewrite(self, text: str, *, attribute: str, to: str, source: str | None = None) -> Rewrite:
        """`text` with the people of group `source` become people of group `to`, or why not.

        Without `source` the one group is meant that the text speaks of. Never raises for what a
        text holds or a model says; raises for an attribute or group that the lexicons do not have.
        """


class Upstream(Protocol):
    """Asks one model. Used from one event loop."""

    async def generate(self, ask: Ask) -> Generated:
        """One reply. Refusals, filtered replies, time-outs and failures are results as well.

        Raises UpstreamBusy when nothing was generated and the same may be asked later (too many
        requests, nobody listens), and UpstreamError when asking again is of no use (a wrong key,
        no such model).
        """
