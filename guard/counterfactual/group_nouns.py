"""Nouns for what makes a group: "Islam", "deafness", "old age"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from guard.counterfactual.tables import rows_of
from guard.records import Span


def group_nouns(text: str, attribute: str) -> Iterator[Span]:
    """The nouns of the attribute in a text, in order, names of fields aside ("Disability: ...")."""
    pattern = _nouns().get(attribute)
    for match in pattern.finditer(text) if pattern else ():
        yield Span(start=match.start(), end=match.end())


@lru_cache(maxsize=1)
def _nouns() -> Mapping[str, re.Pattern[str]]:
    """The nouns of all groups of an attribute, the longest first. Reads a file, once."""
    found: dict[str, re.Pattern[str]] = {}
    for attribute, terms in rows_of("group_nouns.tsv"):
        nouns = sorted(terms.split(","), key=len, reverse=True)
        either = "|".join(map(re.escape, nouns))
        found[attribute] = re.compile(
            rf"(?<![\w-])(?:{either})(?![\w-]|[\"'*`]*\s?[:=|])", re.IGNORECASE
        )
    return found
