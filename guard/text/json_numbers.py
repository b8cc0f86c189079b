"""Whole numbers in JSON that others have written."""

from __future__ import annotations

from typing import Final

MOST_DIGITS: Final = 400
"""More than the largest float has (309). To read one takes time in the square of its digits, in
which no other thread runs."""


class LongNumberError(ValueError):
    """A whole number with more than MOST_DIGITS digits. number: as it was written."""

    def __init__(self, number: str) -> None:
        super().__init__(
            f"a whole number of {len(number.lstrip('-'))} digits ({number[:20]}...); at most"
            f" {MOST_DIGITS} are read"
        )
        self.number = number


def whole_number(text: str) -> int:
    """For `parse_int` of a decoder. Raises LongNumberError, before any of it is read."""
    if len(text) > MOST_DIGITS and len(text.lstrip("-")) > MOST_DIGITS:
        raise LongNumberError(text)
    return int(text)
