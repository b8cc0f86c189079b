"""One text of an answer and what may be said of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from guard.errors import Blocked
from guard.flow import Codec, Flow, Piece, Pieces, drive_async
from guard.flow.pieces import plain_text
from guard.records import Call, Verdict

_WORST = (Verdict.BLOCKED, Verdict.UNSCORED, Verdict.FLAGGED, Verdict.RELEASED)


@dataclass(frozen=True, slots=True)
class Unread:
    """A reply that nobody could read, and why."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """text: what may be said. verdict: None where nothing has been looked at yet. blocked: it must
    be refused altogether."""

    call_id: str
    text: str = ""
    verdict: Verdict | None = None
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
        return Judged(call_id=exchange.call_id, verdict=Verdict.BLOCKED, blocked=blocked)
    text = "".join(piece for piece in given if isinstance(piece, str))
    verdict = exchange.finish.verdict if exchange.finish else None
    return Judged(call_id=exchange.call_id, text=text, verdict=verdict)


def worst(all_judged: list[Judged]) -> Verdict | None:
    """The verdict on an answer of several texts; None where one has none yet."""
    verdicts = {one.verdict for one in all_judged}
    return None if None in verdicts else next((one for one in _WORST if one in verdicts), None)
