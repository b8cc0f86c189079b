"""Completions: how their answers are read, and ended in the model's stead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from guard.gateway.judging.choices import FILTERED, PromptedChoices, answer, envelope
from guard.gateway.judging.strings import Found, Reading, strings

_KIND = "text_completion"


class CompletionsVoice:
    """One choice of an answer. index: of the choice."""

    def __init__(self, reading: Reading, index: int) -> None:
        self._reading = reading
        self._index = index

    def read(self, value: Any) -> Found:
        """See `Voice`."""
        return strings(value, self._reading, growing=self._reading.streamed)

    def gave(self, value: Any) -> Any:
        """See `Voice`."""
        return value

    def blocked(self, value: Any, text: str) -> Iterable[Any]:
        """See `Voice`."""
        yield self._chunk(value, text, None)
        yield self._chunk(value, "", FILTERED)

    def blocked_whole(self, value: Any, text: str) -> Any:
        """See `Voice`."""
        return answer(value, _KIND, {"index": self._index, "text": text})

    def _chunk(self, like: Any, text: str, finish: str | None) -> Any:
        choice = {"index": self._index, "text": text, "logprobs": None, "finish_reason": finish}
        return {**envelope(like, _KIND), "choices": [choice]}


class Completions(PromptedChoices):
    """The operation. See `Dialect`."""

    def voice(self, reading: Reading, number: int) -> CompletionsVoice:
        """See `Dialect`."""
        return CompletionsVoice(reading, number)

    def account(self, like: Any, usage: Mapping[str, Any]) -> Any:
        """See `Dialect`."""
        return {**envelope(like, _KIND), "choices": [], "usage": usage}
