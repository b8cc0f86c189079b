"""Numbers of payment cards, as they are printed and as people write them beside other numbers.
Of texts as `plain_signs` gives them."""

from __future__ import annotations

import re

from guard.text.other_numbers import is_isbn
from guard.text.plain_signs import BLANK, DASH, HYPHEN

_SIGN = rf"[ \t.{BLANK}{HYPHEN}{DASH}-]"
LONE_CARD = re.compile(r"(?<!\d)(?<!\d[ -])\d(?:[ -]?\d){12,18}(?![ -]?\d)")
# With other signs only as cards are printed, beginning with the number of a payment network:
# figures of a table fit one check digit in ten.
PARTED_CARD = re.compile(
    rf"(?<!\d)(?<!\d{_SIGN})(?=[3-6]|2[2-7])\d{{4}}{_SIGN}"
    rf"(?:\d{{4}}{_SIGN}\d{{4}}{_SIGN}\d{{1,4}}(?:{_SIGN}\d{{1,3}})?|\d{{6}}{_SIGN}\d{{4,5}})"
    rf"(?!{_SIGN}?\d)"
)
# Beside an expiry date, a code or an amount: only with the length that the network's cards have.
CARD_BESIDE_NUMBERS = re.compile(
    r"(?<!\d)(?<!\d[.,])(?:3[47]\d{13}|3[0689]\d{12}|(?:[4-6]\d|2[2-7]|35)\d{14}|62\d{17})(?!\d)"
)
PARTED_CARD_BESIDE_NUMBERS = re.compile(
    rf"(?<!\d)(?:(?:[4-6]\d|2[2-7]|35)\d\d(?P<sign>{_SIGN})\d{{4}}(?P=sign)\d{{4}}(?P=sign)\d{{4}}"
    rf"|3[047689]\d\d(?P<other>{_SIGN})\d{{6}}(?P=other)\d{{4,5}})(?!\d)"
)
_LONG_BEFORE = re.compile(r"(?<!\d)(\d{14,19})[ -]\Z")
_LONG_BEHIND = re.compile(r"[ -](\d{14,19})(?!\d)")
_GROUP_BEFORE = re.compile(rf"(?P<digits>\d{{1,5}})(?P<sign>{_SIGN})\Z")
_GROUP_BEHIND = re.compile(rf"(?P<sign>{_SIGN})(?P<digits>\d{{1,5}})")
_LONGEST = 20
"""A long number and the sign behind it."""


def luhn(number: str) -> bool:
    """Whether the digits in `number` have the check digit of a card; other characters are passed
    over. False where there are none, or all are zero."""
    digits = [int(one) for one in number if "0" <= one <= "9"]
    doubled = [sum(divmod(2 * one, 10)) for one in digits[-2::-2]]
    return any(digits) and (sum(digits[::-2]) + sum(doubled)) % 10 == 0


def pays(found: re.Match[str]) -> bool:
    """Whether these digits are a card number."""
    return luhn(found[0]) and not is_isbn(found)


def pays_in_a_row(found: re.Match[str]) -> bool:
    """Whether these digits are a card number, and not one of a row of other long numbers."""
    if not luhn(found[0]):
        return False
    before = _LONG_BEFORE.search(found.string, max(0, found.start() - _LONGEST), found.start())
    behind = _LONG_BEHIND.match(found.string, found.end())
    alike = [one[1] for one in (before, behind) if one and len(one[1]) == len(found[0])]
    return all(map(luhn, alike))


def pays_in_groups(found: re.Match[str]) -> bool:
    """Whether these groups of digits are a card number, and no part of a longer row of such groups
    or of a table. Rows with blanks are phone numbers in any case."""
    sign = found["sign"] or found["other"]
    before = _GROUP_BEFORE.search(found.string, max(0, found.start() - 6), found.start())
    behind = _GROUP_BEHIND.match(found.string, found.end())
    beside = [one["digits"] for one in (before, behind) if one and one["sign"] == sign]
    goes_on = any(sign == "\t" or len(one) == 4 for one in beside)
    return luhn(found[0]) and (sign in {" ", BLANK} or not goes_on)
