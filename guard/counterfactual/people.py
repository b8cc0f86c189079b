"""Who is mentioned in the texts of one conversation, and which pronoun stands in which role."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from guard.counterfactual.display.shown import ShownText, as_shown
from guard.counterfactual.english.pronouns import role_of_her, role_of_his
from guard.counterfactual.english.words import ends_as_plural
from guard.counterfactual.lexicons.forms import Kind
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.lexicons.name_forms import by_name as attribute_by_name
from guard.counterfactual.lexicons.name_forms import told_by_names
from guard.counterfactual.mentions.find import (
    UNLIKELY,
    Found,
    Mention,
    find_shown,
    mentions_as_written,
    surnames_of,
    with_surnames,
)
from guard.counterfactual.mentions.names_again import NameOrWord, reading_at
from guard.counterfactual.tokens import Words, tokens_of, words_of

NEUTRAL = "neutral"
"""The group of words for people of any group, where an attribute has one."""

_LIKE_A_NAME = 0.2  # from here on a name that is a word as well does what persons do
_BOTH_PRONOUNS = frozenset(("or", "/", "and/or", "|", "or even"))
_BOTH = _BOTH_PRONOUNS | {"and", "&", "and the", "or the", "and a", "or a", "and an", "or an"}
_BOTH |= {"vs", "vs.", "versus", "than", "nor", "-", "–", ",", "to", "over"}
_DEFINITE = frozenset(("the", "my", "our", "your", "his", "her", "their", "this", "that"))
_SENTENCE_ENDS = frozenset(".!?\n")
_HALVES = ("(s)", "s/", "(wo)")  # "(s)he", "s/he", "(wo)men": everybody is meant


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatedText:
    """One text of a conversation and who is mentioned in it; all places are those of `text`.

    shown: the text, and the way back to what is written.
    people: sure mentions of persons of one group each, pronouns in the form of their role.
    both: mentions inside "he or she", "men and women", which name everybody.
    unsure, untouchable: as `find` gave them.
    staying: people of the group that changes who are not to change with it.
    """

    shown: ShownText
    words: Words
    people: tuple[Mention, ...]
    both: tuple[Mention, ...]
    unsure: tuple[Mention, ...]
    found: Found
    staying: tuple[Mention, ...] = ()

    @property
    def text(self) -> str:
        """The text as it is shown."""
        return self.words.text

    @property
    def unsure_as_written(self) -> tuple[Mention, ...]:
        """The unsure mentions with their places in the text as it is written."""
        return mentions_as_written(self.unsure, self.shown)


def annotate(
    texts: Sequence[str],
    lexicons: Lexicons,
    attribute: str,
    *,
    generic: bool = False,
    by_name: bool = False,
) -> tuple[AnnotatedText, ...]:
    """The texts with the people in them.

    generic: words for anybody too ("parent", "they"). by_name: names that tell a group of the
    attribute count as mentions of it too.
    """
    wanted = (attribute, attribute_by_name(attribute)) if by_name else (attribute,)
    all_shown = [as_shown(text, lexicons) for text in texts]
    found = [find_shown(shown, lexicons, attributes=wanted, generic=generic) for shown in all_shown]
    surnames = ChainMap(
        *(
            dict(surnames_of(shown.text, page, lexicons))
            for shown, page in zip(all_shown, found, strict=True)
        )
    )
    if surnames:
        found = [
            with_surnames(shown.text, page, surnames, lexicons)
            for shown, page in zip(all_shown, found, strict=True)
        ]
    names = {_name(one) for page in found for one in page.mentions if one.form.kind is Kind.NAME}
    return tuple(
        _page(shown, page, names, lexicons) for shown, page in zip(all_shown, found, strict=True)
    )


def _name(mention: Mention) -> str:
    return mention.form.text.lower()


def _page(shown: ShownText, found: Found, names: set[str], lexicons: Lexicons) -> AnnotatedText:
    """A name that surely is one somewhere is one everywhere in the conversation."""
    words = words_of(shown.text)
    again = list(with_pronoun(words, found))
    names = names | {_name(one) for one in again if one.form.kind is Kind.NAME}
    named = _named_again(words.text, found, names, lexicons)
    again += [one for one in named if one not in again]
    sure = sorted((*found.mentions, *again), key=_start)
    both = frozenset(map(_start, _find_pairs(words.text, sure)))
    return AnnotatedText(
        shown=shown,
        words=words,
        people=tuple(
            _in_role(words, one, lexicons) if one.form.text in _ROLES else one
            for one in sure
            if not both or _start(one) not in both
        ),
        both=tuple(one for one in sure if _start(one) in both) if both else (),
        unsure=tuple(one for one in found.unsure if one not in again),
        found=found,
    )


def _named_again(
    text: str, found: Found, names: Collection[str], lexicons: Lexicons
) -> Iterator[Mention]:
    """Where names of persons of the conversation stand again that are words as well.

    Where a sentence begins, its grammar tells: "Mark earns 50k", not "Mark the date".
    """
    doubtful = [
        one
        for one in (*found.unsure, *found.unlikely)
        if one.form.kind is Kind.NAME and _name(one) in names and text[one.span.start].isupper()
    ]
    if not doubtful:
        return
    tokens = tokens_of(text)
    for one in doubtful:
        told = reading_at(tokens, one.span.start, lexicons)
        if told is NameOrWord.PERSON or (told is not NameOrWord.WORD and one.confidence > UNLIKELY):
            yield one


def with_pronoun(words: Words, found: Found) -> Iterator[Mention]:
    """Unsure nouns and names that a pronoun of their group follows: "the king lost his crown"."""
    doubtful = [*found.unsure, *(one for one in found.unlikely if one.confidence > _LIKE_A_NAME)]
    if not doubtful:
        return
    sentences = sentence_numbers(words)
    last: dict[tuple[int, str], int] = {}
    for one in found.mentions:
        if one.form.kind is Kind.PRONOUN:
            last[sentences[words.at(one.span.start)], one.form.group] = one.span.start
    for one in doubtful:
        place = words.at(one.span.start)
        follows = last.get((sentences[place], one.form.group), -1) > one.span.start
        single = one.form.slot == "sg" or one.form.kind is Kind.NAME
        if follows and single and words.word(place - 1) not in ("in", "on", "by", "until", "since"):
            yield one


def _start(mention: Mention) -> int:
    return mention.span.start


_ROLES = {"her": role_of_her, "his": role_of_his}


def _in_role(words: Words, mention: Mention, lexicons: Lexicons) -> Mention:
    """The mention with the form that its pronoun has here: "her" as object or as possessive."""
    if mention.form.kind is not Kind.PRONOUN:
        return mention
    slot = _ROLES[mention.form.text](words, words.at(mention.span.start))
    same = (
        form
        for form in lexicons.forms(mention.form.text.lower())
        if form.kind is Kind.PRONOUN and form.slot == slot
        if form.attribute == mention.form.attribute
    )
    return replace(mention, form=next(same, mention.form))


def _find_pairs(text: str, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Mentions that name everybody: "he or she", "boys and girls", "(s)he"."""
    for mention in mentions if "/" in text or "(" in text else ():
        before = text[max(0, mention.span.start - 4) : mention.span.start].lower()
        if before.endswith(_HALVES):
            yield mention
    for one, two in pairwise(mentions):
        if one.form.group != two.form.group and _names_everybody(text, one, two):
            yield from (one, two)


