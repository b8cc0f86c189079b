"""Amounts in a text: money, percentages, durations and counts.

"$1,200", "1.2k dollars", "12 %", "twelve percent", "3 business days", "two weeks", "5-7 boxes".
Ages, dates, years, times, and the numbers of steps, orders, phones and lists are no amounts.
English only; its words are in `amounts.txt`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from typing import TypeAlias

from guard.text.language import function_words, read_word_lists

_NEAR = 80  # characters on either side whose words say what an amount is of
_YEARS = range(1900, 2100)  # such a number is rather a year than a count
_BUSINESS = 7 / 5  # days for each business day
_LONGEST_LABEL = 24  # characters

_THOUSANDS = r"[,'\u2019\u00a0\u2009\u202f]"
_CURRENCY = r"(?:dollars?|euros?|pounds?|francs?|rupees?|yen|usd|eur|gbp|chf|inr)\b"
_SPACED = r"\d{1,3}(?: \d{3})+"  # beside a currency alone: "take 2 500 mg tablets"
_DIGITS = (
    rf"\d{{1,2}}(?:,\d{{2}})+,\d{{3}}|\d{{1,3}}(?:{_THOUSANDS}\d{{3}})+(?:\.\d+)?"
    rf"|(?<=[$£€₹¥]){_SPACED}(?:\.\d+)?(?![\d ]\d)|{_SPACED}(?:\.\d+)?(?=\s?[$£€₹¥]|\s{_CURRENCY})"
    r"|\d+(?:\.\d+)?"
)
_SIGN = r"(?:US|AU?|CA?|NZ|HK|S)?\$|[£€₹¥]"
_SCALE = r"(?:k|m|mn|bn)\b|\s(?:dozen|hundred|thousand|million|billion)\b"
_QUANTITY = re.compile(
    rf"(?<![\w.#/:,$£€₹¥-])(?:(?P<sign>{_SIGN}|\b(?:USD|EUR|GBP|INR|CHF))\s?)?"
    rf"(?P<low>{_DIGITS})(?P<low_scale>{_SCALE})?"
    rf"(?:\s?(?:-|–|—|\bto\b|\bor\b)\s?(?:{_SIGN})?(?P<high>{_DIGITS})(?P<high_scale>{_SCALE})?)?"
    r"(?!\d|[.,/:]\d|[^\W\d_])",
    re.IGNORECASE,
)
_NO_DIGIT = re.compile(r"[^\d.]")
_UNIT = re.compile(
    r"\s?(?P<sign>[%$£€₹¥])|[\s-]+(?:(?:more|full|calendar|consecutive)\s)?"
    r"(?P<first>[^\W\d_]+)(?:[\s-]+(?P<second>[^\W\d_]+))?"
)
_OF_AGE = re.compile(r"[\s-]+(?:old|of\s+age)\b")
_LAST_WORD = re.compile(r"([^\W\d_]+)\.?\s*\Z")
_SENTENCE_BREAK = re.compile(r"[.!?;]\s|\n")
_CLAUSE_BREAK = re.compile(r"[.!?;,:]\s|\n|\s(?:and|but|while|plus)\s")
_CONTENT = re.compile(r"[a-z]{3,}")


class AmountKind(StrEnum):
    """What an amount is of."""

    MONEY = "money"
    PERCENT = "percent"
    DURATION = "duration"
    COUNT = "count"


What: TypeAlias = tuple[AmountKind, float, str]
"""Kind, value and unit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """One amount in a text.

    value: at least 0, the middle of a range; percentages in percent, durations in days. unit: the
    currency, or the noun of what is counted; else empty. clause, context: the content words near it
    in its clause and in its sentence.
    """

    kind: AmountKind
    value: float
    unit: str = ""
    clause: frozenset[str] = frozenset()
    context: frozenset[str] = frozenset()


