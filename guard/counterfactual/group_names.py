"""Where a group is named without a person: "Black history", "Deaf Association", "Tags: Black"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from guard.counterfactual.english.words import word_set
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.people import AnnotatedText
from guard.counterfactual.tokens import Words

_ATTRIBUTES: Final = ("race", "religion", "nationality", "orientation", "disability")
_SHARED: Final = word_set(
    "heritage culture history studies identity roots origin descent ancestry background tradition"
    " traditions pride literature customs"
)
_ORGANISATIONS: Final = word_set(
    "association society union federation league council institute foundation chamber club"
    " alliance network chorus choir school college university academy center centre museum trust"
    " caucus congress coalition"
)
_CAPITALS: Final = 4  # words of a name behind its first one
_STOPS: Final = frozenset((",", ".", ";", ")", "]", "}", '"', "”", "'", "’", "|", "\n", "", "!"))
_OPENING: Final = frozenset((":", '"', "“", "'", "‘", "["))
_NON: Final = "non"


def named_elsewhere(
    page: AnnotatedText, lexicons: Lexicons, attribute: str, source: str
) -> Iterator[int]:
    """Where words of the group stand in a name, for what its people share, or for themselves."""
    if attribute not in _ATTRIBUTES:
        return
    words = page.words
    told = {at for one in page.people for at in range(one.span.start, one.span.end)}
    for at in words.places(lexicons.openers(attribute, source)):
        end = _end(words, at, lexicons, attribute, source)
        if end is None:
            continue
        stays = words.starts[at] not in told
        if _is_in_a_name(words, at, end) or (stays and _names_the_group(words, at, end)):
            yield words.starts[at]


def _end(words: Words, at: int, lexicons: Lexicons, attribute: str, source: str) -> int | None:
    """The number of the word behind a term of the group that begins here."""
    for term in lexicons.terms(words.word(at)):
        own = (term.form.attribute, term.form.group) == (attribute, source)
        end = at + len(term.words)
        if own and tuple(words.lower[at:end]) == term.words:
            return end
    return None


def _is_in_a_name(words: Words, at: int, end: int) -> bool:
    """ "The Chinese Students' Association", "National Society of Black Engineers"."""
    if not words.surface(at)[:1].isupper():
        return False
    for place in range(end, end + _CAPITALS):
        surface = words.surface(place)
        if surface[:1].isupper() and surface.lower() in _ORGANISATIONS:
            return True
        if not (surface[:1].isupper() or surface in ("'", "’", "'s", "’s")):
            break
    before = at - 1 - (words.word(at - 1) == "the")
    head = words.surface(before - 1)
    return words.word(before) == "of" and head[:1].isupper() and head.lower() in _ORGANISATIONS


def _names_the_group(words: Words, at: int, end: int) -> bool:
    """ "Black history", "non-Muslim", and "Tags: Black, loan" for a word by itself."""
    if words.word(end) in _SHARED or (words.word(at - 1) == "-" and words.word(at - 2) == _NON):
        return True
    alone = words.word(end) in _STOPS and not words.hyphened(at - 2)
    begins = words.starts_sentence(at) and words.word(at - 1) not in _OPENING
    return alone and words.surface(at)[:1].isupper() and not begins
