"""Replies that are not there yet are asked for: in parallel, within a budget, and each only once.

What was asked and how decides the key of a reply, so that a run that was interrupted goes on where
it was, and another run with the same questions to the same model asks nothing.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from math import ceil, inf
from typing import Protocol

from guard.errors import UpstreamBusy
from guard.ports import Upstream
from guard.records import Ask, Ending, Generated
from guard.shadow.plan import CHARACTERS_PER_TOKEN

UNKNOWN_REPLY_TOKENS = 1024
"""Tokens of a reply where no limit is set, for estimates."""
_AGAIN = frozenset((Ending.FAILED, Ending.TIMED_OUT))


@dataclass(frozen=True, slots=True, kw_only=True)
class Enquiry:
    """A question, and the key under which its reply is kept."""

    key: bytes
    ask: Ask

    @property
    def prompt_tokens(self) -> int:
        """About how many tokens the question has."""
        return ceil(sum(len(turn.content) for turn in self.ask.turns) / CHARACTERS_PER_TOKEN)

    @property
    def reply_tokens(self) -> int:
        """How many tokens the reply may have, about."""
        limits = (self.ask.parameters.get(name) for name in ("max_completion_tokens", "max_tokens"))
        known = [one for one in limits if isinstance(one, int) and one > 0]
        return min(known, default=UNKNOWN_REPLY_TOKENS)


def enquiry(model: str, ask: Ask, number: int) -> Enquiry:
    """A question to a model. model: which, and where it is. number: of the draw."""
    asked = {
        "model": model,
        "turns": [[turn.role, turn.content] for turn in ask.turns],
        "parameters": dict(ask.parameters),
        "seed": ask.seed,
        "as_messages": ask.as_messages,
        "number": number,
    }
    text = json.dumps(asked, sort_keys=True, allow_nan=False)
    return Enquiry(key=blake2b(text.encode("ascii"), digest_size=16).digest(), ask=ask)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingLimits:
    """How a model is asked.

    concurrency: questions under way at once. attempts: for one reply that fails or comes too late,
    and of a model that is busy. retry_failed: ask again what an earlier run gave up. calls, tokens:
    at most, over the run. backoff_seconds: before the second attempt, doubled for each further one,
    up to longest_backoff_seconds.
    """

    concurrency: int = 8
    attempts: int = 4
    calls: float = inf
    tokens: float = inf
    retry_failed: bool = False
    backoff_seconds: float = 1.0
    longest_backoff_seconds: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingEstimate:
    """What a run will ask: replies that are kept already, those to be asked for, and tokens."""

    kept: int = 0
    calls: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingCounts:
    """What was asked. left: questions that the budget did not cover."""

    kept: int = 0
    asked: int = 0
    failed: int = 0
    left: int = 0
    tokens: int = 0


class KeptReplies(Protocol):
    """Replies of models by what was asked, kept for good."""

    def get(self, key: bytes) -> Generated | None:
        """The reply that was put under this key; None where there is none."""

    def put(self, key: bytes, reply: Generated) -> None:
        """Keep a reply; from now on it is there, whoever dies."""


class AskingProgress(Protocol):
    """Hears of every reply that is there."""

    def advance(self, reply: Generated) -> None:
        """One more."""


Sleep = Callable[[float], Awaitable[object]]


def is_kept(cache: KeptReplies, one: Enquiry, *, retry_failed: bool = False) -> bool:
    """Whether a question need not be asked."""
    reply = cache.get(one.key)
    return reply is not None and not (retry_failed and reply.ending in _AGAIN)


def estimate(
    enquiries: Iterable[Enquiry], cache: KeptReplies, *, retry_failed: bool = False
) -> AskingEstimate:
    """What asking all of them will take; the tokens of replies are an upper bound."""
    kept = calls = prompt_tokens = reply_tokens = 0
    for one in enquiries:
        if is_kept(cache, one, retry_failed=retry_failed):
            kept += 1
            continue
        calls += 1
        prompt_tokens += one.prompt_tokens
        reply_tokens += one.reply_tokens
    return AskingEstimate(
        kept=kept, calls=calls, prompt_tokens=prompt_tokens, reply_tokens=reply_tokens
    )


class Interview:
    """Asks one model all that is not kept. Used once, from one event loop.

    sleep: waits; given by tests.
    """

    def __init__(
        self,
        upstream: Upstream,
        cache: KeptReplies,
        limits: AskingLimits,
        *,
        progress: AskingProgress | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._upstream = upstream
        self._cache = cache
        self._limits = limits
        self._progress = progress
        self._sleep = sleep
        self._counts = AskingCounts()
        self._reserved = 0

    async def ask_all(self, enquiries: Iterable[Enquiry]) -> AskingCounts:
        """Ask, `concurrency` at a time; they are taken from the iterable as there is room.

        Raises UpstreamError where asking is of no use, and UpstreamBusy where the model stays busy;
        what was answered until then is kept.
        """
        waiting = iter(enquiries)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._limits.concurrency):
                    group.create_task(self._work(waiting))
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None
        return self._counts

    async def _work(self, waiting: Iterator[Enquiry]) -> None:
        for one in waiting:
            if is_kept(self._cache, one, retry_failed=self._limits.retry_failed):
                self._count(kept=1)
            elif self._is_affordable(one):
                await self._ask(one)
            else:
                self._count(left=1)

    def _is_affordable(self, one: Enquiry) -> bool:
        spent = self._counts.tokens + one.prompt_tokens
        if self._reserved >= self._limits.calls or spent > self._limits.tokens:
            return False
        self._reserved += 1
        return True

    async def _ask(self, one: Enquiry) -> None:
        reply = await self._reply(one.ask)
        self._cache.put(one.key, reply)
        spent = reply.tokens or one.prompt_tokens + ceil(len(reply.text) / CHARACTERS_PER_TOKEN)
        self._count(asked=1, failed=int(reply.ending in _AGAIN), tokens=spent)
        if self._progress is not None:
            self._progress.advance(reply)

    async def _reply(self, ask: Ask) -> Generated:
        for attempt in range(1, self._limits.attempts + 1):
            is_last = attempt == self._limits.attempts
            try:
                reply = await self._upstream.generate(ask)
            except UpstreamBusy as error:
                if is_last:
                    raise
                await self._sleep(max(self._pause(attempt), error.retry_after_seconds or 0.0))
                continue
            if reply.ending not in _AGAIN or is_last:
                break
            await self._sleep(self._pause(attempt))
        return reply

    def _pause(self, attempt: int) -> float:
        limits = self._limits
        return min(limits.longest_backoff_seconds, limits.backoff_seconds * 2.0 ** (attempt - 1))

    def _count(self, **more: int) -> None:
        added = {name: getattr(self._counts, name) + count for name, count in more.items()}
        self._counts = replace(self._counts, **added)
