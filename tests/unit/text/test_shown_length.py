"""How long a text is for those who see it displayed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text import sentences, settled_end
from guard.text.shown_length import MOST_MARKUP, open_markup, shown_end, shown_length, shown_lengths

TAG = '<span class="' + "a b " * 60 + '">'


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("You are kind.", 13),
        ("You <b>are</b> kind, and it is 3 < 4.", 30),
        ("[You](https://example.com/a) are kind.", 14),
        (f'<img src="data:image/png;base64,{"A" * 99}">{"You are kind. " * 9}', 126),
        ("You <template>the weather</template> are <span hidden>the market</span>kind.", 14),
        (TAG * 9, len(TAG * 9) // MOST_MARKUP),
    ],
)
def test_markup_is_not_counted(text: str, length: int) -> None:
    assert shown_length(text) == length


def test_the_end_of_what_is_shown_lies_behind_the_markup() -> None:
    text = f"You {TAG}are</span> kind and more{' so' * 20}"
    assert text[: shown_end(text, 0, 50)] == text[: len(TAG) + len("</span>") + 50]
    assert shown_end(TAG * 99, 0, 10) == 10 * MOST_MARKUP


def test_an_element_that_is_not_shown_may_reach_over_parts() -> None:
    parts = ["You <template>the weather is fine. ", "We went out.</template> are kind."]
    assert shown_lengths(parts) == [4, 10]
    assert shown_lengths(parts[:1]) == [4]
    assert shown_lengths(["You <template>", "a" * 999]) == [4, 999]


def test_markup_may_go_on() -> None:
    assert open_markup("You are <span class='a b", 0, 600) == 8
    assert open_markup("You are <span class='a b'> so", 0, 600) is None
    assert open_markup("You are <span class='a b", 0, 8) is None
    assert open_markup("3 < 4", 0, 600) is None
    assert open_markup("For x <y and z we have", 0, 600) is None
    assert (
        shown_length(f"You are kind. {TAG[:200]}")
        == len(f"You are kind. {TAG[:200]}") // MOST_MARKUP
    )


def test_a_sentence_is_not_cut_in_its_markup() -> None:
    letters = "".join(
        f'<span class="l l-1" style="color:#ff0000">{one}</span>' for one in "You are kind."
    )
    text = f"{letters} And more."
    assert next(one.end for one in sentences(text)) == len(letters)
    assert all(settled_end(text[:at], 0) == 0 for at in range(len(letters)))


PIECES = ["a ", "b. ", "<b>", TAG, "</span>", "<", '"', "\n", "](http://a.b) ", "word " * 90]


@given(st.lists(st.sampled_from(PIECES), max_size=25), st.integers(0, 4000))
def test_what_is_settled_stays_so(pieces: list[str], cut: int) -> None:
    text = "".join(pieces)
    end = settled_end(text[:cut], 0)
    assert end == 0 or end in {one.end for one in sentences(text)}
