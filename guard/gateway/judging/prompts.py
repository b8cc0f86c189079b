"""The response to a request whose prompt does not reach the upstream."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from typing import Final

from guard.flow import Refusal
from guard.gateway.errors import RefusedRequest
from guard.gateway.judging.context import Context, write_json
from guard.gateway.judging.formats import WITHHELD_PROMPT
from guard.gateway.judging.whole import Headers
from guard.gateway.response import Reply
from guard.records import Verdict
from guard.replies.refused import refused_body, refused_events
from guard.replies.sse import DONE, verdict_comment, write_event

_WHOLE: Final = ("content-type", "application/json")
_STREAM: Final = ("content-type", "text/event-stream; charset=utf-8")


def refused_reply(context: Context, refusal: Refusal) -> Reply:
    """One reply in the dialect of the request that says why there is none.

    Raises RefusedRequest where policy wants an error.
    """
    told = _headers(refusal)
    if refusal.raises:
        raise RefusedRequest(400, *WITHHELD_PROMPT, headers=told)
    if context.streamed:
        return Reply(
            status=200, headers=(_STREAM, *told), chunks=_chunks(_events(context, refusal))
        )
    call_id, model = refusal.outcome.call.id, context.asked.body.get("model")
    body = write_json(refused_body(context.reply_format(0), call_id, model, refusal.text))
    chunks = _chunks([body])
    return Reply(status=200, headers=(_WHOLE, *told), chunks=chunks, length=len(body))


def _headers(refusal: Refusal) -> Headers:
    return (
        ("x-guard-call-id", refusal.outcome.call.id),
        ("x-guard-verdict", Verdict.BLOCKED.value),
        ("x-guard-blocked", "prompt"),
    )


def _events(context: Context, refusal: Refusal) -> Iterable[bytes]:
    call_id, model = refusal.outcome.call.id, context.asked.body.get("model")
    for value in refused_events(context.reply_format(0), call_id, model, refusal.text):
        yield write_event(write_json(value), str(value.get("type", "")))
    yield verdict_comment(call_id, Verdict.BLOCKED.value)
    if context.dialect.ends_with_done:
        yield write_event(DONE)


async def _chunks(pieces: Iterable[bytes]) -> AsyncGenerator[bytes]:
    for piece in pieces:
        yield piece
