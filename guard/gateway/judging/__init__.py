"""From an accepted request to the bytes of its response: ask the upstream, judge, release.

Thin tables over `guard.replies`: `choices` and `responses` say where the texts of an
operation are and how a withheld reply is written in it; `events` buffers the events of a stream.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from time import perf_counter

from guard.errors import UpstreamError
from guard.flow import Flow
from guard.gateway.errors import error_body
from guard.gateway.judging.context import Context, is_success, read_context, send
from guard.gateway.judging.formats import WITHHELD
from guard.gateway.judging.prompts import refused_reply
from guard.gateway.judging.request_span import RequestSpan, requested_model
from guard.gateway.judging.streams import Stream, is_event_stream, is_stream
from guard.gateway.judging.whole import Headers, judge_body
from guard.gateway.request import GenerationRequest
from guard.gateway.response import Reply
from guard.records import Call, Verdict
from guard.replies.answer_headers import passed_headers
from guard.upstream import Answer

__all__ = ["reply_to"]

_BEFORE_THE_MODEL = frozenset({401, 402, 403, 404, 405, 408, 413, 415, 429, 502, 503, 504})
"""Statuses of errors raised before a model generates anything; their bodies are not scored, but
for event streams, which a model may have written."""

_BODILESS = frozenset({204, 205})  # answers of these statuses have no body, and no events in it


async def reply_to(asked: GenerationRequest, flow: Flow) -> Reply:
    """Ask the upstream and give what may be released of its answer.

    Raises RefusedRequest for a body that cannot be judged, and UpstreamBusy, TimedOut, Broken and
    TooLarge where no answer began.
    """
    policy = flow.policy(asked.use_case)
    context = None if policy.off else await read_context(asked, flow, policy)
    try:
        return await (_pass_on(asked, flow) if context is None else _judge(context))
    except UpstreamError:
        flow.upstream_failed(asked.use_case)
        raise


async def _pass_on(asked: GenerationRequest, flow: Flow) -> Reply:
    """The response byte for byte, unscored: `mode: "off"`."""
    requested = requested_model(asked, replies=1)
    call = Call(id="", use_case=asked.use_case, requested=requested)
    with RequestSpan(asked, flow, call, replies=1) as span:
        return await _unread_reply(span, call)


async def _unread_reply(span: RequestSpan, call: Call) -> Reply:
    began = perf_counter()
    stack = AsyncExitStack()
    answer = await stack.enter_async_context(send(span.asked, span.asked.raw))
    call_id = span.pass_unread(call)
    chunks = _chunks(answer, stack)
    await anext(chunks)
    headers = (
        *passed_headers(answer.headers.items()),
        ("x-guard-call-id", call_id),
        ("x-guard-verdict", Verdict.UNSCORED.value),
        server_timing(perf_counter() - began),
    )
    return Reply(status=answer.status, headers=headers, chunks=chunks, length=_length(answer))


async def _chunks(answer: Answer, stack: AsyncExitStack) -> AsyncGenerator[bytes]:
    """The body. Yields one empty piece first, so that closing it always closes the connection."""
    async with stack:
        yield b""
        async for chunk in answer.chunks():
            yield chunk


def _length(answer: Answer) -> int | None:
    """The length of the body, if known; a compressed body is decompressed on the way."""
    length = answer.headers.get("content-length", "")
    plain = answer.headers.get("content-encoding", "identity") == "identity"
    return int(length) if plain and length.isdecimal() else None


async def _judge(context: Context) -> Reply:
    with context.span:
        return await _judged_reply(context)


async def _judged_reply(context: Context) -> Reply:
    if (refusal := await context.refusal()) is not None:
        return refused_reply(context, refusal)
    began = perf_counter()
    async with AsyncExitStack() as stack:
        answer = await stack.enter_async_context(send(context.asked, context.asked.raw))
        streams = is_success(answer) and answer.status not in _BODILESS
        if streams and context.streamed and is_stream(answer):
            return await _stream(context, answer, stack.pop_all(), began)
        body = await answer.body()
    if not is_success(answer):
        return await _show_error(context, answer, body)
    if context.streamed and not context.passes_through:
        raise context.unreadable()
    arrived = perf_counter()
    body, told = await judge_body(context, body)
    timing = server_timing(arrived - began, perf_counter() - arrived)
    return _whole(answer, (*passed_headers(answer.headers.items()), *told, timing), body)


async def _stream(context: Context, answer: Answer, stack: AsyncExitStack, began: float) -> Reply:
    stream = Stream(context, answer, stack)
    chunks = stream.chunks()
    await anext(chunks)
    timing = server_timing(perf_counter() - began)
    headers = (
        *passed_headers(answer.headers.items()),
        ("x-guard-call-id", stream.call_ids),
        timing,
    )
    return Reply(status=answer.status, headers=headers, chunks=chunks)


async def _show_error(context: Context, answer: Answer, body: bytes) -> Reply:
    """An error response as it came, or a generic error where its text would be withheld."""
    context.span.fail(str(answer.status))
    if answer.status == 429 or answer.status >= 500:
        context.flow.upstream_failed(context.asked.use_case)
    headers = passed_headers(answer.headers.items())
    is_read = answer.status not in _BEFORE_THE_MODEL or is_event_stream(answer)
    if is_read and not await context.may_show(body):
        body = error_body(*WITHHELD, kind="server_error")
        others = [pair for pair in headers if pair[0] != "content-type"]
        headers = (*others, ("content-type", "application/json"))
    return _whole(answer, headers, body)


def _whole(answer: Answer, headers: Headers, body: bytes) -> Reply:
    return Reply(status=answer.status, headers=headers, chunks=_once(body), length=len(body))


async def _once(body: bytes) -> AsyncGenerator[bytes]:
    if body:
        yield body


def server_timing(upstream_seconds: float, guard_seconds: float | None = None) -> tuple[str, str]:
    """The `Server-Timing` header: durations in milliseconds."""
    parts = [f"upstream;dur={upstream_seconds * 1000:.2f}"]
    if guard_seconds is not None:
        parts.append(f"guard;dur={guard_seconds * 1000:.2f}")
    return "server-timing", ", ".join(parts)
