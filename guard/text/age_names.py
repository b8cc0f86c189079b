"""What tells that a number of years is somebody's age: "age_years", "Age at end of loan: 82",
"72 years old". English only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from guard.text.amount_words import known

_AGE: Final = frozenset(("age", "ages"))
_WORD = re.compile(r"[a-z]+")
_LONGEST = 80  # characters of a title and of what stands between it and its number
_TITLE = re.compile(
    r"(?P<title>[a-z][\w ()/'’-]{0,50}?)[\"'*_`)\]]{0,4}\s?(?:[:=|>]|(?<=\s)[-–—])\s{0,3}"
    r"[\"'*_`(\[]{0,4}\Z"
)
_SAID_AT_MOMENT = re.compile(
    r"\bage(?:['’]?[\s_]+(?:at|of|on|by|in|upon|when|the|an?|his|her|their|your|my|this|end|ends"
    r"|start|maturity|completion|time|final|last|first|date|payoff|repayment|term|full|loan|mortgage"
    r"|(?:applicant|borrower|customer|client|person|someone|patient)(?:['’]?s)?))+\s*\Z"
)
_BEHIND = re.compile(r"(?:\(s\))?[\s-]+(?:old|young|of\s+age)\b")
_BORN = re.compile(r"\bborn\s(?:(?:about|some|around|almost|nearly)\s)?\Z")
_AGO = re.compile(r"\s(?:ago|earlier|before)\b")
_SOMEBODY = (
    r"(?:he|she|you|i|who|someone|person_\d|(?:the|an?|this|our|your|my)\s(?:[a-z]+\s)?(?:applicant"
    r"|borrower|customer|client|patient|candidate|tenant|employee|person|man|woman|driver|member"
    r"|nurse|worker|user|caller|claimant|policyholder|insured))"
)
_IS_BEFORE = re.compile(
    rf"(?<!\bfor\s)(?<!\bof\s)(?<!\bto\s)(?<!\bby\s)(?<!\bwith\s)(?<!\bfrom\s)\b{_SOMEBODY}(?:['’](?:m|s|re|ll\sbe)|\s(?:am|is|was|are|were|turn(?:s|ed)|(?:will|would|may)\s(?:then"
    r"\s|only\s)?be))\s(?:(?:now|only|just|already|about|almost|nearly|currently|over|under)\s)?\Z"
)
_ENDS_BEHIND = re.compile(
    r"\s*(?:[.,;:!?)\n]|\Z|(?:and|but|when|once|today|now|by|as\sof|at\s(?:the|loan|maturity|payoff"
    r"|that|repayment))\b)"
)


def names_age(words: Sequence[str]) -> bool:
    """Whether a field with these words in its name, in small letters, holds an age: "age_years",
    "age at the end of the loan", "years old"; not "age_score", "age_based_premium"."""
    lists = known().lists
    behind = [*takewhile(lambda word: word not in _AGE, reversed(words))][::-1]
    if len(behind) == len(words):
        return words[-1:] == ("old",) and any(word in known().durations for word in words)
    if not behind:
        return lists["values_at_ages"].isdisjoint(words[1:])
    if words[-1] in lists["ratings"] or words[-1] in lists["own_numbers"]:
        return False
    if behind[0] in lists["ages_at"] or not lists["moments"].isdisjoint(behind):
        return True
    return all(word in known().durations or word in lists["age_groups"] for word in behind)


def without_age_at_end(words: tuple[str, ...]) -> tuple[str, ...]:
    """Of a name that says at which age its number holds, "premium at this age", the rest."""
    if words[-1:] not in (("age",), ("ages",)) or names_age(words):
        return words
    said_of = known().lists["values_at_ages"]
    return words[:1] + tuple(takewhile(lambda word: word not in said_of, words[1:]))


def is_age(text: str, start: int, end: int) -> bool:
    """Whether a number of years is an age. text: in small letters; start: of the number; end: of
    the word for years."""
    before = text[max(start - _LONGEST, 0) : start]
    if _BEHIND.match(text, end) or (_BORN.search(before) and _AGO.match(text, end)):
        return True
    return bool(_IS_BEFORE.search(before) and _ENDS_BEHIND.match(text, end))


def is_titled_age(text: str, start: int) -> bool:
    """Whether a number stands behind the title of an age: "Age group: 70-79 years"."""
    before = text[max(start - _LONGEST, 0) : start]
    found = _TITLE.search(before) if "age" in before else None
    return found is not None and names_age(tuple(_WORD.findall(found["title"])))


def is_age_at_moment(before: str) -> bool:
    """Whether the words before that of a sum say an age: "the age at the end of the" loan."""
    return "age" in before and _SAID_AT_MOMENT.search(before) is not None
