"""Events are found the same however the network cuts their bytes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from guard.replies.sse import EventSplitter, SseEvent

LIMIT = 2**20
FIELDS = [
    b"data:",
    b"data: ",
    b"data",
    b"event: x",
    b"id: 1",
    b"retry: 5",
    b": said",
    b":",
    b"foo: bar",
]
SAID = [
    b'{"a": 1}',
    b"[DONE]",
    "漢é👩".encode(),
    b"\xff",
    b"\xe6\xbc",
    b"\x00",
    b" ",
    b"\xef\xbb\xbf",
]
ENDS = [b"\n", b"\n", b"\r\n", b"\r", b"\n\n"]
PIECES = st.sampled_from([*FIELDS, *SAID, *ENDS, *ENDS])
STREAMS = st.lists(PIECES, max_size=40).map(b"".join)


def found_in(chunks: list[bytes]) -> list[SseEvent]:
    events = EventSplitter(LIMIT)
    return [event for chunk in chunks for event in events.feed(chunk)] + events.end()


def cut(data: bytes, places: list[int]) -> list[bytes]:
    at = sorted(place % (len(data) + 1) for place in places)
    return [data[start:end] for start, end in zip([0, *at], [*at, len(data)], strict=True)]


@given(data=STREAMS, places=st.lists(st.integers(0, 10**6), max_size=30))
def test_chunks_make_no_difference(data: bytes, places: list[int]) -> None:
    assert found_in(cut(data, places)) == found_in([data])
    assert found_in([bytes([one]) for one in data]) == found_in([data])


@given(data=STREAMS)
def test_an_exact_event_reads_the_same_on_its_own(data: bytes) -> None:
    for event in found_in([data]):
        if event.exact:
            (again,) = found_in([event.raw])
            assert (again.data, again.name) == (event.data, event.name)


@given(data=STREAMS)
def test_events_put_together_are_the_bytes(data: bytes) -> None:
    assert b"".join(event.raw for event in found_in([data])) == data


@given(
    texts=st.lists(st.text(st.characters(exclude_characters="\r\n", codec="utf-8")), max_size=8),
    end=st.sampled_from(["\n", "\r", "\r\n"]),
)
def test_events_as_the_standard_writes_them(texts: list[str], end: str) -> None:
    data = "".join(f"data: {text}{end}{end}" for text in texts).encode()
    assert [event.text for event in found_in([data])] == texts
