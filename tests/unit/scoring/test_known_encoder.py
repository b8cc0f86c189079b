"""Signs that a vocabulary does not have are no words, and hide none."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.scoring.known_encoder import KnownEncoder
from guard.scoring.vocabulary import Vocabulary

UNKNOWN = 1
KNOWN_SIGN = "★"


@dataclass(frozen=True)
class Encoding:
    ids: list[int]
    offsets: list[tuple[int, int]]
    word_ids: list[int | None]


def encode(text: str) -> Encoding:
    """A token per word; a word with anything but ASCII and the one known sign in it is unknown."""
    found = list(re.finditer(r"\S+", text))
    is_known = [match[0].replace(KNOWN_SIGN, "").isascii() for match in found]
    return Encoding(
        ids=[
            10 + len(m[0]) if known else UNKNOWN for m, known in zip(found, is_known, strict=True)
        ],
        offsets=[match.span() for match in found],
        word_ids=list(range(len(found))),
    )


ENCODER = KnownEncoder(encode, UNKNOWN)
VOCABULARY = Vocabulary(
    encode=ENCODER, before=(), after=(), padding=0, size=64, overlap=2, unknown=UNKNOWN
)


@pytest.mark.parametrize("text", ["😡 you idiot", "you😡idiot", "you idiot😡", "👉🏼you ✅ idiot"])
def test_an_unknown_sign_is_a_space(text: str) -> None:
    found = ENCODER(text)
    assert found.ids == [13, 15]
    assert [text[start:end] for start, end in found.offsets] == ["you", "idiot"]


def test_a_sign_that_is_known_stays() -> None:
    assert ENCODER(f"{KNOWN_SIGN} you").ids == [11, 13]


def test_letters_that_are_unknown_are_told_and_not_read() -> None:
    (window,) = VOCABULARY.windows("ꚠou idiot 😡")
    assert (list(window.ids), window.has_unknown) == ([15], True)
    assert VOCABULARY.unknown_letters("ꚠou idiot 😡") == 3


def test_a_text_of_signs_alone_has_nothing_to_read() -> None:
    assert [list(window.ids) for window in VOCABULARY.windows("😡 ✅")] == []


@given(st.text(alphabet="ab c😡✅👉", max_size=300))
def test_signs_change_no_token(text: str) -> None:
    plain = re.sub("[😡✅👉]", " ", text)
    found = [list(window.ids) for window in VOCABULARY.windows(text)]
    assert found == [list(window.ids) for window in VOCABULARY.windows(plain)]
    assert not any(window.has_unknown for window in VOCABULARY.windows(text))
