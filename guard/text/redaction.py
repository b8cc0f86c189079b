"""E-mail addresses, phone and card numbers made unreadable, character for character.

The text keeps its length, so that spans found in it stay true. What takes the place of a number
holds neither a digit nor an @, so that doing it twice does nothing more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from guard.text.other_numbers import date_end, is_amount, is_isbn
from guard.text.plain_signs import BLANK, DASH, HYPHEN, plain_signs

_FILL = "•"
_NUMBER_SIGN = re.compile(r"[\d@]")
LEAST_DIGITS, MOST_DIGITS = 7, 15
MOST_PASSES = 16
"""Over a text; a line in which more would be found is hidden by its digits and signs."""

_EMAIL = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}[.\uff0e]){1,8}[^\W\d_]{2,24}(?![\w-])"
)
_CARD = re.compile(r"(?<!\d)(?<!\d[ -])\d(?:[ -]?\d){12,18}(?![ -]?\d)")
# With other signs only as cards are printed, beginning with the number of a payment network:
# figures of a table fit one check digit in ten.
_PARTED = rf"[ \t.{BLANK}{HYPHEN}{DASH}-]"
_PARTED_CARD = re.compile(
    rf"(?<!\d)(?<!\d{_PARTED})(?=[3-6]|2[2-7])\d{{4}}{_PARTED}"
    rf"(?:\d{{4}}{_PARTED}\d{{4}}{_PARTED}\d{{1,4}}(?:{_PARTED}\d{{1,3}})?|\d{{6}}{_PARTED}\d{{4,5}})"
    rf"(?!{_PARTED}?\d)"
)
_BEGINS = r"(?:\+|00)?(?:\(\d{1,5}\)|\d)"
_PHONE = re.compile(rf"(?<![\w.,+/-]){_BEGINS}(?:[ ./()-]{{0,2}}\d){{6,14}}(?![\w-])(?![.,/]\d)")
_PARTED_PHONE = re.compile(
    rf"(?<![\w.,+/{HYPHEN}{DASH}-]){_BEGINS}(?:[ {BLANK}./(){HYPHEN}{DASH}-]{{0,2}}\d){{6,14}}"
    rf"(?![\w-])(?![.,/{HYPHEN}{DASH}]\d)"
)
# Between tabs numbers are those of a table, unless they begin as phone numbers do.
_TABBED_PHONE = re.compile(
    r"(?<![\w.,+/-])(?:(?:\+\d{1,4}|00[1-9]\d{1,3}|\(?0[1-9]\d{1,4}\)?)(?:\t\d{2,8}){1,5}"
    r"|(?<!\d\t)(?:\([2-9]\d\d\)|[2-9]\d\d)\t\d{3}\t\d{4})(?![\w\t-])(?![.,/]\d)"
)
_SPACED = re.compile(rf"[ (){BLANK}{HYPHEN}{DASH}-]|\+")

_Place = tuple[int, int]
"""Where something begins and ends."""


class _Kind(NamedTuple):
    """What is looked for: the name of its mark, its form, and whether what has it counts."""

    mark: str
    form: re.Pattern[str]
    counts: Callable[[re.Match[str]], bool]


def redacted_contacts(text: str) -> str:
    """`text` with what leads to a person or an account replaced; of the same length.

    A card number has 13 to 19 digits with the right check digit (Luhn, ISO/IEC 7812-1). A phone
    number has 7 to 15 digits and, unless it is written with a + or in groups, a leading zero or
    ten digits: other long numbers, dates and amounts stay as they are. Digits, blanks and dashes
    may be those of any script; what shows nothing is passed over.
    """
    for _ in range(MOST_PASSES):  # what was hidden behind one may be found once that is gone
        before, text = text, _once(text)
        if text == before:
            return text
    return "\n".join(map(_settled, text.split("\n")))


def _settled(line: str) -> str:
    if _once(line) == line:
        return line
    plain = plain_signs(line)
    signs = [plain.written(*found.span()) for found in _NUMBER_SIGN.finditer(plain.text)]
    return _replaced(line, [(place, _FILL * _length(place)) for place in signs])


def _once(text: str) -> str:
    plain = plain_signs(text)
    read = plain.text
    marks: list[tuple[_Place, str]] = []
    for kind in _KINDS:
        places = [found.span() for found in kind.form.finditer(read) if kind.counts(found)]
        read = _replaced(read, [(place, _mark(kind, place)) for place in places])
        written = [plain.written(*place) for place in places]
        marks += [(place, _mark(kind, place)) for place in written]
    return _replaced(text, sorted(marks))


def _mark(kind: _Kind, place: _Place) -> str:
    return f"[{kind.mark}{_FILL * (_length(place) - len(kind.mark) - 2)}]"


def _length(place: _Place) -> int:
    start, end = place
    return end - start


def _replaced(text: str, parts: Iterable[tuple[_Place, str]]) -> str:
    """`text` with other words in these places, which are in order."""
    pieces: list[str] = []
    at = 0
    for (start, end), other in parts:
        pieces += (text[at:start], other)
        at = end
    return "".join([*pieces, text[at:]])


def luhn(number: str) -> bool:
    """Whether the digits in `number` have the check digit of a card; other characters are passed
    over. False where there are none, or all are zero."""
    digits = [int(one) for one in number if "0" <= one <= "9"]
    doubled = [sum(divmod(2 * one, 10)) for one in digits[-2::-2]]
    return any(digits) and (sum(digits[::-2]) + sum(doubled)) % 10 == 0


def _pays(found: re.Match[str]) -> bool:
    """Whether these digits are a card number."""
    return luhn(found[0]) and not is_isbn(found)


def _calls(found: re.Match[str]) -> bool:
    """Whether these digits are a phone number."""
    number = found[0]
    if is_isbn(found) or len(_digits(number[date_end(number) :])) < LEAST_DIGITS:
        return False
    grouped = bool(_SPACED.search(number))
    return grouped or number.startswith("0") or len(_digits(number)) == 10


def _calls_parted(found: re.Match[str]) -> bool:
    """Whether digits with other signs between them are a phone number, where those signs are
    written in amounts and ranges too."""
    return not is_amount(found) and _calls(found)


def _has_digits_enough(found: re.Match[str]) -> bool:
    return LEAST_DIGITS <= len(_digits(found[0])) <= MOST_DIGITS


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


_KINDS: Final = (
    _Kind("mail", _EMAIL, bool),
    _Kind("card", _CARD, _pays),
    _Kind("card", _PARTED_CARD, _pays),
    _Kind("phone", _PARTED_PHONE, _calls_parted),
    _Kind("phone", _TABBED_PHONE, _has_digits_enough),
    _Kind("phone", _PHONE, _calls),
)
