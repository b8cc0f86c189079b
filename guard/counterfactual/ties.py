"""Words that tie a text to a group: a rewrite beside them would no longer be true."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from guard.counterfactual.display.shown import ShownText
from guard.counterfactual.english.words import english
from guard.counterfactual.lexicons.forms import Kind
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.lexicons.name_forms import NAMES, by_name
from guard.counterfactual.mentions.find import Mention, find_shown
from guard.counterfactual.mentions.protected import is_announced
from guard.counterfactual.mentions.surnames import surname_after
from guard.counterfactual.partners import told_by_partners
from guard.counterfactual.people import NEUTRAL, AnnotatedText
from guard.counterfactual.sexes_left import sexes_left
from guard.counterfactual.surnames_left import surnames_left, telling_surnames
from guard.counterfactual.tie_table import Tie, bundled_ties
from guard.counterfactual.tokens import Words
from guard.counterfactual.town_names import is_elsewhere, own_names
from guard.records import Span

_NEAR = 40  # words between a tie and the person it is taken to speak of
_OF_ONE = (Kind.PRONOUN, Kind.NAME, Kind.TITLE)


def tied_words(
    words: Words, changing: Sequence[Mention], attribute: str, source: str, target: str
) -> tuple[str, ...]:
    """Words of the source group near somebody who is to change, and those the target lacks.

    "They are pregnant" is true of a neutral person as it is of a woman; "their sorority" is not.
    """
    if not changing:
        return ()
    around = _Around(
        places=[words.at(one.span.start) for one in changing],
        covered=_Covered([(one.span.start, one.span.end) for one in changing]),
        named=any(one.form.kind in _OF_ONE for one in changing),
        neutral=target == NEUTRAL,
        towns=own_names(words, changing),
    )
    found: dict[str, None] = {}
    for group, ties in bundled_ties().between(attribute, source, target):
        for at in words.places(words.vocabulary & ties.keys()):
            if attribute == "nationality" and is_elsewhere(words, at, around.towns, group):
                continue
            for tie in ties[words.lower[at]]:
                if _fits(words, at, tie) and around.binds(words, at, tie):
                    end = words.ends[at + len(tie.words) - 1]
                    found[words.text[words.starts[at] : end]] = None
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Around:
    """Those who change: where they stand, whether anybody is named, and what their towns are."""

    places: Sequence[int]
    covered: _Covered
    named: bool
    neutral: bool
    towns: frozenset[str]

    def binds(self, words: Words, at: int, tie: Tie) -> bool:
        """Whether a tie at this place keeps them in their group."""
        if not _near(self.places, at):
            return False
        if tie.known:
            return self.named
        own = self.covered.at(words.starts[at]) and not _tells_more(tie)
        ends = self.covered.at(words.starts[at + len(tie.words) - 1])
        own = own or (ends and tie.words[-1] not in _CHANGING)
        return not (own or (self.neutral and not tie.names))


def _tells_more(tie: Tie) -> bool:
    """Whether it begins with what changes, and goes on: "she is due in May", "Miss World"."""
    return len(tie.words) > 1 and tie.words[0] in _CHANGING


_CHANGING = frozenset(("she", "her", "he", "his", "she's", "he's", "wife's", "sister's", "miss"))


def _fits(words: Words, at: int, tie: Tie) -> bool:
    surface = words.surface(at)
    cased = surface.isupper() if tie.capitals else not tie.cased or surface[:1].isupper()
    return cased and tuple(words.lower[at : at + len(tie.words)]) == tie.words


def _near(places: Sequence[int], at: int) -> bool:
    index = bisect_left(places, at)
    return any(abs(place - at) <= _NEAR for place in places[max(0, index - 1) : index + 1])


def own_words(
    page: AnnotatedText, changing: Sequence[Mention], lexicons: Lexicons, source: str
) -> tuple[str, ...]:
    """Words that may speak of one who changes, and would still name the old group.

    These are mentions in doubt, parts of words like "my_wife" and of double names, and first names
    that tell an ethnicity. What surely means no person ("Black Friday", "mother tongue") ties
    nobody.
    """
    if not changing:
        return ()
    words, attribute = page.words, changing[0].form.attribute
    found = [one.span.start for one in page.unsure if _in_doubt(one, source)]
    if "_" in words.vocabulary:
        found += _joined_words(page, lexicons, attribute, source)
    if "-" in words.vocabulary:
        found += _double_names(page, lexicons, attribute, source)
    found += _of_attribute(page, changing, lexicons, source)
    telling = words.vocabulary & lexicons.people.telling(attribute, source)
    if telling:
        found += _telling_names(page, telling, lexicons)
    found += telling_surnames(words, lexicons, attribute, source)
    if not found:
        return ()
    places = [words.at(one.span.start) for one in changing]
    near = (at for start in sorted(found) if _near(places, at := words.at(start)))
    return tuple(dict.fromkeys(map(words.surface, near)))


def _of_attribute(
    page: AnnotatedText, changing: Sequence[Mention], lexicons: Lexicons, source: str
) -> Iterator[int]:
    """What tells a group of this attribute by more than a word."""
    attribute = changing[0].form.attribute
    if attribute == "orientation":
        yield from told_by_partners(page, lexicons)
    elif attribute == "disability":
        yield from _second_conditions(page, changing)
    elif attribute == "nationality":
        yield from _papers(page, lexicons, source)
    elif attribute == "gender":
        yield from _written_as_one(page, lexicons, source)
        yield from _rulers(page, lexicons, source)
        yield from sexes_left(page, source)
        if source == "female":
            yield from _womens_surnames(page, lexicons)
            yield from _lands(page, changing, lexicons)


def _in_doubt(mention: Mention, source: str) -> bool:
    """Whether an unsure mention may well be a person of the group; a first name rather is not."""
    return mention.form.group == source and mention.form.kind is not Kind.NAME


def _written_as_one(page: AnnotatedText, lexicons: Lexicons, source: str) -> Iterator[int]:
    """ "SarahMiller": a first name and a surname without a blank."""
    for match in _CAMEL.finditer(page.text):
        first, last = match.groups()
        record = lexicons.people.first.record(first)
        plain = record is not None and record.is_no_word and record.gender == source
        if plain and lexicons.people.surnames.background(last):
            yield match.start()


_CAMEL = re.compile(r"(?<![\w@#/.-])([A-Z][a-z]{2,20})([A-Z][a-z]{2,20})(?![\w@/])")


def _second_conditions(page: AnnotatedText, changing: Sequence[Mention]) -> Iterator[int]:
    """ "With schizophrenia and diabetes": the second has no "in a wheelchair and" beside it."""
    words = page.words
    for one in changing:
        after = words.at(one.span.end)
        follow = words.word(after + 1)
        goes_on = one.form.text.startswith("with ") and words.word(after) in ("and", "or", "&")
        if goes_on and follow.isalpha() and follow not in english().closed | english().finite:
            yield words.starts[after + 1]


def _rulers(page: AnnotatedText, lexicons: Lexicons, source: str) -> Iterator[int]:
    """ "Henry VIII" and "Was Elizabeth I a good queen?": names that stay."""
    for match in _RULER.finditer(page.text):
        group = match.lastgroup or ""
        record = lexicons.people.first.record(match[group])
        if record is not None and record.gender == source:
            yield match.start(group)


_RULER = re.compile(
    r"\b(?P<name>[A-Z][a-z]+)(?: Paul)? (?:X{0,2}(?:I{2,3}|IV|VI{1,3}|IX)|X{1,2}I?)\b(?!['.’])"
    r"|\b(?:[Ww]as|[Dd]id|[Ww]ere|[Uu]nder|King|Queen|Pope|Emperor|Tsar) (?P<first>[A-Z][a-z]+) I\b"
)


def _womens_surnames(page: AnnotatedText, lexicons: Lexicons) -> Iterator[int]:
    """ "Ivanova" and "Kaur"."""
    for one in page.people:
        mans = one.form.group == "male" or one.form.kind is not Kind.NAME
        record = None if mans else lexicons.people.first.record(one.form.text)
        endings = _OF_WOMEN.get(record.background) if record is not None else None
        span = surname_after(page.text, one.span.end, lexicons.cues.function) if endings else None
        if endings and span and page.text[span.start : span.end].lower().endswith(endings):
            yield span.start


def _papers(page: AnnotatedText, lexicons: Lexicons, source: str) -> Iterator[int]:
    """ "His German passport", "speaks German": what a person of another country would not have."""
    words = page.words
    told = {one.span.start for one in page.people}
    for at in words.places(lexicons.openers("nationality", source)):
        if words.starts[at] in told:
            continue
        before = words.word(at - 1)
        owns = before in english().possessives or words.word(at - 2) in _HOLDING
        has = owns and words.word(at + 1) in _OF_A_CITIZEN
        if (has or before in _SPEAKING) and words.surface(at)[:1].isupper():
            yield words.starts[at]


_OF_A_CITIZEN = frozenset(
    (
        *("passport", "passports", "citizenship", "visa", "accent", "embassy", "consulate"),
        *("roots", "descent", "heritage", "ancestry", "surname", "parents", "national", "citizen"),
    )
)
_HOLDING = frozenset(("has", "have", "had", "hold", "holds"))
_SPEAKING = frozenset(
    (
        *("speak", "speaks", "spoke", "speaking", "fluent", "know", "knows", "learn", "learns"),
        *("learning", "teach", "teaches", "teaching", "in", "into", "native"),
    )
)


def _lands(page: AnnotatedText, changing: Sequence[Mention], lexicons: Lexicons) -> Iterator[int]:
    """ "France and her allies"."""
    words = page.words
    for at in (words.at(one.span.start) for one in changing if one.form.slot == "possessive"):
        land = words.surface(at - 2)[:1].isupper() and words.word(at - 2) in lexicons.cues.lands
        if land and words.word(at - 1) == "and":
            yield words.starts[at - 2]


_OF_WOMEN = {
    "slavic": ("ova", "eva", "ska", "cka", "skaya"),
    "sikh": ("kaur",),
    "greek": ("poulou",),
}


def _joined_words(
    page: AnnotatedText, lexicons: Lexicons, attribute: str, source: str
) -> Iterator[int]:
    """ "My_wife", "her_card" and "Ms_Smith" outside of code."""
    words = page.words
    code = _Covered([(span.start, span.end) for span in page.found.untouchable])
    for dash in words.places(("_",)):
        for at in (dash - 1, dash + 1):
            joined = words.joined(max(at, dash)) and not code.at(words.starts[at])
            forms = lexicons.forms(words.word(at)) if joined else ()
            if any(
                (form.attribute, form.group) == (attribute, source)
                and form.kind in (Kind.NOUN, Kind.PRONOUN, Kind.TITLE)
                and form.text.lower().rstrip(".") == words.word(at)
                for form in forms
            ):
                yield words.starts[at]
        if words.joined(dash) and not code.at(words.starts[dash]):
            yield from _first_name_before(words, dash, lexicons, source)


def _first_name_before(words: Words, dash: int, lexicons: Lexicons, source: str) -> Iterator[int]:
    """ "Sarah_Miller"."""
    record = lexicons.people.first.record(words.word(dash - 1))
    capitals = words.surface(dash - 1)[:1].isupper() and words.surface(dash + 1)[:1].isupper()
    if record is not None and capitals and record.is_no_word and record.gender == source:
        yield words.starts[dash - 1]


def _double_names(
    page: AnnotatedText, lexicons: Lexicons, attribute: str, source: str
) -> Iterator[int]:
    """ "Frank-Walter" is a man's name; of "queen-size" nothing is said about anyone."""
    words = page.words
    for at, word in enumerate(words.lower):
        if not words.hyphened(at) or not words.surface(at)[:1].isupper():
            continue
        name = lexicons.people.form(word) if words.surface(at + 2)[:1].isupper() else None
        if name is not None and (name.attribute, name.group) == (attribute, source):
            yield words.starts[at]


