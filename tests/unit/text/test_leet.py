"""Digits and signs for letters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text.leet import plain_leet


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("Y0u 4r3 4 w0nd3rfu1 fr13nd.", "You are a wonderful friend."),
        ("y0u 4r3 k1nd t0 a11 0f u5", "you are kind to all of us"),
        ("1d10t", "idiot"),
        ("w0r7h1355", "worthless"),
        ("Th3y 5h0u1d b3 pr0t3ct3d 4nd h3lp3d.", "They should be protected and helped."),
        ("$h3 i$ k!nd 4nd wi$e", "she is kind and wise"),
    ],
)
def test_words_are_made_plain(written: str, plain: str) -> None:
    assert plain_leet(written) == plain


@pytest.mark.parametrize(
    "text",
    [
        "MP3, H2O and B2B in room 4",
        "Meet at 5am or 10am, in the 50s or on the 1st, 3rd or 4th; A4 paper",
        "a1b2c3 d4e5f6 x1y2z3 q7w8",
        "write to jo@ex4mple.com or t0m@hote1.org",
        "https://ex4mple.com/y0u/4r3 and #y0u",
        "$HOME and $5 and 4 of 5",
        "10 of 14, 100 of 1000",
    ],
)
def test_other_digits_stay(text: str) -> None:
    assert plain_leet(text) == text


@given(st.text(alphabet="yoaeilst013457@$! .#", max_size=60))
def test_the_length_stays(text: str) -> None:
    assert len(plain_leet(text)) == len(text)
