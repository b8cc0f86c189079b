"""The people who change and those beside them, in the order in which a conversation speaks of them.

Whoever speaks or is spoken to is "I" or "you" and nobody that "he" or "she" can mean, and several
people are "they": neither is listed, but where the others become "they" themselves.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from guard.counterfactual.address import is_self, is_spoken_to
from guard.counterfactual.english.words import ends_as_plural, english, nounlike, word_set
from guard.counterfactual.lexicons.forms import Kind
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.mentions.find import Mention
from guard.counterfactual.people import NEUTRAL, AnnotatedText
from guard.counterfactual.tokens import Words

_THEY = word_set("they them their theirs themselves")
_STOPS = frozenset(".!?\n")
_ANYBODY = word_set("every each any no")
_MANY = ("pl", "title.plural")
_A_PERSON = 0.65  # adjectives that mean a person of a sex ("male"), and no manner ("manly")
_SHORTEST = 3  # letters, of which no plural has fewer
_PARAGRAPH = 2  # sentences that the end of a message counts as


@dataclass(frozen=True, slots=True)
class Reference:
    """A word for one who changes, or for one beside of the group that the others become.

    page, start, after: the text, the first word and the one behind the last. sentence: counted over
    all texts; begin: its first word. name: the noun or name in lower case, empty of a pronoun.
    for_many: whether it is a "they" for several people. unknown: whether the noun is for people
    whom nobody knows yet ("customers").
    """

    words: Words
    page: int
    start: int
    after: int
    changes: bool
    slot: str = ""
    name: str = ""
    for_many: bool = False
    unknown: bool = False
    sentence: int = 0
    begin: int = 0

    @property
    def text(self) -> str:
        """The first word, as it is written."""
        return self.words.surface(self.start)

    @property
    def at(self) -> tuple[int, int]:
        """Where it stands among all."""
        return self.page, self.start

    def follows(self, other: Reference) -> bool:
        """Whether it stands right behind the other: "my uncle Bob"."""
        return self.at == (other.page, other.after)


def references(
    pages: Sequence[AnnotatedText], lexicons: Lexicons, source: str, target: str
) -> Iterator[Reference]:
    """Every reference in order; those of the group `source` change."""
    sentence = 0
    for number, page in enumerate(pages):
        found = list(_mentioned(page, number, lexicons, source, target))
        if target == NEUTRAL:
            found += _several(page, number, lexicons)
        begins = _sentences(page.words, lexicons)
        last: Reference | None = None
        for one in sorted(found, key=_place):
            at = bisect_right(begins, one.start) - 1
            if not (last and last.name and last.changes and one.name and one.follows(last)):
                yield replace(one, sentence=sentence + at, begin=begins[at])
                last = one
        sentence += len(begins) + _PARAGRAPH


def _place(one: Reference) -> int:
    return one.start


def _sentences(words: Words, lexicons: Lexicons) -> list[int]:
    """The first word of each sentence; an empty line is one as well."""
    begins = [0]
    for at in words.places(_STOPS):
        after, before = words.word(at + 1), words.word(at - 1)
        if words.lower[at] == "\n" or (
            after not in _STOPS - {"\n"}
            and not (words.joined(at + 1) and after.isalnum())
            and not (before in lexicons.cues.titles or (len(before) == 1 and before.isalpha()))
        ):
            begins.append(at + 1)
    return begins


def _mentioned(
    page: AnnotatedText, number: int, lexicons: Lexicons, source: str, target: str
) -> Iterator[Reference]:
    for one in page.people:
        if one.form.group == NEUTRAL and one.form.kind is Kind.NAME:
            continue  # "Alex" may be "he" as well
        if one.form.group in (source, target) and _is_third_person(page, one, lexicons):
            yield _reference(page, number, one, changes=one.form.group == source)
    for one in page.both:
        if one.form.kind is not Kind.PRONOUN and _is_one(page, one):
            yield _reference(page, number, one, changes=False)


def _reference(page: AnnotatedText, number: int, one: Mention, *, changes: bool) -> Reference:
    words = page.words
    start, after = words.at(one.span.start), words.at(one.span.end)
    pronoun = one.form.kind is Kind.PRONOUN
    name = words.word(after) if one.form.kind is Kind.TITLE else one.form.text.lower()
    return Reference(
        words=words,
        page=number,
        start=start,
        after=after,
        changes=changes,
        slot=one.form.slot,
        name="" if pronoun else name,
    )


def _is_third_person(page: AnnotatedText, one: Mention, lexicons: Lexicons) -> bool:
    if one.form.kind is Kind.PRONOUN:
        return True
    return _is_one(page, one) and not (is_self(page, one) or is_spoken_to(page, one, lexicons))


def _is_one(page: AnnotatedText, one: Mention) -> bool:
    """Whether a noun, a name or an adjective is for one person; not "every man"."""
    if page.words.word(page.words.at(one.span.start) - 1) in _ANYBODY:
        return False
    if one.form.kind is Kind.ADJECTIVE:
        after = page.words.word(page.words.at(one.span.end))
        return one.form.person > _A_PERSON and not ends_as_plural(after)
    return one.form.slot not in _MANY and one.form.row not in _MANY


def _several(page: AnnotatedText, number: int, lexicons: Lexicons) -> Iterator[Reference]:
    """Several people, and who is "they" already; not "the keys ... them"."""
    words, things = page.words, False
    many = {words.at(one.span.start) for one in (*page.people, *page.both) if _is_many(one)}
    for at, word in enumerate(words.lower):
        plural = _is_plural(words, at)
        named = at in many or (plural and lexicons.cues.is_person(word))
        things = not named if named or plural else things
        if named or (word in _THEY and not things):
            yield Reference(
                words=words,
                page=number,
                start=at,
                after=at + 1,
                changes=False,
                name=word if named else "",
                slot="object" if word == "them" else "",
                for_many=not named,
                unknown=named and not _is_definite(words, at),
            )


def _is_definite(words: Words, at: int) -> bool:
    known = english().determiners | english().possessives
    return words.word(at - 1) in known or words.word(at - 2) in known


def _is_plural(words: Words, at: int) -> bool:
    """Whether it looks like a noun in the plural, and no verb: "keys", not "she says"."""
    word = words.lower[at]
    verb = word in english().only_verbs or words.word(at - 1) in english().plain_subjects
    other = verb or word in english().spans
    return len(word) > _SHORTEST and ends_as_plural(word) and nounlike(word) and not other


def _is_many(one: Mention) -> bool:
    return one.form.slot == "pl"
