"""Who is mentioned: the words of a text that name groups of people, with their places."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from guard.counterfactual.display.shown import ShownText, as_shown
from guard.counterfactual.english.ages import age_in, group_of_age
from guard.counterfactual.lexicons.forms import Form, Kind
from guard.counterfactual.lexicons.index import Lexicons, Term
from guard.counterfactual.lexicons.name_forms import told_by_names
from guard.counterfactual.mentions.ages import AgeFound, find_ages
from guard.counterfactual.mentions.context import WordContext
from guard.counterfactual.mentions.likelihood import alone, confidence
from guard.counterfactual.mentions.protected import inside, protected
from guard.counterfactual.mentions.record_values import record_values
from guard.counterfactual.mentions.surnames import places_of, surnames_beside, titled_surnames
from guard.counterfactual.sex_letters import GENDER, tells_a_sex
from guard.counterfactual.tokens import Tokens, same_gap, tokens_of
from guard.records import Span

AGE = "age"
"""The attribute whose groups numbers name as well as words."""
SURE = 0.7
"""From this confidence on a mention is taken for a person."""
UNLIKELY = 0.3
"""Up to this confidence a word is taken for something else and is not listed."""
_CERTAIN = 1.0
_IMPOSSIBLE = 0.02  # up to this confidence a first name cannot be one


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A word or term that names a person, or a group of people, by a protected attribute.

    confidence: in [0, 1], that people are meant, after context. sure: at or above `SURE`.
    answers: whether it is all that a field of a record says ("Race: Black").
    """

    span: Span
    form: Form
    confidence: float
    sure: bool
    answers: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What `find` found.

    mentions: sure ones, in order, not overlapping. unsure: between the thresholds; not to be
    rewritten, but counted. untouchable: addresses, code, tags, quoted titles, in order. unlikely:
    first names below the thresholds, which are words as well; what a rewrite is checked with.
    """

    mentions: tuple[Mention, ...]
    unsure: tuple[Mention, ...]
    untouchable: tuple[Span, ...]
    unlikely: tuple[Mention, ...] = ()


def find(
    text: str,
    lexicons: Lexicons,
    *,
    attributes: Collection[str] | None = None,
    generic: bool = False,
) -> Found:
    """Every mention in a text, in time linear in its length.

    attributes: which ones are wanted; None means all. generic: list words that name people of any
    group too ("parent", "they"), which by themselves are no mention of a group.
    """
    shown = as_shown(text, lexicons)
    return _as_written(find_shown(shown, lexicons, attributes=attributes, generic=generic), shown)


def find_shown(
    shown: ShownText,
    lexicons: Lexicons,
    *,
    attributes: Collection[str] | None = None,
    generic: bool = False,
) -> Found:
    """As `find`; all ranges are those of the text as it is shown."""
    untouchable, text = shown.untouchable, shown.text
    search, tokens = _Search(attributes, generic), tokens_of(text)
    found = tuple(
        mention
        for mention in _mentions(tokens, lexicons, untouchable, search)
        if search.wants(mention.form)
    )
    found = _with_values(found, shown, lexicons, search)
    if AGE in lexicons.attributes and (attributes is None or AGE in attributes):
        found = _with_ages(found, tokens, lexicons, untouchable)
    page = Found(
        mentions=tuple(one for one in found if one.sure),
        unsure=tuple(one for one in found if not one.sure and one.confidence > UNLIKELY),
        untouchable=untouchable,
        unlikely=tuple(one for one in found if one.confidence <= UNLIKELY),
    )
    return with_surnames(text, page, surnames_of(text, page, lexicons), lexicons)


def mentions_as_written(mentions: Iterable[Mention], shown: ShownText) -> tuple[Mention, ...]:
    """The mentions with their places in the text as it is written."""
    return tuple(
        replace(one, span=shown.in_written(one.span.start, one.span.end)) for one in mentions
    )


def _as_written(found: Found, shown: ShownText) -> Found:
    if not shown.pieces:
        return found
    return Found(
        mentions=mentions_as_written(found.mentions, shown),
        unsure=mentions_as_written(found.unsure, shown),
        untouchable=protected(shown.written),
        unlikely=mentions_as_written(found.unlikely, shown),
    )


def surnames_of(text: str, page: Found, lexicons: Lexicons) -> Mapping[str, Form]:
    """The surnames of those whose first names tell a race or a religion, as they are written."""
    found: dict[str, Form] = {}
    people, no_names = lexicons.people, lexicons.cues.function
    telling = [one for one in page.mentions if one.form.kind is Kind.NAME]
    telling = [one for one in telling if told_by_names(one.form.attribute)]
    for one in telling:
        about = (one.form.attribute, one.form.group)
        for span in surnames_beside(text, one.span, no_names, people.surnames.background):
            name = text[span.start : span.end]
            found.setdefault(name, people.surname(name, *about))
    titled = titled_surnames(text) if telling else ()
    for about in {(one.form.attribute, one.form.group) for one in telling}:
        for name in titled:
            if people.tells(name, *about):
                found.setdefault(name, people.surname(name, *about))
    return found


def with_surnames(
    text: str, page: Found, surnames: Mapping[str, Form], lexicons: Lexicons
) -> Found:
    """The page with these surnames wherever they stand, among the sure mentions."""
    if not surnames:
        return page
    places = lexicons.cues.placenames
    spans = (*(one.span for one in page.mentions), *page.untouchable)
    taken = sorted(spans, key=lambda span: span.start)
    before = {one.span.start for one in page.mentions}  # "Washington, Lakisha"
    more = [
        Mention(span=span, form=surnames[name], confidence=1.0, sure=True)
        for name, span in places_of(surnames, text, taken)
        if span.end + 2 in before or not _is_town(text, span, places)
    ]
    mentions = sorted((*page.mentions, *more), key=lambda one: one.span.start)
    return replace(page, mentions=tuple(mentions))


def _with_values(
    found: tuple[Mention, ...], shown: ShownText, lexicons: Lexicons, search: _Search
) -> tuple[Mention, ...]:
    """The mentions, and the values of fields; no name is read in one ("Religion: Christian")."""
    text, untouchable = shown.text, shown.untouchable
    attributes = [one for one in lexicons.attributes if not told_by_names(one)]
    values = {one.start: one for one in record_values(text, lexicons, attributes)}
    taken = [span.start for span in untouchable]
    answers = [
        replace(_mention(one.start, one.end, one.form, _CERTAIN), answers=one.in_field)
        for _, one in sorted(values.items())
        if not inside(untouchable, taken, one.start, one.start + 1)  # an escape looks like a path
    ]
    if not answers:
        return found
    spans, starts = tuple(one.span for one in answers), [one.span.start for one in answers]
    others = (one for one in found if not inside(spans, starts, one.span.start, one.span.end))
    wanted = (one for one in answers if search.wants(one.form))
    return tuple(sorted((*wanted, *others), key=lambda one: one.span.start))


def _with_ages(
    found: tuple[Mention, ...], tokens: Tokens, lexicons: Lexicons, untouchable: tuple[Span, ...]
) -> tuple[Mention, ...]:
    """The mentions, and ages in years; what an age's own words name ("old") is left out."""
    taken = [span.start for span in untouchable]
    ages: list[Mention] = []
    for start, end, sureness in sorted(find_ages(tokens, lexicons), key=_surest_first):
        free = not ages or ages[-1].span.end <= start
        if free and not inside(untouchable, taken, start, end):
            ages.append(_mention(start, end, _age_form(tokens.text[start:end]), sureness))
    if not ages:
        return found
    spans, starts = tuple(one.span for one in ages), [one.span.start for one in ages]
    others = (one for one in found if not inside(spans, starts, one.span.start, one.span.end))
    return tuple(sorted((*ages, *others), key=lambda one: one.span.start))


