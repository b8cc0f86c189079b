"""Answers that nobody looks at, because their use case is off."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from time import perf_counter

from guard.errors import UpstreamError
from guard.flow import Flow
from guard.gateway.judging.given import harmless, timing
from guard.gateway.judging.sending import sent
from guard.gateway.records import Asked, Reply
from guard.records import Call, Verdict
from guard.upstream import Answer


async def relayed(asked: Asked, flow: Flow) -> Reply:
    """The answer, byte for byte, as it comes."""
    began = perf_counter()
    stack = AsyncExitStack()
    try:
        answer = await stack.enter_async_context(sent(asked, asked.raw))
    except UpstreamError:
        flow.upstream_failed(asked.use_case)
        raise
    call_id = flow.pass_unread(Call(id="", use_case=asked.use_case))
    chunks = _passed(answer, stack)
    await anext(chunks)
    headers = (
        *harmless(answer),
        ("x-guard-call-id", call_id),
        ("x-guard-verdict", Verdict.UNSCORED.value),
        timing(perf_counter() - began),
    )
    return Reply(status=answer.status, headers=headers, chunks=chunks, length=_length(answer))


async def _passed(answer: Answer, stack: AsyncExitStack) -> AsyncGenerator[bytes]:
    """The body. Gives one empty piece first, so that closing it always closes the connection."""
    async with stack:
        yield b""
        async for chunk in answer.chunks():
            yield chunk


def _length(answer: Answer) -> int | None:
    """Of the body as it is passed on: a compressed one is not."""
    told = answer.headers.get("content-length", "")
    plain = answer.headers.get("content-encoding", "identity") == "identity"
    return int(told) if plain and told.isdecimal() else None
