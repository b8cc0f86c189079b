"""A reply to a prompt that no model was asked, in the words of its API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from guard.replies.reply_format import ReplyFormat
from guard.replies.responses import ResponseFormat


def refused_body(reply_format: ReplyFormat, call_id: str, model: object, text: str) -> Any:
    """A whole response that says `text`. model: as it was asked for."""
    return reply_format.withheld_body(_like(call_id, model), text)


def refused_events(
    reply_format: ReplyFormat, call_id: str, model: object, text: str
) -> Iterator[Any]:
    """The same as the events of a stream."""
    like = _like(call_id, model)
    if isinstance(reply_format, ResponseFormat):
        opened = {**reply_format.withheld_body(like, text), "status": "in_progress", "output": []}
        opened["incomplete_details"] = None
        opening = {"type": "response.created", "response": opened, "sequence_number": 0}
        reply_format.read(opening)
        yield reply_format.track(opening)
    for event in reply_format.withheld_events(like, text):
        reply_format.read(event)
        yield reply_format.track(event)


def _like(call_id: str, model: object) -> dict[str, Any]:
    return {"id": call_id, "model": model if isinstance(model, str) else ""}
