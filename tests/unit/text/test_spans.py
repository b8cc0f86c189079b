"""What lies outside given ranges."""

from guard.records import Span
from guard.text import gaps


def span(start: int, end: int) -> Span:
    return Span(start=start, end=end)


def test_without_cover_all_of_it_is_open() -> None:
    assert gaps("abcdef", []) == (span(0, 6),)


def test_full_cover_leaves_nothing() -> None:
    assert gaps("abcdef", [span(3, 6), span(0, 4)]) == ()


def test_holes_come_in_order_and_blank_ones_do_not_count() -> None:
    assert gaps("ab  cd ef gh", [span(8, 9), span(0, 2), span(4, 6)]) == (
        span(6, 8),
        span(9, 12),
    )


def test_an_empty_text_has_no_gap() -> None:
    assert gaps("", []) == ()