def _names_everybody(text: str, one: Mention, two: Mention) -> bool:
    if two.span.start - one.span.end > 12:
        return False
    gap = text[one.span.end : two.span.start].strip().lower()
    if one.form.kind is Kind.PRONOUN:
        return two.form.kind is Kind.PRONOUN and gap in _BOTH_PRONOUNS
    same_row = one.form.sense == two.form.sense and one.form.kind is two.form.kind
    return same_row and one.form.kind is not Kind.NAME and gap in _BOTH


def contrasted(page: AnnotatedText, source: str, target: str) -> str:
    """Words that set source and target side by side in one sentence; empty if there are none."""
    others = [
        one
        for one in (*page.people, *page.both)
        if one.form.group == target and one.form.kind in (Kind.NOUN, Kind.ADJECTIVE)
    ]
    if not others:
        return ""
    sentences = sentence_numbers(page.words)
    seen: dict[tuple[int, str, str], str] = {}
    for one in others:
        seen[_sentence(page, sentences, one), one.form.sense, one.form.slot] = one.form.text
    for one in page.people:
        if one.form.group == source:
            other = seen.get((_sentence(page, sentences, one), one.form.sense, one.form.slot))
            if other is not None:
                return f"{one.form.text}, {other}"
    return ""


def merged(pages: Sequence[AnnotatedText], source: str, target: str) -> str:
    """Words for one person who would be called as another is: "My aunt is ill. My uncle is not"."""
    stay = {
        _called(page, one): one.form.text
        for page in pages
        for one in (*page.people, *page.both)
        if one.form.group == target and _is_definite(page, one)
    }
    for page in pages if stay else ():
        for one in page.people:
            if one.form.group == source and _called(page, one) in stay:
                return f"{one.form.text}, {stay[_called(page, one)]}"
    return ""


