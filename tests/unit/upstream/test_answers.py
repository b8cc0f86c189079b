"""What an answer of a chat completion means, whatever it holds."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.records import Ending, Generated
from guard.upstream.answers import read_completion, retry_after_seconds
from tests.servers_upstream import completion

NOW = 1_760_000_000.0  # Thu, 09 Oct 2025 08:53:20 GMT
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


def read(message: dict[str, object], **more: object) -> Generated:
    return read_completion(200, json.dumps(completion(message, **more)).encode())


def test_an_answer_with_its_tokens() -> None:
    assert read({"content": "Hello."}) == Generated(
        text="Hello.", ending=Ending.ANSWERED, tokens=18
    )


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 99}, 7),
        ({"total_tokens": 9}, 9),
        ({"prompt_tokens": None, "completion_tokens": "4"}, 0),
        ({"prompt_tokens": -3, "completion_tokens": True}, 0),
    ],
)
def test_tokens_as_far_as_told(usage: dict[str, object], tokens: int) -> None:
    assert read({"content": "Hi"}, usage=usage).tokens == tokens


@pytest.mark.parametrize(
    ("message", "reason", "ending", "text"),
    [
        ({"content": ""}, "stop", Ending.ANSWERED, ""),
        ({"content": "Cut o"}, "length", Ending.ANSWERED, "Cut o"),
        ({"content": None, "refusal": "I cannot."}, "stop", Ending.REFUSED, "I cannot."),
        ({"content": "half", "refusal": None}, "content_filter", Ending.FILTERED, ""),
        ({"content": None, "tool_calls": [{"id": "1"}]}, "tool_calls", Ending.FAILED, ""),
        ({"content": "", "function_call": {"name": "f"}}, "function_call", Ending.FAILED, ""),
        ({"content": "Let me see", "tool_calls": [{}]}, "stop", Ending.ANSWERED, "Let me see"),
        ({"content": ""}, "length", Ending.FAILED, ""),
        ({"content": None}, "stop", Ending.FAILED, ""),
        ({"content": [{"type": "text", "text": "in "}, {"text": "parts"}]}, "stop",
         Ending.ANSWERED, "in parts"),
        ({"content": [{"type": "image"}]}, "stop", Ending.FAILED, ""),
    ],
)  # fmt: skip
def test_endings(message: dict[str, object], reason: str, ending: Ending, text: str) -> None:
    found = read(message, finish_reason=reason)
    assert (found.ending, found.text) == (ending, text)
    assert bool(found.detail) == (ending in {Ending.FAILED, Ending.FILTERED})


@pytest.mark.parametrize(
    "error",
    [
        {"code": "content_filter"},
        {"code": "content_management_policy"},
        {"code": None, "type": "content_filter"},
        {"code": "x", "innererror": {"code": "ResponsibleAIPolicyViolation"}},
    ],
)
def test_a_prompt_that_was_filtered(error: dict[str, object]) -> None:
    body = json.dumps({"error": error}).encode()
    assert read_completion(400, body).ending is Ending.FILTERED
    assert read_completion(500, body).ending is Ending.FAILED


def test_another_error_is_named() -> None:
    body = b'{"error": {"code": "context_length_exceeded", "message": "Too long."}}'
    assert read_completion(400, body) == Generated(
        text="", ending=Ending.FAILED, detail="HTTP 400: context_length_exceeded, Too long."
    )
    assert len(read_completion(500, b'{"error": {"message": "%s"}}' % (b"x" * 9999)).detail) < 300


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[1]",
        b"\xff\xfe",
        '{"choices": []}'.encode("utf-16"),
        b"[" * 100_000,
        b"{}",
        b'{"choices": []}',
        b'{"choices": [7]}',
        b'{"choices": {"0": 1}}',
        b'{"error": {"message": "overloaded"}}',
    ],
)
def test_what_is_no_completion_has_failed(body: bytes) -> None:
    found = read_completion(200, body)
    assert found.ending is Ending.FAILED
    assert found.detail


@given(
    status=st.sampled_from([200, 400, 418, 500]),
    message=st.dictionaries(st.sampled_from(["content", "refusal", "tool_calls"]), VALUES),
    extra=st.dictionaries(st.sampled_from(["choices", "usage", "error"]), VALUES),
)
def test_no_json_makes_it_raise(
    status: int, message: dict[str, object], extra: dict[str, object]
) -> None:
    body = json.dumps(completion(message) | extra).encode()
    assert isinstance(read_completion(status, body), Generated)


@given(st.binary(max_size=200))
def test_no_bytes_make_it_raise(body: bytes) -> None:
    assert read_completion(200, body).ending is Ending.FAILED


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("7", 7.0),
        (" 0.5 ", 0.5),
        ("-3", 0.0),
        ("Thu, 09 Oct 2025 08:53:50 GMT", 30.0),
        ("Thu, 09 Oct 2025 08:00:00 GMT", 0.0),
        ("soon", None),
        ("nan", None),
        ("inf", None),
        ("Thu, 99 Oct 2025 08:53:50 GMT", None),
    ],
)
def test_retry_after(header: str | None, seconds: float | None) -> None:
    assert retry_after_seconds(header, lambda: NOW) == seconds
