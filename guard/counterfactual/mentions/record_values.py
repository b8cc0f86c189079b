"""What records say of somebody, in fields, in columns and in brackets beside a person."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from guard.counterfactual.english.words import word_set
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.mentions.field_values import (
    FieldValue,
    answer,
    field_values,
    names_field,
    one_of_several,
    with_fields,
)
from guard.counterfactual.mentions.letters import is_letter
from guard.counterfactual.mentions.table_values import table_values
from guard.counterfactual.sex_letters import GENDER

_WHO: Final = re.compile(r"(?:([^\W\d_]+)\.? )?([^\W\d_]+)[*_]{0,2}\Z")
_REST: Final = 60  # characters after a value that may go on with other answers
_FAR: Final = 30  # characters of the word before
_YEARS: Final = r"(?:aged? )?(?:1[89]|[2-9]\d)\b"
_ASIDE: Final = re.compile(
    r"(?: (?P<bracket>\()|:[*_]{0,2} |(?P<comma>, ))(?=(?P<value>[^\W\d_][\w'’ -]{0,38})"
    rf"(?P<age>, ?{_YEARS})?(?:[,;)\n]|\.(?!\d)|\Z)(?! ?[12]\d{{3}}\b))"
)
"""Applicant (Black); applicant: Black, 34; Carter, Black, 34. No year of a book: (Black, 2019)."""
_OF_RECORDS: Final = word_set(
    "applicant candidate patient suspect victim defendant borrower offender witness"
)
"""Persons of whom records speak, and who seldom speak themselves ("Customer: black")."""


def record_values(
    text: str, lexicons: Lexicons, attributes: Collection[str]
) -> Iterator[FieldValue]:
    """What is all that is said in such a place, in time linear in the text."""
    named = with_fields(text, attributes)
    if named:
        yield from table_values(text, lexicons, named)
        yield from field_values(text, lexicons, named)
    for match in _ASIDE.finditer(text):
        who = _WHO.search(text[max(0, match.start() - _FAR) : match.start()])
        if who is not None:
            name = who[1] if _is_surname(who, lexicons) else who[2]
            yield from _said_of(name, match, lexicons, attributes)


def _said_of(
    who: str, aside: re.Match[str], lexicons: Lexicons, attributes: Collection[str]
) -> Iterator[FieldValue]:
    """What a bracket or a colon behind a person says; brackets also behind "sex"."""
    person = _is_person(who, lexicons) and (aside["comma"] is None or aside["age"] is not None)
    for attribute in attributes:
        bracket = aside["bracket"] is not None
        sure = bracket or aside["age"] or attribute == GENDER or who.lower() in _OF_RECORDS
        named = bracket and attribute == GENDER and names_field(GENDER, who)
        form = answer(aside["value"], lexicons, attribute) if named or (person and sure) else None
        if form is None or (is_letter(form) and not (named or aside["age"])):
            continue  # "my wife (M)": a size
        if not one_of_several(_rest(aside), form, lexicons):
            in_field = not bracket or is_letter(form)
            yield FieldValue(*aside.span("value"), form, in_field=in_field)


def _rest(aside: re.Match[str]) -> str:
    """What follows the value, in the same bracket."""
    rest = aside.string[aside.end("value") : aside.end("value") + _REST]
    return rest.partition(")")[0] if aside["bracket"] else rest


def _is_person(word: str, lexicons: Lexicons) -> bool:
    record = lexicons.people.first.record(word.lower())
    named = word[:1].isupper() and record is not None and record.is_no_word
    return named or lexicons.cues.is_person(word.lower())


def _is_surname(who: re.Match[str], lexicons: Lexicons) -> bool:
    """ "Emily Carter (Hindu)", "Applicant A (Black)": the word before tells that it is a person."""
    before, last = who[1] or "", who[2]
    return bool(before) and last[:1].isupper() and _is_person(before, lexicons)