def _surest_first(age: AgeFound) -> tuple[int, int, float]:
    return age.start, age.end, -age.confidence


def age_mention(text: str, span: Span) -> Mention:
    """The age that this range of a text names, taken for sure."""
    return _mention(span.start, span.end, _age_form(text[span.start : span.end]), _CERTAIN)


def _age_form(written: str) -> Form:
    group = group_of_age(age_in(written.lower()) or 0)
    return Form(
        text=written.lower(),
        attribute=AGE,
        group=group,
        kind=Kind.AGE,
        slot="years",
        row="age.years",
        person=1.0,
    )


def free_of_groups(text: str, lexicons: Lexicons, attribute: str) -> bool:
    """Fairness through unawareness: whether no word surely names a group of this attribute.

    The letters F and M of forms name one too.
    """
    if attribute == GENDER and tells_a_sex(text):
        return False
    return not find(text, lexicons, attributes=(attribute,)).mentions


def _is_town(text: str, span: Span, places: Collection[str]) -> bool:
    """Whether a surname is rather a place here: "moved to Washington", "Jackson, Mississippi"."""
    if text[span.start : span.end].lower() not in places:
        return False
    before = text[max(0, span.start - 12) : span.start].split()[-1:]
    after = text[span.end : span.end + 3]
    return before in (["in"], ["to"], ["from"], ["near"], ["at"]) or (
        after[:2] == ", " and after[2:].isupper()
    )