def _telling_names(
    page: AnnotatedText, telling: frozenset[str], lexicons: Lexicons
) -> Iterator[int]:
    """First names that most often belong to the group: "Jamal" in a text about a Black man."""
    words, mentions = page.words, (*page.people, *page.both)
    covered = _Covered([(one.span.start, one.span.end) for one in mentions])
    for at in words.places(telling):
        record = lexicons.people.first.record(words.lower[at])
        name = record is not None and record.is_no_word
        told = words.surface(at)[:1].isupper() and (name or not words.starts_sentence(at))
        if told and not covered.at(words.starts[at]):
            yield words.starts[at]


def beside_names(
    page: AnnotatedText, changing: Sequence[Mention], lexicons: Lexicons
) -> tuple[str, ...]:
    """Words that would no longer fit somebody whose name tells another race or religion.

    Words for a race, a religion or a nationality, what belongs to the race or the religion that
    the name tells ("mosque"), and a second surname ("Juan López García").
    """
    if not changing:
        return ()
    said = find_shown(page.shown, lexicons, attributes=_OF_NAMES).mentions
    found = [page.text[one.span.start : one.span.end] for one in said]
    for attribute in ("race", "religion"):
        told = (lexicons.people.form(one.form.text, by_name(attribute)) for one in changing)
        for group in sorted({form.group for form in told if form}):
            found += tied_words(page.words, changing, attribute, group, "")
    found += surnames_left(page.words, changing, lexicons)
    return tuple(dict.fromkeys(found))


