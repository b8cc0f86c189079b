"""One choice of a reply on its way: what came from the model, what the caller has of it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, closing

from langchain_core.outputs import ChatGeneration

from guard.flow import Exchange
from guard.policy import Policy
from guard.records import Action
from guard.wrap.langchain.chunks import saying
from guard.wrap.langchain.parts import Part, Reader
from guard.wrap.langchain.quoting import unquoted


class Choice:
    """Stands between the model's chunks, the parts that are judged, and the caller's chunks."""

    def __init__(self, exchange: Exchange, policy: Policy) -> None:
        self.exchange = exchange
        self._policy = policy
        self._seen: list[ChatGeneration] = []
        self._had: list[ChatGeneration] = []
        self._said: str | None = None

    def parts(self, chunks: Generator[ChatGeneration]) -> Generator[Part]:
        """The parts of a reply that begins; closes `chunks`."""
        reader = self._reader()
        with closing(chunks):
            for chunk in chunks:
                self._seen.append(chunk)
                yield from reader.add(chunk)
        yield from reader.rest()

    async def parts_async(self, chunks: AsyncGenerator[ChatGeneration]) -> AsyncGenerator[Part]:
        """The same."""
        reader = self._reader()
        async with aclosing(chunks):
            async for chunk in chunks:
                self._seen.append(chunk)
                for part in reader.add(chunk):
                    yield part
        for part in reader.rest():
            yield part

    def given(self, part: Part) -> tuple[ChatGeneration, ...]:
        """What the caller gets by a part that was released."""
        if part.said is not None:
            self._said = part.said
        self._had += part.chunks
        return part.chunks

    def rest(self) -> tuple[ChatGeneration, ...]:
        """What the caller gets at the end, when it is known what was done to the reply."""
        finish = self.exchange.finish
        if self._said is None or finish is None:
            return ()
        said = saying(self._said, finish.action, self._seen, self._had)
        self._had.append(said)
        return (said,)

    def told(self, error: Exception) -> Exception:
        """What the caller hears of an error; the very one where nothing in it was withheld."""
        return unquoted(error, self._policy)

    @property
    def had(self) -> list[ChatGeneration]:
        """What the caller has."""
        return self._had

    @property
    def unchanged(self) -> bool:
        """Whether that is what the model gave."""
        finish = self.exchange.finish
        return self._said is None and finish is not None and finish.action is Action.RELEASE

    def _reader(self) -> Reader:
        self._seen.clear()
        return Reader(policy=self._policy)