@lru_cache(maxsize=256)
def amounts(text: str) -> tuple[Amount, ...]:
    """The amounts of a text in their order; what is named twice stands once."""
    plain = _with_digits(text.lower())
    found: dict[What, list[re.Match[str]]] = {}
    for match in _QUANTITY.finditer(plain):
        if what := _read(plain, match):
            found.setdefault(what, []).append(match)
    if not found:
        return ()
    words = _ContentWords(plain)
    clauses, sentences = _bounds(plain, _CLAUSE_BREAK), _bounds(plain, _SENTENCE_BREAK)
    return tuple(
        Amount(
            kind=kind,
            value=value,
            unit=unit,
            clause=words.near(matches, clauses),
            context=words.near(matches, sentences),
        )
        for (kind, value, unit), matches in found.items()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _AmountWords:
    """The words of `amounts.txt`. spelt: finds a number in words. no_content: small words and
    units, which do not tell what an amount is of."""

    lists: Mapping[str, frozenset[str]]
    numbers: Mapping[str, float]
    scales: Mapping[str, float]
    durations: Mapping[str, float]
    currencies: Mapping[str, str]
    spelt: re.Pattern[str]
    no_content: frozenset[str]


@cache
def _known() -> _AmountWords:
    lists = read_word_lists("guard.text", "amounts.txt")
    values = {
        name: {word: float(value) for word, value in _entries(lists[name])}
        for name in ("numbers", "scales", "durations")
    }
    currencies = dict(_entries(lists["currencies"]))
    return _AmountWords(
        lists=lists,
        currencies=currencies,
        no_content=function_words()["en"].union(
            lists["percent"], lists["business"], currencies, values["durations"], values["scales"]
        ),
        spelt=_spelt_numbers(values["numbers"]),
        **values,
    )


def _entries(entries: frozenset[str]) -> Iterator[tuple[str, str]]:
    for one in entries:
        name, _, value = one.rpartition("=")
        yield name, value


def _spelt_numbers(numbers: Mapping[str, float]) -> re.Pattern[str]:
    """Numbers in words: "five", "twenty-five", "two hundred and fifty thousand"; not "one day"."""
    one = "|".join(sorted(numbers, key=len, reverse=True))
    tens = "|".join(word for word, value in numbers.items() if value >= 20)
    small = rf"(?:(?:{tens})[\s-](?:{one})|{one})\b"
    scale = r"\s+(?:dozen|hundred|thousand|million|billion)\b"
    return re.compile(rf"\b(?!one\s+day\b){small}(?:{scale}(?:(?:\s+and)?\s+{small})?)*")


def _with_digits(text: str) -> str:
    """The text with numbers in words replaced by digits."""
    return _known().spelt.sub(lambda match: f"{_spelt_value(match[0]):.15g}", text)


def _spelt_value(spelt: str) -> float:
    known = _known()
    total = current = 0.0
    for word in spelt.replace("-", " ").split():
        scale = known.scales.get(word, 1.0)
        current = (current + known.numbers.get(word, 0.0)) * scale
        if scale >= 1000:
            total, current = total + current, 0.0
    return total + current


def _read(text: str, match: re.Match[str]) -> What | None:
    """What a number is an amount of; None where it is none."""
    known, value = _known(), _middle(match)
    if match["sign"]:
        sign = match["sign"]
        return AmountKind.MONEY, value, known.currencies.get(sign) or known.currencies[sign[-1]]
    unit = _UNIT.match(text, match.end())
    if unit is None:
        return None
    first = unit["sign"] or unit["first"]
    if first == "%" or first in known.lists["percent"] or unit[0].split()[:2] == ["per", "cent"]:
        return AmountKind.PERCENT, value, ""
    if first in known.currencies:
        return AmountKind.MONEY, value, known.currencies[first]
    if _is_label(text[: match.start()]):
        return None
    return _duration(text, value, unit) or _count(match["low"], value, unit)


def _middle(match: re.Match[str]) -> float:
    """The number, or the middle of the range."""
    low = _number(match["low"], match["low_scale"])
    if match["high"] is None:
        return low
    high = _number(match["high"], match["high_scale"])
    scaled = _number(match["low"], match["low_scale"] or match["high_scale"])  # "50-60k"
    return ((scaled if scaled <= high else low) + high) / 2


def _number(digits: str, scale: str | None) -> float:
    return float(_NO_DIGIT.sub("", digits)) * (_known().scales[scale.strip()] if scale else 1.0)


def _is_label(before: str) -> bool:
    found = _LAST_WORD.search(before[-_LONGEST_LABEL:])
    return found is not None and found[1] in _known().lists["labels"]


def _duration(text: str, value: float, unit: re.Match[str]) -> What | None:
    known = _known()
    is_business = unit["first"] in known.lists["business"]
    name = "second" if is_business else "first"
    days = known.durations.get(unit[name] or "")
    if days is None or _OF_AGE.match(text, unit.end(name)):
        return None
    return AmountKind.DURATION, value * days * (_BUSINESS if is_business else 1.0), ""


def _count(digits: str, value: float, unit: re.Match[str]) -> What | None:
    """Of a number before a plural, or before one word and a plural: "three recent references"."""
    first, second = unit["first"] or "", unit["second"] or ""
    is_year = digits.isdigit() and int(digits) in _YEARS
    if value == 1.0 or is_year or first in _known().lists["uncounted"]:
        return None
    noun = next(filter(_is_plural, (first, second)), None)
    return None if noun is None else (AmountKind.COUNT, value, noun)


def _is_plural(word: str) -> bool:
    lists = _known().lists
    if word in lists["counted"]:
        return True
    is_noun = len(word) > 3 and word not in lists["uncounted"] and word not in _known().durations
    return is_noun and word.endswith("s") and not word.endswith(("ss", "us", "is"))


_Bounds: TypeAlias = tuple[Sequence[int], Sequence[int]]
"""Where the pieces of a text begin and where they end."""


def _bounds(text: str, broken: re.Pattern[str]) -> _Bounds:
    breaks = [one.span() for one in broken.finditer(text)]
    return [0, *(end for _, end in breaks)], [*(start for start, _ in breaks), len(text)]


class _ContentWords:
    """The content words of a text, with their places."""

    def __init__(self, text: str) -> None:
        empty = _known().no_content
        found = [match for match in _CONTENT.finditer(text) if match[0] not in empty]
        self._words = [match[0] for match in found]
        self._starts = [match.start() for match in found]

    def near(self, matches: Sequence[re.Match[str]], pieces: _Bounds) -> frozenset[str]:
        """Those near numbers, in the same piece of the text."""
        begins, ends = pieces
        found: set[str] = set()
        for match in matches:
            start, end = match.span()
            first = max(start - _NEAR, begins[bisect_right(begins, start) - 1])
            last = min(end + _NEAR, ends[bisect_left(ends, end)])
            found.update(self._between(first, start), self._between(end, last))
        return frozenset(found)

    def _between(self, first: int, last: int) -> Sequence[str]:
        return self._words[bisect_left(self._starts, first) : bisect_left(self._starts, last)]