_OF_NAMES = ("race", "religion", "nationality")


def named_in_code(
    page: AnnotatedText, lexicons: Lexicons, attribute: str, source: str
) -> tuple[str, ...]:
    """What names somebody of the group in code, or in full in quotation marks, as a title may be.

    None of them is ever changed. Pronouns alone name nobody there: they may be names of variables.
    """
    found: list[str] = []
    for span in page.found.untouchable:
        code = page.text[span.start : span.end]
        is_code = code.lstrip().lower().startswith(_CODE)
        if not is_code and not _is_quoted_name(page.text, span, lexicons):
            continue
        alone = ShownText(text=code, written=code, untouchable=())
        told = find_shown(alone, lexicons, attributes=(attribute, by_name(attribute))).mentions
        found += [
            code[one.span.start : one.span.end]
            for one in told
            if one.form.group == source and (one.form.kind in (*NAMES, Kind.TITLE) or one.answers)
        ]
    return tuple(dict.fromkeys(found))


def _is_quoted_name(text: str, span: Span, lexicons: Lexicons) -> bool:
    """Whether a first name and a surname stand there, and nothing announces a title."""
    if text[span.start - 1 : span.start] not in _QUOTES or is_announced(text, span.start):
        return False
    first, *rest = text[span.start : span.end].split()
    record = lexicons.people.first.record(first)
    known = record is not None and record.is_no_word and bool(rest)
    return known and len(rest) < 3 and bool(lexicons.people.surnames.background(rest[-1]))


_QUOTES = ('"', "“", "'", "‘")
_CODE = ("`", "~~~", "<code", "<pre", "<script", "<style")


def couples(pages: Sequence[AnnotatedText], attribute: str) -> tuple[str, ...]:
    """Words of couples in texts about two genders; none for any other attribute."""
    if attribute != "gender":
        return ()
    listed = english().of_couples
    return tuple(sorted(word for page in pages for word in page.words.vocabulary & listed))


class _Covered:
    """Ranges of a text, to ask whether a place lies in one."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        ranges = sorted(ranges)
        self._starts = [start for start, _ in ranges]
        self._ends = [end for _, end in ranges]

    def at(self, place: int) -> bool:
        """Whether this character lies in a range."""
        index = bisect_right(self._starts, place) - 1
        return index >= 0 and place < self._ends[index]
