"""One request under judgement: how it is asked, and read."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from guard.flow import Exchange, Flow
from guard.gateway.errors import RefusedRequest
from guard.gateway.judging.calls import calls_of
from guard.gateway.judging.chat import Chat
from guard.gateway.judging.completions import Completions
from guard.gateway.judging.dialect import Dialect
from guard.gateway.judging.json_text import JsonReader, UnreadableError, json_bytes
from guard.gateway.judging.responses import Responses
from guard.gateway.judging.sending import sent
from guard.gateway.judging.strings import Reading, strings
from guard.gateway.judging.waiting import Voice
from guard.gateway.records import Asked, Operation
from guard.policy import Policy
from guard.upstream import Answer, Broken

DIALECTS: Mapping[Operation, Dialect] = {
    Operation.CHAT: Chat(),
    Operation.COMPLETIONS: Completions(),
    Operation.RESPONSES: Responses(),
}
NOTHING = object()
"""In place of a value that could not be read."""


class Context:
    """What is known of one request. Raises RefusedRequest for one that cannot be judged."""

    def __init__(self, asked: Asked, flow: Flow, policy: Policy) -> None:
        self.asked = asked
        self.flow = flow
        self.policy = policy
        self.dialect = DIALECTS[asked.operation]
        self.replies = self.dialect.replies(asked.body)
        self.streamed = _streamed(asked.body)
        self.where = asked.upstream.where
        self.reading = Reading.under(policy, asked.body)
        self._calls = calls_of(asked)

    def begin(self) -> Exchange:
        """An exchange for the next reply."""
        return self.flow.begin(next(self._calls), streamed=self.streamed)

    def voice(self, number: int) -> Voice:
        """For one reply."""
        return self.dialect.voice(self.reading, number)

    def send(self, content: bytes) -> AbstractAsyncContextManager[Answer]:
        """Ask the model's server."""
        return sent(self.asked, content)

    @asynccontextmanager
    async def send_again(self, number: int, step: int) -> AsyncIterator[Answer]:
        """Ask for one reply once more. Raises Broken where the answer is no success."""
        changed = self.dialect.again(self.asked.body, number, step)
        body = json_bytes({**self.asked.body, **changed}) if changed else self.asked.raw
        async with self.send(body) as answer:
            if not is_success(answer):
                raise Broken(f"{self.where}: HTTP {answer.status} when it was asked again")
            yield answer

    def read(self, body: bytes) -> tuple[Any, bool]:
        """The value of a whole answer, and whether everybody finds the same in it. NOTHING where
        it is no answer of this operation."""
        reader = JsonReader()
        try:
            value = reader.read(body.decode("utf-8"))
        except (UnreadableError, UnicodeDecodeError):
            return NOTHING, True
        return (value if self.dialect.is_answer(value) else NOTHING), reader.exact

    async def shows(self, error: bytes | Mapping[str, Any]) -> bool:
        """Whether the client may see this error of the model's server: some quote what the model
        said."""
        value = error if isinstance(error, Mapping) else _error_in(error)
        leaves = strings(value, self.reading).leaves
        text = "\n\n".join(leaf.text for leaf in leaves)
        return await self.flow.passes(self.asked.use_case, text)

    def strange(self) -> Broken:
        """To be raised for an answer that cannot be read."""
        return Broken(f"{self.where}: the answer is none of {self.asked.operation}")


def is_success(answer: Answer) -> bool:
    """Whether there is a reply in it."""
    return 200 <= answer.status < 300


def _error_in(body: bytes) -> Any:
    try:
        return JsonReader().read(body.decode("utf-8"))
    except (UnreadableError, UnicodeDecodeError):
        return {"message": body.decode("utf-8", "replace")}


def _streamed(body: Mapping[str, Any]) -> bool:
    asked = body.get("stream")
    if asked is not None and type(asked) is not bool:
        raise RefusedRequest(400, "bad_value", "stream must be true or false", param="stream")
    return bool(asked)
