"""A whole answer: each reply in it is judged before any is given."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from guard.errors import Blocked
from guard.flow import Exchange, Piece, Release, Say, drive_async
from guard.gateway.judging.carving import replaced
from guard.gateway.judging.placing import Text, cleaned
from guard.gateway.judging.strings import Leaf
from guard.gateway.judging.waiting import Voice, piece_of

Again = Callable[[], AsyncIterator[Any]]


class Share:
    """What there is of one reply; see `flow.Keeping`. marker: for what is redacted."""

    def __init__(self, voice: Voice, *, marker: str) -> None:
        self._voice = voice
        self._marker = marker
        self.clear()

    def clear(self) -> None:
        """Forget it: the model is asked again."""
        self._value: Any = None
        self._leaves: list[Leaf] = []

    def add(self, value: Any) -> Piece:
        """Keep the reply."""
        found = self._voice.read(value)
        self._value, self._leaves = value, found.leaves
        return piece_of(found, Text().place(found.leaves))

    def given(self, step: Release | Say) -> Sequence[Any]:
        """What the client gets by this step."""
        if isinstance(step, Release):
            return [self._value]
        if not step.cleaned:
            return [self._voice.blocked_whole(self._value, step.text)]
        texts = cleaned(self._leaves, step.cleaned, self._marker)
        new = {leaf.path: text for leaf, text in zip(self._leaves, texts, strict=True)}
        return [replaced(self._value, new, copies=False)]


async def judged(exchange: Exchange, share: Share, ask: Again) -> Any:
    """What the client gets of one reply. Raises Blocked and UpstreamError."""
    return [value async for value in drive_async(exchange, share, ask)][-1]


async def judged_all(replies: Sequence[tuple[Exchange, Share, Again]]) -> list[Any]:
    """The same for all at once; where one raises, all are waited for before it does."""
    if len(replies) == 1:
        return [await judged(*replies[0])]
    found = await asyncio.gather(*(judged(*one) for one in replies), return_exceptions=True)
    errors = [one for one in found if isinstance(one, BaseException)]
    for error in sorted(errors, key=lambda one: isinstance(one, Blocked)):
        raise error
    return list(found)
