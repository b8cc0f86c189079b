"""What the name of a field says of its number: "approved_limit", "days", "Salary (EUR)"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from guard.text.age_names import names_age, without_age_at_end
from guard.text.amount_kinds import AmountKind, What
from guard.text.amount_words import is_plural, known
from guard.text.quantities import BUSINESS
from guard.text.ratings import rating_name

_CAMEL = re.compile(r"(?<=[a-z\d])(?=[A-Z])")
_WORD = re.compile(r"[a-z]+")
_SCALE = re.compile(r"(?:\bout[ _]of|_of|/|\b[01]\s?[-–]\s?)[ _]?(\d{1,4})\W*\Z|_(5|10|100)\Z")
_ROLES: Final = ("identifiers", "money", "sums", "percent_names", "ratings", "own_numbers")
_COUNTING: Final = frozenset(("number", "num", "no", "count", "n"))
_DURATION: Final = "durations"
_NO_CURRENCY: Final = frozenset(("pound", "pounds", "yen", "franc"))  # in names rather no money


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldName:
    """words: in small letters. role: the word list, of `amounts.txt`, that says what the number
    is, by its last word that is in one; word: this one. scale: the highest that it can be, or 0."""

    words: tuple[str, ...]
    role: str = ""
    word: str = ""
    scale: float = 0.0

    @property
    def is_identifier(self) -> bool:
        """Whether its numbers are no amounts."""
        return self.role == "identifiers"

    @property
    def is_age(self) -> bool:
        """Whether its number is somebody's age."""
        return names_age(self.words)

    @property
    def is_age_of_thing(self) -> bool:
        """Whether its number is the age of a thing, which is a duration where a unit says so."""
        return self.word in {"age", "ages"} and not self.is_age

    @property
    def is_known(self) -> bool:
        """Whether it says what the number is, in any text."""
        is_named = self.role not in {"", "own_numbers", "identifiers"}
        return is_named or (not self.role and bool(self.currency()))

    def currency(self) -> str:
        """The one that is in it: "limit_usd"."""
        named = (known().currencies.get(word) for word in self.words if word not in _NO_CURRENCY)
        return next(filter(None, named), "")


def field_name(name: str, *, outer: str = "") -> FieldName:
    """outer: the name of what the field is in: "salary" of a "min"."""
    words = name_words(name)
    if outer and words and _says_nothing_alone(words, outer):
        words = (*name_words(outer), *words)
    role, word = _role(words)
    found = _SCALE.search(name.lower())
    scale = 0.0
    if found and (found[1] or role == "ratings"):
        scale = float(found[1] or found[2])
    return FieldName(words=words, role=role, word=word, scale=scale)


def _says_nothing_alone(words: Sequence[str], outer: str) -> bool:
    """ "min" of a salary, "years" of an age, "age" of a vehicle."""
    if all(word in known().lists["of_ranges"] for word in words):
        return True
    if names_age(words) and not known().lists["objects"].isdisjoint(name_words(outer)[-1:]):
        return True
    return all(map(known().durations.__contains__, words)) and names_age(name_words(outer))


def name_words(name: str) -> tuple[str, ...]:
    """Those of a name in small letters; two of "approvedLimit"."""
    return tuple(_WORD.findall(_CAMEL.sub("_", name).lower()))


def _role(words: tuple[str, ...]) -> tuple[str, str]:
    lists = known().lists
    if names_age(words):
        return "identifiers", "age"
    if len(words) > 1 and words[0] in _COUNTING:
        return "", ""
    for word in reversed(without_age_at_end(words)):
        if _is_duration(word):
            return _DURATION, word
        if word == "rate" and not lists["of_interest"].isdisjoint(words):
            return "percent_names", word
        for role in _ROLES:
            if word in lists[role] and (role != "sums" or _is_sum(words)):
                return role, word
    return "", ""


def _is_duration(word: str) -> bool:
    return len(word) > 3 and word.endswith("s") and word in known().durations


def _is_sum(words: Sequence[str]) -> bool:
    lists = known().lists
    return any(word in lists["money"] or word in lists["lending"] for word in words)


def named_amount(name: FieldName, value: float, currency: str, *, is_year: bool) -> What | None:
    """What the number of a field is. currency: what is said beside it."""
    if name.is_identifier or not any(len(word) > 1 for word in name.words):
        return None
    if name.scale and value <= name.scale:
        return AmountKind.RATING, value / name.scale, ""
    if _is_money(name, currency):
        return AmountKind.MONEY, value, name.currency() or currency
    if name.role == "percent_names":
        return AmountKind.PERCENT, value, ""
    if is_year:
        return None
    if name.role == _DURATION:
        business = not known().lists["business"].isdisjoint(name.words)
        days = known().durations[name.word] * (BUSINESS if business else 1.0)
        return AmountKind.DURATION, value * days, ""
    return _number(name, value)


def _is_money(name: FieldName, currency: str) -> bool:
    if name.role in {"money", "sums"} or (not name.role and name.currency()):
        return True
    return bool(currency) and not name.role and name.words[-1] in known().lists["sums"]


def _number(name: FieldName, value: float) -> What:
    """A count, or a number that has no unit but the name of the field."""
    last = name.words[-1]
    if not name.role and last == "count":
        return AmountKind.COUNT, value, name.words[-2:][0]
    if not name.role and is_plural(last):
        return AmountKind.COUNT, value, last
    named = (*name.words[:-1], rating_name(last)) if last == name.word else name.words
    return AmountKind.RATING, value, "_".join(named)
