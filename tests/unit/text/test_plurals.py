"""Numbers of things in words."""

from __future__ import annotations

import pytest

from guard.text.plurals import counted


@pytest.mark.parametrize(
    ("count", "words", "told"),
    [
        (0, ("test",), "0 tests"),
        (1, ("test",), "1 test"),
        (1520, ("test",), "1,520 tests"),
        (1, ("reply", "replies"), "1 reply"),
        (2, ("reply", "replies"), "2 replies"),
    ],
)
def test_one_is_singular(count: int, words: tuple[str, ...], told: str) -> None:
    assert counted(count, *words) == told
