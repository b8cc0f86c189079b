"""Neutral words in place of every mention, so that the texts of two groups can be compared."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, takewhile

from guard.counterfactual.display.shown import ShownText, as_shown
from guard.counterfactual.edits import applied
from guard.counterfactual.english.ages import age_in
from guard.counterfactual.english.agreement import Edit
from guard.counterfactual.group_nouns import group_nouns
from guard.counterfactual.group_words import group_words
from guard.counterfactual.lexicons.forms import Kind
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.lexicons.name_forms import NAMES, by_name
from guard.counterfactual.mentions.ages_in_records import ages_in_records
from guard.counterfactual.mentions.find import AGE, Mention, age_mention, find, find_shown
from guard.counterfactual.mentions.letters import is_letter
from guard.counterfactual.mentions.protected import inside, without_data
from guard.counterfactual.mentions.repeated_ages import repeated_ages
from guard.counterfactual.mentions.surnames import surname_after
from guard.counterfactual.people import with_pronoun
from guard.counterfactual.sex_letters import GENDER, maskable_letters
from guard.counterfactual.tokens import Words, words_of
from guard.records import Span

MARK = "someone"
_LOCAL_PART = re.compile(r"(?<![\w.+-])[\w.+-]{3,64}+(?=@\w)")
_OF_PERSONS = 0.8
"""Words for an age from this `person` on are hardly ever said of things: "elderly", not "old"."""
_LETTERS = re.compile(r"[^\W\d_]{2,40}")
PERSON = "Person_"
"""Begins the mask of somebody with a number; one word, so that texts are compared by it."""


_OF_ONE = ((Kind.TITLE, Kind.NAME), (Kind.NAME, Kind.SURNAME), (Kind.NAME, Kind.NAME))


def masked(
    text: str,
    lexicons: Lexicons,
    attribute: str,
    *,
    mark: str = MARK,
    ages: Collection[int] = (),
) -> str:
    """The text with each word of the attribute replaced by `mark`, unsure ones too.

    A text and its rewrite are the same when masked, but for verbs that agree with "they": an
    article before a masked word is always "a". ages: of people in the conversation that the text
    replies to, which it may repeat as bare numbers; those that it tells itself are known.
    """
    return _with_marks(text, _Searched(lexicons, (attribute,), ages), lambda *_: mark, mark)


def ages_told(texts: Iterable[str], lexicons: Lexicons) -> frozenset[int]:
    """The ages in years that these texts surely say of somebody."""
    if AGE not in lexicons.attributes:
        return frozenset()
    found = (find(text, lexicons, attributes=(AGE,)).mentions for text in texts)
    return frozenset().union(*map(_years, found))


@dataclass(frozen=True, slots=True)
class _Searched:
    """Whose words are masked: those of attributes, and these ages where the first is `AGE`."""

    lexicons: Lexicons
    attributes: tuple[str, ...]
    ages: Collection[int] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonMasks:
    """Masks that tell the people of a conversation apart: "Person_1", "Person_2".

    For readers who are not to know the groups. groups: the two that are compared, which are one
    and the same here. people: of each text that is masked, see `person_masks`. ages: as in
    `masked`.
    """

    lexicons: Lexicons
    attribute: str
    groups: Collection[str]
    people: Mapping[str, int]
    alone: bool
    ages: Collection[int] = ()

    def masked(self, text: str) -> str:
        """The text with each person masked by a number.

        A pronoun has the number of the one person that the conversation is about; where it is
        about several, or none is named, it is masked as `someone`.
        """
        searched = _Searched(self.lexicons, _told(self.lexicons, self.attribute), self.ages)
        return _with_marks(text, searched, self._mark)

    def _mark(self, words: Words, mention: Mention) -> str:
        if mention.form.kind is Kind.PRONOUN:
            return f"{PERSON}1" if self.alone else MARK
        if is_letter(mention.form):
            return MARK
        number = self.people.get(_who(words, mention, self.groups))
        return MARK if number is None else f"{PERSON}{number}"


def person_masks(
    conversation: Sequence[str],
    replies: Sequence[str],
    lexicons: Lexicons,
    attribute: str,
    groups: Collection[str],
    *,
    ages: Collection[int] = (),
) -> PersonMasks:
    """Masks for these texts, people numbered in the order in which they are first named.

    Give it the texts of one side: of the other side the numbers are the same as long as names are
    those of the first. groups: those that are exchanged. ages: of people besides those that the
    conversation tells.
    """
    people: dict[str, int] = {}
    ages = {*ages, *ages_told(conversation if attribute == AGE else (), lexicons)}
    searched = _Searched(lexicons, _told(lexicons, attribute), ages)
    _number(people, _named(conversation, searched, groups))
    alone = len(set(people.values())) == 1
    _number(people, _named(replies, searched, groups))
    return PersonMasks(
        lexicons=lexicons,
        attribute=attribute,
        groups=groups,
        people=people,
        alone=alone,
        ages=ages,
    )


def _number(people: dict[str, int], named: Iterable[tuple[str, str]]) -> None:
    """Give each person a number, the same by first name and by surname."""
    for who, surname in named:
        number = people.get(who, people.get(surname, 1 + max(people.values(), default=0)))
        people.setdefault(who, number)
        if surname:
            people.setdefault(surname, number)


def _named(
    texts: Sequence[str], searched: _Searched, groups: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Everybody who is mentioned, with the surname where one follows."""
    for text in texts:
        shown = _readable(text, searched.lexicons)
        words = words_of(shown.text)
        for mention in _mentions(shown, words, searched):
            if mention.form.kind is not Kind.PRONOUN and not is_letter(mention.form):
                yield _who(words, mention, groups), _surname(words.text, mention, searched.lexicons)


