"""Ages and years of a person that would stay beside an age that changes, and no longer fit it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from guard.counterfactual.age_limits import Age, limits, overlaps
from guard.counterfactual.english.ages import DECADE, NUMBER, age_in, with_age_of
from guard.counterfactual.english.words import english, word_set
from guard.counterfactual.lexicons.forms import Form, Kind
from guard.counterfactual.life_spans import too_early, too_late, too_long
from guard.counterfactual.mentions.find import Mention
from guard.counterfactual.people import AnnotatedText
from guard.counterfactual.tokens import Words

_COUNTED = (
    r"(?!\s(?:kg|km|cm|lb|mph|per ?cent|thousand|million"
    r"|(?!(?:years|is|was|has|does|as|this|yes)\b)[a-z]{2,}s)\b|\s?[+*/=:<>])"
)
_NUMBERED = (
    "number|no|flat|room|apartment|house|unit|bus|route|gate|page|suite|highway|chapter|version"
    "|section|level|size|line|step|article|item|question|channel|iq is|it is|it's"
)
_ANY_NUMBER = re.compile(
    rf"(?P<place>\b(?:{_NUMBERED})\.?\s)?"
    rf"(?<![\w$€£#+:-])(?<!\d[.,/])(?P<age>{NUMBER})(?!k\b|[\d%$€£:]|[.,/]\d){_COUNTED}",
    re.IGNORECASE,
)
_SOMETHING = re.compile(
    rf"(?<![\w’'-])(?:{DECADE}|{NUMBER})[- ]?(?:something|ish)s?\b", re.IGNORECASE
)
_BESIDE_WORDS = re.compile(
    rf"(?:[,;.:–—-]\s|\(|\b(?:both|now|is|am|are)\s)(?P<age>{NUMBER})"
    r"(?=\s?(?:[,;)/]|\.(?!\d)|[MmFf]\b|(?:years?|yrs?)\b|yo\b|y/o\b|\Z)"
    rf"|\s(?:and\s(?:{NUMBER}|single|married|healthy)\b|to\sbe\sexact))",
    re.IGNORECASE,
)
_SPANS = {"young": (18, 34), "middle_aged": (35, 59), "old": (60, 110)}
_PARENTS = word_set(
    "mother father mom mum dad mommy mummy daddy mama papa parent parents mother-in-law"
    " father-in-law grandmother grandfather grandma grandpa stepmother stepfather"
)
_CHILDREN = word_set(
    "son daughter child kid sons daughters children kids grandson granddaughter stepson"
    " stepdaughter"
)
_WITH_OWN = {"young": _PARENTS, "old": _CHILDREN}
_OWN = word_set("my our")
_AT_HOME = word_set("mom mum dad mommy mummy daddy mama papa grandma grandpa")
_SELF = word_set("i you we me us")
_HE = word_set("he she who")
_BETWEEN = word_set("turned turns turning recently almost nearly , (")
_FAR = 8  # words between somebody and an age, or "my"
_BACK = 40  # words between "my mother" and "she"
_PASSING = word_set("too feel feels felt feeling getting look looks looking")
_SO_FEW = word_set("only just barely merely")
_SO_MANY = word_set("already")
_USUAL = {"young": 25, "middle_aged": 45, "old": 72}
_COMPARED = ("age.more", "age.most")  # "my older brother" says nobody's age
_ELDERLY = "age.elderly"
_MINORS = word_set(
    "boy boys girl girls child children kid kids baby babies toddler toddlers infant infants"
    " schoolboy schoolgirl pupil pupils lad lass"
)


def other_ages(page: AnnotatedText, changing: Sequence[Mention], target: str) -> tuple[str, ...]:
    """What depends on somebody's age and stays, or fits no one of the new age.

    "I am 72 years old. Is 72 too old?", "20-something", "I'm 65 and married for 40 years", "I'm 25
    and want to retire at 65", "Am I too old?", "my 72-year-old father".
    """
    ages = [one for one in changing if one.form.kind is Kind.AGE]
    covered = [(one.span.start, one.span.end) for one in ages]
    numbers = {age_in(one.form.text.lower()) for one in ages}
    groups = {one.form.group for one in changing if one.form.kind is not Kind.AGE}
    found = [*_beside_words(page.text, groups, covered)]
    found += [*_said_again(page.text, numbers, covered), *_decades(page.text, bool(ages), covered)]
    changes = _changes(changing, target)
    found += limits(page.text, changes, covered)
    found += _asked(page, changing, target)
    found += _own_people(page, changing, target)
    found += _without_room(page.text, changes)
    return tuple(dict.fromkeys(found))


def _without_room(text: str, changes: Sequence[Age]) -> Iterator[str]:
    """Times and dates that no longer fit."""
    younger = [age.after for age in changes if age.after < age.before]
    older = [age.after for age in changes if age.after > age.before]
    if younger:
        yield from too_long(text, max(younger))
        yield from too_early(text, max(younger))
    if older:
        yield from too_late(text, min(older))


def _tells_years(form: Form) -> bool:
    """Whether a word says about how old somebody is: "elderly", and not "older"."""
    return form.kind is not Kind.AGE and form.row not in _COMPARED and form.group in _USUAL


def _changes(mentions: Sequence[Mention], target: str) -> list[Age]:
    """How the ages change, those that only words tell taken for one that is usual for them."""
    found: set[Age] = set()
    for one in mentions:
        new = with_age_of(one.form.text, target) if one.form.kind is Kind.AGE else None
        before, after = age_in(one.form.text.lower()), age_in((new or "").lower())
        if before and after:
            found.add(Age(before, after))
        elif _tells_years(one.form) and target in _USUAL:
            found.add(Age(_USUAL[one.form.group], _USUAL[target]))
    return sorted(found)


_Covered = Sequence[tuple[int, int]]


def _said_again(text: str, ages: set[int | None], covered: _Covered) -> Iterator[str]:
    for match in _ANY_NUMBER.finditer(text) if ages else ():
        named = match["place"] or overlaps(match.span(), covered)
        if not named and age_in(match["age"].lower()) in ages:
            yield match["age"]


def _beside_words(text: str, groups: set[str], covered: _Covered) -> Iterator[str]:
    """Ages that are no mentions and fit the words beside them: "elderly sisters, 81 and 84"."""
    spans = [_SPANS[group] for group in sorted(groups & _SPANS.keys())]
    for match in _BESIDE_WORDS.finditer(text) if spans else ():
        age = age_in(match["age"].lower()) or 0
        fits = any(first <= age <= last for first, last in spans)
        if fits and not overlaps(match.span("age"), covered):
            yield match["age"]


def _decades(text: str, changes: bool, covered: _Covered) -> Iterator[str]:
    for match in _SOMETHING.finditer(text) if changes else ():
        if age_in(match[0].lower()) is not None and not overlaps(match.span(), covered):
            yield match[0]


def _asked(page: AnnotatedText, changing: Sequence[Mention], target: str) -> Iterator[str]:
    """ "Am I too old to learn?", "old enough", "only 19", "already 70": others ask otherwise."""
    words = page.words
    for one in changing:
        at = words.at(one.span.start)
        number = one.form.kind is Kind.AGE
        if not number and one.form.text.lower() not in ("old", "young"):
            continue
        if words.word(at - 1) in (_told_of(target) if number else _PASSING):
            yield page.text[words.starts[at - 1] : one.span.end]
        elif not number and words.word(at + 1) == "enough":
            yield page.text[one.span.start : words.ends[at + 1]]


def _told_of(target: str) -> frozenset[str]:
    """What is said of an age, and of nobody of this group: "only 70", "already 20"."""
    return _SO_MANY if target == "young" else _SO_FEW


def _own_people(page: AnnotatedText, changing: Sequence[Mention], target: str) -> Iterator[str]:
    """ "My 72-year-old father", "Mom is 70": whoever asks is no child, and has no child of 75.

    Nor has anybody a young mother in place of an elderly one, or is an old boy.
    """
    people = _WITH_OWN.get(target, frozenset[str]())
    never = _PARENTS if target == "young" else _MINORS
    known = (people | never) & page.words.vocabulary
    for one in changing if known else ():
        if one.form.row in _COMPARED:
            continue
        place = _described(page.words, one, people | never)
        if place is None:
            continue
        named = target != "young" or one.form.row == _ELDERLY
        word = page.words.word(place)
        if (named and word in never) or (word in people and _is_own(page.words, place)):
            yield page.words.surface(place)


def _described(words: Words, one: Mention, people: frozenset[str]) -> int | None:
    """The word for one of these people whom an age describes, or of whom it is said."""
    start, after = words.at(one.span.start), words.at(one.span.end)
    for at in range(after, after + 3):
        if words.word(at) in people:
            return at
        if not words.word(at).isalpha() or words.word(at) in english().closed:
            break
    for at in range(start - 1, max(-1, start - 1 - _FAR), -1):
        word = words.word(at)
        if word in people:
            return at
        if word in _HE:
            before = range(at - 1, max(-1, at - 1 - _BACK), -1)
            return next((place for place in before if words.word(place) in people), None)
        if word in _SELF or not (word in english().closed or word in _BETWEEN):
            return None
    return None


def _is_own(words: Words, place: int) -> bool:
    """ "My elderly father", and "Mom" for one's own; not "her mother"."""
    for at in range(place - 1, max(-1, place - 1 - _FAR), -1):
        word = words.word(at)
        if word in _OWN:
            return True
        if word in english().closed or word in (".", "\n", "'s"):
            break
    before = words.word(place - 1)
    named = words.word(place) in _AT_HOME and before not in english().possessives
    return named and before not in english().determiners and before != "'s"


def other_gaps(pages: Sequence[AnnotatedText], source: str, target: str) -> tuple[str, ...]:
    """Ages of several people that would lie further apart, or closer: a mother of 95 at 72.

    Of two, one in years and of the group that stays as it is: a boss of 25 at 70.
    """
    people = [one for page in pages for one in page.people]
    changing = [one.form for one in people if one.form.group == source]
    staying = [one.form for one in people if one.form.group == target]
    both = [*changing, *staying] if changing and staying else []
    if any(form.kind is Kind.AGE for form in both):
        return tuple(dict.fromkeys(form.text for form in both))
    ages = [form.text for form in changing if form.kind is Kind.AGE]
    return tuple(ages) if len(_moves(ages, target)) > 1 else ()


def _moves(ages: Sequence[str], target: str) -> set[int]:
    """The different numbers of years by which the ages change."""
    pairs = [(old, with_age_of(old, target)) for old in ages]
    years = [(age_in(old.lower()), age_in(new.lower())) for old, new in pairs if new]
    return {after - before for before, after in years if before and after}
