"""The words about amounts, and numbers in words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from math import prod

from guard.text.language import function_words, read_word_lists

SCALES = "dozen|hundred|thousand|million|billion|lakhs?|lacs?|crores?"
_COUNTS = {"two": 2, "three": 3, "four": 4}
_PARTS = {"half": 0.5, "third": 1 / 3, "quarter": 0.25, "fifth": 0.2, "tenth": 0.1}
_PART = re.compile(
    rf"\b(?:(?P<count>a|one|two|three|four)\s)?(?P<part>{'|'.join(_PARTS)})s?\sof\san?\s"
    r"(?=(?:hundred|thousand|million|billion|year|month|week|day|hour)\b)"
)
_SCALE = rf"\s+(?:{SCALES})\b"


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountWords:
    """The words of `amounts.txt`. spelt: finds a number in words; shared_scale: the first one of
    "five to seven thousand". no_content: small words and units, which do not tell what an amount
    is of."""

    lists: Mapping[str, frozenset[str]]
    numbers: Mapping[str, float]
    scales: Mapping[str, float]
    durations: Mapping[str, float]
    currencies: Mapping[str, str]
    spelt: re.Pattern[str]
    shared_scale: re.Pattern[str]
    no_content: frozenset[str]


@cache
def known() -> AmountWords:
    """What is known of amounts. Reads a file."""
    lists = read_word_lists("guard.text", "amounts.txt")
    values = {
        name: {word: float(value) for word, value in _entries(lists[name])}
        for name in ("numbers", "scales", "durations")
    }
    currencies = dict(_entries(lists["currencies"]))
    small = _small_numbers(values["numbers"])
    return AmountWords(
        lists=lists,
        currencies=currencies,
        no_content=function_words()["en"].union(
            lists["percent"], lists["business"], currencies, values["durations"], values["scales"]
        ),
        spelt=_spelt_numbers(small, currencies),
        shared_scale=re.compile(
            rf"\b(?P<low>{small})(?=(?:\s?[-–—]\s?|\s(?:to|or)\s)(?P<high>{small})"
            rf"(?P<scales>(?:{_SCALE})+))"
        ),
        **values,
    )


def _entries(entries: frozenset[str]) -> Iterator[tuple[str, str]]:
    for one in entries:
        name, _, value = one.rpartition("=")
        yield name, value


def _small_numbers(numbers: Mapping[str, float]) -> str:
    one = "|".join(sorted(numbers, key=len, reverse=True))
    tens = "|".join(word for word, value in numbers.items() if value >= 20)
    return rf"(?:(?:{tens})[\s-](?:{one})|{one})\b"


def _spelt_numbers(small: str, currencies: Mapping[str, str]) -> re.Pattern[str]:
    """Numbers in words: "five", "twenty-five", "two hundred and fifty thousand", and of money
    "a thousand"; not "one day"."""
    words = "|".join([re.escape(word) for word in currencies if word.isalpha()] + ["grand"])
    first = rf"(?:half\s+)?an?(?=(?:{_SCALE})+\s+(?:{words})\b)"
    return re.compile(
        rf"\b(?!one\s+day\b)(?:{small}|{first})(?:{_SCALE}(?:(?:\s+and)?\s+{small})?)*"
    )


def with_digits(text: str) -> str:
    """The text, in small letters, with numbers in words replaced by digits."""
    parts = _PART.sub(_in_digits, text)
    scaled = known().shared_scale.sub(_with_scale, parts)
    return known().spelt.sub(lambda match: f"{_spelt_value(match[0]):.15g}", scaled)


def _in_digits(match: re.Match[str]) -> str:
    """Of "three quarters of a million" 0.75 million."""
    return f"{_COUNTS.get(match['count'], 1) * _PARTS[match['part']]:.4g} "


def _with_scale(match: re.Match[str]) -> str:
    """Of "five to seven thousand" the five, in thousands; not of "ten to two thousand"."""
    low, high = _spelt_value(match["low"]), _spelt_value(match["high"])
    if low > high:
        return match[0]
    return f"{low * prod(known().scales[word] for word in match['scales'].split()):.15g}"


def _spelt_value(spelt: str) -> float:
    words = known()
    total = current = 0.0
    for word in spelt.replace("-", " ").split():
        scale = words.scales.get(word, 1.0)
        value = (current or 1.0) if word in {"a", "an"} else current + words.numbers.get(word, 0.0)
        current = (0.5 if word == "half" else value) * scale
        if scale >= 1000:
            total, current = total + current, 0.0
    return total + current


def is_plural(word: str) -> bool:
    """Whether it is a plural that can be counted."""
    lists = known().lists
    if word in lists["counted"]:
        return True
    is_noun = len(word) > 3 and word not in lists["uncounted"] and word not in known().durations
    return is_noun and word.endswith("s") and not word.endswith(("ss", "us", "is"))
