"""The messages that a wrapped function returns, read as a guarded model's are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk

from guard.flow import Given, Piece
from guard.policy import Policy
from guard.wrap.langchain.reply_buffer import ChatReplyBuffer


class MessageBuffer:
    """Takes messages, then `end` for the end of the reply; gives messages of the same types."""

    def __init__(self, policy: Policy, *, end: object) -> None:
        self._end = end
        self._generations = ChatReplyBuffer(policy)
        self.clear = self._generations.clear

    def add(self, piece: Any) -> Piece:
        return self._generations.add(None if piece is self._end else _generation_of(piece))

    def take(self, step: Given) -> Sequence[BaseMessage]:
        return [one.message for one in self._generations.take(step)]


def _generation_of(message: AIMessage) -> ChatGeneration:
    if isinstance(message, AIMessageChunk):
        return ChatGenerationChunk(message=message)
    return ChatGeneration(message=message)
