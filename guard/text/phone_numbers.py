"""Phone numbers, as they are written in groups, beside one another and in running text.
Of texts as `plain_signs` gives them."""

from __future__ import annotations

import re

from guard.text.number_rows import is_row
from guard.text.other_numbers import date_end, is_amount, is_isbn
from guard.text.plain_signs import BLANK, DASH, HYPHEN

LEAST_DIGITS, MOST_DIGITS = 7, 15

SPACELESS = (  # Thai, kana, Han and Hangul: no blank parts a number from the words around it
    r"\u0e00-\u0e4e\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
)
_HAN = r"[\u4e00-\u9fff]"
_EMPHASIS = r"(?<=(?<!\w)_)|(?<=(?<!\w)__)|(?<=(?<!\w)___)"
"""Behind underscores of Markdown; those within a name are part of it."""
_EXTENSION = r"(?:[xX]|ext\.?)\d{1,6}\b"


def _start(signs: str) -> str:
    return rf"(?:(?<![\w.,+/{signs}-])|(?<=[{SPACELESS}])|{_EMPHASIS})"


def _end(signs: str) -> str:
    letter = rf"[^\W_{SPACELESS}]"
    return rf"(?=(?!{letter}|-|_{{1,3}}[^\W_])|{_EXTENSION})(?![.,/{signs}]\d)"


_BEGINS = r"(?:\+|00)?(?:\(\d{1,5}\)|\d)"
PHONE = re.compile(rf"{_start('')}{_BEGINS}(?:[ ./()-]{{0,2}}\d){{6,14}}{_end('')}")
PARTED_PHONE = re.compile(
    rf"{_start(HYPHEN + DASH)}{_BEGINS}(?:[ {BLANK}./(){HYPHEN}{DASH}-]{{0,2}}\d){{6,14}}"
    rf"{_end(HYPHEN + DASH)}"
)
# Between tabs numbers are those of a table, unless they begin as phone numbers do.
TABBED_PHONE = re.compile(
    r"(?<![\w.,+/-])(?:(?:\+\d{1,4}|00[1-9]\d{1,3}|\(?0[1-9]\d{1,4}\)?)(?:\t\d{2,8}){1,5}"
    r"|(?<!\d\t)(?:\([2-9]\d\d\)|[2-9]\d\d)\t\d{3}\t\d{4})(?![\w\t-])(?![.,/]\d)"
)
_ONE = (
    r"(?>\+\d(?:[ ()-]{0,2}\d){6,14}|\(?0\d{1,4}\)?(?:[ -]?\d){5,12}"
    r"|(?:[2-9]\d\d-|\([2-9]\d\d\) ?|[2-9]\d\d)\d{3}-?\d{4})"
)
PHONES_WITH_SLASHES = re.compile(rf"{_start('')}{_ONE}(?:/{_ONE})++{_end('')}")
_NO_SUM = r"[.,]\d|[\u4e07\u4ebf\u5143\u5757\u5186]"  # no number of yuan or yen
_NO_COUNT = r"[\u7f8e\u6b27\u82f1\u65e5\u4eba\u4e2a\u6b21\u4ef6\u5e74\u6708]"  # nor of things
CHINESE_MOBILE = re.compile(
    rf"(?:(?<={_HAN})|(?<={_HAN}[:\uff1a {BLANK}])|(?<={_HAN}[:\uff1a] ))1[3-9]\d{{9}}"
    rf"(?!\d|{_NO_SUM})"
    rf"|(?<![\w.,+/$-])1[3-9]\d{{9}}(?=[ {BLANK}]?{_HAN})(?![ {BLANK}]?(?:{_NO_SUM}|{_NO_COUNT}))"
)
_GROUPED = re.compile(rf"[ (){BLANK}{HYPHEN}{DASH}-]|\+")
_FRACTION = re.compile(r"0[.,]\d+")


def calls(found: re.Match[str]) -> bool:
    """Whether these digits are a phone number."""
    number = found[0]
    if (
        _FRACTION.fullmatch(number)
        or is_isbn(found)
        or is_row(found)
        or len(_digits(number[date_end(number) :])) < LEAST_DIGITS
    ):
        return False
    grouped = bool(_GROUPED.search(number))
    return grouped or number.startswith("0") or len(_digits(number)) == 10


def calls_parted(found: re.Match[str]) -> bool:
    """Whether digits with other signs between them are a phone number, where those signs are
    written in amounts and ranges too."""
    return not is_amount(found) and calls(found)


def has_digits_enough(found: re.Match[str]) -> bool:
    """Whether they are as many as a phone number has."""
    return LEAST_DIGITS <= len(_digits(found[0])) <= MOST_DIGITS


def has_no_date(found: re.Match[str]) -> bool:
    """Whether they do not begin with a date."""
    return date_end(found[0]) == 0


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)
