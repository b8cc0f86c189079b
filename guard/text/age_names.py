"""What tells that a number of years is somebody's age: "age_years", "Age at end of loan: 82",
"72 years old". English only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from guard.text.amount_words import is_plural, known

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
_UNITS: Final = frozenset(["year", "years", "yr", "yrs", "month", "months", "week", "weeks"])
_YEARS: Final = frozenset(["year", "years", "yr", "yrs"])
_UNIT = r"(?:years?|yrs?\.?|y|months?|mos?\.?|weeks?|wks?\.?)"
_NUMBER = r"\d{1,3}(?:\.\d{1,2})?"
_WHOLE = re.compile(
    rf"[\s~<>≥≤]{{0,2}}(?:(?:about|around|approximately|over|under|nearly|almost)\s)?{_NUMBER}"
    rf"(?:\s?(?:-|–|—|to|or|and)\s?{_NUMBER})?\+?"
    rf"(?:[\s-]?{_UNIT}(?:,?\s(?:and\s)?{_NUMBER}\s{_UNIT})?"
    r"(?:[\s-]+(?:old|young|of\sage))?|\s?y\.?/?o\.?)?[\s.,;]{0,2}"
)
_MEASURED = re.compile(
    r"[*_`\"')\]]{0,3}[ \t]?(?:(?P<sign>[%$£€₹¥/★⭐]|(?:out[ \t])?of[ \t]\d)"
    r"|[ \t-]?(?P<unit>[a-z]++)(?![ \t]?[:=|]))"
)
_NAME_BEFORE = re.compile(
    r"(?:\b(?P<any>this|that|any)|(?<![a-z])(?P<word>[a-z]{1,20})(?:['’]s)?)[ _-]?\Z"
)
_LONGEST_NUMBER: Final = 3  # digits of an age
_BEHIND = re.compile(r"(?:\(s\))?[\s-]+(?:old|young|of\s+age)\b")
_BORN = re.compile(r"\bborn\s(?:(?:about|some|around|almost|nearly)\s)?\Z")
_AGO = re.compile(r"\s(?:ago|earlier|before)\b")
_PEOPLE = (
    r"(?:applicant|borrower|customer|client|patient|candidate|tenant|employee|person|man|woman"
    r"|driver|member|nurse|worker|user|caller|claimant|policyholder|insured)"
)
_SOMEBODY = (
    r"(?:(?P<subject>he|she|i)|you|who|someone|person_\d"
    rf"|(?:the|an?|this|our|your|my)\s(?:[a-z]+\s)?{_PEOPLE})"
)
_AGE_IS = re.compile(
    rf"\b(?:your|my|his|her|their|{_PEOPLE}(?:['’]s)?)\s(?:current\s)?age\s(?:is|was|will\sbe)\s\Z"
)
_IS_BEFORE = re.compile(
    rf"\b{_SOMEBODY}(?:['’](?:m|s|re|ll\sbe)|\s(?:am|is|was|are|were|turn(?:s|ed)"
    r"|(?:will|would|may)\s(?:then\s|only\s)?be))\s"
    r"(?:(?:now|only|just|already|about|almost|nearly|currently|over|under)\s)?"
    r"(?P<years>\d{1,3}\s(?:years?|yrs?),?\s(?:and\s)?)?\Z"
)
_BEGINS = re.compile(
    r"(?:\A|[^\w\s'’]\s*|\n\s*|\d\s|\b(?:that|because|since|as|if|when|whether|while|although"
    r"|though|until|once|so|where|today|now|then|currently|already|here|soon|end|maturity|payoff"
    r"|closing|completion|retirement|time|point|note|and|or|but|yet)\s+)\Z"
)
"""What a clause begins behind. Behind a preposition or a verb stands no subject: "the ban on the
driver is", "the term we gave the client is"."""
_JOINED = re.compile(
    r"\b(?:between|for|of|to|by|with|from|on|against|at|in|per|over|under|about|than|upon|among)"
    r"(?:\s[^\W\d]+){1,3}\s(?:and|or)\s+\Z"
)
_ENDS_BEHIND = re.compile(
    r"(?:,?\s(?:and\s)?\d{1,2}\s(?:months?|weeks?))?"
    r"[\"'”*_]{0,3}\s*(?:[.;:!?)\n]|,(?!\s(?:(?:and\s)?then|\d))|\Z|(?:and(?!\s\d)|but|when|once|today|now"
    r"|by\s(?:the|then|that|\d)|as\sof"
    r"|at\s(?:(?:the|that|loan|its|his|her|their|your)\s){0,2}(?:time|end|start|maturity|payoff"
    r"|closing|completion|repayment|point|moment|final|last|first))\b)"
)


