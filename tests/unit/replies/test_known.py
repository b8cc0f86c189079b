"""Replies are recognised by their shape, and by nothing that several APIs have."""

from __future__ import annotations

from typing import Any

import pytest

from guard.replies.choices import ChatFormat
from guard.replies.fields import ReadOptions
from guard.replies.known import EveryChoice, known_reply
from guard.replies.requests import conversation_turns

STREAMED = ReadOptions(streamed=True)


@pytest.mark.parametrize(
    "value",
    [
        {"choices": []},
        {"type": "ping"},
        {"type": ["ping"]},
        {"object": "response", "text": "So."},
        {"candidates": []},
    ],
)
def test_what_could_be_of_any_api_is_of_none(value: Any) -> None:
    assert known_reply(value, STREAMED) is None


def test_a_stream_that_begins_with_an_error_can_be_withheld() -> None:
    every = EveryChoice(ChatFormat, STREAMED)
    error = {"error": {"message": "So."}}
    every.read(error)
    events = [every.track(event) for event in every.withheld_events(error, "No.")]
    assert events[0]["choices"][0]["delta"]["content"] == "No."


def test_parts_of_a_request_may_be_anything() -> None:
    part: Any = {"type": ["text"], "text": "So?"}
    assert conversation_turns([{"role": "user", "content": [part]}]) == ()
