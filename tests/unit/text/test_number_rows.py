"""Numbers that go up as those of a table do are hidden where somebody calls them a phone number."""

from __future__ import annotations

import pytest

from guard.text.redaction import redacted_contacts

CALLED = (
    *("Tel.: {}", "tel. {}", "Phone (home): {}", "My number is {}.", "Phone no.: {}", "☎️ {}"),
    *("WhatsApp {}", "Telefon {}", "Handy: {}", "contact: {}", "reach me under {}", "text {}"),
    *("Signal {}", "tél {}", "te\u0301l. : {}", "Téléphone : {}", "teléfono: {}", "**Phone:** {}"),
    *("My number is:\u00a0{}", "Call me now at {}", "Handynummer ist {}", "| Phone | {} |"),
    "call us today on (free): {}",
)


@pytest.mark.parametrize("number", ["20 30 40 50", "612 622 632", "12 14 16 18"])
@pytest.mark.parametrize("said", CALLED)
def test_what_is_called_a_phone_number_is_hidden(said: str, number: str) -> None:
    assert number not in redacted_contacts(said.format(number))


@pytest.mark.parametrize(
    "said", ["Values: {}", "The numbers are {}.", "The number of rows: {}", "hotel {}", "It is {}."]
)
def test_what_is_not_stays(said: str) -> None:
    text = said.format("20 30 40 50")
    assert redacted_contacts(text) == text


def test_three_numbers_of_three_digits_are_a_phone_number() -> None:
    for number in ("612 622 632", "555 565 575", "700-690-680"):
        assert number not in redacted_contacts(f"It is {number}.")
    for row in ("100 200 300", "110 120 130 140", "100 90 80"):
        assert redacted_contacts(f"It is {row}.") == f"It is {row}."
