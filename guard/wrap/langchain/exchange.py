"""One request to a guarded chat model: asked, judged and answered."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.exceptions import OutputParserException
from langchain_core.messages import message_chunk_to_message
from langchain_core.outputs import ChatGeneration, ChatResult

from guard.errors import Blocked, UpstreamError
from guard.flow import Exchange, Flow, Refusal, drive_async
from guard.policy import Policy
from guard.records import Action, Call, Lane
from guard.wrap.langchain.drivers import ChatRequest, Driver, Generations, Reply
from guard.wrap.langchain.inner_model import InnerModel, cache_entry, call_of
from guard.wrap.langchain.messages import replacement, without_quotes
from guard.wrap.langchain.reply_buffer import ChatReplyBuffer
from guard.wrap.langchain.requested import requested_model

_VALIDATORS = frozenset({"pydantic", "pydantic_core"})
_REPLY_FIELDS = ("completion", "llm_output")
_QUOTE_MARK = "failed_generation"


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardOptions:
    """How the replies of a model are guarded.

    lane: who can ask again for a shadow request; None is nobody. trusted: told of the raw run.
    """

    flow: Flow
    use_case: str
    lane: Lane | None = None
    trusted: tuple[BaseCallbackHandler, ...] = ()

    def __deepcopy__(self, _: object) -> GuardOptions:
        return self


class ChatExchange:
    """One request, answered as a stream or whole. driver: blocking, or on an event loop."""

    def __init__(self, request: ChatRequest, options: GuardOptions, driver: Driver) -> None:
        self._request = request
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
        if (refusal := await self._refusal()) is not None:
            yield _said(refusal)
            return
        choice = self._begin(streamed=True)
        released = choice.release(self._driver, lambda: _until_none(self._inner.chunks()))
        async with aclosing(released):
            async for chunk in released:
                yield chunk

    async def generate(self) -> ChatResult:
        """The whole reply with all its choices, each judged by itself."""
        if (refusal := await self._refusal()) is not None:
            said = message_chunk_to_message(_said(refusal).message)
            return ChatResult(generations=[ChatGeneration(message=said)])
        choices: list[_Choice] = []
        while not choices or (self._first and len(choices) < len(self._first.generations)):
            choices.append(await self._choice(len(choices)))
        released = [generation for choice in choices for generation in choice.buffer.released]
        unchanged = all(choice.is_unchanged for choice in choices)
        if self._cache is not None and unchanged and not self._from_cache:
            await self._cache.store(released)
        # Of one choice it is judged, in the metadata of the message.
        passes = unchanged and (len(choices) == 1 or not choices[0].may_withhold)
        output = self._output if passes else without_quotes(self._output)
        return ChatResult(generations=released, llm_output=output)

    async def _refusal(self) -> Refusal | None:
        """Why the model must not be asked; None where it may."""
        return await self._options.flow.refuses(self._call, self._driver.wait)

    async def _choice(self, index: int) -> _Choice:
        choice = self._begin(streamed=False)
        asked = False

        async def ask() -> Generations:
            nonlocal asked
            reply = await (self._reply() if asked else self._first_reply())
            asked = True
            for generation in reply.generations[index:][:1] or reply.generations[-1:]:
                yield generation

        async for _ in choice.release(self._driver, lambda: _until_none(ask())):
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
        call = replace(self._call, requested=requested_model(self._request, streamed=streamed))
        exchange = self._options.flow.begin(call, streamed=streamed)
        policy = self._options.flow.policy(self._options.use_case, streamed=streamed)
        return _Choice(exchange, policy)


class _Choice:
    """One choice of a reply on its way to the caller."""

    def __init__(self, exchange: Exchange, policy: Policy) -> None:
        self.buffer = ChatReplyBuffer(policy)
        self._exchange = exchange
        self._policy = policy

    async def release(self, driver: Driver, ask: Callable[[], Reply]) -> Generations:
        """What the caller gets.

        Raises as `drive_async` does, but nothing that quotes what was withheld.
        Raised outside of `except`, so that the error in whose place it stands is not its context.
        """
        shown: Exception | None = None
        try:
            driven = drive_async(self._exchange, self.buffer, ask, driver.wait)
            async with aclosing(driven) as released:
                async for chunk in released:
                    yield chunk
        except Exception as error:
            if (shown := _without_quotes(error, self._policy)) is error:
                raise
        if shown is not None:
            raise shown

    @property
    def may_withhold(self) -> bool:
        """Whether the caller may get something else than what the model gave."""
        return self._policy.may_withhold

    @property
    def is_unchanged(self) -> bool:
        """Whether the caller has what the model gave."""
        finish = self._exchange.finish
        released = finish is not None and finish.action is Action.RELEASE
        return released and not self.buffer.is_changed


def _said(refusal: Refusal) -> ChatGeneration:
    """In place of a reply. Raises Blocked where that is the policy, which does not quote."""
    if refusal.raises:
        raise Blocked(replace(refusal.outcome, reply=""))
    return replacement(refusal.text, seen=(), released=())


async def _until_none(chunks: Generations) -> Reply:
    """The chunks, then None for the end; closes `chunks`."""
    async with aclosing(chunks):
        async for chunk in chunks:
            yield chunk
    yield None


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