def _called(page: AnnotatedText, one: Mention) -> tuple[str, str, str, str]:
    """The determiner, the noun, and what an adjective describes."""
    words, form = page.words, one.form
    described = words.word(words.at(one.span.end)) if form.kind is Kind.ADJECTIVE else ""
    return words.word(words.at(one.span.start) - 1), form.sense, form.slot, described


def _is_definite(page: AnnotatedText, one: Mention) -> bool:
    """Whether it means somebody known: "my uncle", "the German man"; not "the men"."""
    before = page.words.word(page.words.at(one.span.start) - 1)
    known = before in _DEFINITE and one.form.kind in (Kind.NOUN, Kind.ADJECTIVE)
    return known and one.form.slot != "pl"


def _sentence(page: AnnotatedText, sentences: list[int], mention: Mention) -> int:
    return sentences[page.words.at(mention.span.start)]


def sentence_numbers(words: Words) -> list[int]:
    """For each word the number of its sentence, and one more at the end."""
    numbers = list(accumulate(map(_SENTENCE_ENDS.__contains__, words.lower)))
    return [*numbers, numbers[-1]] if numbers else [0]


def groups_of(pages: Sequence[AnnotatedText]) -> tuple[str, ...]:
    """The groups whose people are mentioned, in the order of their first mention.

    Where words tell them, those that only a name tells are left out.
    """
    forms = [one.form for page in pages for one in page.people]
    worded = [form for form in forms if not told_by_names(form.attribute)]
    return tuple(dict.fromkeys(form.group for form in worded or forms))


def refers_to_one(page: AnnotatedText) -> bool:
    """Whether every "they" of the text can only be the one neutral person it mentions."""
    nouns = [one for one in page.people if one.form.kind is not Kind.PRONOUN]
    pronouns = [one for one in page.people if one.form.kind is Kind.PRONOUN]
    if not pronouns:
        return True
    single = {one.form.row for one in nouns if one.form.slot == "sg"}
    first = min((_start(one) for one in nouns), default=len(page.text))
    alone = len(single) == 1 and len({one.form.slot for one in nouns}) == 1
    return alone and first < _start(pronouns[0]) and not _plural_before(page, pronouns)


def _plural_before(page: AnnotatedText, pronouns: Sequence[Mention]) -> bool:
    """Whether a plural noun before a "they" could be what it stands for."""
    words = page.words
    end = words.at(_start(pronouns[-1]))
    return any(
        ends_as_plural(word) and len(word) > 3
        for at, word in enumerate(words.lower[:end])
        if word not in _NO_PLURALS and words.word(at - 1) != "their"
    )


_NO_PLURALS = frozenset(("does", "always", "sometimes", "perhaps", "yes", "says", "themselves"))
