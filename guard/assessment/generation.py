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
from typing import Any, Protocol, TypeGuard

from guard.assessment.failures import NO_REPLY, Silence, reason_of
from guard.errors import UpstreamBusy
from guard.ports import Upstream
from guard.records import Ask, Generated
from guard.shadow.plan import CHARACTERS_PER_TOKEN

UNKNOWN_REPLY_TOKENS = 1024
"""Tokens of a reply where no limit is set, for estimates."""
MOST_REPLY_TOKENS = 128_000
"""Of a reply where no limit is set, hidden reasoning counted: no model writes longer ones."""
TEMPLATE_TOKENS = 1_000
"""What a server may put around a question."""


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
        return self.reply_limit or UNKNOWN_REPLY_TOKENS

    @property
    def reply_limit(self) -> int:
        """The limit that is set for the reply; 0 for none."""
        limits = (self.ask.parameters.get(name) for name in ("max_completion_tokens", "max_tokens"))
        known = [one for one in limits if isinstance(one, int) and one > 0]
        return min(known, default=0)


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

    concurrency: questions under way at once. attempts: for one reply that fails or comes too late.
    retry_failed: ask again what an earlier run gave up. calls, tokens: at most, over the run, each
    attempt counted; what a busy model refuses is no call. backoff_seconds: before the second
    attempt, doubled for each further one, up to longest_backoff_seconds. patience_seconds: how long
    a model that answered before, or says when to come back, may be busy on end; one that was
    never heard of is asked `attempts` times.
    """

    concurrency: int = 8
    attempts: int = 4
    calls: float = inf
    tokens: float = inf
    retry_failed: bool = False
    backoff_seconds: float = 1.0
    longest_backoff_seconds: float = 60.0
    patience_seconds: float = 1800.0

    def after(self, asked: AskingCounts) -> AskingLimits:
        """What is left of the budget."""
        return replace(self, calls=self.calls - asked.asked, tokens=self.tokens - asked.tokens)

    def pause(self, attempt: int) -> float:
        """Seconds to wait after so many attempts."""
        doubled = self.backoff_seconds * 2.0 ** min(attempt - 1, 60)
        return min(self.longest_backoff_seconds, doubled)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingEstimate:
    """What a run will ask: replies that are kept already, those to be asked for, and tokens."""

    kept: int = 0
    calls: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingCounts:
    """What was asked. left: questions that the budget did not cover. failed: of those asked now;
    lost: of all, asked now or kept, those whose reply failed or came too late; reason: why the
    first of these did."""

    kept: int = 0
    asked: int = 0
    failed: int = 0
    left: int = 0
    tokens: int = 0
    lost: int = 0
    reason: str = ""

    @property
    def done(self) -> int:
        """Questions with an outcome."""
        return self.kept + self.asked

    def __add__(self, other: AskingCounts) -> AskingCounts:
        return AskingCounts(
            kept=self.kept + other.kept,
            asked=self.asked + other.asked,
            failed=self.failed + other.failed,
            left=self.left + other.left,
            tokens=self.tokens + other.tokens,
            lost=self.lost + other.lost,
            reason=self.reason or other.reason,
        )


class ReplySource(Protocol):
    """Replies of models by what was asked."""

    def get(self, key: bytes, /) -> Generated | None:
        """The reply that was put under this key; None where there is none."""


class KeptReplies(ReplySource, Protocol):
    """They are kept for good."""

    def put(self, key: bytes, reply: Generated) -> None:
        """Keep a reply; from now on it is there, whoever dies."""


class AskingProgress(Protocol):
    """Hears of every reply that is there."""

    def advance(self, reply: Generated) -> None:
        """One more."""


Sleep = Callable[[float], Awaitable[object]]


def is_kept(cache: KeptReplies, one: Enquiry, *, retry_failed: bool = False) -> bool:
    """Whether a question need not be asked."""
    return _stands(cache.get(one.key), retry_failed=retry_failed)


def _stands(reply: Generated | None, *, retry_failed: bool) -> TypeGuard[Generated]:
    return reply is not None and not (retry_failed and reply.ending in NO_REPLY)


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
        self._calls = 0
        self._silence = Silence(limits.concurrency * limits.attempts)
        self._rests = _Rests(limits, sleep)

    async def ask_all(self, enquiries: Iterable[Enquiry]) -> AskingCounts:
        """Ask, `concurrency` at a time; they are taken from the iterable as there is room.

        Raises UpstreamError where asking is of no use, or nothing but failures came, and
        UpstreamBusy where the model stays busy; what was answered until then is kept.
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
            kept = self._cache.get(one.key)
            if _stands(kept, retry_failed=self._limits.retry_failed):
                self._count(kept=1)
                self._note(kept)
            else:
                await self._ask(one)

    async def _ask(self, one: Enquiry) -> None:
        reply = await self._reply(one)
        if reply is None:
            self._count(left=1)
            return
        self._cache.put(one.key, reply)
        self._count(asked=1, failed=int(reply.ending in NO_REPLY))
        self._note(reply)
        if self._progress is not None:
            self._progress.advance(reply)
        self._silence.check(self._counts.lost, self._counts.reason)

    def _note(self, reply: Generated) -> None:
        """How a question ended, asked now or before."""
        if reply.ending in NO_REPLY:
            self._count(lost=1)
            told = self._counts.reason or reason_of(reply)
            self._counts = replace(self._counts, reason=told)
        else:
            self._silence.heard()

    async def _reply(self, one: Enquiry) -> Generated | None:
        """The reply, or the last that failed; None where the budget covers none."""
        reply = None
        for attempt in range(self._limits.attempts):
            if attempt:
                await self._sleep(self._limits.pause(attempt))
            if not self._is_affordable(one):
                break
            reply = await self._generate(one)
            self._count(tokens=reply.tokens or _likely_tokens(one, reply))
            if reply.ending not in NO_REPLY:
                break
            self._silence.failed(one.ask.turns)
        return reply

    def _is_affordable(self, one: Enquiry) -> bool:
        spent = self._counts.tokens + one.prompt_tokens
        if self._calls >= self._limits.calls or spent > self._limits.tokens:
            return False
        self._calls += 1
        return True

    async def _generate(self, one: Enquiry) -> Generated:
        while True:
            before = await self._rests.over()
            try:
                reply = await self._upstream.generate(one.ask)
            except UpstreamBusy as error:
                await self._rests.rest(error, before)
                continue
            self._rests.heard()
            return replace(reply, tokens=min(reply.tokens, _most_tokens(one, reply)))

    def _count(self, **more: int) -> None:
        added: dict[str, Any] = {
            name: getattr(self._counts, name) + count for name, count in more.items()
        }
        self._counts = replace(self._counts, **added)


