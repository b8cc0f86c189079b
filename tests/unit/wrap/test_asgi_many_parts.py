"""Answers of an application that hold very many small parts hold up no other work."""

from __future__ import annotations

import json

import pytest

from guard.replies.json_text import MAX_REPLY_VALUES
from guard.replies.sse import MOST_LINES
from guard.testing import Recorder
from tests.asgi_made import App, ask, guarded
from tests.event_loop import turns_beside

EVENTS = "text/event-stream"


@pytest.mark.parametrize(
    ("media", "one"), [(EVENTS, b": x\n\n"), (EVENTS, b"\n\n"), (EVENTS, b"data:\n\n")]
)
async def test_others_get_their_turn_between_the_parts_of_one_chunk(media: str, one: bytes) -> None:
    turns, answer = await turns_beside(ask(guarded(App([one * 6400], media=media))))
    assert answer.body.startswith(one * 6400)
    assert turns > 200


async def test_an_event_of_too_many_lines_is_not_read() -> None:
    seen = Recorder()
    event = b"data: x\n" * (MOST_LINES + 1) + b"\n"
    answer = await ask(guarded(App([event], media=EVENTS), recorder=seen))
    assert answer.body.startswith(event)
    assert [set(map(str, one.unread)) for one in seen.outcomes] == [{"too_large"}]


async def test_a_document_of_very_many_values_is_not_read() -> None:
    seen = Recorder()
    body = b"[" + b'"a",' * MAX_REPLY_VALUES + b'"a"]'
    answer = await ask(guarded(App([body], media="application/json"), recorder=seen))
    assert answer.body == body
    assert [set(map(str, one.unread)) for one in seen.outcomes] == [{"not_json"}]


async def test_a_large_document_and_a_large_event_are_judged_like_others() -> None:
    fine, seen = "Fine. " * 60_000, Recorder()
    document = json.dumps({"text": fine})
    for media, body in (("application/json", document), (EVENTS, f"data: {document}\n\n")):
        answer = await ask(guarded(App([body.encode()], media=media), recorder=seen))
        assert answer.body.startswith(body.encode())
    assert [one.text.strip() for one in seen.outcomes] == [fine.strip()] * 2
