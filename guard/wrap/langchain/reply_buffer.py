"""The chunks of one reply, kept until the response path releases their texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.outputs import ChatGeneration

from guard.errors import may_be_signal
from guard.flow import Given, Piece, Redact, Release, Say
from guard.policy import Hold, Policy
from guard.replies.assemble import Assembly
from guard.replies.fields import Extraction, ReadOptions
from guard.replies.finish import stated_reason
from guard.wrap.langchain.messages import (
    calls_tools,
    merged,
    redacted,
    rejoins,
    replacement,
    split,
    texts_of,
)

Chunks = tuple[Any, ...]


class ChatReplyBuffer:
    """Takes chunks, then None for the end of the reply; gives chunks (`guard.flow.ReplyBuffer`).
    What is no chunk counts as not read, and is given as it is.

    From the first call of a tool on, all chunks are one: a call is released whole or not at all.
    Where nothing can be withheld, every chunk is released as it comes.
    released: what the caller has. is_changed: whether that is not what the model gave.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._withholds = policy.may_withhold and policy.hold is not Hold.NONE
        self._options = ReadOptions(
            reads_reasoning=policy.reads_reasoning,
            reads_tool_calls=policy.reads_tool_calls,
            reads_data=False,
            streamed=True,
            joins_every_key=True,
            alternatives=True,
        )
        self.released: list[ChatGeneration] = []
        self.is_changed = False
        self.clear()

    def clear(self) -> None:
        """Forget everything: the model is asked again."""
        self._assembly = Assembly(redacted, rejoins)
        self._seen: list[ChatGeneration] = []
        self._calls: list[ChatGeneration] = []
        self._end = 0

    def add(self, piece: Any) -> Piece:
        """Keep a chunk; answers with what is in it."""
        if piece is None:
            return self._finish()
        if not isinstance(piece, ChatGeneration):
            self._assembly.add_unreadable((piece,))
            return Piece(None)
        self._seen.append(piece)
        if self._withholds and (self._calls or calls_tools(piece.message)):
            self._calls.append(piece)
            return Piece("")
        return self._add((piece,))

    def keep(self, piece: Any) -> None:
        """Keep what says nothing; it is released in order."""
        self._assembly.add_unreadable((piece,))

    def take(self, step: Given) -> Sequence[Any]:
        """What the caller gets by this step."""
        taken = list(self._taken(step))
        self.released += [one for one in taken if isinstance(one, ChatGeneration)]
        return taken

    def _finish(self) -> Piece:
        last = self._add(tuple(self._calls)) if self._calls else Piece("")
        rest = self._assembly.finish()
        if last.text is None:
            return last
        return replace(last, text=last.text + rest)

    def _add(self, chunks: Chunks) -> Piece:
        try:
            whole = merged(chunks)
            found = self._texts_of(whole)
            if len(chunks) > 1:
                parts = map(self._texts_of, chunks)
                found = replace(found, joined=tuple(one for part in parts for one in part.joined))
        except Exception as error:  # what cannot be read is not text
            if may_be_signal(error):
                raise
            self._assembly.add_unreadable(chunks)
            return Piece(None)
        text = self._assembly.add(chunks, found)
        reason = stated_reason((whole.generation_info, whole.message.response_metadata))
        structured = found.is_structured or self._assembly.cuts_words
        return Piece(text, structured=structured, unread=found.unread, finish_reason=reason)

    def _texts_of(self, generation: ChatGeneration) -> Extraction:
        return texts_of(generation, self._options, growing_calls=not self._withholds)

    def _taken(self, step: Given) -> Iterator[Any]:
        self.is_changed = self.is_changed or not isinstance(step, Release)
        if isinstance(step, Say):
            self._assembly.drop()
            yield replacement(step.text, self._seen, self.released)
            return
        if isinstance(step, Redact):
            self._assembly.redact(step.spans, step.marker)
        self._end = step.end
        yield from self._released_chunks()

    def _released_chunks(self) -> Iterator[ChatGeneration]:
        assembly = self._assembly
        released = assembly.release(self._end) if self._withholds else assembly.drop()
        for chunks in released:
            yield from chunks
        if (found := assembly.split_next(self._end)) is not None:
            chunks, head, tail = found
            first, rest = split(merged(chunks), head, tail)
            assembly.replace_next((rest,))
            yield first
