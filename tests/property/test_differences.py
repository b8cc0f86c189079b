"""What is said of two texts is true of any two texts."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from guard.records import Span
from guard.text.differences import (
    MOST_STEPS,
    MOST_WORDS,
    DiffQuality,
    TextRun,
    carried,
    differences,
)
from guard.text.sentences import sentences
from tests.repeats import repeats

words = st.sampled_from(
    ["the", "doctor", "she", "he", "is", "late", "very", "漢", "字", "e\u0301", "."]
)
spaces = st.sampled_from(["", " ", "\n", "\t ", "\u00a0"])
texts = st.one_of(
    st.text(max_size=200),
    st.lists(st.tuples(words, spaces), max_size=60).map(lambda both: "".join(map("".join, both))),
)


def whole(pieces: tuple[TextRun, ...]) -> str:
    return "".join(piece.text for piece in pieces)


def common(pieces: tuple[TextRun, ...]) -> str:
    """What is not different, but for white space."""
    return "".join("".join(piece.text for piece in pieces if not piece.differs).split())


@settings(max_examples=repeats(160, soak=2000), deadline=None)
@given(first=texts, second=texts)
def test_the_pieces_are_the_texts_and_what_is_common_is_common(first: str, second: str) -> None:
    found = differences(first, second)
    assert (whole(found.first), whole(found.second)) == (first, second)
    assert common(found.first) == common(found.second)


@settings(max_examples=repeats(80, soak=1000), deadline=None)
@given(text=texts)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    found = differences(text, text)
    assert not any(piece.differs for piece in (*found.first, *found.second))


@settings(max_examples=repeats(80, soak=1000), deadline=None)
@given(first=texts, second=texts)
def test_ranges_of_one_text_stand_in_the_other_in_the_same_order(first: str, second: str) -> None:
    found = carried(sentences(first), first, second)
    assert len(found) == len(sentences(first))
    assert all(0 <= span.start <= span.end <= len(second) for span in found)
    starts = [span.start for span in found if span.start < span.end]
    assert starts == sorted(starts)


@settings(max_examples=repeats(80, soak=1000), deadline=None)
@given(text=texts)
def test_in_the_same_text_sentences_stand_where_they_are(text: str) -> None:
    assert carried(sentences(text), text, text) == sentences(text)


def test_a_sentence_is_found_though_its_words_for_people_are_others() -> None:
    masked = "someone is late. a plan: someone rests\nsomeone waits. Fine."
    told = "Emily Smith is late. A plan: she rests\nShe waits. Fine."
    found = carried(sentences(masked), masked, told)
    assert [told[span.start : span.end] for span in found] == [
        "Emily Smith is late.",
        "A plan: she rests\nShe waits.",
        "Fine.",
    ]
    assert carried(sentences(masked), masked, "") == [Span(start=0, end=0)] * 3


def test_of_texts_that_are_too_long_nothing_is_found() -> None:
    long = "a " * MOST_WORDS
    assert carried([Span(start=0, end=1)], long, long) == [Span(start=0, end=0)]


def test_one_word_is_found() -> None:
    found = differences("She is a great doctor, really.", "She is a poor doctor, really.")
    assert [piece.text for piece in found.first if piece.differs] == ["great "]
    assert [piece.text for piece in found.second if piece.differs] == ["poor "]
    assert found.quality is DiffQuality.WORDS


def test_scripts_without_spaces_are_compared_character_by_character() -> None:
    found = differences("彼は医者です。", "彼女は医者です。")
    assert [piece.text for piece in found.second if piece.differs] == ["女"]


def test_a_word_alike_by_chance_does_not_split_a_difference() -> None:
    found = differences("A b c d E f g h Z", "A i j k E l m n Z")
    assert [piece.text for piece in found.first if piece.differs] == ["b c d E f g h "]


def test_texts_that_differ_much_are_still_matched_and_said_to_be_roughly() -> None:
    same = " ".join(f"same{number}" for number in range(50))
    first = f"{' '.join(f'a{number}' for number in range(400))} {same}."
    second = f"{' '.join(f'b{number}' for number in range(400))} {same}!"
    found = differences(first, second)
    assert found.quality is DiffQuality.ROUGH
    assert common(found.first) == same.replace(" ", "")


def test_huge_texts_are_not_compared() -> None:
    huge = "word " * MOST_WORDS
    found = differences(huge, "word")
    assert found.quality is DiffQuality.NOTHING
    assert (whole(found.first), whole(found.second)) == (huge, "word")


def test_texts_with_no_word_in_common_differ_whole() -> None:
    first = " ".join(f"a{number}" for number in range(MOST_STEPS + 1))
    second = " ".join(f"b{number}" for number in range(MOST_STEPS + 1))
    found = differences(first, second)
    assert found.quality is DiffQuality.ROUGH
    assert all(piece.differs for piece in (*found.first, *found.second))


def test_many_single_words_in_another_order_are_compared() -> None:
    words = [f"w{number}" for number in range(60_000)]
    found = differences(" ".join(words), " ".join(words[1::2] + words[::2]))
    assert "".join(run.text for run in found.first) == " ".join(words)
