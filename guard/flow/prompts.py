"""What the user sends, judged before the model is asked."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass

from guard.errors import Blocked
from guard.flow.drivers import Exchange, drive_async, outcome_of
from guard.flow.steps import Codec, Piece, Pieces
from guard.flow.waiting import Wait
from guard.policy import Policy
from guard.records import Action, Call, Outcome

_READ: Codec[Piece] = Codec(read=lambda piece: piece, write=lambda _, text: Piece(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A prompt that must not reach the model.

    outcome: of the prompt. raises: `Blocked` stands for the reply, and not a text. fallback: that
    text.
    """

    outcome: Outcome
    raises: bool
    fallback: str

    @property
    def text(self) -> str:
        """What is said in place of a reply. Raises Blocked where that is the policy."""
        if self.raises:
            raise Blocked(self.outcome)
        return self.fallback


async def judge_text(exchange: Exchange, text: str, wait: Wait) -> None:
    """Carry out an exchange whose text is there already. It may end later than this does."""
    await _judge(exchange, (Piece(text),), wait)


async def refusal_of(
    exchange: Exchange, call: Call, wait: Wait, *, owner: Policy
) -> Refusal | None:
    """Judge what the user says in `call`; None where the model may be asked. Only a policy that can
    block is waited for. owner: the policy of the use case."""
    unread = (Piece(None, unread=call.user_unread),) if call.user_unread else ()
    with suppress(Blocked):  # what is no text is not replaced by one; the refusal has its own
        await _judge(exchange, (Piece(call.user_text), *unread), wait)
    if exchange.finish is None or exchange.finish.action is not Action.BLOCK:
        return None
    outcome = await outcome_of(exchange, wait)
    fallback = owner.prompt.fallback if owner.prompt else ""
    return Refusal(outcome=outcome, raises=owner.raises, fallback=fallback)


async def _judge(exchange: Exchange, pieces: tuple[Piece, ...], wait: Wait) -> None:
    async def reply() -> AsyncIterator[Piece]:
        for piece in pieces:
            yield piece

    async for _ in drive_async(exchange, Pieces(_READ), reply, wait):
        pass