@dataclass(frozen=True, slots=True)
class _Search:
    attributes: Collection[str] | None
    generic: bool

    def wants(self, form: Form) -> bool:
        if self.attributes is None:
            return not told_by_names(form.attribute)
        return form.attribute in self.attributes

    def readings(self, found: list[Match]) -> list[Match]:
        """Those to choose from: of a name, which tells several attributes, the ones wanted."""
        wanted = [one for one in found if one.form.kind is not Kind.NAME or self.wants(one.form)]
        return wanted or found[:1]


def _mentions(
    tokens: Tokens, lexicons: Lexicons, untouchable: tuple[Span, ...], search: _Search
) -> Iterator[Mention]:
    starts = [span.start for span in untouchable]
    known: dict[Hashable, tuple[int, float]] = {}  # a text that repeats itself is read once
    free = 0  # the first word that no mention has taken
    pronouns = lexicons.pronouns
    for at in _candidates(tokens, lexicons, search):
        if at < free:
            continue
        pronoun = pronouns.get(tokens.lower[at])
        if pronoun is not None and not starts and tokens.stands_free(at):
            yield _mention(tokens.starts[at], tokens.ends[at], pronoun, alone(pronoun.person))
            continue
        found = search.readings(
            matches(tokens, at, lexicons.terms(tokens.lower[at]), search.generic)
        )
        if not found:
            continue
        if starts and inside(untouchable, starts, tokens.starts[at], found[0].end):
            continue
        free = found[0].last + 1
        best, sureness = found[0], alone(found[0].form.person)
        if best.form.kind is not Kind.PRONOUN:
            place = WordContext(tokens, at, best.last, lexicons)
            if (around := place.around()) not in known:
                known[around] = _best(found, place, search)
            best, sureness = found[known[around][0]], known[around][1]
        if sureness > (_IMPOSSIBLE if best.form.kind is Kind.NAME else UNLIKELY):
            yield _mention(tokens.starts[at], best.end, best.form, sureness)


def _mention(start: int, end: int, form: Form, sureness: float) -> Mention:
    span = Span(start=start, end=end)
    return Mention(span=span, form=form, confidence=sureness, sure=sureness >= SURE)


