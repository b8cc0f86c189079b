"""Replies that are large, or of very many parts: how little of them is looked at in one go."""

from __future__ import annotations

import asyncio
import json

import pytest

from guard.replies.json_text import MAX_REPLY_VALUES, JsonReader, NotJsonError, has_few_values
from guard.replies.large import SLICE_BYTES, Turns, slices
from guard.replies.sse import MOST_LINES, event_of


@pytest.mark.parametrize(
    ("source", "few"),
    [
        ("[" + ",".join("1" * 100) + "]", True),
        ("[" + ",".join("1" * 101) + "]", False),
        (json.dumps(["a", "b,[{" * 100]), True),
        (json.dumps(["a" * 3] * 101), False),
        (json.dumps([',"', "\\", '\\",[' * 100]), True),
        (json.dumps(["\\"] * 101), False),
        (json.dumps({f"a{number}": {} for number in range(51)}), False),
        ('"' + "," * 1000, True),
        ('"' * 20_000 + "[" * 200, False),
        ("é," * 101, False),
    ],
)
def test_what_begins_a_value_is_counted_outside_of_strings(source: str, few: bool) -> None:
    assert has_few_values(source, 100) is few
    assert has_few_values(source.encode(), 100) is few


def test_a_lone_surrogate_counts_for_nothing() -> None:
    assert not has_few_values("\ud800," * 101, 100)


def test_json_of_very_many_values_is_not_parsed() -> None:
    few = b"[" + b'"a,",' * (MAX_REPLY_VALUES // 2) + b"1]"
    assert len(JsonReader().read(few)) == MAX_REPLY_VALUES // 2 + 1
    with pytest.raises(NotJsonError, match="more than 1,000,000 values"):
        JsonReader().read(b"[" + b"1," * MAX_REPLY_VALUES + b"1]")


def test_an_event_of_very_many_lines_is_not_parsed() -> None:
    assert event_of(b"data: a\n" * (MOST_LINES - 1) + b"\n").data is not None
    event = event_of(b"data: a\n" * MOST_LINES + b"\n")
    assert (event.is_unread, event.data, event.others) == (True, None, ())


@pytest.mark.parametrize("size", [0, 1, SLICE_BYTES, SLICE_BYTES + 1, 5 * SLICE_BYTES])
def test_slices_are_the_chunk(size: int) -> None:
    chunk = bytes(number % 251 for number in range(size))
    found = list(slices(chunk))
    assert b"".join(found) == chunk
    assert max(map(len, found)) <= SLICE_BYTES


async def test_others_get_their_turn() -> None:
    order: list[str] = []

    async def other() -> None:
        order.append("other")

    task, turns = asyncio.create_task(other()), Turns()
    for _ in range(100):
        await turns.give_way()
    order.append("end")
    await task
    assert order == ["other", "end"]
