"""Dates, amounts, ranges and ISBNs: no phone numbers, though their digits stand in groups.
Of texts as `plain_signs` gives them."""

from __future__ import annotations

import re

from guard.text.plain_signs import BLANK, DASH, HYPHEN

_DATE_SIGN = rf"[./{HYPHEN}{DASH}-]{BLANK}?"
_DATE = (
    rf"(?:\d{{4}}{_DATE_SIGN}\d{{1,2}}{_DATE_SIGN}\d{{1,2}}"
    rf"|\d{{1,2}}{_DATE_SIGN}\d{{1,2}}{_DATE_SIGN}\d{{4}})"
)
_YEAR = r"(?:1[89]|20)\d\d"
_PHONE = r"(?:0[1-9](?:\.\d\d){4}|0[1-9]\d\.\d{3}\.\d\d\.\d\d)(?![.\d])"  # France, Switzerland
_ADDRESS = rf"(?!{_PHONE})\d{{1,3}}(?:\.\d{{1,3}}){{3}}"
_DATES = re.compile(  # a date, years, an address of the internet
    rf"(?:{_DATE}|{_YEAR}[/{HYPHEN}{DASH}-]{_YEAR}|{_ADDRESS})(?!\d)"
)
_AMOUNT = rf"[1-9]\d{{0,2}}(?:[ .{BLANK}]\d{{3}})*"
_GROUPED = rf"[1-9]\d{{0,2}}(?:[ .{BLANK}]\d{{3}})+"
_AMOUNTS = re.compile(
    rf"{_DATE}{DASH}{_DATE}|[1-9]\d*{DASH}\d+|{_AMOUNT}{DASH}{_AMOUNT}"  # also from one to one
    rf"|\d+(?:\.\d+)+{DASH}\d+(?:\.\d+)+"
    rf"|[1-9]\d?(?:[ {BLANK}]\d{{3}}){{2,}}|[1-9]\d{{0,2}}(?:{BLANK}\d{{3}})+\.\d{{1,2}}"
    rf"|\d\.\d{{3}}(?:{BLANK}\d{{1,3}})+|[02-9]\.\d{{3}}(?:{BLANK}\d{{3}})+\d"
    rf"|{_GROUPED}(?:{DASH}{_GROUPED})+|[1-9]\d\d(?:{BLANK}\d{{3}})+(?<=000)"
)
_SCORE = rf"(?:0|[1-9]\d?){DASH}(?:0|[1-9]\d?)"
_YEARS = rf"{_YEAR}{DASH}(?:\d\d){{1,2}}"
_DECIMALS = rf"\d{{1,3}}\.\d{{1,3}}{DASH}\d{{1,3}}\.\d{{1,3}}"
_ITEM = rf"[1-9]\d{{0,2}}(?:{BLANK}\d{{3}})+"
_PART = rf"(?<=\d{BLANK})\d{{3}}(?:{BLANK}\d{{3}})*"
_ROW = re.compile(  # ranges of one form beside one another, and amounts
    "|".join(rf"{one}(?:[ {BLANK}]{one})+" for one in (_SCORE, _YEARS, _DECIMALS))
    # A long row is looked at in parts, which begin and end within an amount.
    + rf"|(?:{_PART} )?{_ITEM}(?: {_ITEM})+(?: [1-9]\d{{0,2}})?|{_PART} {_ITEM}"
)
_MONEY = r"(?:[$¢-¥\u20a0-\u20c0%]|(?:EUR|USD|GBP|CHF|Euro|euros?|dollars|pounds|kr|zł|Kč)\b)"
_MONEY_BEFORE = re.compile(rf"(?:[$¢-¥\u20a0-\u20c0]|\b(?:EUR|USD|GBP|CHF))[ {BLANK}]?\Z")
_MONEY_BEHIND = re.compile(rf"[ {BLANK}]?{_MONEY}")
_THOUSANDS = re.compile(rf"[1-9]\d{{0,2}}(?:{BLANK}\d{{3}})+")
_ISBN = re.compile(rf"(?=97[89])\d(?:[ {BLANK}{HYPHEN}{DASH}-]?\d){{12}}")
_SHORT_ISBN = re.compile(rf"\d(?:[ {BLANK}{HYPHEN}{DASH}-]?\d){{9}}")
_ISBN_BEFORE = re.compile(rf"\bISBN(?:-1[03])?:?[ {BLANK}]?\Z", re.IGNORECASE)


def date_end(number: str) -> int:
    """Where a date, two years or an IP address that `number` begins with ends; 0 without one."""
    found = _DATES.match(number)
    return found.end() if found else 0


def is_amount(found: re.Match[str]) -> bool:
    """Whether it is an amount, or goes from one number or date to another."""
    return _AMOUNTS.fullmatch(found[0]) is not None or _is_in_a_row(found) or _is_priced(found)


def _is_in_a_row(found: re.Match[str]) -> bool:
    return " " in found[0] and _ROW.fullmatch(found.string, *found.span()) is not None


def _is_priced(found: re.Match[str]) -> bool:
    if _THOUSANDS.fullmatch(found[0]) is None:
        return False
    before = _MONEY_BEFORE.search(found.string, max(0, found.start() - 5), found.start())
    return bool(before or _MONEY_BEHIND.match(found.string, found.end()))


def is_isbn(found: re.Match[str]) -> bool:
    """Whether it is an ISBN: no country and no card has a number of 13 digits with 978 or 979."""
    if _SHORT_ISBN.fullmatch(found[0]):
        start = found.start()
        return _ISBN_BEFORE.search(found.string, max(0, start - 10), start) is not None
    return _ISBN.fullmatch(found[0]) is not None
