"""One streamed answer of the model's server, dealt out to the replies in it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from guard.errors import UpstreamError
from guard.gateway.judging.json_text import JsonReader, UnreadableError
from guard.gateway.judging.sse import Block, Parser, TooLongError
from guard.gateway.judging.waiting import Event
from guard.upstream import Answer, Broken, TooLarge

DONE = "[DONE]"
END_SECONDS: Final = 0.1
"""How long the end of an answer that has said all may take, before its connection is closed."""


class SaidError(UpstreamError):
    """The model's server said in mid-stream that it failed. event: what the client is told."""

    def __init__(self, event: Any) -> None:
        super().__init__("the upstream reported an error in mid-stream")
        self.event = event


@dataclass(frozen=True, slots=True, kw_only=True)
class Dealing:
    """How the events of an answer are dealt out.

    split: the parts of an event by the number of their reply; the event itself where it is all of
    one. replies: how many there are. failure_in: what the client is told of a failure that an event
    reports. lenient: nothing is withheld, so events pass as they are, those that are no JSON too.
    """

    split: Callable[[Any], Iterable[tuple[int, Any]]]
    failure_in: Callable[[Any], Any]
    replies: int
    lenient: bool


class Feed:
    """Reads no faster than the hungriest reply wants; what comes for the others waits.

    common: what belongs to no reply and says nothing. usage: the last account of tokens. done,
    ended: whether the answer ended with `[DONE]`, and without.
    """

    def __init__(self, answer: Answer, dealing: Dealing, *, limit_bytes: int, where: str) -> None:
        self._chunks: AsyncGenerator[bytes] = answer.chunks()
        self._dealing = dealing
        self._limit = limit_bytes
        self._where = where
        self._parser = Parser(limit_bytes)
        self._reader = JsonReader()
        self._waiting: list[deque[Event]] = [deque() for _ in range(dealing.replies)]
        self._reading = asyncio.Lock()
        self._failure: UpstreamError | None = None
        self._over = False
        self.done = self.ended = False
        self.common: list[Event] = []
        self.usage: Mapping[str, Any] | None = None

    async def reply(self, number: int) -> AsyncGenerator[Event]:
        """The events of one reply. Raises UpstreamError where the answer breaks off."""
        waiting = self._waiting[number]
        while True:
            while waiting:
                yield waiting.popleft()
            if self._over:
                break
            async with self._reading:
                if not waiting and not self._over:
                    await self._read()
        if self._failure is not None:
            raise self._failure

    def leave(self, number: int) -> None:
        """Nobody wants the rest of this reply."""
        self._waiting[number] = deque(maxlen=0)

    async def aclose(self) -> None:
        """Read no more. Behind the last event only the end is left, mostly there already: without
        it the connection could not be used again."""
        if self._over and self._failure is None:
            with suppress(TimeoutError, UpstreamError):
                async with asyncio.timeout(END_SECONDS):
                    while await anext(self._chunks, None) is not None:
                        pass
        await self._chunks.aclose()

    async def _read(self) -> None:
        try:
            chunk = await anext(self._chunks, None)
            blocks = self._parser.end() if chunk is None else self._parser.feed(chunk)
            for block in blocks:
                self._deal(block)
            if chunk is None and not self._over:
                self._over = self.ended = True
        except UpstreamError as error:
            self._fail(error)
        except TooLongError:
            self._fail(TooLarge(f"{self._where}: an event is larger than {self._limit} bytes"))

    def _fail(self, error: UpstreamError) -> None:
        self._failure, self._over = error, True

    def _deal(self, block: Block) -> None:
        if block.data is None or self._over:
            return
        if block.data.strip() == DONE:
            self._over = self.done = True
            return
        try:
            value = self._reader.read(block.data)
        except UnreadableError:
            self._pass_strange(block)
            return
        if (error := self._dealing.failure_in(value)) is not None:
            raise SaidError(error)
        self._keep_usage(value)
        exact = self._dealing.lenient or (block.exact and self._reader.exact)
        raw = block.raw if exact else None
        for number, share in self._dealing.split(value):
            event = Event(share, raw if share is value else None, block.name)
            (self.common if number < 0 else self._waiting[number]).append(event)

    def _pass_strange(self, block: Block) -> None:
        if not self._dealing.lenient:
            raise Broken(f"{self._where}: an event of the stream is no JSON")
        self._waiting[0].append(Event(None, block.raw))

    def _keep_usage(self, value: Any) -> None:
        if isinstance(value, dict) and isinstance(usage := value.get("usage"), dict):
            self.usage = usage
