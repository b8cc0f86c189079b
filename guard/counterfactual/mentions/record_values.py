"""What records say of somebody, in fields, in columns and in brackets beside a person."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.mentions.field_values import FieldValue, answer, field_values, with_fields
from guard.counterfactual.mentions.table_values import table_values

_VALUE: Final = r"(?P<value>[^\W\d_][\w'’ -]{0,38})"
_WHO: Final = re.compile(r"[^\W\d_]+\Z")
_FAR: Final = 30  # characters of the word before
_YEARS: Final = r"(?:aged? )?(?:1[89]|[2-9]\d)"
_ASIDE: Final = re.compile(rf"(?: \(|: )(?={_VALUE}, ?{_YEARS}(?:[,)\n]|\.(?!\d)|\Z))")
"""Applicant (Black, 34), applicant: Black, 34."""


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
        if who is not None and _is_person(who[0], lexicons):
            forms = (answer(match["value"], lexicons, attribute) for attribute in attributes)
            for form in filter(None, forms):
                yield FieldValue(*match.span("value"), form, in_field=False)


def _is_person(word: str, lexicons: Lexicons) -> bool:
    record = lexicons.people.first.record(word.lower())
    named = word[:1].isupper() and record is not None and record.is_no_word
    return named or lexicons.cues.is_person(word.lower())
