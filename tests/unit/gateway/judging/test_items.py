"""A message of the Responses API that is ended in the model's stead."""

from __future__ import annotations

from typing import Any

import pytest

from guard.replies.responses import ResponseItems

ITEM = {"type": "message", "id": "msg_1", "content": []}
BEGUN: list[dict[str, Any]] = [
    {"type": "response.output_item.added", "output_index": 0, "item": ITEM},
    {
        "type": "response.content_part.added",
        "output_index": 0,
        "content_index": 0,
        "part": {"type": "output_text", "text": ""},
    },
    {"type": "response.output_text.delta", "output_index": 0, "delta": "Hello. "},
]


@pytest.mark.parametrize(
    ("given", "text"), [([], "No."), (BEGUN[:1], "No."), (BEGUN[:2], "No."), (BEGUN, "Hello. No.")]
)
def test_what_is_said_last_stands_once_in_every_event_that_repeats_it(
    given: list[dict[str, Any]], text: str
) -> None:
    """The client gets each event before the next one is made, as it does in a stream."""
    items, seen = ResponseItems(), []
    for event in given:
        items.track(event)
    for event in items.end("No.", "msg_new"):
        items.track(event)
        seen.append(event)
    told = {event["type"].removeprefix("response."): event for event in seen}
    assert told["output_text.delta"]["delta"] == "No."
    assert told["output_text.done"]["text"] == text
    assert told["content_part.done"]["part"]["text"] == text
    assert told["output_item.done"]["item"]["content"][0]["text"] == text
    assert told["output_item.done"]["item"]["id"] == ("msg_1" if given else "msg_new")


def test_what_was_complete_before_stands_in_the_end_too() -> None:
    items = ResponseItems()
    for event in [
        *BEGUN,
        {"type": "response.output_item.done", "item": {**ITEM, "content": ["x"]}},
    ]:
        items.track(event)
    ending, output = items.end("No.", "msg_new"), []
    try:
        while True:
            items.track(next(ending))
    except StopIteration as stop:
        output = stop.value
    assert [item["id"] for item in output] == ["msg_1", "msg_new"]
    assert output[0]["content"] == ["x"]
