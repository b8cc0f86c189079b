"""What the user sends, judged before the model is asked."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import cast

from guard.errors import Blocked
from guard.flow.drivers import Exchange, Wait, drive_async
from guard.flow.steps import STRINGS, Pieces
from guard.records import Action, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A prompt that must not reach the model.

    outcome: of the prompt. raises: `Blocked` stands for the reply, and not a text.
    """

    outcome: Outcome
    raises: bool

    @property
    def text(self) -> str:
        """What is said in place of a reply. Raises Blocked where that is the policy."""
        if self.raises:
            raise Blocked(self.outcome)
        return self.outcome.text


async def judge_text(exchange: Exchange, text: str, wait: Wait) -> None:
    """Carry out an exchange whose text is there already. It may end later than this does."""

    async def reply() -> AsyncIterator[str]:
        yield text

    async for _ in drive_async(exchange, Pieces(STRINGS), reply, wait):
        pass


async def refusal_of(exchange: Exchange, text: str, wait: Wait, *, raises: bool) -> Refusal | None:
    """Judge a prompt; None where the model may be asked. Only a policy that can block is waited
    for."""
    await judge_text(exchange, text, wait)
    if exchange.finish is None or exchange.finish.action is not Action.BLOCK:
        return None
    return Refusal(outcome=cast("Outcome", await wait(exchange.outcome)), raises=raises)
