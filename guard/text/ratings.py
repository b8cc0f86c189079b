"""Ratings and named numbers in prose: "7/10", "58 out of 100", "a score of 71", "a salary of 88k".

Dates, fractions, results of games, shares of people and numbers of pages are none. What is written
in other forms ("7 on a scale of 1 to 10", stars) is brought to these by `rating_forms`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from guard.text.age_names import is_age_at_moment
from guard.text.amount_kinds import AmountKind, What
from guard.text.amount_words import is_plural, known
from guard.text.language import function_words
from guard.text.quantities import is_label, is_year, middle, money_value

_NEAR = 60  # characters before a number whose words say what it is
_SURE = frozenset((10.0, 100.0))  # scales that need no word of rating
_USUAL = frozenset((5.0, 10.0, 20.0, 50.0, 100.0))
_LONGEST_MONTH = 31.0
_DOZENS = frozenset(("scores",))  # "scores of people"
_LOWEST_OF_RANGE = 20.0  # of scores
_NO_DIGIT = re.compile(r"\D")
_OPERATOR = re.compile(r"(?:[\w)]\s+\*|\S\s*[+=<>%])\s\Z")  # "60 * 2 / 10", not "**Rating:** 8/10"
_FEWEST = 5.0  # a scale has, as a rule; thirds and quarters are fractions

_NUMBER = r"\d{1,4}(?:\.\d{1,3})?"
_RATIO = re.compile(
    rf"(?<![\w.#/:,$£€₹¥-])(?:(?P<low>{_NUMBER})\s?(?:-|–|—|to\s)\s?)?(?P<high>{_NUMBER})"
    r"(?P<form>\*{0,2}\s?/\s?\*{0,2}|\s(?:out\s)?of\s(?:a\s(?:possible\s)?)?)(?P<scale>\d{1,4}(?:\.0)?)"
    r"(?![\w/:%$€£]|[.,]\d|-\d)"
)
_BREAK = re.compile(r"[.!?;]\s|\n")
_AFTER = re.compile(r"[*_`\"')\]]{0,3}[ \t-]{0,2}(?P<word>[^\W\d_]+)?")
_WORD = re.compile(r"[^\W\d_]+")
_NOUNS: Final = {
    **dict.fromkeys(("scores", "scored"), "score"),
    **dict.fromkeys(("ratings", "rated", "rate", "grade"), "rating"),
}
_PER_YEAR = re.compile(r"\s?(?:/|an?\s|per\s)\s?(?:year|yr|annum|month|mo)\b")
_LETTER_SCALES = frozenset(("k", "m", "mn", "bn"))


def ratings(text: str) -> Iterator[tuple[re.Match[str], What]]:
    """The numbers that are given with their scale, as shares of it. text: in small letters."""
    said = known().lists
    names_one = None
    for match in _RATIO.finditer(text):
        if names_one is None:
            names_one = not said["rating_words"].isdisjoint(_WORD.findall(text))
        share = _share(match)
        if share is not None and _is_rating(text, match, names_one=names_one):
            yield match, (AmountKind.RATING, share, "")


def _share(match: re.Match[str]) -> float | None:
    high, scale = float(match["high"]), float(match["scale"])
    low = high if match["low"] is None else float(match["low"])
    is_scale = scale >= _FEWEST or (scale == 4.0 and "." in match[0])  # "3.4/4"
    return (low + high) / 2 / scale if low <= high <= scale and is_scale else None


def _is_rating(text: str, match: re.Match[str], *, names_one: bool) -> bool:
    before, words = _before(text, match.start()), known().lists
    after = _word_after(text, match.end())
    if is_label(before) or after == "of" or _OPERATOR.search(before) or _is_date(match, before):
        return False
    if after in words["rating_units"]:
        return True
    near = [*_WORD.findall(before), after]
    scale = float(match["scale"])
    is_divided = match["form"].strip() != "of"
    if is_divided and not words["rating_words"].isdisjoint(near):
        return not is_plural(after)
    if not words["judging_words"].isdisjoint(near) and scale in _USUAL:
        return not is_plural(after)
    is_list_entry = before.rstrip(" *_").endswith((":", "|"))
    is_usual = scale in _SURE or (scale in _USUAL and names_one and is_list_entry)
    return is_usual and _stands_alone(after) and not _is_part(text, match, before)


def _is_date(match: re.Match[str], before: str) -> bool:
    """Of "on 7/10"."""
    last = _WORD.findall(before)[-1:]
    return "/" in match["form"] and not known().lists["before_dates"].isdisjoint(last)


def _is_part(text: str, match: re.Match[str], before: str) -> bool:
    """Of "[3/10]", "4 of 10"."""
    if "/" not in match["form"]:
        return not match["form"].strip().startswith("out")
    return before.endswith(("(", "[")) and text[match.end() : match.end() + 1] in {")", "]"}


def _before(text: str, start: int) -> str:
    """What stands before a place in its sentence, as far as it is near."""
    return _BREAK.split(text[max(0, start - _NEAR) : start])[-1]


def _word_after(text: str, end: int) -> str:
    found = _AFTER.match(text, end)
    return (found and found["word"]) or ""


def _stands_alone(after: str) -> bool:
    """Whether the word after a number is none that it could count or measure."""
    return not after or after in function_words()["en"] or after in known().lists["rates"]


def named_number(text: str, match: re.Match[str]) -> What | None:
    """What a number without a unit is by the words before it: "a score of 71", "a fee of 20".

    text: in small letters; match: of `QUANTITY`, which has no other reading.
    """
    before = _before(text, match.start())
    if is_label(before):
        return _scaled(text, match, before)
    found = None if _is_time(text, match) else _names().search(before)
    if found is None:
        return _scaled(text, match, before)
    if is_age_at_moment(before[: found.start()]):
        return None
    if found["money"] or found["limit"]:
        return AmountKind.MONEY, money_value(text, match), ""
    if is_year(match["low"]) or match["low_scale"] or _is_result(match):
        return None
    word = found["rating"] or found["verb"] or found["rate"]
    return AmountKind.RATING, middle(match), rating_name(word)


def _is_time(text: str, match: re.Match[str]) -> bool:
    """Of "at 5 pm", "from 1 January", "7 years old"."""
    after = _word_after(text, match.end())
    is_day = middle(match) <= _LONGEST_MONTH and after in known().lists["after_dates"]
    return is_day or after in known().durations


def _is_result(match: re.Match[str]) -> bool:
    """Whether a range is rather the result of a game: "3-2"."""
    is_dashed = match["high"] is not None and match["to"] not in {"to", "or"}
    return is_dashed and float(_NO_DIGIT.sub("", match["low"])[:9]) < _LOWEST_OF_RANGE


def rating_name(word: str) -> str:
    """The noun of a word of rating."""
    return _NOUNS.get(word, word)


@cache
def _names() -> re.Pattern[str]:
    """Finds at the end of a text the name of the number that follows."""
    words = known().lists
    money, rating, lending, links = (
        "|".join(sorted(words[name] - _DOZENS, key=len, reverse=True))
        for name in ("money", "ratings", "lending", "links")
    )
    link = rf"(?:[\s_`\"']|\*\*|\*(?!\s)|\b(?:{links})\b)*"
    whose = r"(?:\s(?:for|of)(?:\s[^\W\d]+){1,3})?"
    joint = rf"{whose}{link}(?::|\b(?:of|is|was|are|at|be|to|between|from)\b){link}"
    return re.compile(
        rf"\b(?:(?:(?P<money>{money})|(?:{lending})\s(?P<limit>limit|line)|(?P<rating>{rating})){joint}"
        rf"|(?P<verb>scored|rated){link}"
        rf"|(?P<rate>rate|score|grade)\s(?:him|her|them|it|this|the|your|someone|person_\d)"
        rf"(?:\s[^\W\d]+){{0,3}}{link})\Z"
    )


def _scaled(text: str, match: re.Match[str], before: str) -> What | None:
    """Money where a number in thousands stands beside a word of money: "pays 88k a year"."""
    scale = match["high_scale"] or match["low_scale"]
    if scale not in _LETTER_SCALES or match["low"] == "401":
        return None
    after = _word_after(text, match.end())
    words = known().lists
    is_pay = after in words["money"] or after in words["rates"]
    is_near = not words["money_verbs"].isdisjoint(_WORD.findall(before))
    is_near = is_near or not words["money"].isdisjoint(_WORD.findall(before))
    if is_pay or _PER_YEAR.match(text, match.end()) or (is_near and _stands_alone(after)):
        return AmountKind.MONEY, money_value(text, match), ""
    return None
