"""Windows of tokens."""

import pytest

from guard.text import windows


def test_no_tokens_no_windows() -> None:
    assert windows([], size=4, overlap=2) == []


def test_what_fits_is_one_window() -> None:
    assert windows([0, 1, 2, 3], size=4, overlap=2) == [range(4)]


def test_windows_overlap() -> None:
    assert windows(range(8), size=4, overlap=2) == [range(4), range(2, 6), range(4, 8)]


def test_cuts_fall_between_words() -> None:
    words = [0, 0, 1, 2, 2, 3, 3, 4]
    assert windows(words, size=4, overlap=1) == [range(3), range(2, 5), range(4, 8)]


def test_a_word_longer_than_a_window_is_cut_anyway() -> None:
    assert windows([7] * 9, size=4, overlap=2) == [range(s, s + 4) for s in (0, 2, 4)] + [
        range(6, 9)
    ]


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (4, 3), (4, -1)])
def test_sizes_that_cannot_work_are_refused(size: int, overlap: int) -> None:
    with pytest.raises(ValueError, match="half of size"):
        windows([1], size=size, overlap=overlap)
