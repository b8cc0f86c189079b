"""Rows of numbers beside one another, which have as many digits as a phone number.
Of texts as `plain_signs` gives them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from guard.text.plain_signs import BLANK, DASH, HYPHEN

_DECIMAL = r"(?:0|[1-9]\d{0,2})\.\d{1,3}"
_DECIMALS = re.compile(rf"{_DECIMAL}(?:[ {BLANK}]{{1,2}}{_DECIMAL})+")
_SIGN = rf"[ /{BLANK}{HYPHEN}{DASH}-]{{1,2}}"
_NUMBERS = re.compile(rf"\d{{1,4}}(?:{_SIGN}\d{{1,4}}){{2,}}")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_BESIDE = re.compile(rf"(\d{{1,4}}){_SIGN}\Z")
_PHONE = (  # words before a phone number, in English, German, French and Spanish
    r"(?:\b(?:t(?:e|é|e\u0301)l|(?:tele)?phone|telefon[oe]?|t[eé]l[eé](?:phone|fono)|ph|fax|mobile?"
    r"|m[oó]vil|cell(?:phone)?|handy|call|contact|reach|ring|dial|number|text|sms|whatsapp|signal"
    r"|(?:telefon|handy|mobil|ruf)?nummer|n[uú]m[eé]ro)\b|[\u260e\U0001f4de\U0001f4f1])"
)
_BETWEEN = (
    r"(?:me|us|him|her|them|at|on|by|is|under|via|home|work|office|number|no|nr|now|today"
    r"|ist|lautet|est|le|es|el)"
)
_CALLED = re.compile(
    rf"{_PHONE}(?:\W{{1,4}}{_BETWEEN}\b|[ {BLANK}.]{{0,2}}\([^()\n]{{1,20}}\)){{0,4}}\W{{0,4}}\Z",
    re.IGNORECASE,
)
_NEAR = 60  # characters before, of which the last words count
_LEAST = 3  # numbers that go up by the same step
_LEAST_LONG = 4  # of three digits each: "612 622 632" is a phone number in Spain
_LEAST_PADDED = 6  # with zeros before them: "01 02 03 04 05" is a phone number in France
_LEAST_DRAWN = 6  # numbers that go up by any steps, as in a lottery


def is_row(found: re.Match[str]) -> bool:
    """Whether these are decimals, years, or numbers that go up or down as no phone number does:
    by the same small step, or by any, with single digits among them or six and more. None are
    behind a word that a phone number is called by ("My number is")."""
    text, start = found.string, found.start()
    if _CALLED.search(text, max(0, start - _NEAR), start):
        return False
    if _DECIMALS.fullmatch(found[0]):
        return True
    if _NUMBERS.fullmatch(found[0]) is None or len(set(re.findall(_SIGN, found[0]))) > 1:
        return False
    written = re.findall(r"\d+", found[0])
    if all(map(_YEAR.fullmatch, written)):
        return True
    before = _BESIDE.search(text, max(0, start - 6), start)
    return _goes_on(written, before[1] if before else "") or _is_drawn(written)


def _goes_on(written: Sequence[str], before: str) -> bool:
    """ "10 20 30 40", "12 15 18 21", "100 90 80"; `before`: what stands before it, if anything."""
    numbers = [int(one) for one in written]
    steps = {two - one for one, two in pairwise(numbers)}
    step = steps.pop()
    if steps or not 0 < abs(step) <= 10 ** max(1, len(written[0]) - 1):
        return False
    padded = any(one.startswith("0") and len(one) > 1 for one in written)
    if bool(before) and int(before) + step == numbers[0]:
        return True
    long = all(len(one) == 3 for one in written) and numbers[0] != step  # not "100 200 300"
    return len(numbers) >= (_LEAST_PADDED if padded else _LEAST_LONG if long else _LEAST)


def _is_drawn(written: Sequence[str]) -> bool:
    """ "4 8 15 16 23 42": of one or two digits, each larger than the one before."""
    if any(len(one) > 2 or one.startswith("0") for one in written):
        return False
    rises = all(int(one) < int(two) for one, two in pairwise(written))
    single = sum(len(one) == 1 for one in written)
    return rises and (single > 1 or len(written) >= _LEAST_DRAWN)
