"""Callers of all kinds: patient ones, slow readers, and those who leave half-way."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import aiohttp

from tests.soak.ledger import Attempt, Ledger
from tests.soak.scene import Scene
from tests.soak.texts import Kind, prompt_of

KINDS: Final = {
    Kind.KIND: 50,
    Kind.INSULTING: 30,
    Kind.SLOW: 5,
    Kind.BROKEN: 3,
    Kind.GARBLED: 3,
    Kind.FAILING: 3,
    Kind.BUSY: 3,
    Kind.CLOSING: 2,
    Kind.HUGE: 1,
}
WAYS: Final = {"chat": 55, "shadowed": 5, "asgi": 20, "langchain": 20}
TIMEOUT: Final = aiohttp.ClientTimeout(total=120, sock_connect=5)
READ_BYTES: Final = 64
SLOWLY_SECONDS: Final = 0.2
THINK_SECONDS: Final = 0.2
ONE_IN: Final = 20
ENDS: Final = (": guard {", "[DONE]")


class Callers:
    """Ask without end, each one question at a time, and write down what comes of it."""

    def __init__(
        self,
        scene: Scene,
        ledger: Ledger,
        disk_was_full_since: Callable[[float], bool],
        draw: random.Random,
    ) -> None:
        self._scene = scene
        self._ledger = ledger
        self._disk_was_full_since = disk_was_full_since
        self._draw = draw
        self._numbers = itertools.count()

    async def ask_on(self, over: asyncio.Event) -> None:
        """One caller."""
        async with aiohttp.ClientSession(timeout=TIMEOUT) as session:
            while not over.is_set():
                await self._ask(session)
                await asyncio.sleep(self._draw.random() * THINK_SECONDS)

    async def _ask(self, session: aiohttp.ClientSession) -> None:
        (use_case,) = self._draw.choices([*WAYS], [*WAYS.values()])
        (kind,) = self._draw.choices([*KINDS], [*KINDS.values()])
        if use_case == "shadowed" and kind is not Kind.INSULTING:
            kind = Kind.KIND
        number = next(self._numbers)
        attempt = Attempt(number=number, use_case=use_case, insult=kind is Kind.INSULTING)
        began = time.monotonic()
        with suppress(aiohttp.ClientError, OSError, TimeoutError, LeftError):
            if use_case in {"asgi", "langchain"}:
                await self._ask_embedded(session, attempt, prompt_of(number, kind))
            else:
                await self._ask_gateway(session, attempt, prompt_of(number, kind))
        attempt.droppable = self._disk_was_full_since(began)
        self._ledger.note(attempt)

    async def _ask_embedded(
        self, session: aiohttp.ClientSession, attempt: Attempt, prompt: str
    ) -> None:
        url = f"{self._scene.embedded.address}/{attempt.use_case}"
        async with session.post(url, json={"question": prompt}) as answer:
            attempt.status = answer.status
            attempt.text = await answer.text()
            attempt.whole = answer.status == 200

    async def _ask_gateway(
        self, session: aiohttp.ClientSession, attempt: Attempt, prompt: str
    ) -> None:
        url = f"{self._scene.gateway.address}/{attempt.use_case}/v1/chat/completions"
        streamed = self._draw.random() < 0.5
        body: dict[str, Any] = {"model": "scripted", "stream": streamed}
        body["messages"] = [{"role": "user", "content": prompt}]
        async with session.post(url, json=body) as answer:
            attempt.status = answer.status
            attempt.text = await self._read(answer)
        told = (
            all(end in attempt.text for end in ENDS)
            if streamed
            else "x-guard-call-id" in answer.headers
        )
        attempt.whole = answer.status == 200 and told
        verdict = answer.headers.get("x-guard-verdict", "")
        attempt.unscored = verdict == "unscored" or '"verdict": "unscored"' in attempt.text
        attempt.text = spoken(attempt.text)

    async def _read(self, answer: aiohttp.ClientResponse) -> str:
        """The body; a few read it slowly, and a few leave in the middle."""
        kind = self._draw.randrange(ONE_IN)
        if kind > 1:
            return await answer.text()
        found = b""
        async for piece in answer.content.iter_chunked(READ_BYTES):
            found += piece
            await asyncio.sleep(SLOWLY_SECONDS)
            if kind == 0:
                answer.close()
                raise LeftError
        return found.decode("utf-8", "replace")


class LeftError(Exception):
    """This caller has seen enough."""


def spoken(text: str) -> str:
    """A body without what JSON and events cut its words into."""
    pieces: list[str] = []
    for line in text.splitlines():
        with suppress(ValueError, KeyError, IndexError, TypeError):
            choice = json.loads(line.removeprefix("data: "))["choices"][0]
            pieces.append((choice.get("delta") or choice["message"]).get("content") or "")
    return "".join(pieces) or text
