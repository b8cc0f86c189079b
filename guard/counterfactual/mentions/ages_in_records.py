"""Where a record or a summary repeats an age that a conversation tells, in years or by its field:
"Patient: 72 years, male", "Maria (72 yrs)", `{"age_years": 72}`, a column "Age".

A number of years is an age where a person, a sex or a field for ages stands beside it, and between
commas or in brackets where no word before it is of something that lasts ("the loan term (30
years)").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final

from guard.counterfactual.english.ages import NUMBER, age_in
from guard.counterfactual.english.words import word_set
from guard.records import Span
from guard.text.age_names import names_age
from guard.text.amount_names import name_words

_AGE = rf"(?<![\w$€£¥₹#.-])(?P<age>{NUMBER})"
_YEARS = (
    r"[\s-]?(?:years?|yrs?\b\.?)"
    r"(?![\w/]|\s(?:(?:of|in|at|as|with|into|away|from|ago|later?|behind|ahead|long|on|for|to|until"
    r"|experience|terms?|loans?|mortgages?|contracts?|leases?)\b(?!\sage\b)))"
)
_SEX = r"(?:male|female|man|woman|gentleman|lady|(?-i:[MFmf]))\b"
_LINK = r"[\"'*_`]{0,3}\s?(?:[:,|(]|(?<=\s)[-–—]|\bof\b)\s{0,2}[\"'*_`(]{0,3}"
_RECORD = r"(?:profile|details|information|info|summary|data|record|file)"
_COPULA = (
    r"(?:(?P<short>['’](?:m|s|re))|(?P<said>\s(?:am|is|was|are|were)))"
    r"(?:\s(?:now|already|just|only|about|almost|currently))?"
)
_BESIDE_PERSON = re.compile(
    rf"\b(?P<who>[^\W\d_]{{1,20}})(?:(?:\s{_RECORD})?{_LINK}|{_COPULA}\s){_AGE}{_YEARS}",
    re.IGNORECASE,
)
_BESIDE_SEX = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_AGE}{_YEARS}[\s,/;|-]{{1,3}}{_SEX}",
        rf"\b{_SEX}[\s,/;|]{{1,3}}{_AGE}{_YEARS}",
        rf"{_AGE}\s?(?:y\.?o\.?|y/o|y)?[\s/]?(?-i:[MF])(?=[.,;:)\]\n]|\s(?:with|who|has|had)\b|\Z)",
    )
)
_APART = re.compile(rf"(?<=\w)(?:,|\s\()\s?{_AGE}{_YEARS}(?=[,.;)])", re.IGNORECASE)
_BESIDE_FIELD = re.compile(
    r"(?:(?<![a-z])age|(?-i:(?<=[a-z])Age))s?(?P<rest>[\w ()/'’-]{0,40}?)[\"'*_`)\]]{0,4}\s?"
    rf"(?:[:=|>,]|(?<=\s)[-–—])\s{{0,3}}[\"'*_`(\[]{{0,4}}(?<!\d)(?P<age>{NUMBER})(?![\w%]|[.,]\d)",
    re.IGNORECASE,
)
_PRONOUNS = word_set("i you he she who someone")
_NOUNS = word_set("male female client applicant borrower claimant")
_WORD = re.compile(r"[a-z]+")
_NEAR = 40  # characters before a number whose words say what lasts so long
_LASTING = word_set(
    "term terms period duration lease tenure tenor tenancy experience service contract warranty"
    " guarantee sentence repayment repaid amortization amortisation horizon over within"
)
_LENT = word_set(
    "loan loans mortgage mortgages plan plans fixed maturity membership employment career policy"
    " bond deposit coverage"
)
_OF_WHOM = re.compile(r"\b(?:for|of|to|by|with|from)(?:\s(?:the|an?|this|our|your|my))?\s\Z")
_BREAK = re.compile(r"[.!?;]\s|\n")
_LONGEST: Final = 40  # characters of the name of a column
_MARKS: Final = ("|", "\t", ",", ";")
_CELL = re.compile(
    rf"\s*[\"'*_`]{{0,3}}(?P<age>{NUMBER})(?:{_YEARS})?[\"'*_`]{{0,3}}\s*", re.IGNORECASE
)
_ANSWER = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\A[\s*_`\"'\[(]{{0,6}}(?P<age>{NUMBER})(?:[\s-]?(?:years?|yrs?))?[\s*_`\"'\])}}.!]{{0,6}}\Z",
        r"(?:\A|[\n{,])\s{0,8}[\"'*_]{0,3}(?:(?:the|final)\s){0,2}answer[\"'*_]{0,3}(?::|\sis)"
        rf"[\s\"'*_]{{0,4}}{_AGE}(?:[\s-]?(?:years?|yrs?))?(?=[\s\"'*_}}]{{0,4}}(?:[,}}\n]|\.?\s*\Z))",
        rf"\bborn\s(?:(?:about|some|around|almost|nearly)\s)?{_AGE}(?=[\s-]years?\sago\b)",
    )
)


def ages_in_records(
    text: str, ages: Collection[int], is_person: Callable[[str], bool]
) -> Iterator[Span]:
    """Where these ages stand again so, in no order.

    ages: in years. is_person: whether a word in small letters is a noun for persons.
    """
    known = {age for age in ages if age}
    for match in _matches(text, is_person) if known else ():
        if age_in(match["age"].lower()) in known:
            yield Span(start=match.start("age"), end=match.end("age"))


def _matches(text: str, is_person: Callable[[str], bool]) -> Iterator[re.Match[str]]:
    for match in _BESIDE_PERSON.finditer(text):
        who = match["who"].lower()
        is_noun = not match["short"] and (who in _NOUNS or is_person(who))
        if match["said"] and _OF_WHOM.search(text[max(match.start() - _NEAR, 0) : match.start()]):
            continue  # "the wait for the patient is"
        if who in _PRONOUNS or (is_noun and _LASTING.isdisjoint(_words_before(match))):
            yield match
    for pattern in (*_BESIDE_SEX, *_ANSWER):
        yield from pattern.finditer(text)
    for match in _APART.finditer(text):
        if (_LASTING | _LENT).isdisjoint(_words_before(match)):
            yield match
    if "age" in text.lower():
        yield from _of_fields(text)


def _words_before(match: re.Match[str]) -> Sequence[str]:
    """The last words of its sentence before it, in small letters."""
    before = match.string[max(match.start() - _NEAR, 0) : match.start()]
    return _WORD.findall(_BREAK.split(before)[-1].lower())


def _of_fields(text: str) -> Iterator[re.Match[str]]:
    for match in _BESIDE_FIELD.finditer(text):
        if names_age(("age", *name_words(match["rest"]))):
            yield match
    yield from _of_columns(text)


def _of_columns(text: str) -> Iterator[re.Match[str]]:
    """The cells of tables below a name for ages."""
    mark, columns, cells, start = "", frozenset[int](), 0, 0
    for line in text.split("\n"):
        row = line.split(mark) if mark else []
        if len(row) != cells or not mark:
            mark, row, columns = _header(line)
            cells = len(row)
        elif columns:
            yield from _cells(text, start, row, columns)
        start += len(line) + 1


def _header(line: str) -> tuple[str, list[str], frozenset[int]]:
    """What parts its cells, these, and the numbers of those that name an age."""
    mark = next((one for one in _MARKS if one in line), "")
    names = line.split(mark) if mark else []
    if any(len(name) > _LONGEST for name in names):
        return "", [], frozenset()
    columns = frozenset(at for at, name in enumerate(names) if names_age(name_words(name)))
    return (mark, names, columns) if columns else ("", [], columns)


def _cells(
    text: str, start: int, row: list[str], columns: frozenset[int]
) -> Iterator[re.Match[str]]:
    for number, cell in enumerate(row):
        found = _CELL.fullmatch(text, start, start + len(cell)) if number in columns else None
        if found is not None:
            yield found
        start += len(cell) + 1
