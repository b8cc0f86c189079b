"""Contacts go, everything else stays, whatever the text is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guard.testing import HOSTILE_TEXTS
from guard.text.redaction import luhn, redacted_contacts
from tests.repeats import repeats

CARDS = ("4111 1111 1111 1111", "5500-0000-0000-0004", "340000000000009", "6011000000000004")
GONE = (
    *("jane.doe+x@mail.example.org", "a@b.co", "ünï@exämple.de"),
    *("+49 30 1234567", "(030) 123 45 67", "0049301234567", "555-123-4567", "2125551234"),
    *("+1 (212) 555-1234", "06 12 34 56 78"),
    *CARDS,
)
STAYS = (
    *("2024-05-17", "17.05.2024", "12/31/1999", "1,234,567.89", "12345678", "1.2.3", "$5000000"),
    *(
        "user@localhost",
        "3.14159265",
        "4111111111111112",
        "192.168.100.1",
        "@handle",
        "v10.11.12.13",
    ),
    *("100 200", "1999-2000", "ISBN-like 97", "a@b", "mail@", "00:12:34"),
)
noisy = st.lists(st.one_of(st.sampled_from([*GONE, *STAYS]), st.text(max_size=12)), max_size=8).map(
    " ".join
)


@pytest.mark.parametrize("text", GONE)
def test_contacts_are_redacted(text: str) -> None:
    said = redacted_contacts(f"Write to {text} today")
    assert text not in said
    assert not set("0123456789@") & set(said)
    assert said.startswith("Write to [")
    assert said.endswith("] today")


@pytest.mark.parametrize("text", STAYS)
def test_other_numbers_stay(text: str) -> None:
    assert redacted_contacts(f"It was {text}, so") == f"It was {text}, so"


@settings(max_examples=repeats(150, soak=2500), deadline=None)
@given(text=noisy)
def test_twice_is_once_and_every_place_stays(text: str) -> None:
    once = redacted_contacts(text)
    assert len(once) == len(text)
    assert redacted_contacts(once) == once


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_no_text_is_too_strange(text: str) -> None:
    assert len(redacted_contacts(text)) == len(text)


@pytest.mark.parametrize("text", ["9" * 100_000, "1 " * 50_000, "a@" * 50_000, "x.y@a." * 20_000])
def test_no_text_takes_long(text: str) -> None:
    assert len(redacted_contacts(text)) == len(text)


@given(digits=st.text("0123456789", min_size=1, max_size=18))
def test_exactly_one_check_digit_fits(digits: str) -> None:
    fitting = [last for last in "0123456789" if luhn(digits + last)]
    assert len(fitting) == (1 if set(digits) != {"0"} else 0)


def test_what_has_no_digits_is_no_card() -> None:
    assert not luhn("")
    assert not luhn("٠١٢")


@pytest.mark.parametrize(
    "unit", ["0123456+", "a@b.de+", "(030) 123 45 67+", "4111 1111 1111 1111-"]
)
def test_numbers_without_end_are_all_gone(unit: str) -> None:
    said = redacted_contacts(f"before 12\n {unit * 4000}\nafter 34")
    assert len(said) == len(unit) * 4000 + 20
    assert said.startswith("before 12\n")
    assert said.endswith("\nafter 34")
    assert redacted_contacts(said) == said
    assert unit.rstrip("+-") not in said