def _candidates(tokens: Tokens, lexicons: Lexicons, search: _Search) -> list[int]:
    """The words that may begin a form, by one look at each; names need a capital."""
    starters = lexicons.starters(search.attributes, generic=search.generic)
    text, begins, only_names = tokens.text, tokens.starts, lexicons.only_names
    return [
        at
        for at, word in enumerate(tokens.lower)
        if word in starters and (word not in only_names or text[begins[at]].isupper())
    ]


def _best(found: list[Match], place: WordContext, search: _Search) -> tuple[int, float]:
    """The number of the likeliest reading and its confidence; of sure ones one asked for."""
    named = any(match.form.kind is Kind.NAME for match in found)
    if place.in_expression() or (place.off_topic() and not named):
        return 0, 0.0
    judged = [round(confidence(match.form, place), 4) for match in found]

    def order(number: int) -> tuple[bool, bool, float]:
        sureness = judged[number]
        return sureness >= SURE, search.wants(found[number].form), sureness

    best = max(range(len(found)), key=order)
    return best, judged[best]


_CONTRACTIONS = frozenset(("s", "ll", "d", "re", "ve", "m"))
_JOINED_BEFORE = frozenset(
    ("ex", "co", "vice", "great", "grand", "then", "now", "soon", "old", "yo")  # "72-year-old-man"
)
_JOINED_AFTER = frozenset(("to", "turned", "elect", "owned", "led", "only", "born"))


class Match(NamedTuple):
    """A form that stands in the text: its last word, and the character where it ends."""

    form: Form
    last: int
    end: int


def matches(tokens: Tokens, at: int, terms: Sequence[Term], generic: bool) -> list[Match]:
    """The longest forms that begin at this word; several if one spelling has several readings."""
    if tokens.gap(at - 1) != " " and not _free_before(tokens, at):
        return []
    apart = tokens.gap(at) == " "
    found: list[Match] = []
    for term in terms:
        size = len(term.words)
        if found and size < found[0].last - at + 1:
            break
        if not generic and term.form.person == 0.0:
            continue  # it names people of any group
        if (apart and size == 1 and not term.tail) or _stands(tokens, at, term):
            last = at + size - 1
            found.append(Match(term.form, last, tokens.ends[last] + len(term.tail)))
    return found


def _stands(tokens: Tokens, at: int, term: Term) -> bool:
    size = len(term.words)
    if size > 1 and tuple(tokens.lower[at : at + size]) != term.words:
        return False
    gaps = (tokens.gap(at + step) for step in range(size - 1))
    if not all(map(same_gap, gaps, term.gaps)):
        return False
    after = tokens.gap(at + size - 1)
    return after.startswith(term.tail) and _free_after(tokens, at + size - 1, after, term.tail)


def _free_before(tokens: Tokens, at: int) -> bool:
    """No part of a compound, a path, a handle, or a word with an apostrophe in it."""
    start = tokens.starts[at]
    if start == 0:
        return True
    mark = tokens.gap(at - 1)[-1:]
    if mark == "-" and at and tokens.gap(at - 1) == "-":
        return tokens.word(at - 1) in _JOINED_BEFORE
    if mark == "'" and at and tokens.ends[at - 1] == start - 1:
        return False
    if mark == "/" and at and tokens.ends[at - 1] == start - 1:
        return len(tokens.word(at - 1)) > 1  # "s/he"
    return mark not in "@#$\\="


def _free_after(tokens: Tokens, last: int, gap: str, tail: str) -> bool:
    attached = last + 1 < len(tokens.starts) and tokens.starts[last + 1] == tokens.ends[last] + 1
    if not attached or tail:
        return not gap.startswith(("\\", "()"))
    following = tokens.word(last + 1)
    if gap == "-":
        return following in _JOINED_AFTER
    if gap == "'":
        return following in _CONTRACTIONS or not tokens.word(last).isalpha()
    if gap == ".":
        return tokens.surface(last + 1)[:1].isupper()
    return gap not in "=\\@:"
