"""The messages that a wrapped function returns, read as a guarded model's are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk

from guard.flow import Given, Piece
from guard.policy import Policy
from guard.wrap.langchain.reply_buffer import ChatReplyBuffer
from guard.wrap.segment import is_silent


class MessageBuffer:
    """Takes messages, then `end` for the end of the reply; gives messages of the same types.

    Pieces of other kinds among them are not read.
    """

    def __init__(self, policy: Policy, *, end: object) -> None:
        self._end = end
        self._generations = ChatReplyBuffer(policy)
        self.clear = self._generations.clear

    def add(self, piece: Any) -> Piece:
        if is_silent(piece):
            self._generations.keep(piece)
            return Piece("")
        return self._generations.add(None if piece is self._end else _generation_of(piece))

    def take(self, step: Given) -> Sequence[Any]:
        taken: Sequence[Any] = self._generations.take(step)
        return [one.message if isinstance(one, ChatGeneration) else one for one in taken]


def _generation_of(piece: Any) -> Any:
    """A message as the model's; anything else as it is."""
    if isinstance(piece, AIMessageChunk):
        return ChatGenerationChunk(message=piece)
    return ChatGeneration(message=piece) if isinstance(piece, AIMessage) else piece
