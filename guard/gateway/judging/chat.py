"""Chat completions: how their answers are read, and ended in the model's stead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from guard.gateway.judging.choices import FILTERED, Choices, answer, choices_of, envelope
from guard.gateway.judging.strings import Found, Reading, strings

_CHUNK = "chat.completion.chunk"


class ChatVoice:
    """One choice of an answer. index: of the choice."""

    def __init__(self, reading: Reading, index: int) -> None:
        self._reading = reading
        self._index = index
        self._began = False

    def read(self, value: Any) -> Found:
        """See `Voice`."""
        return strings(value, self._reading)

    def gave(self, value: Any) -> Any:
        """See `Voice`."""
        self._began = self._began or bool(choices_of(value))
        return value

    def blocked(self, value: Any, text: str) -> Iterable[Any]:
        """See `Voice`."""
        role = {} if self._began else {"role": "assistant"}
        yield self._chunk(value, {**role, "content": text}, None)
        yield self._chunk(value, {}, FILTERED)

    def blocked_whole(self, value: Any, text: str) -> Any:
        """See `Voice`."""
        message = {"role": "assistant", "content": text, "refusal": None}
        return answer(value, "chat.completion", {"index": self._index, "message": message})

    def _chunk(self, like: Any, delta: Mapping[str, str], finish: str | None) -> Any:
        choice = {"index": self._index, "delta": delta, "logprobs": None, "finish_reason": finish}
        return {**envelope(like, _CHUNK), "choices": [choice]}


class Chat(Choices):
    """The operation. See `Dialect`."""

    def voice(self, reading: Reading, number: int) -> ChatVoice:
        """See `Dialect`."""
        return ChatVoice(reading, number)

    def account(self, like: Any, usage: Mapping[str, Any]) -> Any:
        """See `Dialect`."""
        return {**envelope(like, _CHUNK), "choices": [], "usage": usage}
