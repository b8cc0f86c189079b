"""The answer to a request whose use case is judged."""

from __future__ import annotations

from contextlib import AsyncExitStack
from time import perf_counter

from guard.errors import UpstreamError
from guard.flow import Flow
from guard.gateway.errors import error_body
from guard.gateway.judging.context import Context, is_success
from guard.gateway.judging.given import WITHHELD, harmless, timing
from guard.gateway.judging.streams import Stream, is_stream, passes_through
from guard.gateway.judging.whole import judged_body, once
from guard.gateway.records import Asked, Reply
from guard.policy import Policy
from guard.upstream import Answer

_BEFORE_THE_MODEL = frozenset({401, 402, 403, 404, 405, 408, 413, 415, 429, 502, 503, 504})
"""Statuses of errors that come before a model says anything; there may be very many of them."""


async def judged(asked: Asked, flow: Flow, policy: Policy) -> Reply:
    """See `reply_to`."""
    context = Context(asked, flow, policy)
    try:
        return await _asked(context)
    except UpstreamError:
        flow.upstream_failed(asked.use_case)
        raise


async def _asked(context: Context) -> Reply:
    began = perf_counter()
    async with AsyncExitStack() as stack:
        answer = await stack.enter_async_context(context.send(context.asked.raw))
        if is_success(answer) and context.streamed and is_stream(answer):
            return await _streamed(context, answer, stack.pop_all(), began)
        body = await answer.body()
    if not is_success(answer):
        return await _refused(context, answer, body)
    if context.streamed and not passes_through(context):
        raise context.strange()
    return await _whole(context, answer, body, began)


async def _streamed(context: Context, answer: Answer, stack: AsyncExitStack, began: float) -> Reply:
    stream = Stream(context, answer, stack)
    chunks = stream.chunks()
    await anext(chunks)
    headers = (*harmless(answer), *stream.headers, timing(perf_counter() - began))
    return Reply(status=answer.status, headers=headers, chunks=chunks)


async def _whole(context: Context, answer: Answer, body: bytes, began: float) -> Reply:
    arrived = perf_counter()
    body, told = await judged_body(context, body)
    headers = (*harmless(answer), *told, timing(arrived - began, perf_counter() - arrived))
    return Reply(status=answer.status, headers=headers, chunks=once(body), length=len(body))


async def _refused(context: Context, answer: Answer, body: bytes) -> Reply:
    """An answer that is no reply, as it came, unless it says what a reply must not."""
    if answer.status == 429 or answer.status >= 500:
        context.flow.upstream_failed(context.asked.use_case)
    headers = harmless(answer)
    if answer.status not in _BEFORE_THE_MODEL and not await context.shows(body):
        body = error_body(*WITHHELD, kind="server_error")
        others = [pair for pair in headers if pair[0] != "content-type"]
        headers = (*others, ("content-type", "application/json"))
    return Reply(status=answer.status, headers=headers, chunks=once(body), length=len(body))