def _readable(text: str, lexicons: Lexicons) -> ShownText:
    """The text as it is shown; records in a fence are no code to a mask, which changes nobody."""
    shown = as_shown(text, lexicons)
    return replace(shown, untouchable=without_data(shown.text, shown.untouchable))


def _surname(text: str, mention: Mention, lexicons: Lexicons) -> str:
    if mention.form.kind is not Kind.NAME:
        return ""
    named = text[mention.span.start : mention.span.end].lower().split(mention.form.text.lower())[-1]
    if named:
        return named.strip()
    span = surname_after(text, mention.span.end, lexicons.cues.function)
    return "" if span is None else text[span.start : span.end].lower()


def _told(lexicons: Lexicons, attribute: str) -> tuple[str, ...]:
    """The attribute, and what names tell of it."""
    told = by_name(attribute)
    return (attribute, told) if told in lexicons.attributes else (attribute,)


def _who(words: Words, mention: Mention, groups: Collection[str]) -> str:
    """Whom a mention names: the same for a person and for who takes that person's place."""
    form = mention.form
    if form.kind in NAMES:
        return form.text.lower()
    if form.kind is Kind.TITLE:
        return words.word(words.at(mention.span.end))
    group = "" if form.group in groups else form.group
    return f"{form.sense} {group}"


def _mentions(shown: ShownText, words: Words, searched: _Searched) -> list[Mention]:
    """All mentions in order, a title and the first names behind it as one, or these and a surname.

    A name that surely is one somewhere in the text is one everywhere, and so is what a pronoun of
    its group follows.
    """
    found = find_shown(shown, searched.lexicons, attributes=searched.attributes)
    names = {one.form.text for one in found.mentions if one.form.kind is Kind.NAME}
    referred = {one.span for one in with_pronoun(words, found)}
    again = [one for one in found.unlikely if one.form.text in names or one.span in referred]
    joined: list[Mention] = []
    known = (*found.mentions, *found.unsure, *again)
    repeated = (*_repeated(shown, known, searched), *_alone(shown, known, searched))
    for one in sorted((*known, *repeated), key=lambda one: one.span.start):
        before = joined[-1] if joined else None
        kinds = (before.form.kind, one.form.kind) if before else ()
        apart = shown.text[before.span.end : one.span.start] if before else ""
        if before and kinds in _OF_ONE and apart == " ":
            form = one.form if before.form.kind is Kind.TITLE else before.form
            whole = Span(start=before.span.start, end=one.span.end)
            joined[-1] = replace(before, form=form, span=whole)
        else:
            joined.append(one)
    return joined


def _repeated(shown: ShownText, known: Sequence[Mention], searched: _Searched) -> Iterator[Mention]:
    """The ages that stand again as bare numbers, beside the mentions that are known."""
    if AGE not in searched.attributes:
        return
    taken = sorted((*shown.untouchable, *(one.span for one in known)), key=lambda span: span.start)
    starts = [span.start for span in taken]
    ages = {*searched.ages, *_years(known)}
    is_person, is_name = searched.lexicons.cues.is_person, searched.lexicons.people.is_name
    records = ages_in_records(shown.text, ages, is_person, is_name)
    found = (repeated_ages(shown.text, ages), records)
    end = 0
    for span in sorted({*chain(*found)}, key=lambda span: (span.start, -span.end)):
        if span.start >= end and not inside(taken, starts, span.start, span.end):
            end = span.end
            yield age_mention(shown.text, span)


