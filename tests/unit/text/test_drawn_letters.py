"""Words drawn of signs and of several alphabets are read, and signs of plain texts stay."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text import clean, readings
from guard.text.lookalikes import drawn_letters


@pytest.mark.parametrize(
    "drawn",
    [
        "ɎØɄ ₳ⱤɆ ₴Ø ₮łⱤɆĐ",  # signs of currencies
        "ЧoЦ AЯЄ SФ TIЯЄD",  # Cyrillic letters among Latin ones
        "¥ðµ årê §ð †¡rêÐ",  # what Latin-1 has
        "Ɏ✺Ц ₳Ʀ€ S✺ Ṫ╏Ʀ€ᗫ",
    ],
)
def test_the_words_that_are_drawn_are_read(drawn: str) -> None:
    assert "you are so tired" in {_bare(clean(reading.text)) for reading in readings(drawn)}


def _bare(text: str) -> str:
    """In small letters without accents, as tokenizers have it."""
    marks = unicodedata.normalize("NFKD", text).lower()
    return "".join(one for one in marks if not unicodedata.combining(one))


@pytest.mark.parametrize(
    "text",
    [
        "It costs 5 €, £3m or ¥500 in US$.",
        "Мы любим кабели USB и телефоны iPhone",
        "∂f/∂x = Σ xᵢ, Δt = 5 µs and 2πr",
        "Windows® and Office® are ©2020",
        "αβγ δοκιμή",
        "plain",
    ],
)
def test_signs_of_plain_texts_stay(text: str) -> None:
    assert drawn_letters(text) == text


@given(st.text(alphabet="aYou ₳Ø₴Яð€é5.", max_size=60))
def test_the_length_stays(text: str) -> None:
    assert len(drawn_letters(text)) == len(text)
