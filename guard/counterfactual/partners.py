"""What the names of a couple, or of somebody's partner, tell of an orientation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from guard.counterfactual.english.words import word_set
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.people import AnnotatedText

_PARTNERS: Final = word_set("partner ex lover date crush spouse")


def told_by_partners(page: AnnotatedText, lexicons: Lexicons) -> Iterator[int]:
    """Where names tell the sexes of two who love each other."""
    yield from _named_couples(page, lexicons)
    yield from _partners(page, lexicons)


def _named_couples(page: AnnotatedText, lexicons: Lexicons) -> Iterator[int]:
    """ "We are a gay couple, Tom and Mark": the names tell the sexes."""
    words = page.words
    for at in words.places(("and",)) if "couple" in words.vocabulary else ():
        beside = [words.surface(place) for place in (at - 1, at + 1)]
        records = [lexicons.people.first.record(one.lower()) for one in beside]
        if all(one[:1].isupper() for one in beside) and all(records):
            yield words.starts[at - 1]


def _partners(page: AnnotatedText, lexicons: Lexicons) -> Iterator[int]:
    """ "His partner Tom": the name tells the partner's sex."""
    words = page.words
    for at in words.places(_PARTNERS):
        name = at + 1 + (words.word(at + 1) == ",")
        known = lexicons.people.first.record(words.word(name)) is not None
        if known and words.surface(name)[:1].isupper():
            yield words.starts[at]