def names_age(words: Sequence[str]) -> bool:
    """Whether a field with these words in its name, in small letters, holds somebody's age:
    "age_years", "age at the end of the loan", "years old"; not "age_score", "age_based_premium",
    "account_age", "age_days"."""
    lists = known().lists
    behind = [*takewhile(lambda word: word not in _AGE, reversed(words))][::-1]
    if len(behind) == len(words):
        return tuple(words[-1:]) == ("old",) and not _UNITS.isdisjoint(words)
    before = words[: len(words) - len(behind) - 1]
    if _is_of_thing(before, behind) or any(map(_is_other_unit, behind)):
        return False
    if not behind:
        return lists["values_at_ages"].isdisjoint(words[1:])
    if words[-1] in lists["ratings"] or words[-1] in lists["own_numbers"]:
        return False
    if behind[0] in lists["ages_at"] or not lists["moments"].isdisjoint(behind):
        return True
    return all(word in _UNITS or word in lists["age_groups"] for word in behind)


def _is_of_thing(before: Sequence[str], behind: Sequence[str]) -> bool:
    """Of "account age" and "age of the insured vehicle", not "age of the account holder"."""
    lists = known().lists
    if not lists["aged_things"].isdisjoint(before[-1:]):
        return True
    if tuple(behind[:1]) != ("of",):
        return False
    said_of = [*takewhile(lambda word: word not in lists["ages_at"], behind[1:])]
    named = [word for word in said_of if word != "in" and word not in _UNITS]
    return not lists["aged_things"].isdisjoint(named[-1:])


def _is_other_unit(word: str) -> bool:
    """Days, hours and minutes."""
    return word.endswith("s") and word in known().durations and word not in _UNITS


def without_age_at_end(words: tuple[str, ...]) -> tuple[str, ...]:
    """Of a name that says at which age its number holds, "premium at this age", the rest."""
    if words[-1:] not in (("age",), ("ages",)) or names_age(words):
        return words
    said_of = known().lists["values_at_ages"]
    return words[:1] + tuple(takewhile(lambda word: word not in said_of, words[1:]))


def is_of_other(before: str) -> bool:
    """Whether "age" behind this text, in small letters, is a thing's or anybody's: "vehicle age",
    "at this age"."""
    found = _NAME_BEFORE.search(before)
    is_of_thing = found is not None and found["word"] in known().lists["aged_things"]
    return found is not None and (is_of_thing or bool(found["any"]))


def is_whole_age(said: str) -> bool:
    """Whether a text can be an age: a number, a range, or some of years, months or weeks."""
    return _WHOLE.fullmatch(said.lower()) is not None


def has_other_unit(text: str, end: int, *, counts: bool = False) -> bool:
    """Whether what stands behind a number measures something else than an age: "8/10", "20%", "4
    stars". text: in small letters. counts: also a plural, "3 claims"."""
    found = _MEASURED.match(text, end)
    if found is None or found["sign"]:
        return found is not None
    words, unit = known(), found["unit"]
    if unit in _UNITS:
        return False
    is_scale = unit in words.lists["percent"] or unit in words.lists["rating_units"]
    is_known = unit in words.durations or unit in words.currencies or unit in words.scales
    is_counted = counts and is_plural(unit)
    return is_scale or is_known or is_counted or unit in words.lists["business"]


def is_age(text: str, start: int, end: int, unit: str) -> bool:
    """Whether a number of years is an age. text: in small letters; start: of the number; end: of
    its unit."""
    if unit not in _UNITS:
        return False
    before = text[max(start - _LONGEST, 0) : start]
    if _BEHIND.match(text, end) or (_BORN.search(before) and _AGO.match(text, end)):
        return True
    if unit in _YEARS and _AGE_IS.search(before):
        return True
    found = _IS_BEFORE.search(before)
    if found is None or not (unit in _YEARS or found["years"]):
        return False
    begins = found["subject"] or begins_clause(before[: found.start()])
    return bool(begins and _ENDS_BEHIND.match(text, end))


def begins_clause(before: str) -> bool:
    """Whether somebody who is named behind this text, in small letters, is a subject: of "the ban
    on the client is 2 years" nobody's age is said."""
    return _BEGINS.search(before) is not None and _JOINED.search(before) is None


def is_titled_age(text: str, match: re.Match[str]) -> bool:
    """Whether a number stands behind the title of an age: "Age group: 70-79 years". text: in small
    letters; match: of the number, with its groups "sign" and "low"."""
    if match["sign"] or len(match["low"].partition(".")[0]) > _LONGEST_NUMBER:
        return False
    before = text[max(match.start() - _LONGEST, 0) : match.start()]
    found = _TITLE.search(before) if "age" in before else None
    is_named = found is not None and names_age(tuple(_WORD.findall(found["title"])))
    return is_named and not has_other_unit(text, match.end(), counts=True)


def is_age_at_moment(before: str) -> bool:
    """Whether the words before that of a sum say an age: "the age at the end of the" loan."""
    return "age" in before and _SAID_AT_MOMENT.search(before) is not None