def _alone(shown: ShownText, known: Sequence[Mention], searched: _Searched) -> Iterator[Mention]:
    """Words of groups of whom nobody knows whether they speak of somebody; those of ages and sexes
    are often of things: "Condition: old", "Size: Queen"."""
    taken = sorted((one.span for one in known), key=lambda span: span.start)
    starts = [span.start for span in taken]
    attributes = [one for one in searched.attributes if one != GENDER]
    words = group_words(shown.text, searched.lexicons, attributes, shown.untouchable)
    return (
        one
        for one in words
        if (one.form.attribute != AGE or one.form.person >= _OF_PERSONS)
        and not inside(taken, starts, one.span.start, one.span.end)
    )


def _years(mentions: Iterable[Mention]) -> set[int]:
    ages = (one.form.text for one in mentions if one.form.kind is Kind.AGE and one.sure)
    return {years for text in ages if (years := age_in(text))}


def _with_marks(
    text: str, searched: _Searched, mark: Callable[[Words, Mention], str], letter_mark: str = MARK
) -> str:
    """letter_mark: in place of what says a sex without a word (`Gender: F`)."""
    shown = _readable(text, searched.lexicons)
    words = words_of(shown.text)
    mentions = _mentions(shown, words, searched)
    nouns = list(_nouns(shown, searched, [one.span for one in mentions]))
    hidden = {one for noun in nouns for one in noun.inside}
    edits = [
        edit
        for one in mentions
        if one.span not in hidden
        for edit in _masking(words, one.span, mark(words, one))
    ]
    edits += [edit for noun in nouns for edit in _masking(words, noun.span, letter_mark)]
    edits += [Edit(span.start, span.end, MARK, "mask") for span in _in_addresses(shown, mentions)]
    if GENDER in searched.attributes:
        spans = {one.span for one in maskable_letters(shown.text)}
        edits += [Edit(span.start, span.end, letter_mark, "mask") for span in spans]
    return applied(shown, edits)[0]


def _in_addresses(shown: ShownText, mentions: Sequence[Mention]) -> Iterator[Span]:
    """Names of those who are mentioned, within an address: "mary.smith@example.org"."""
    spans = (one.span for one in mentions if one.form.kind in NAMES)
    names = {part.lower() for at in spans for part in shown.text[at.start : at.end].split()}
    if not names or "@" not in shown.text:
        return
    for match in _LOCAL_PART.finditer(shown.text):
        for part in _LETTERS.finditer(match[0]):
            if _is_made_of(part[0].lower(), names):
                yield Span(start=match.start() + part.start(), end=match.start() + part.end())


def _is_made_of(part: str, names: Collection[str]) -> bool:
    """ "mary", "mjones", "maryjones"; not "marketing" of Mark."""
    ends = (at for at in range(1, len(part)) if part[at:] in names and len(part) - at > 2)
    return part in names or any(at == 1 or part[:at] in names for at in ends)


@dataclass(frozen=True, slots=True)
class _Noun:
    """A noun for what makes a group, and the mentions inside, which it replaces: "bipolar"."""

    span: Span
    inside: tuple[Span, ...]


def _nouns(shown: ShownText, searched: _Searched, mentions: Sequence[Span]) -> Iterator[_Noun]:
    """The nouns of the attributes, none in code or in part of a mention."""
    untouchable = sorted(shown.untouchable, key=lambda one: one.start)
    for attribute in searched.attributes:
        for span in group_nouns(shown.text, attribute):
            near = _meeting(mentions, span)
            within = all(span.start <= one.start and one.end <= span.end for one in near)
            if within and _meeting(untouchable, span) in ((), (span,)):
                yield _Noun(span, near)


def _meeting(spans: Sequence[Span], span: Span) -> tuple[Span, ...]:
    """Those of these spans, in order and apart from each other, that share a character with it."""
    first = bisect_right(spans, span.start, key=lambda one: one.end)
    follow = (spans[at] for at in range(first, len(spans)))
    return tuple(takewhile(lambda one: one.start < span.end, follow))


def _masking(words: Words, span: Span, mark: str) -> Iterator[Edit]:
    start, end = span.start, span.end
    yield Edit(start=start, end=end, new=mark, why="mask")
    before = words.at(start) - 1
    if words.word(before) == "an" and words.text[words.ends[before] : start].isspace():
        yield Edit(start=words.starts[before] + 1, end=words.ends[before], new="", why="article")
