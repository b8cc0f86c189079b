"""Pieces of a text that tokenize like the whole, windows of tokens, and gaps between spans."""

from __future__ import annotations

import pytest

from guard.records import Span
from guard.text import gaps, segments, windows


def pieces(text: str, size: int = 1000) -> list[str]:
    return [text[span.start : span.end] for span in segments(text, size=size)]


def test_nothing_comes_of_nothing() -> None:
    assert pieces("") == []


def test_a_short_text_is_one_piece() -> None:
    assert pieces("A few words.") == ["A few words."]


def test_cuts_fall_after_white_space() -> None:
    assert pieces("one two three", 9) == ["one two ", "three"]
    assert pieces("one\ntwo three", 5) == ["one\n", "two ", "three"]


def test_a_text_without_white_space_is_cut_at_the_size() -> None:
    assert pieces("abcdefgh", 3) == ["abc", "def", "gh"]


def test_a_word_that_wordpiece_would_give_up_on_is_broken() -> None:
    assert [len(piece) for piece in pieces("x" * 250 + " y")] == [100, 100, 52]


def test_outside_ascii_pieces_are_shorter_since_characters_decompose() -> None:
    assert max(len(piece) for piece in pieces("\uac01" * 90)) == 33


def test_punctuation_and_han_characters_end_a_word() -> None:
    assert pieces("ab," * 200) == ["ab," * 200]
    assert pieces("\u4f60\u597d" * 200) == ["\u4f60\u597d" * 200]


def test_ordinary_long_words_stay_whole() -> None:
    word = "pneumonoultramicroscopicsilicovolcanoconiosis"
    assert pieces(f"a {word} b") == [f"a {word} b"]


def test_it_is_lazy() -> None:
    assert next(segments("word " * 10**6, size=10)).end == 10


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


def test_what_stands_for_nothing_makes_no_word_too_long() -> None:
    text = "".join(letter + "\u200b" * 12 for letter in "worthless")
    assert len(list(segments(text, size=1024))) == 1
    assert len(list(segments(text * 30, size=20_000))) == 3


@pytest.mark.parametrize("between", ["\t", "\r", "\xa0", "\u2003", ",", "-"])
def test_no_word_is_cut_where_another_sign_than_a_blank_ends_it(between: str) -> None:
    text = between.join(["idiot"] * 60)
    pieces = [text[one.start : one.end] for one in segments(text, size=64)]
    assert "".join(pieces) == text
    assert {word for piece in pieces for word in piece.split(between)} <= {"idiot", ""}
