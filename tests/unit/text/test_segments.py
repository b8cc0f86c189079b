"""Pieces of a text that tokenize like the whole."""

from guard.text import segments


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
