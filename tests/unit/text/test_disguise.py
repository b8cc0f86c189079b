"""Spelling tricks are undone one character for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text.clean import undisguise

TRICKS = {
    "s t u p i d": "stupid",
    "s.t.u.p.i.d": "stupid",
    "i-d-i-o-t!": "idiot!",
    "i_d_i_o_t": "idiot",
    "y o u  s u c k": "y o u  suck",
    "ѕtuріd": "stupid",
    "fοοl": "fool",
    "1d10t": "idiot",
    "sh1t": "shit",
    "sh!t!!": "shit!!",
    "a$$hole": "asshole",
    "w0rthl3ss": "worthless",
    "5tup1d": "stupid",
}
PLAIN = [
    "",
    "U.S.A. and the U.K.",
    "a b c",
    "covid19 mp3 utf8 python3 sha256 b2b h2o 10th 1990s 4x4",
    "mail me at john0smith@example.org or see http://a1b.example/c0de",
    "Привет, мир",
    "Ελλάδα и Россия",
    "It costs $40, or 3 for $100!",
    "Hello! Is it 5 o'clock?",
    "x = a[0] + b1",
    "rock 'n' roll",
]


@pytest.mark.parametrize(("raw", "plain"), TRICKS.items())
def test_tricks_are_undone(raw: str, plain: str) -> None:
    found = undisguise(raw)
    assert found.replace("\u200b", "") == plain
    assert len(found) == len(raw)


@pytest.mark.parametrize("text", PLAIN)
def test_what_is_no_trick_stays(text: str) -> None:
    assert undisguise(text) == text


@given(st.text(alphabet="ab1!0@ .-сѕ\u200b\n😀", max_size=200))
def test_the_length_stays(text: str) -> None:
    assert len(undisguise(text)) == len(text)


@pytest.mark.parametrize("piece", ["a ", "a.", "1a", "a1!", "@", "сa", "a-", "a"])
def test_a_megabyte_of_bait_is_no_trap(piece: str) -> None:
    text = piece * (1_000_000 // len(piece)) + "\u00e9"
    assert len(undisguise(text)) == len(text)
