"""Lines in letters that stand on their heads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.records import Span
from guard.text import readings
from guard.text.upside_down import turned_upright

TURNED = "˙uǝɹpʅıɥɔ ɹnoʎ oʇ puıʞ ǝɹɐ noʎ".replace("ʅ", "l")


def test_a_line_is_read_from_its_end() -> None:
    text = f"Look:\n{TURNED}\nBye."
    assert turned_upright(text) == (
        "Look:\nyou are kind to your children.\nBye.",
        (Span(start=6, end=6 + len(TURNED)),),
    )
    assert any("you are kind" in one.text and one.excerpt for one in readings(text))


def test_letters_in_the_order_of_reading_are_read_so() -> None:
    assert turned_upright("ʎon ɐɹǝ ʞıup ʇo ʎonɹ ɔɥılpɹǝu") == ("you are kind to your children", ())


@pytest.mark.parametrize(
    "text", ["You are kind.", "ðə kwɪk braʊn fɒks dʒʌmps", "ǝ", "Ça va? ʇ", "/ˈhæpi/ ɹ ʌ ɔ"]
)
def test_other_texts_have_no_such_line(text: str) -> None:
    assert turned_upright(text) is None


@given(st.text(alphabet="ɐǝʇʞʎɹɔuo ab\n˙", max_size=80))
def test_the_length_stays(text: str) -> None:
    found = turned_upright(text)
    assert found is None or len(found[0]) == len(text)
