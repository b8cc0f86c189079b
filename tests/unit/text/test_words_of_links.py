"""Which words addresses hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text.escapes import NOTHING
from guard.text.link_words import words_of_links


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("https://img.example/Have%20a%20nice%20day.png?theme=dark", "Have a nice day.png dark"),
        (
            "https://img.example/static/v1?label=Have+a&message=nice_day",
            "static v1 Have a nice day",
        ),
        (
            "https://typing.example?font=Fira+Code&lines=Have;a;nice;day",
            "Fira Code Have a nice day",
        ),
        ("http://chart.example/c?chl=Have|a|nice|day)", "c Have a nice day"),
        ("https://img.example/a%2520nice%2520day", "a nice day"),
        ("https://meme.example/have_a_nice/day%21.png", "have a nice day!.png"),
    ],
)
def test_signs_for_blanks_are_blanks(address: str, said: str) -> None:
    text = f"Here: ![x]({address} and more"
    shown = words_of_links(text)
    assert shown is not None
    assert len(shown) == len(text)
    assert " ".join(shown.replace(NOTHING, "").split()) == said


@pytest.mark.parametrize("text", ["", "a/b_c_d", "https://a.example/docs/page.html", "https://a.b"])
def test_addresses_without_words_are_left_out(text: str) -> None:
    assert words_of_links(text) is None


@given(st.text(alphabet="a%2f0+_ /?=&:;|."))
def test_places_are_kept(path: str) -> None:
    shown = words_of_links(f"x https://a.example/{path} y")
    assert shown is None or len(shown) == len(path) + len("x https://a.example/ y")
