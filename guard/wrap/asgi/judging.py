"""One text of an answer and what may be said of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from guard.errors import Blocked
from guard.flow import Codec, Exchange, Flow, Piece, Pieces, drive_async
from guard.flow.pieces import plain_text
from guard.records import Call


@dataclass(frozen=True, slots=True)
class Unread:
    """A reply that nobody could read, and why."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """text: what may be said. blocked: the reply must be refused altogether."""

    exchange: Exchange
    text: str = ""
    blocked: Blocked | None = None


def _read(piece: str | Unread) -> Piece:
    return Piece(None, unread=piece.why) if isinstance(piece, Unread) else Piece(piece)


_CODEC: Codec[str | Unread] = Codec(read=_read, write=plain_text)


async def judged(flow: Flow, call: Call, reply: str | Unread) -> Judged:
    """Judge a whole reply that nobody can be asked for again."""

    async def once() -> AsyncIterator[str | Unread]:
        yield reply

    exchange = flow.begin(call, streamed=False, once=True)
    try:
        given = [piece async for piece in drive_async(exchange, Pieces(_CODEC), once)]
    except Blocked as blocked:
        return Judged(exchange=exchange, blocked=blocked)
    return Judged(exchange=exchange, text="".join(one for one in given if isinstance(one, str)))
