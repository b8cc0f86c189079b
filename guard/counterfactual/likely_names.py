"""Words that no list has and that most likely name somebody, whose pronouns would change.

"Write a letter for Şeyma. She is great" must not become "... for Şeyma. He is great". By the place
alone such a word may be a company; letters beyond A to Z, a known surname behind it, or "is a
nurse" say that it is a person, if nobody else is there whom the pronoun can mean.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final
from unicodedata import combining

from guard.counterfactual.english.words import word_set
from guard.counterfactual.kept_names import pronoun_comes
from guard.counterfactual.lexicons.forms import Kind
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.names_in_doubt import person_nouns
from guard.counterfactual.people import AnnotatedText, sentence_numbers
from guard.counterfactual.tokens import Words, tokens_of
from guard.counterfactual.unknown_names import is_listed, looks_like_name
from guard.text.unigrams import english_unigrams

_WHERE: Final = word_set("in at near into via the a an from")
_BEING: Final = word_set("is was")
_SHORTEST: Final = 3
_IRISH: Final = re.compile(r" (?:O['’]|Mc|Mac)[A-Z]")


def likely_names(
    pages: Sequence[AnnotatedText], lexicons: Lexicons, source: str
) -> tuple[str, ...]:
    """Such words of which a pronoun of the group may speak, and of nobody else."""
    found: list[str] = []
    known = False  # whether somebody of the group was named before
    for page in pages:
        changing = [one for one in page.people if one.form.group == source]
        if changing:
            found += _spoken_of(page, lexicons, source, known=known)
        elif not known and pronoun_comes(pages, page, source):
            found += map(page.words.surface, _candidates(page.words, lexicons))
        known |= any(one.form.kind is not Kind.PRONOUN for one in changing)
    return tuple(dict.fromkeys(found))


def _spoken_of(
    page: AnnotatedText, lexicons: Lexicons, source: str, *, known: bool
) -> Iterator[str]:
    words = page.words
    candidates = tuple(_candidates(words, lexicons))
    if not candidates:
        return
    changing = [one for one in page.people if one.form.group == source]
    pronouns = [one.span.start for one in changing if one.form.kind is Kind.PRONOUN]
    nouns = [one.span.start for one in changing if one.form.kind is not Kind.PRONOUN]
    others = sorted((*nouns, *person_nouns(tokens_of(words.text), lexicons)))
    sentences = sentence_numbers(words)
    for at in candidates:
        number = bisect_right(pronouns, words.starts[at])
        if number == len(pronouns):
            continue
        pronoun = pronouns[number]
        near = sentences[words.at(pronoun)] - sentences[at] <= 1
        before = bisect_right(others, pronoun)
        between = before and others[before - 1] > words.starts[at]
        somebody = (known or before) and not words.starts_sentence(at)
        if near and not between and not somebody:
            yield words.surface(at)


def _candidates(words: Words, lexicons: Lexicons) -> Iterator[int]:
    """The numbers of words that look like a first name by more than their capital."""
    surnames = lexicons.people.surnames
    for at, start in enumerate(words.starts):
        if not words.text[start].isupper() or not looks_like_name(words, at):
            continue
        lower, before = words.lower[at], words.word(at - 1)
        listed = is_listed(lower, lexicons) or surnames.background(lower)
        if before in _WHERE or (listed and not _is_decomposed(words, at)):
            continue
        if _is_behind_name(words, at, lexicons) or len(lower) < _SHORTEST:
            continue
        if _tells(words, at, lexicons):
            yield at


def _is_behind_name(words: Words, at: int, lexicons: Lexicons) -> bool:
    """Whether it is a surname: a title, an initial or a first name stands before it."""
    at -= 1
    if words.word(at) == "." and words.joined(at):
        at -= 1
    before = words.surface(at)
    name = lexicons.people.first.record(before) is not None and before[:1].isupper()
    return name or before.lower() in lexicons.cues.titles or (len(before) == 1 and before.isalpha())


def _is_decomposed(words: Words, at: int) -> bool:
    """Whether an accent that is a character of its own follows."""
    end = words.ends[at]
    return combining(words.text[end : end + 1] or " ") > 0


def _tells(words: Words, at: int, lexicons: Lexicons) -> bool:
    if not words.surface(at).isascii() or _is_decomposed(words, at):
        return True
    if words.lower[at] in english_unigrams().costs:
        return False
    return _has_surname(words, at, lexicons) or _is_said_to_be(words, at, lexicons)


def _has_surname(words: Words, at: int, lexicons: Lexicons) -> bool:
    """ "Niamh Kelly", "Niamh O'Brien"; not "Deutsche Bank"."""
    if _IRISH.match(words.text, words.ends[at]):
        return True
    cues, follows = lexicons.cues, words.surface(at + 1)
    others = (cues.organisations, cues.firms, cues.desks, cues.places, cues.lands)
    known = follows[:1].isupper() and bool(lexicons.people.surnames.background(follows))
    return known and not any(follows.lower() in one for one in others)


def _is_said_to_be(words: Words, at: int, lexicons: Lexicons) -> bool:
    """ "Niamh is a nurse", "Niamh was a great teacher"."""
    if words.word(at + 1) not in _BEING or words.word(at + 2) not in ("a", "an"):
        return False
    said = (words.word(at + step) for step in (3, 4))
    return any(lexicons.cues.is_person(word) and word not in lexicons.cues.firms for word in said)
