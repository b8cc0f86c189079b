"""E-mail addresses, phone and card numbers made unreadable, character for character.

The text keeps its length, so that spans found in it stay true. What takes the place of a number
holds neither a digit nor an @, so that doing it twice does nothing more.
"""

from __future__ import annotations

import re

_FILL = "•"
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?![\w-])")
_CARD = re.compile(r"(?<!\d)(?<!\d[ -])\d(?:[ -]?\d){12,18}(?![ -]?\d)")
_PHONE = re.compile(
    r"(?<![\w.,+/-])(?:\+|00)?(?:\(\d{1,5}\)|\d)(?:[ ./()-]{0,2}\d){6,14}(?![\w-])(?![.,/]\d)"
)
_NO_PHONE = re.compile(
    r"(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{4}"  # a date
    r"|(?:1[89]|20)\d\d[-/](?:1[89]|20)\d\d|\d{1,3}(?:\.\d{1,3}){3})(?!\d)"  # years, an address
)
_SPACED = re.compile(r"[ ()-]|\+")
_NUMBER_SIGN = re.compile(r"[\d@]")
LEAST_DIGITS = 7
MOST_PASSES = 16
"""Over a text; a line in which more would be found is hidden by its digits and signs."""


def redacted_contacts(text: str) -> str:
    """`text` with what leads to a person or an account replaced; of the same length.

    A card number has 13 to 19 digits with the right check digit (Luhn, ISO/IEC 7812-1). A phone
    number has 7 to 15 digits and, unless it is written with a + or in groups, a leading zero or
    ten digits: other long numbers, dates and amounts stay as they are.
    """
    for _ in range(MOST_PASSES):  # what was hidden behind one may be found once that is gone
        before, text = text, _once(text)
        if text == before:
            return text
    return "\n".join(map(_settled, text.split("\n")))


def _settled(line: str) -> str:
    return line if _once(line) == line else _NUMBER_SIGN.sub(_FILL, line)


def _once(text: str) -> str:
    text = _EMAIL.sub(lambda found: _mark("mail", found[0]), text)
    text = _CARD.sub(lambda found: _mark("card", found[0]) if luhn(found[0]) else found[0], text)
    return _PHONE.sub(
        lambda found: _mark("phone", found[0]) if _calls(found[0]) else found[0], text
    )


def luhn(number: str) -> bool:
    """Whether the digits in `number` have the check digit of a card; other characters are passed
    over. False where there are none, or all are zero."""
    digits = [int(one) for one in number if "0" <= one <= "9"]
    doubled = [sum(divmod(2 * one, 10)) for one in digits[-2::-2]]
    return any(digits) and (sum(digits[::-2]) + sum(doubled)) % 10 == 0


def _calls(number: str) -> bool:
    """Whether these digits are a phone number."""
    other = _NO_PHONE.match(number)
    if other and len(_digits(number[other.end() :])) < LEAST_DIGITS:
        return False
    grouped = bool(_SPACED.search(number))
    return grouped or number.startswith("0") or len(_digits(number)) == 10


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def _mark(what: str, found: str) -> str:
    return f"[{what}{_FILL * (len(found) - len(what) - 2)}]"
