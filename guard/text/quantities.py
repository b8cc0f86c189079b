"""One number with its unit: money, percentages, durations and counts."""

from __future__ import annotations

import re

from guard.text.age_names import is_age
from guard.text.amount_kinds import AmountKind, What
from guard.text.amount_words import SCALES, is_plural, known

YEARS = range(1900, 2100)  # such a number is rather a year than a count
BUSINESS = 7 / 5  # days for each business day
_LONGEST_LABEL = 24  # characters
_LARGEST = 1e15

_THOUSANDS = r"[,'\u2019\u00a0\u2009\u202f]"
_CURRENCY = r"(?:dollars?|euros?|pounds?|francs?|rupees?|yen|usd|eur|gbp|chf|inr)\b"
_SPACED = r"\d{1,3}(?: \d{3})+"  # beside a currency alone: "take 2 500 mg tablets"
_DOTTED = r"\d{1,3}(?:\.\d{3})+,\d{2}(?!\d)|\d{1,3}(?:\.\d{3}){2,}"  # "1.234,50", "1.234.567"
_COMMA = r"\d{1,9},\d\d?(?![\d,])"  # "1,5 million", "12,50 €"; no comma of "£80,00..."
_DIGITS = (
    rf"\d{{1,2}}(?:,\d{{2}})+,\d{{3}}|{_DOTTED}"
    rf"|(?<=€){_COMMA}|{_COMMA}(?=\s?€|\s(?:euros?|eur|francs?|chf|[mb]illion)\b)"
    rf"|\d{{1,3}}(?:{_THOUSANDS}\d{{3}})+(?:\.\d+)?"
    rf"|(?<=[$£€₹¥]){_SPACED}(?:\.\d+)?(?![\d ]\d)|{_SPACED}(?:\.\d+)?(?=\s?[$£€₹¥]|\s{_CURRENCY})"
    r"|\d+(?:\.\d+)?"
)
_SIGN = r"(?:US|AU?|CA?|NZ|HK|S)?\$|[£€₹¥]"
_SCALE = rf"(?:k|m|mn|bn)\b|\s(?:{SCALES})\b"
QUANTITY = re.compile(
    rf"(?<![\w.#/:,$£€₹¥-])(?:(?P<sign>{_SIGN}|\b(?:USD|EUR|GBP|INR|CHF|Rs\.?))\s?)?"
    rf"(?P<low>{_DIGITS})(?P<low_scale>{_SCALE})?"
    rf"(?:\s?(?P<to>-|–|—|\bto\b|\bor\b)\s?(?:{_SIGN})?(?P<high>{_DIGITS})(?P<high_scale>{_SCALE})?)?"
    r"(?!\d|[.,/:]\d|[^\W\d_])",
    re.IGNORECASE,
)
"""A number, or a range of two."""
_NO_DIGIT = re.compile(r"[^\d.]")
_WITH_COMMA = re.compile(rf"{_DOTTED}|{_COMMA}")
_DOT_OF_THOUSANDS = re.compile(r"\d{2,3}\.\d{3}")
_DOT_OF_EUROS = re.compile(r"\d{1,3}\.\d{3}")
_PER_MEASURE = re.compile(
    r"\s?(?:[€$£]\s?)?(?:/|per\s|a\s)\s?(?:l|lit\w+|kwh|kg|kilo\w*|gallon|unit)\b"
)
_UNIT = re.compile(
    r"\s?(?P<sign>[%$£€₹¥])|[\s-]+(?:(?:more|full|calendar|consecutive)\s)?"
    r"(?P<first>[^\W\d_]+)(?:[\s-]+(?P<second>[^\W\d_]+))?"
)
_LAST_WORD = re.compile(r"([^\W\d_]+)\.?\s*\Z")


def read_quantity(text: str, match: re.Match[str]) -> What | None:
    """What a number is an amount of by its sign or by the words after it; None where they do not
    say so. text: in small letters; match: of `QUANTITY`."""
    if match["sign"]:
        return _money(text, match, match["sign"])
    unit = _UNIT.match(text, match.end())
    if unit is None:
        return None
    first = unit["sign"] or unit["first"]
    if first == "%" or first in known().lists["percent"] or unit[0].split()[:2] == ["per", "cent"]:
        return AmountKind.PERCENT, middle(match), ""
    if first in known().currencies:
        return _money(text, match, first)
    if first == "grand" and not is_plural(unit["second"] or ""):
        return AmountKind.MONEY, middle(match) * 1e3, ""
    if is_label(text[max(match.start() - _LONGEST_LABEL, 0) : match.start()]):
        return None
    return _duration(text, match, unit) or _count(match["low"], middle(match), unit)


def _money(text: str, match: re.Match[str], sign: str) -> What:
    currency = known().currencies.get(sign) or known().currencies[sign[-1]]
    return AmountKind.MONEY, money_value(text, match, currency), currency


def money_value(text: str, match: re.Match[str], currency: str = "") -> float:
    """The number, or the middle of the range. A dot before three digits parts thousands where no
    price has such decimals: "€1.500", "95.000 dollars"; but "$1.459", and "€1.459 a litre"."""
    in_euros = currency == "euro" and not _PER_MEASURE.match(text, match.end())
    return middle(match, _DOT_OF_EUROS if in_euros else _DOT_OF_THOUSANDS)


def middle(match: re.Match[str], dotted: re.Pattern[str] | None = None) -> float:
    """The number, or the middle of the range. dotted: digits whose dot parts thousands."""

    def number(part: str, scale: str | None) -> float:
        is_dotted = dotted is not None and scale is None and dotted.fullmatch(match[part])
        return _number(match[part].replace(".", "") if is_dotted else match[part], scale)

    low = number("low", match["low_scale"])
    if match["high"] is None:
        return low
    high = number("high", match["high_scale"])
    scaled = number("low", match["low_scale"] or match["high_scale"])  # "50-60k"
    return ((scaled if scaled <= high else low) + high) / 2


def _number(digits: str, scale: str | None) -> float:
    if _WITH_COMMA.fullmatch(digits):
        digits = digits.replace(".", "").replace(",", ".")
    return float(_NO_DIGIT.sub("", digits)) * (known().scales[scale.strip()] if scale else 1.0)


def is_amount(what: What | None) -> bool:
    """Whether it is one that can be compared: not the digits of a key."""
    return what is not None and what[1] <= _LARGEST


def is_label(before: str) -> bool:
    """Whether a number after this text is a name: "step 3"."""
    found = _LAST_WORD.search(before[-_LONGEST_LABEL:])
    return found is not None and found[1] in known().lists["labels"]


def is_year(digits: str) -> bool:
    """Whether the digits are rather those of a year."""
    return digits.isdigit() and len(digits) == 4 and int(digits) in YEARS


def _duration(text: str, match: re.Match[str], unit: re.Match[str]) -> What | None:
    is_business = unit["first"] in known().lists["business"]
    name = "second" if is_business else "first"
    word = unit[name] or ""
    days = known().durations.get(word)
    if days is None or is_age(text, match.start(), unit.end(name), word):
        return None
    return AmountKind.DURATION, middle(match) * days * (BUSINESS if is_business else 1.0), ""


def _count(digits: str, value: float, unit: re.Match[str]) -> What | None:
    """Of a number before a plural, or before one word and a plural: "three recent references"."""
    first, second = unit["first"] or "", unit["second"] or ""
    is_address = digits.count(".") > 1
    if value == 1.0 or is_year(digits) or is_address or first in known().lists["uncounted"]:
        return None
    noun = next(filter(is_plural, (first, second)), None)
    return None if noun is None else (AmountKind.COUNT, value, noun)
