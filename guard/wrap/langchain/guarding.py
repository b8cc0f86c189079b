"""One question to a guarded chat model: asked, judged and answered."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import aclosing, closing
from dataclasses import dataclass
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from guard.flow import Flow, Pieces, drive, drive_async
from guard.records import Call
from guard.wrap.langchain.asking import call_of
from guard.wrap.langchain.caching import cached
from guard.wrap.langchain.choice import Choice
from guard.wrap.langchain.chunks import telling_nothing
from guard.wrap.langchain.inner import Inner
from guard.wrap.langchain.parts import PARTS, Part


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How the replies of a model are guarded.

    lane: who can ask the like again; empty is nobody. trusted: told of the raw run.
    """

    flow: Flow
    use_case: str
    lane: str = ""
    trusted: tuple[BaseCallbackHandler, ...] = ()

    def __deepcopy__(self, _: object) -> Way:
        return self


class Guarding:
    """One question, answered as a stream or whole, sync or async.

    arguments: what goes along to the model, `stop` included.
    """

    def __init__(
        self,
        model: BaseChatModel,
        way: Way,
        messages: list[BaseMessage],
        arguments: dict[str, Any],
    ) -> None:
        self._way = way
        self._inner = Inner(model, way.trusted, messages, arguments)
        asked = Call(id="", use_case=way.use_case, lane=way.lane)
        self._call = call_of(asked, model, messages, arguments)
        self._place = cached(model, messages, arguments)
        self._first: ChatResult | None = None
        self._found = False
        self._output: dict[str, Any] | None = None

    def stream(self) -> Generator[ChatGeneration]:
        """The guarded chunks."""
        choice = self._begin(streamed=True)
        ask = lambda: choice.parts(self._inner.chunks())  # noqa: E731
        with closing(_given(choice, drive(choice.exchange, Pieces(PARTS), ask))) as given:
            yield from given

    async def stream_async(self) -> AsyncGenerator[ChatGeneration]:
        """The same."""
        choice = self._begin(streamed=True)
        ask = lambda: choice.parts_async(self._inner.chunks_async())  # noqa: E731
        parts = drive_async(choice.exchange, Pieces(PARTS), ask)
        async with aclosing(_given_async(choice, parts)) as given:
            async for chunk in given:
                yield chunk

    def generate(self) -> ChatResult:
        """The whole reply with all its choices, each judged by itself."""
        choices: list[Choice] = []
        while not choices or len(choices) < self._count:
            choices.append(choice := self._begin(streamed=False))
            ask = _Asks(self, choice, len(choices) - 1)
            parts = drive(choice.exchange, Pieces(PARTS), ask.parts)
            for _ in _given(choice, parts):
                pass
        if self._place is not None and self._keeps(choices):
            self._place.keep(_had(choices))
        return self._result(choices)

    async def generate_async(self) -> ChatResult:
        """The same."""
        choices: list[Choice] = []
        while not choices or len(choices) < self._count:
            choices.append(choice := self._begin(streamed=False))
            ask = _Asks(self, choice, len(choices) - 1)
            parts = drive_async(choice.exchange, Pieces(PARTS), ask.parts_async)
            async for _ in _given_async(choice, parts):
                pass
        if self._place is not None and self._keeps(choices):
            await self._place.keep_async(_had(choices))
        return self._result(choices)

    def first(self) -> ChatResult:
        """The reply that all choices are from, unless one of them is asked for again."""
        if self._first is None:
            found = self._place.found() if self._place is not None else None
            self._found = found is not None
            self._first = self._noted(found or self._inner.result())
        return self._first

    async def first_async(self) -> ChatResult:
        """The same."""
        if self._first is None:
            found = await self._place.found_async() if self._place is not None else None
            self._found = found is not None
            self._first = self._noted(found or await self._inner.result_async())
        return self._first

    def again(self) -> ChatResult:
        """Another reply."""
        return self._noted(self._inner.result())

    async def again_async(self) -> ChatResult:
        """The same."""
        return self._noted(await self._inner.result_async())

    @property
    def _count(self) -> int:
        return 0 if self._first is None else len(self._first.generations)

    def _noted(self, result: ChatResult) -> ChatResult:
        self._output = result.llm_output
        return result

    def _begin(self, *, streamed: bool) -> Choice:
        exchange = self._way.flow.begin(self._call, streamed=streamed)
        return Choice(exchange, self._way.flow.policy(self._way.use_case))

    def _keeps(self, choices: Sequence[Choice]) -> bool:
        return not self._found and all(choice.unchanged for choice in choices)

    def _result(self, choices: Sequence[Choice]) -> ChatResult:
        unchanged = all(choice.unchanged for choice in choices)
        output = self._output if unchanged else telling_nothing(self._output)
        return ChatResult(generations=_had(choices), llm_output=output)


class _Asks:
    """Asks for one choice: first for its part of the reply to all, then for another reply."""

    def __init__(self, guarding: Guarding, choice: Choice, index: int) -> None:
        self._guarding = guarding
        self._choice = choice
        self._index = index
        self._asked = False

    def parts(self) -> Generator[Part]:
        """The parts of it."""
        return self._choice.parts(self._once())

    def parts_async(self) -> AsyncGenerator[Part]:
        """The same."""
        return self._choice.parts_async(self._once_async())

    def _once(self) -> Generator[ChatGeneration]:
        reply = self._guarding.again() if self._asked else self._guarding.first()
        self._asked = True
        yield from self._of(reply)

    async def _once_async(self) -> AsyncGenerator[ChatGeneration]:
        again, first = self._guarding.again_async, self._guarding.first_async
        reply = await (again() if self._asked else first())
        self._asked = True
        for generation in self._of(reply):
            yield generation

    def _of(self, reply: ChatResult) -> list[ChatGeneration]:
        return reply.generations[self._index :][:1] or reply.generations[-1:]


def _had(choices: Sequence[Choice]) -> list[ChatGeneration]:
    return [generation for choice in choices for generation in choice.had]


def _given(choice: Choice, parts: Generator[Part]) -> Generator[ChatGeneration]:
    """What the caller gets. Raises as `drive` does, but nothing that quotes what was withheld.

    Raised outside of `except`, so that the error in whose place it stands is not its context.
    """
    hidden: Exception | None = None
    try:
        with closing(parts):
            for part in parts:
                yield from choice.given(part)
    except Exception as error:
        if (hidden := choice.told(error)) is error:
            raise
    if hidden is not None:
        raise hidden
    yield from choice.rest()


async def _given_async(
    choice: Choice, parts: AsyncGenerator[Part]
) -> AsyncGenerator[ChatGeneration]:
    """The same."""
    hidden: Exception | None = None
    try:
        async with aclosing(parts):
            async for part in parts:
                for chunk in choice.given(part):
                    yield chunk
    except Exception as error:
        if (hidden := choice.told(error)) is error:
            raise
    if hidden is not None:
        raise hidden
    for chunk in choice.rest():
        yield chunk
