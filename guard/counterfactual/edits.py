"""What changes in a text when one mention becomes another: the word, its article, its verbs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from operator import itemgetter

from guard.counterfactual.display.letters import without_accents
from guard.counterfactual.display.shown import ShownText
from guard.counterfactual.english.ages import with_age_of
from guard.counterfactual.english.agreement import Edit, agreeing
from guard.counterfactual.english.inflection import article, match_case
from guard.counterfactual.english.pronouns import is_doubtful
from guard.counterfactual.english.words import english as en
from guard.counterfactual.lexicons.forms import Form, Kind
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.lexicons.name_forms import NAMES
from guard.counterfactual.mentions.find import Mention
from guard.counterfactual.mentions.letters import is_letter, letter_of
from guard.counterfactual.people import AnnotatedText
from guard.counterfactual.records import Replacement
from guard.counterfactual.tokens import Words
from guard.records import Span

_BLANKS = re.compile(r"\s+")
_APOSTROPHES = ("'", "’")
_PLURALS_WITHOUT_S = ("men", "people", "children", "folk", "youth")


def counterpart(form: Form, lexicons: Lexicons, group: str) -> Form | None:
    """What takes the place of a word, a letter or an age in another group; None: nothing does."""
    if form.kind is Kind.AGE:
        text = with_age_of(form.text, group)
        return None if text is None else replace(form, text=text, group=group)
    return letter_of(group) if is_letter(form) else lexicons.counterpart(form, group)


def edits_for(page: AnnotatedText, mention: Mention, counterpart: Form) -> Iterator[Edit]:
    """The changes that make this mention its counterpart."""
    words, span, form = page.words, mention.span, mention.form
    place = words.at(span.start)
    old = page.text[span.start : span.end]
    first = old[:1].isupper() and words.starts_sentence(place)
    proper = form.kind in (Kind.ADJECTIVE, Kind.NOUN)
    new = match_case(old, form.text, counterpart.text, first=first, proper=proper)
    if mention.answers:
        new = _with_capitals_of(old, new)
    if new == old:
        return
    if form.kind is Kind.ADJECTIVE and _alone(words, words.at(span.end), place, counterpart):
        new += " people"
    sure = form.text.lower() not in ("her", "his") or not is_doubtful(words, place)
    yield Edit(start=span.start, end=span.end, new=new, why=_why(form), sure=sure)
    if words.word(place - 1) in ("a", "an"):
        yield from _article(words, place, old, new)
    if page.text[span.end : span.end + 1] in _APOSTROPHES:
        yield from _possessive(page.text, span.end, old, new)
    if form.kind is Kind.PRONOUN and form.slot == "subject":
        yield from _agreement(words, place, form, counterpart)


def _with_capitals_of(old: str, new: str) -> str:
    """ "white" for "black" and "White" for "Black": records write the same words in one manner."""
    return new.lower() if old.islower() else new[:1].upper() + new[1:]


def _alone(words: Words, after: int, place: int, counterpart: Form) -> bool:
    """ "the elderly are" has no "the teenage are" beside it, but "the teenage people are"."""
    if words.word(place - 1) != "the" or counterpart.text.lower() in _NOMINAL:
        return False
    follow = words.word(after)
    if not follow or follow in ".,;:!?\n" or follow in ("who", "in", "of", "with", "from", "at"):
        return True
    return follow in en().auxiliaries or follow in en().finite


_NOMINAL = frozenset(
    (
        *("old", "young", "elderly", "aged", "middle-aged", "blind", "deaf", "disabled"),
        *("mentally ill", "chronically ill", "non-disabled", "able-bodied", "learning-disabled"),
    )
)


def _why(form: Form) -> str:
    alone = form.kind in (*NAMES, Kind.TITLE)
    return str(form.kind) if alone else form.kind + "." + form.slot


def _article(words: Words, place: int, old: str, new: str) -> Iterator[Edit]:
    before = place - 1
    gap = words.text[words.ends[before] : words.starts[place]]
    changed = article(words.surface(before), old, new) if gap.isspace() else None
    if changed:
        start, end = words.starts[before], words.ends[before]
        yield Edit(start=start, end=end, new=changed, why="article")


def _possessive(text: str, end: int, old: str, new: str) -> Iterator[Edit]:
    """ "gentlemen's" and "ladies'": a plural in s takes the apostrophe alone."""
    mark, follow = text[end], text[end + 1 : end + 2].lower()
    ended_in_s, ends_in_s = (word.lower().endswith("s") for word in (old, new))
    alone = follow == " " and text[end + 2 : end + 3].isalpha()
    if ended_in_s and not ends_in_s and alone:
        yield Edit(start=end, end=end + 1, new=mark + "s", why="possessive")
    elif ends_in_s and follow == "s" and old.lower().endswith(_PLURALS_WITHOUT_S):
        yield Edit(start=end, end=end + 2, new=mark, why="possessive")


def _agreement(words: Words, place: int, form: Form, counterpart: Form) -> Iterator[Edit]:
    was, becomes = (one.text.lower() == "they" for one in (form, counterpart))
    if was != becomes:
        yield from agreeing(words, place, plural=becomes)


def is_plain(shown: ShownText, edit: Edit) -> bool:
    """Whether what is replaced is written as it is shown, but for blanks and accents; not so:
    "S**h**e"."""
    span = shown.in_written(edit.start, edit.end)
    written, seen = shown.written[span.start : span.end], shown.text[edit.start : edit.end]
    return without_accents(written).split() == without_accents(seen).split()


def with_blanks_of(old: str, new: str) -> str:
    """The new words with the blanks between the old ones, where these are as many."""
    blanks, words = _BLANKS.findall(old), new.split(" ")
    if len(blanks) != len(words) - 1 or not blanks:
        return new
    return "".join(part for pair in zip(words, [*blanks, ""], strict=True) for part in pair)


def applied(shown: ShownText, edits: Iterable[Edit]) -> tuple[str, tuple[Replacement, ...]]:
    """What is written with all changes made, and the list of them.

    edits: at places of the shown text. Of two at one place the first stays.
    """
    pieces, made, end, at, text = [], [], 0, 0, shown.written
    for edit in sorted(edits, key=itemgetter(0, 1)):
        span = shown.in_written(edit.start, edit.end)
        if span.start < end:
            continue
        old = text[span.start : span.end]
        new = with_blanks_of(old, edit.new)
        pieces += [text[end : span.start], new]
        at += span.start - end
        where = Span(start=at, end=at + len(new))
        made.append(Replacement(span=span, old=old, new=new, at=where, why=edit.why))
        at, end = where.end, span.end
    return "".join([*pieces, text[end:]]), tuple(made)
