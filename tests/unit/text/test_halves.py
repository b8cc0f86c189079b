"""Characters that a stream cut in two are read whole, in every reading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text import clean
from guard.text.escapes import NOTHING
from guard.text.halves import joined_halves
from guard.text.readings import readings

CHARACTERS = st.characters(exclude_categories=("Cs",), exclude_characters=NOTHING)


def in_bytes(text: str, length: int) -> str:
    """As a stream of bytes has it, in pieces of this length."""
    data = text.encode()
    parts = (data[at : at + length] for at in range(0, len(data), length))
    return "".join(part.decode("utf-8", "surrogateescape") for part in parts)


def in_surrogates(text: str) -> str:
    units = text.encode("utf-16-le")
    return "".join(
        units[at : at + 2].decode("utf-16-le", "surrogatepass") for at in range(0, len(units), 2)
    )


@given(st.text(CHARACTERS), st.integers(1, 5))
def test_bytes_of_a_character_are_that_character(text: str, length: int) -> None:
    cut = in_bytes(text, length)
    assert joined_halves(cut).replace(NOTHING, "") == text
    assert len(joined_halves(cut)) == len(cut)


@given(st.text(CHARACTERS))
def test_surrogates_of_a_character_are_that_character(text: str) -> None:
    cut = in_surrogates(text)
    assert joined_halves(cut).replace(NOTHING, "") == text
    assert len(joined_halves(cut)) == len(cut)


@given(st.text(st.sampled_from("a\udc80\udce2\udcff\ud83d\ude00\u00e9")))
def test_what_is_no_whole_character_stays(text: str) -> None:
    assert len(joined_halves(text)) == len(text)
    assert joined_halves("\udcff\udcff") == "\udcff\udcff"


FULL_WIDTH = "".join(chr(ord(sign) + 0xFEE0) for sign in "stupid")
BOLD = "".join(chr(0x1D41A + ord(sign) - ord("a")) for sign in "stupid")
TURNED = "\u202edi\u200dputs\u202c"


@pytest.mark.parametrize("length", [1, 2, 3, 5])
@pytest.mark.parametrize("written", [FULL_WIDTH, BOLD, TURNED, "st\u057did", "\u0455tupid"])
def test_a_disguise_in_pieces_is_read_as_in_one(written: str, length: int) -> None:
    whole = f"So {written}."
    assert in_bytes(whole, 1) != whole
    assert plain_readings(in_bytes(whole, length)) == plain_readings(whole)


def plain_readings(text: str) -> set[str]:
    return {clean(one.text).translate({0x200B: None, 0x200D: None}) for one in readings(text)}
