"""One text of an answer and what may be said of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from guard.errors import Blocked
from guard.flow import Codec, Exchange, Flow, Piece, Pieces, drive_async
from guard.flow.pieces import plain_text
from guard.records import Call, Unread


@dataclass(frozen=True, slots=True)
class UnreadReply:
    """A reply that could not be read, and why."""

    why: Unread


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """text: what may be said. blocked: the reply must be refused altogether."""

    exchange: Exchange
    text: str = ""
    blocked: Blocked | None = None


def _read(piece: str | UnreadReply) -> Piece:
    if isinstance(piece, UnreadReply):
        return Piece(None, unread=frozenset({piece.why}))
    return Piece(piece)


_CODEC: Codec[str | UnreadReply] = Codec(read=_read, write=plain_text)


async def judged(flow: Flow, call: Call, reply: str | UnreadReply) -> Judged:
    """Judge a whole reply that nobody can be asked for again."""

    async def once() -> AsyncIterator[str | UnreadReply]:
        yield reply

    exchange = flow.begin(call, streamed=False, once=True)
    try:
        given = [piece async for piece in drive_async(exchange, Pieces(_CODEC), once)]
    except Blocked as blocked:
        return Judged(exchange=exchange, blocked=blocked)
    return Judged(exchange=exchange, text="".join(one for one in given if isinstance(one, str)))
