"""What the other messages of a conversation say of somebody who changes in one of them.

"34, pregnant" answers a question about a wife of whom only another message speaks. So words that
tie a text to a group are looked for in all that user and assistant say, as if those who change
were named there as well. Of a long text, which may be a document, that is how it begins and ends;
of a system prompt, which mostly holds rules, the fields of a record.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from guard.counterfactual.lexicons.forms import Form, Kind
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.lexicons.name_forms import told_by_names
from guard.counterfactual.mentions.find import AGE, Mention
from guard.counterfactual.people import NEUTRAL, AnnotatedText, annotate
from guard.counterfactual.sex_letters import sex_letters
from guard.counterfactual.sexes_left import OTHER_SEX
from guard.counterfactual.tokens import Words
from guard.counterfactual.unknown_names import is_listed, is_small_name, looks_like_name
from guard.records import Span
from guard.text.unigrams import english_unigrams

_RACE: Final = "race"
_USER: Final = "user"
_SYSTEM: Final = "system"
_NEAR: Final = 40  # words of an end of a long text; those who change are near all of them
_LONGEST_OF_USER: Final = 200  # words; what is longer may be a document
_LONGEST_REPLY: Final = 2 * _NEAR
_SEAT: Final = 4  # words, and marks, of an answer that is no more than a seat
_ANSWER: Final = 12  # words of a short answer
_BEHIND_FIELD: Final = 12  # words
_OF_SEX: Final = re.compile(r"\b(?:sex|gender)\b", re.IGNORECASE)
_OF_NAMES: Final = re.compile(r"\b(?:names?|named|called|who)\b", re.IGNORECASE)
_COLOURS: Final = r"(?:colou?r|shade|paint|font|theme|wine|tea|perfume|scent|flower)s?"
_OF_THINGS: Final = re.compile(
    r"\b(?:compan(?:y|ies)|business|employer|firm|bank|shop|store|brand|product|model|app|file|project"
    r"|street|city|town|village|country|hotel|airline|school|university|hospital|drug|medication"
    r"|medicine|pet|dog|cat|song|film|movie|book|series|game|team|username|user name)s?\b"
    rf"|\b{_COLOURS} names?\b|\bnames? (?:of|for) (?:a|the|this|that|your|which) {_COLOURS}\b",
    re.IGNORECASE,
)
_OF_AGE: Final = re.compile(r"\b(?:how old|ages?|born|birth|birthday)\b", re.IGNORECASE)
_AGES_OF_THINGS: Final = re.compile(
    r"\b(?:how old (?:is|are|was|were)|age of) (?:\w+ ){0,2}?(?:house|home|flat|apartment|roof"
    r"|property|building|car|vehicle|van|truck|bike|boat|engine|laptop|phone|computer|printer|appliance"
    r"|boiler|company|business|account|policy)s?\b",
    re.IGNORECASE,
)
_WITH_LETTERS: Final = re.compile(
    r"\b(?:seat|row|gate|flat|apartment|room|platform|terminal|locker|bay|size)s?\b",
    re.IGNORECASE,
)
_OF_RACE: Final = re.compile(
    r"\b(?:rac(?:e|ial)|ethnic\w*|descri\w+|looks?|background|heritage|origins?|details|about|who"
    r"|anything|else|identif\w+|groups?|ages?|name|old|person|applicant|patient|customer|suspect|victim)\b",
    re.IGNORECASE,
)
_ANY_QUESTION: Final = re.compile(r"\?")
_FIELD: Final = re.compile(
    r"\b(name|customer|patient|applicant|sex|gender|title|salutation|age|dob|race|ethnicity|religion"
    r"|nationality|orientation|disability|condition|diagnosis|marital[ _]status)"
    r"[\"'*]{0,3}\s?[:=|]",
    re.IGNORECASE,
)
_FEWEST_FIELDS: Final = 2  # of a record; one may be the heading of a rule
_ALONE: Final = frozenset((*",.;:!\n", ""))
_ANSWERING: Final = (Kind.NOUN, Kind.ADJECTIVE, Kind.TITLE)
_GROWN_UP: Final = 18
_OLDEST: Final = 120
_BEFORE_NAMES: Final = _ALONE | {"is", "'s", "called", "named", "am", "'m"}


@dataclass(frozen=True, slots=True)
class MessagePart:
    """A text, or a part of one, and those who change and may be spoken of in it.

    letters: the text in which letters for a sex are looked for. said: words by which an answer
    names the group.
    """

    page: AnnotatedText
    changing: tuple[Mention, ...]
    letters: str = ""
    said: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Conversation:
    """The messages of one conversation, and the group whose people change.

    roles: who says each message; those that are not told are a user's. changing: those who change,
    by message; called: how they are called, and in how many messages.
    """

    pages: Sequence[AnnotatedText]
    roles: Sequence[str]
    lexicons: Lexicons
    attribute: str
    source: str
    changing: tuple[tuple[Mention, ...], ...]
    called: Mapping[Form, int]

    @classmethod
    def read(
        cls,
        pages: Sequence[AnnotatedText],
        roles: Sequence[str],
        lexicons: Lexicons,
        attribute: str,
        source: str,
    ) -> Conversation:
        """The conversation with those who change in it."""
        changing = tuple(
            tuple(one for one in page.people if one.form.group == source) for page in pages
        )
        called = Counter(form for own in changing for form in {one.form for one in own})
        return cls(pages, roles, lexicons, attribute, source, changing, called)

    def parts(self, number: int) -> Iterator[MessagePart]:
        """What the message of this number may say of somebody who changes."""
        page = self.pages[number]
        own, forms = self.changing[number], self._called_elsewhere(number)
        if own:
            beside = () if self._role(number) == _SYSTEM else _placed(page, forms, every=0)
            yield MessagePart(page, (*own, *beside), page.text)
        elif forms:
            yield MessagePart(page, (), self._letters(number), self._said(number))
            for part in self._excerpts(number):
                yield MessagePart(part, tuple(_placed(part, forms, every=_NEAR)))

    def names_answered(self) -> Iterator[str]:
        """First names in answers that would stay: "emily", and "Niamh" where a name was asked."""
        for number, page in enumerate(self.pages):
            short = len(page.words.starts) <= _ANSWER
            if not short or self._role(number) != _USER or self.changing[number]:
                continue
            asked = self._asked(number, _OF_NAMES) and not self._asked(number, _OF_THINGS)
            places = range(len(page.words.starts) if asked else 1)
            for at in places:
                small = is_small_name(page.words, at, self.lexicons, self.source)
                if small or (asked and self._is_unknown_name(page, at)):
                    yield page.words.surface(at)

    def _role(self, number: int) -> str:
        return self.roles[number] if number < len(self.roles) else _USER

    def _called_elsewhere(self, number: int) -> tuple[Form, ...]:
        """How the other messages call those who change."""
        here = {one.form for one in self.changing[number]}
        beside = (form for form, messages in self.called.items() if messages > (form in here))
        return tuple(sorted(beside, key=lambda form: form.text))

    def _asked(self, number: int, about: re.Pattern[str]) -> bool:
        """Whether the message before speaks of that."""
        return number > 0 and about.search(self.pages[number - 1].text) is not None

    def _excerpts(self, number: int) -> Iterator[AnnotatedText]:
        """The parts of a message that may speak of somebody whom only others name."""
        page, role = self.pages[number], self._role(number)
        if role == _SYSTEM:
            yield from filter(self._tells_one_group, map(self._annotated, _fields(page.words)))
        elif len(page.words.starts) <= (_LONGEST_OF_USER if role == _USER else _LONGEST_REPLY):
            yield page
        else:
            yield from map(self._annotated, _ends(page.words))

    def _annotated(self, text: str) -> AnnotatedText:
        return annotate((text,), self.lexicons, self.attribute)[0]

    def _tells_one_group(self, page: AnnotatedText) -> bool:
        """Whether it names no other group, as what says how to fill in a form does."""
        told = (*page.people, *page.both, *page.unsure)
        return {one.form.group for one in told} <= {self.source, NEUTRAL}

    def _letters(self, number: int) -> str:
        """The text in which letters tell a sex; empty where they are choices, or of no record."""
        page, role = self.pages[number], self._role(number)
        if role == _USER:
            short = len(page.words.starts) <= _ANSWER
            if self._asked(number, _OF_SEX):
                return f"Sex: {page.text.upper() if short else page.text}"
            seat = self._asked(number, _WITH_LETTERS) and not self._asks_age(number)
            return "" if seat and len(page.words.starts) <= _SEAT else page.text
        choices = any(sex_letters(page.text, OTHER_SEX.get(self.source, "")))
        rules = role == _SYSTEM and not _is_record(page.text)
        return "" if choices or rules else page.text

    def _said(self, number: int) -> tuple[str, ...]:
        """Words that answer for the group where they stand alone: "black, 34", "72", "ms."."""
        words = self.pages[number].words
        if self._role(number) != _USER or len(words.starts) > _ANSWER:
            return ()
        if self.attribute == _RACE and not self._asks_race(number):
            return ()
        aged = self.attribute == AGE and self._asks_age(number)
        alone = (at for at in range(len(words.starts)) if _stands_alone(words, at))
        return tuple(
            words.surface(at)
            for at in alone
            if self._names_group(words.lower[at]) or (aged and _may_be_age(words.lower[at]))
        )

    def _asks_age(self, number: int) -> bool:
        """Whether the message before asks how old somebody is, and not only how old a house is."""
        asked = _AGES_OF_THINGS.sub("", self.pages[number - 1].text) if number else ""
        return _OF_AGE.search(asked) is not None

    def _asks_race(self, number: int) -> bool:
        """Whether a race may be the answer; of "Which colour?" and "With milk?" it is none."""
        return self._asked(number, _OF_RACE) or not self._asked(number, _ANY_QUESTION)

    def _names_group(self, word: str) -> bool:
        told = told_by_names(self.attribute)
        return any(
            form.text.lower().rstrip(".") == word
            and (form.attribute == told or form.group == self.source)
            for form in self.lexicons.forms(word)
            if form.kind in _ANSWERING and form.attribute in (self.attribute, told)
        )

    def _is_unknown_name(self, page: AnnotatedText, at: int) -> bool:
        """Whether it begins a name that is no mention: a word as well, or in no list."""
        words, people = page.words, self.lexicons.people
        mentioned = any(one.span.start == words.starts[at] for one in page.people)
        ends = words.word(at + 1) in _ALONE or words.surface(at + 1)[:1].isupper()
        answers = ends and words.word(at - 1) in _BEFORE_NAMES and looks_like_name(words, at)
        if mentioned or not answers:
            return False
        record, lower = people.first.record(words.lower[at]), words.lower[at]
        if record is not None:
            return record.gender == self.source
        listed = is_listed(lower, self.lexicons) or people.surnames.background(lower)
        return not listed and lower not in english_unigrams().costs


def _placed(page: AnnotatedText, forms: Sequence[Form], *, every: int) -> Iterator[Mention]:
    """Those who are named elsewhere, as if they were named here: where the text begins, and the
    first one after so many words again. They take the place of no word.

    A pronoun of another message may mean somebody whom everybody knows and this one names; a name
    or a title there means somebody else ("Tom", "Obama").
    """
    starts = page.words.starts[:: every or len(page.words.starts) or 1]
    for number, form in enumerate(forms):
        kind = form.kind if form.kind in (Kind.PRONOUN, Kind.AGE) else Kind.NOUN
        placed = replace(form, slot="", kind=kind)
        for start in starts[: 1 if number else None]:
            yield Mention(span=Span(start=start, end=start), form=placed, confidence=1.0, sure=True)


def _stands_alone(words: Words, at: int) -> bool:
    return words.word(at - 1) in _ALONE and words.word(at + 1) in _ALONE


def _may_be_age(word: str) -> bool:
    """Whether it is the age of somebody grown up, or a year of birth."""
    if not word.isdecimal() or len(word) > len("1951"):
        return False
    return len(word) == len("1951") or _GROWN_UP <= int(word) < _OLDEST


def _ends(words: Words) -> Iterator[str]:
    yield words.text[: words.ends[_NEAR - 1]]
    yield words.text[words.starts[-_NEAR] :]


def _is_record(text: str) -> bool:
    return len({name.lower() for name in _FIELD.findall(text)}) >= _FEWEST_FIELDS


def _fields(words: Words) -> Iterator[str]:
    """Fields of a record, each with a few words behind it."""
    for field in _FIELD.finditer(words.text) if _is_record(words.text) else ():
        last = min(words.at(field.end()) + _BEHIND_FIELD, len(words.ends)) - 1
        yield words.text[field.start() : words.ends[last]]
