"""Given names of one person that would come apart: a part that stays, or two names for one.

"Fatima bint Ali" must not become "Abdullah bint Ali", nor "Robert ... Bob" two persons.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from guard.counterfactual.english.words import word_set
from guard.counterfactual.lexicons.forms import Kind
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.mentions.find import Mention
from guard.counterfactual.mentions.surname_cues import ASKING
from guard.counterfactual.people import AnnotatedText
from guard.counterfactual.tokens import Words

_CHILD_OF = word_set("bint binti binte bin ibn")


def names_that_stay(page: AnnotatedText, lexicons: Lexicons, source: str) -> tuple[str, ...]:
    """Names of the group behind which a part stays that tells the sex: "bint", a second name."""
    names = [one for one in page.people if one.form.kind is Kind.NAME]
    starts = {one.span.start for one in names}
    changing = ((one, page.words.at(one.span.end)) for one in names if one.form.group == source)
    return tuple(
        f"{one.form.text} {page.words.surface(at)}"
        for one, at in changing
        if page.text[one.span.end : one.span.end + 1] == " "
        and _stays(page.words, at, one, starts, lexicons)
    )


def _stays(
    words: Words, at: int, first: Mention, starts: Collection[int], lexicons: Lexicons
) -> bool:
    if words.word(at) in _CHILD_OF:
        return True
    known = at < len(words.starts) and words.starts[at] in starts
    return not known and _is_second(words, at, first, lexicons)


def _is_second(words: Words, at: int, first: Mention, lexicons: Lexicons) -> bool:
    """Whether a second first name of the same sex and a surname follow: "John Paul Smith"."""
    people = lexicons.people
    second, follows = people.first.record(words.word(at)), words.surface(at + 1)
    alike = second is not None and second.gender == first.form.group
    surname = bool(people.surnames.background(follows)) and follows[:1].isupper()
    return alike and surname and words.surface(at)[:1].isupper() and not words.joined(at + 1)


def short_forms(pages: Sequence[AnnotatedText], lexicons: Lexicons, source: str) -> tuple[str, ...]:
    """Names of the group that stand there in full and short, and may be one person's."""
    written = set[str]().union(*(_written_names(page.words) for page in pages))
    changing = {
        one.form.text.lower()
        for page in pages
        for one in page.people
        if one.form.group == source and one.form.kind is Kind.NAME
    }
    return tuple(dict.fromkeys(_pairs(changing, written, lexicons)))


def _pairs(changing: set[str], written: set[str], lexicons: Lexicons) -> Iterator[str]:
    for full in sorted(written):
        shorts = lexicons.people.short_forms.get(full, frozenset())
        for short in sorted(shorts & written):
            if not changing.isdisjoint((full, short)):
                yield f"{full}, {short}".title()


def _written_names(words: Words) -> set[str]:
    """Words with a capital, in lower case; but of those that begin questions ("Will he?")."""
    return {
        words.lower[at]
        for at, start in enumerate(words.starts)
        if words.text[start].isupper()
        and not (words.lower[at] in ASKING and words.starts_sentence(at))
    }
