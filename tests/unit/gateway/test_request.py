"""A body is understood in one way only, or not at all."""

from __future__ import annotations

import json
import time

import pytest

from guard.gateway import request
from guard.gateway.errors import RefusedRequest
from guard.gateway.request import MAX_DEPTH, MAX_VALUES, check_content_type, parse_body


def refusal(raw: bytes) -> str:
    with pytest.raises(RefusedRequest) as raised:
        parse_body(raw)
    assert (raised.value.status, raised.value.code) == (400, "bad_body")
    return str(raised.value)


def nested(levels: int) -> bytes:
    return b'{"a":' * levels + b"1" + b"}" * levels


def test_an_object_is_read() -> None:
    raw = json.dumps({"model": "m", "n": 1, "temperature": 0.5, "messages": [{"a": None}]})
    assert parse_body(raw.encode()) == json.loads(raw)


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "not valid JSON"),
        (b"{", "not valid JSON"),
        (b'{"a": 1} {"b": 2}', "not valid JSON"),
        (b"[1]", "must be a JSON object"),
        (b"null", "must be a JSON object"),
        (b'"text"', "must be a JSON object"),
        (b'{"a": NaN}', "NaN is no number"),
        (b'{"a": -Infinity}', "-Infinity is no number"),
        (b'{"a": 1e999}', "too large a number"),
        (b'{"a": ' + b"9" * 5000 + b"}", "a whole number of 5000 digits"),
        (b'{"a": [0, -' + b"9" * 401 + b"]}", "a whole number of 401 digits (-9999"),
        (b'{"a": [0, -' + b"9" * 401 + b"]}", "at most 400 are read: char 10"),
        (b'{"a": "\xff"}', "not UTF-8"),
        (b"\xef\xbb\xbf{}", "not valid JSON"),
        ('{"a": 1}'.encode("utf-16"), "not UTF-8"),
        ('{"a": 1}'.encode("utf-32-le"), "not valid JSON"),
        (b'{"a": "\n"}', "not valid JSON"),
        (b'{"stream": true, "stream": false}', "the key 'stream' stands twice"),
        (b'{"a": {"background": false, "background": true}}', "stands twice"),
        (b"\x00", "not valid JSON"),
    ],
)
def test_what_can_be_read_in_two_ways_or_none_is_refused(raw: bytes, said: str) -> None:
    assert said in refusal(raw)


def test_a_whole_number_of_hundreds_of_digits_is_read() -> None:
    number = -(10**400 - 1)
    assert parse_body(f'{{"a": {number}}}'.encode()) == {"a": number}


def test_depth_is_bounded_on_both_sides_of_the_parsers_own_limit() -> None:
    assert parse_body(nested(MAX_DEPTH))
    for levels in (MAX_DEPTH + 1, 900, 5_000, 200_000):
        assert "levels deep" in refusal(nested(levels)) or "values" in refusal(nested(levels))
    assert parse_body(json.dumps({"a": [{}] * 500}).encode())


def test_values_are_bounded_and_commas_in_texts_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request, "MAX_VALUES", 50)
    assert "more than 50 values" in refusal(json.dumps({"a": [0] * 60}).encode())
    assert "more than 50 values" in refusal(b'{"a": [' + b"[],[]," * 20 + b"[]]}")
    assert parse_body(json.dumps({"a": ',[{\\"' * 1000}).encode())
    assert parse_body(json.dumps({"a": [0] * 40}).encode())


@pytest.mark.parametrize(
    "content_type",
    ["application/json", "Application/JSON; charset=utf-8", 'application/json;charset="UTF-8"'],
)
def test_json_is_a_type_that_is_taken(content_type: str) -> None:
    check_content_type(content_type, None)
    check_content_type(content_type, "identity")


@pytest.mark.parametrize(
    ("content_type", "encoding", "code"),
    [
        (None, None, "bad_content_type"),
        ("", None, "bad_content_type"),
        ("text/plain", None, "bad_content_type"),
        ("application/x-www-form-urlencoded", None, "bad_content_type"),
        ("text/plain; application/json", None, "bad_content_type"),
        ("application/json; charset=latin-1", None, "bad_content_type"),
        ("application/json", "gzip", "bad_content_encoding"),
    ],
)
def test_other_types_are_refused(content_type: str | None, encoding: str | None, code: str) -> None:
    with pytest.raises(RefusedRequest) as raised:
        check_content_type(content_type, encoding)
    assert (raised.value.status, raised.value.code) == (400, code)


@pytest.mark.parametrize("text", [b'\\"' * 100_000, b'"' * 100_001, b"\\\\" * 100_000 + b'"\\'])
def test_counting_the_values_beside_texts_takes_no_longer_than_reading_them(text: bytes) -> None:
    """Within seconds, where trying every quotation mark again would take minutes."""
    began = time.thread_time()
    refusal(b"[" * (MAX_VALUES + 1) + b'"' + text)
    assert time.thread_time() - began < 5
