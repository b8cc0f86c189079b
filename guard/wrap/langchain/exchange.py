"""One request to a guarded chat model: asked, judged and answered."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.exceptions import OutputParserException
from langchain_core.outputs import ChatGeneration, ChatResult

from guard.errors import Blocked, UpstreamError
from guard.flow import Exchange, Flow
from guard.policy import Policy
from guard.records import Action, Call
from guard.wrap.langchain.calls import call_of
from guard.wrap.langchain.chunks import replacement, without_quotes
from guard.wrap.langchain.drivers import ChatRequest, Driver, Parts
from guard.wrap.langchain.inner_model import InnerModel, cache_entry
from guard.wrap.langchain.parts import Part, PartReader

Generations = AsyncGenerator[ChatGeneration, None]

_VALIDATORS = frozenset({"pydantic", "pydantic_core"})
_REPLY_FIELDS = ("completion", "llm_output")
_QUOTE_MARK = "failed_generation"


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardOptions:
    """How the replies of a model are guarded.

    lane: who can ask again for a shadow request; empty is nobody. trusted: told of the raw run.
    """

    flow: Flow
    use_case: str
    lane: str = ""
    trusted: tuple[BaseCallbackHandler, ...] = ()

    def __deepcopy__(self, _: object) -> GuardOptions:
        return self


class ChatExchange:
    """One request, answered as a stream or whole. driver: blocking, or on an event loop."""

    def __init__(self, request: ChatRequest, options: GuardOptions, driver: Driver) -> None:
        self._options = options
        self._driver = driver
        self._inner = InnerModel(request, options.trusted, driver)
        call = Call(id="", use_case=options.use_case, lane=options.lane)
        self._call = call_of(call, request)
        self._cache = cache_entry(request, driver)
        self._first: ChatResult | None = None
        self._from_cache = False
        self._output: dict[str, Any] | None = None

    async def stream(self) -> Generations:
        """The guarded chunks."""
        choice = self._begin(streamed=True)
        parts = self._driver.judge(choice.exchange, lambda: choice.parts(self._inner.chunks()))
        async with aclosing(_released(choice, parts)) as released:
            async for chunk in released:
                yield chunk

    async def generate(self) -> ChatResult:
        """The whole reply with all its choices, each judged by itself."""
        choices: list[_Choice] = []
        while not choices or (self._first and len(choices) < len(self._first.generations)):
            choices.append(await self._choice(len(choices)))
        released = [generation for choice in choices for generation in choice.released]
        unchanged = all(choice.unchanged for choice in choices)
        if self._cache is not None and unchanged and not self._from_cache:
            await self._cache.store(released)
        output = self._output if unchanged else without_quotes(self._output)
        return ChatResult(generations=released, llm_output=output)

    async def _choice(self, index: int) -> _Choice:
        choice = self._begin(streamed=False)
        asked = False

        async def ask() -> Generations:
            nonlocal asked
            reply = await (self._reply() if asked else self._first_reply())
            asked = True
            for generation in reply.generations[index:][:1] or reply.generations[-1:]:
                yield generation

        parts = self._driver.judge(choice.exchange, lambda: choice.parts(ask()))
        async for _ in _released(choice, parts):
            pass
        return choice

    async def _first_reply(self) -> ChatResult:
        """The reply that all choices are from, unless one of them is asked for again."""
        if self._first is None:
            found = await self._cache.reply() if self._cache is not None else None
            self._from_cache = found is not None
            self._first = found or await self._reply()
            self._output = self._first.llm_output
        return self._first

    async def _reply(self) -> ChatResult:
        reply = await self._inner.reply()
        self._output = reply.llm_output
        return reply

    def _begin(self, *, streamed: bool) -> _Choice:
        exchange = self._options.flow.begin(self._call, streamed=streamed)
        return _Choice(exchange, self._options.flow.policy(self._options.use_case))


class _Choice:
    """One choice of a reply: what came from the model, and what the caller has of it."""

    def __init__(self, exchange: Exchange, policy: Policy) -> None:
        self.exchange = exchange
        self.policy = policy
        self.released: list[ChatGeneration] = []
        self._seen: list[ChatGeneration] = []
        self._said: str | None = None

    async def parts(self, chunks: Generations) -> Parts:
        """The parts of a reply that begins; closes `chunks`."""
        self._seen.clear()
        reader = PartReader(policy=self.policy)
        async with aclosing(chunks):
            async for chunk in chunks:
                self._seen.append(chunk)
                for part in reader.add(chunk):
                    yield part
        for part in reader.rest():
            yield part

    def release(self, part: Part) -> tuple[ChatGeneration, ...]:
        """What the caller gets by a part that was released."""
        if part.said is not None:
            self._said = part.said
        self.released += part.chunks
        return part.chunks

    def end(self) -> tuple[ChatGeneration, ...]:
        """What the caller gets at the end, when it is known what was done to the reply."""
        finish = self.exchange.finish
        if self._said is None or finish is None:
            return ()
        said = replacement(self._said, finish.action, self._seen, self.released)
        self.released.append(said)
        return (said,)

    @property
    def unchanged(self) -> bool:
        """Whether the caller has what the model gave."""
        finish = self.exchange.finish
        return self._said is None and finish is not None and finish.action is Action.RELEASE


async def _released(choice: _Choice, parts: Parts) -> Generations:
    """What the caller gets. Raises as `drive` does, but nothing that quotes what was withheld.

    Raised outside of `except`, so that the error in whose place it stands is not its context.
    """
    shown: Exception | None = None
    try:
        async with aclosing(parts):
            async for part in parts:
                for chunk in choice.release(part):
                    yield chunk
    except Exception as error:
        if (shown := _without_quotes(error, choice.policy)) is error:
            raise
    if shown is not None:
        raise shown
    for chunk in choice.end():
        yield chunk


def _without_quotes(error: Exception, policy: Policy) -> Exception:
    """`error`, or one without the words of the reply where policy might withhold them.

    Callers, callbacks and logs hear of exceptions. Models that parse a reply themselves, to a
    schema say, raise what is wrong with it in its words.
    """
    if isinstance(error, Blocked):
        return Blocked(replace(error.outcome, reply=""))
    if policy.may_withhold and any(map(_may_quote, _with_causes(error))):
        return UpstreamError(
            f"the model raised {type(error).__name__}; its message is not shown, since it may quote"
            " the reply. Handlers given as `trusted` receive it"
        )
    return error


def _may_quote(error: BaseException) -> bool:
    kinds = {kind.__module__.partition(".")[0] for kind in type(error).__mro__}
    parses = isinstance(error, json.JSONDecodeError | OutputParserException)
    holds = any(getattr(error, name, None) is not None for name in _REPLY_FIELDS)
    return parses or holds or bool(kinds & _VALIDATORS) or _QUOTE_MARK in str(error)


def _with_causes(error: BaseException) -> Iterator[BaseException]:
    """The error and those that it was raised from or during."""
    found: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop()
        if one is not None and one not in found:
            found.append(one)
            waiting += [one.__cause__, one.__context__]
    yield from found
