"""Events as a server writes them, and what may go out as it came."""

from __future__ import annotations

import pytest

from guard.replies.json_text import JsonReader, NotJsonError, json_bytes
from guard.replies.sse import EVENT_END, EventSplitter, FrameSplitter, TooLongError, event_of


@pytest.mark.parametrize(
    ("raw", "data", "name", "exact"),
    [
        (b"data: a\n\n", b"a", "", True),
        (b"data:a\r\ndata: b\r\n\r\n", b"a\nb", "", True),
        (b"event: x\ndata\n\n", b"", "x", True),
        (b"event: two words\ndata: a\n\n", b"a", "", False),
        (b"id: 7\nretry: 5\ndata: a\n\n", b"a", "", True),
        (b"id: so so\ndata: a\n\n", b"a", "", False),
        (b"event: you nasty thing\nevent: message\ndata: a\n\n", b"a", "message", False),
        (b"event\ndata: a\n\n", b"a", "", True),
        (b": said\ndata: a\n\n", b"a", "", False),
        (b"other: a\n\n", None, "", False),
        (b"data: \xff\n\n", b"\xff", "", False),
    ],
)
def test_an_event(raw: bytes, data: bytes | None, name: str, exact: bool) -> None:
    event = event_of(raw)
    assert (event.raw, event.data, event.name, event.exact) == (raw, data, name, exact)
    assert event.ended


def test_the_last_event_may_lack_its_end() -> None:
    events = EventSplitter(100)
    assert events.feed(b"data: a\n\ndata: b\n")[0].data == b"a"
    (last,) = events.end()
    assert (last.data, last.ended) == (b"b", False)
    assert events.end() == []


def test_a_byte_order_mark_stands_apart() -> None:
    events = EventSplitter(100)
    found = [one for byte in b"\xef\xbb\xbfdata: a\n\n" for one in events.feed(bytes([byte]))]
    assert [one.raw for one in found] == [b"\xef\xbb\xbf", b"data: a\n\n"]


@pytest.mark.parametrize("chunks", [[b"x" * 11], [b"x" * 6] * 2, [b"x" * 9 + b"\n\n"]])
def test_too_long_a_frame_is_refused(chunks: list[bytes]) -> None:
    splitter = FrameSplitter(EVENT_END, 10)
    for chunk in chunks[:-1]:
        assert splitter.feed(chunk) == []
    with pytest.raises(TooLongError):
        splitter.feed(chunks[-1])


@pytest.mark.parametrize("text", ["", "{", '{"a": 1}x', "[" * 100_000, b"\xff", "1" * 5000])
def test_what_is_no_json_says_so(text: str | bytes) -> None:
    with pytest.raises(NotJsonError):
        JsonReader().read(text)


def test_a_key_that_stands_twice_is_not_exact() -> None:
    reader = JsonReader()
    assert reader.read('{"a": 1, "a": 2}') == {"a": 2}
    exact = [reader.exact]
    assert reader.read('{"a": "\n\\ud800"}') == {"a": "\n\ud800"}
    assert [*exact, reader.exact] == [False, True]
    assert json_bytes({"a": "\ud800é"}) == b'{"a":"\\ud800\\u00e9"}'
