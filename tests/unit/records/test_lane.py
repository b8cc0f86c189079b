"""The stored form of a lane is that of version 0.1.0."""

from __future__ import annotations

import pytest

from guard.records import Lane, LaneKind, find_serving_lane, use_case_of_lane


@pytest.mark.parametrize(
    ("kind", "name", "stored"),
    [
        (LaneKind.LOCAL, "support-chat", "local/support-chat"),
        (LaneKind.HTTP, "openai", "http/openai"),
        (LaneKind.LOCAL, "a/b \u00e9", "local/a/b \u00e9"),
    ],
)
def test_a_lane_is_read_as_it_is_stored(kind: LaneKind, name: str, stored: str) -> None:
    lane = Lane(kind=kind, name=name)
    assert str(lane) == stored
    assert Lane.parse(stored) == lane


@pytest.mark.parametrize("text", ["", "local", "local/", "/chat", "ftp/chat", "Local/chat"])
def test_what_is_no_lane(text: str) -> None:
    with pytest.raises(ValueError, match="is no"):
        Lane.parse(text)


@pytest.mark.parametrize(
    ("lane", "found"),
    [
        ("local/chat", "local/chat"),
        ("local/chat/more", ""),
        ("http/openai", "http/openai"),
        ("http/openai/chat", "http/openai"),
        ("http/openai/a/b", "http/openai"),
        ("http/other/chat", ""),
        ("http/open", ""),
        ("http/", ""),
        ("", ""),
    ],
)
def test_who_serves_an_upstream_serves_its_use_cases(lane: str, found: str) -> None:
    assert find_serving_lane(lane, {"local/chat", "http/openai"}) == found


@pytest.mark.parametrize(
    ("lane", "serving_lane", "use_case"),
    [
        ("local/a/b", "local/a/b", "a/b"),
        ("http/openai/chat", "http/openai", "chat"),
        ("http/openai", "http/openai", ""),
    ],
)
def test_a_lane_is_of_a_use_case(lane: str, serving_lane: str, use_case: str) -> None:
    assert use_case_of_lane(lane, serving_lane) == use_case
