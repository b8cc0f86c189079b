"""One request that is judged: how it is sent, recorded, and how its response is read."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from itertools import chain, repeat
from typing import Any

from guard.counterfactual import never_shadowed, shadow_parameters
from guard.errors import Broken
from guard.flow import Exchange, Flow, Refusal
from guard.gateway.errors import RefusedRequest
from guard.gateway.judging.choices import Chat, Completions, count_per_prompt, prompts_of
from guard.gateway.judging.error_text import error_text
from guard.gateway.judging.formats import Dialect
from guard.gateway.judging.request_span import RequestSpan, requested_model
from guard.gateway.judging.responses import Responses
from guard.gateway.request import GenerationRequest, Operation
from guard.policy import Hold, Policy
from guard.records import Call
from guard.replies.json_text import MAX_REPLY_VALUES, JsonReader, NotJsonError, json_bytes
from guard.replies.large import run_beside
from guard.replies.reply_format import ReplyFormat
from guard.replies.requests import (
    chat_messages,
    conversation_turns,
    prompt_text,
    read_options,
    response_messages,
    unread_prompt,
    user_text,
)
from guard.text import asked_in
from guard.upstream import Answer

DIALECTS: Mapping[Operation, Dialect] = {
    Operation.CHAT: Chat(),
    Operation.COMPLETIONS: Completions(),
    Operation.RESPONSES: Responses(),
}
UNREADABLE = object()
"""In place of a value that could not be read."""


class Context:
    """One request and how to judge it. Raises RefusedRequest if it cannot be judged.

    call: what all calls of the request have in common. calls: one per reply, without end.
    """

    def __init__(
        self,
        asked: GenerationRequest,
        flow: Flow,
        policy: Policy,
        call: Call,
        calls: Iterator[Call],
    ) -> None:
        self.flow = flow
        self.policy = policy
        self.dialect = DIALECTS[asked.operation]
        self.replies = self.dialect.count_replies(asked.body)
        self.streamed = _is_streamed(asked.body)
        self.where = asked.upstream.where
        self.options = read_options(
            asked.body,
            reads_reasoning=policy.reads_reasoning,
            reads_tool_calls=policy.reads_tool_calls,
        )
        self._calls = calls
        self.span = RequestSpan(asked, flow, call, replies=self.replies)
        self._call = call
        self.asked = self.span.asked

    @property
    def passes_through(self) -> bool:
        """Whether a stream is released as it comes, and judged afterwards."""
        return not self.policy.may_withhold or self.policy.hold is Hold.NONE

    def begin(self) -> Exchange:
        """An exchange for the next reply."""
        return self.span.begin(next(self._calls), streamed=self.streamed)

    async def refusal(self) -> Refusal | None:
        """Why the prompt must not reach the upstream; None where it may."""
        if self.policy.prompt is None:
            return None
        size_bytes = len(self.asked.raw)
        return await self.span.refuses(
            await run_beside(size_bytes, _with_user_text, self._call, self.asked)
        )

    def reply_format(self, number: int) -> ReplyFormat:
        """How reply `number` is read and written."""
        return self.dialect.reply_format(self.options, self.asked.body, number)

    @asynccontextmanager
    async def send_again(self, number: int, step: int) -> AsyncIterator[Answer]:
        """Request one reply again. Raises Broken if the status is not 2xx."""
        changed = self.dialect.retry_parameters(self.asked.body, number, step)
        body = write_json({**self.asked.body, **changed}) if changed else self.asked.raw
        async with send(self.asked, body) as answer:
            if not is_success(answer):
                raise Broken(f"{self.where}: HTTP {answer.status} when it was asked again")
            yield answer

    def read(self, body: bytes) -> tuple[Any, bool]:
        """The parsed response, and whether every JSON parser would find the same in it; UNREADABLE
        if it is not a response of this operation, or has more than MAX_REPLY_VALUES."""
        reader = JsonReader()
        try:
            value = reader.read(body)
        except NotJsonError:
            return UNREADABLE, True
        return (value if self.dialect.is_answer(value) else UNREADABLE), reader.exact

    async def may_show(self, error: bytes | Mapping[str, Any]) -> bool:
        """Whether the client may see this error of the upstream. Some errors quote the model's
        reply; one of too many parts to be read may be shown where nothing is withheld."""
        if not self.policy.may_withhold:
            return True
        size_bytes = len(error) if isinstance(error, bytes) else 0
        text = await run_beside(size_bytes, error_text, error, self.options)
        return text is not None and await self.flow.passes(self.asked.use_case, text)

    def unreadable(self) -> Broken:
        """The error to raise for a response that cannot be read."""
        return Broken(
            f"{self.where}: the answer is none of {self.asked.operation}, or has more than"
            f" {MAX_REPLY_VALUES:,} values"
        )


async def read_context(asked: GenerationRequest, flow: Flow, policy: Policy) -> Context:
    """The context of a request. What a large one says takes up to a second to read, and is read
    before anything begins that has to be ended."""
    call, calls = await run_beside(len(asked.raw), _read_calls, asked)
    return Context(asked, flow, policy, call, calls)


def _read_calls(asked: GenerationRequest) -> tuple[Call, Iterator[Call]]:
    call = new_call(asked, replies=DIALECTS[asked.operation].count_replies(asked.body))
    return call, _calls_of(asked, call)


def send(asked: GenerationRequest, content: bytes) -> AbstractAsyncContextManager[Answer]:
    """Send the request to the upstream. A response that is not streamed starts when it is complete,
    so its first byte may take as long as a whole reply."""
    upstream = asked.upstream
    return upstream.send(
        "POST",
        str(asked.operation),
        content=content,
        headers=asked.headers,
        first_byte_seconds=None if asked.body.get("stream") else upstream.limits.total_seconds,
    )


def write_json(value: Any) -> bytes:
    """`value` on one line. Raises Broken where it is nested too deep."""
    try:
        return json_bytes(value)
    except NotJsonError as error:
        raise Broken(str(error)) from error


def is_success(answer: Answer) -> bool:
    """Whether the status is 2xx."""
    return 200 <= answer.status < 300


def _is_streamed(body: Mapping[str, Any]) -> bool:
    asked = body.get("stream")
    if asked is not None and type(asked) is not bool:
        raise RefusedRequest(400, "bad_value", "stream must be true or false", param="stream")
    return bool(asked)


def new_call(asked: GenerationRequest, *, replies: int) -> Call:
    """What every call of a request has in common; its id is set later."""
    never = asked.never_shadowed or never_shadowed(asked.body) or ""
    return Call(
        id="",
        use_case=asked.use_case,
        lane=asked.lane,
        parameters={} if never else shadow_parameters(asked.body),
        never_shadowed=never,
        requested=requested_model(asked, replies=replies),
    )


def _with_user_text(call: Call, asked: GenerationRequest) -> Call:
    body = asked.body
    if asked.operation is Operation.COMPLETIONS:
        return replace(call, user_text=prompt_text(body), user_unread=unread_prompt(body))
    return replace(call, user_text=user_text(body, _messages(asked)))


def _messages(asked: GenerationRequest) -> list[Any]:
    is_chat = asked.operation is Operation.CHAT
    return (chat_messages if is_chat else response_messages)(asked.body)


def _calls_of(asked: GenerationRequest, call: Call) -> Iterator[Call]:
    """The calls to record, one per reply, without end."""
    if asked.operation is Operation.COMPLETIONS:
        prompts = [one if isinstance(one, str) else "" for one in prompts_of(asked.body)]
        count = count_per_prompt(asked.body)
        calls = [replace(call, prompt=one) for one in prompts for _ in range(count)]
    else:
        messages = _messages(asked)
        turns = conversation_turns(messages)
        calls = [replace(call, prompt=asked_in(messages), turns=turns)]
    return chain(calls, repeat(calls[-1]))
