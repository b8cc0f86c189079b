"""Replies are recognised by their shape, and by nothing that several APIs have."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from guard.replies.choices import ChatFormat
from guard.replies.fields import ReadOptions
from guard.replies.known import EveryChoice, known_reply
from guard.replies.requests import conversation_turns
from guard.replies.schema import is_opaque

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


def test_prose_in_lines_is_no_base64() -> None:
    words = ["you", "are", "an", "idiot", "and", "nobody", "wants", "you", "here"] * 9
    lines = [b64encode(bytes(range(57))).decode()] * 9
    assert not is_opaque("\n".join(words))
    assert is_opaque("\r\n".join(lines))
    assert is_opaque("".join(lines))