class _Rests:
    """When a model is busy all questions wait, and not each for itself."""

    def __init__(self, limits: AskingLimits, sleep: Sleep) -> None:
        self._limits = limits
        self._sleep = sleep
        self._resting = asyncio.Lock()
        self._count = self._refused = 0
        self._waited = 0.0
        self._was_heard = False

    async def over(self) -> int:
        """Wait until it may be asked. How often it was left alone so far."""
        async with self._resting:
            return self._count

    async def rest(self, error: UpstreamBusy, before: int) -> None:
        """Leave it alone, unless that was done since `before`. Raises the error where it has been
        busy for too long."""
        async with self._resting:
            if self._count != before:
                return
            self._refused += 1
            seconds = max(self._limits.pause(self._refused), error.retry_after_seconds or 0.0)
            self._waited += seconds
            is_known = self._was_heard or error.retry_after_seconds is not None
            if self._waited > self._limits.patience_seconds or not (
                is_known or self._refused < self._limits.attempts
            ):
                raise error
            await self._sleep(seconds)
            self._count += 1

    def heard(self) -> None:
        """It answered."""
        self._was_heard = True
        self._refused, self._waited = 0, 0.0


def _likely_tokens(one: Enquiry, reply: Generated) -> int:
    """What a reply took, where its server does not tell."""
    return one.prompt_tokens + ceil(len(reply.text) / CHARACTERS_PER_TOKEN)


def _most_tokens(one: Enquiry, reply: Generated) -> int:
    """What a reply can have taken, by the texts and the limit."""
    asked = sum(_bytes(turn.content) for turn in one.ask.turns)
    written = max(_bytes(reply.text), one.reply_limit or MOST_REPLY_TOKENS)
    return asked + TEMPLATE_TOKENS + written


def _bytes(text: str) -> int:
    """No token has less than one."""
    return len(text.encode("utf-8", "surrogatepass"))
