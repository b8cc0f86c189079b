"""Where a record or a summary repeats an age that a conversation tells, in years or by its field:
"Patient: 72 years, male", "Maria (72 yrs)", `{"age_years": 72}`, a column "Age".

A number of years is an age where a person, a sex or a field for ages stands beside it, and no word
before it is of something that lasts ("the loan term of the client (30 years)").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final

from guard.counterfactual.english.ages import NUMBER, age_in
from guard.counterfactual.english.words import word_set
from guard.records import Span
from guard.text.age_names import begins_clause, has_other_unit, is_of_other, names_age
from guard.text.amount_names import name_words

_AGE = rf"(?<![\w$€£¥₹#.-])(?P<age>{NUMBER})"
_YEARS = (
    r"[\s-]?(?:years?|yrs?\b\.?)"
    r"(?![\w/]|\s(?:(?:of|in|at|as|with|into|away|from|ago|later?|behind|ahead|long|on|for|to|until"
    r"|experience|terms?|loans?|mortgages?|contracts?|leases?)\b(?!\sage\b)))"
)
_SEX = r"(?:male|female|man|woman|gentleman|lady|(?-i:[MFmf]))\b"
_LINK = r"[\"'*_`]{0,3}\s?(?:[:,|(]|(?<=\s)[-–—]|(?P<of>\bof\b))\s{0,2}[\"'*_`(]{0,3}"
_RECORD = r"(?:profile|details|information|info|summary|data|record|file)"
_COPULA = (
    r"(?:(?P<short>['’](?:m|s|re))|(?P<said>\s(?:am|is|was|are|were)))"
    r"(?:\s(?:now|already|just|only|about|almost|currently))?"
)
_BESIDE_PERSON = re.compile(
    rf"\b(?P<who>[^\W\d_]{{1,20}})(?:(?:\s{_RECORD})?(?P<link>{_LINK})|{_COPULA}\s)"
    rf"{_AGE}{_YEARS}",
    re.IGNORECASE,
)
_ENDS_ENTRY = re.compile(
    r"[\s\"'*_`}]{0,4}(?:\Z|[\n.,;:)\]|/–—-]|(?:and|but|old|male|female|man|woman|who|with|has|is|wants"
    r"|asks|married|single|retired)\b)",
    re.IGNORECASE,
)
_DETERMINED = re.compile(r"(?:\b(?:the|an?|this|our|your|my)\s(?:[a-z]+\s)?)?\Z")
_SEX_ENDS = r"(?=[.,;:)\]\n]|\s(?:with|who|has|had)\b|\Z)"
_WITH_LETTER = re.compile(
    rf"(?:\A|[\n>|]\s{{0,3}}[*_•-]{{0,2}}\s?|[.!?]\s|\b(?P<who>[^\W\d_]{{1,20}})[\s,:(]{{1,2}})"
    rf"{_AGE}(?P<apart>\s?)(?-i:[MF]){_SEX_ENDS}",
    re.IGNORECASE,
)
_COMPLAINT = re.compile(r",\s[^\W\d]|\s(?:with|who|has|had)\b")
_NO_SEX = re.compile(
    r"[$€£₹¥%°]|\b(?:budgets?|revenues?|rais\w+|fund\w*|spen[dt]\w*|sales|profits?|costs?|prices?"
    r"|capital|million|valuation|earn\w*|loss|debt|degrees?|temperature|weather|oven|heat|bake|bits?"
    r"|users|downloads|sunny|rainy|cloudy|windy|up|down)\b",
    re.IGNORECASE,
)
_BESIDE_SEX = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_AGE}{_YEARS}[\s,/;|-]{{1,3}}{_SEX}",
        rf"\b{_SEX}[\s,/;|]{{1,3}}{_AGE}{_YEARS}",
        rf"{_AGE}\s?(?:y\.?o\.?|y/o|y)[\s/]?(?-i:[MF]){_SEX_ENDS}",
    )
)
_APART = re.compile(
    r"(?:\b(?P<first>[^\W\d_]{1,20}(?:\s[^\W\d_]\.?)?\s|(?:[^\W\d_]|[md]rs?|ms)\.\s))?"
    rf"\b(?P<who>[^\W\d_]{{1,20}}|person_\d)(?:,|\s\()\s?{_AGE}{_YEARS}(?=[,.;)])",
    re.IGNORECASE,
)
_BESIDE_FIELD = re.compile(
    r"(?:(?<![a-z])age|(?-i:(?<=[a-z])Age))s?(?P<rest>(?!\s?\d)[\w ()/'’-]{0,40}?)"
    r"[\"'*_`)\]]{0,4}\s?"
    rf"(?:[:=|>,]|(?<=\s)[-–—])\s{{0,3}}[\"'*_`(\[]{{0,4}}(?<!\d)(?P<age>{NUMBER})(?![\w%]|[.,]\d)",
    re.IGNORECASE,
)
_SUBJECTS = word_set("i he she")
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
_FOR_WHOM = re.compile(r"\b(?:for|to|by|with|from|on|against)\s\Z")
_OF_RECORD = re.compile(rf"\b{_RECORD}\s(?:for|on|from)\s\Z")
_BY_AGE = re.compile(r"\b(?:by|for|per|with)\s\Z")
_LONGEST_UNIT: Final = 24  # characters behind a number that tell what it measures
_BREAK = re.compile(r"[.!?;]\s|\n")
_LONGEST: Final = 40  # characters of the name of a column
_MOST_OF_CELL: Final = 3  # words of the first one of a row
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
    text: str,
    ages: Collection[int],
    is_person: Callable[[str], bool],
    is_name: Callable[[str], bool],
) -> Iterator[Span]:
    """Where these ages stand again so, in no order.

    ages: in years. is_person: whether a word in small letters is a noun for persons; is_name:
    whether a word is rather somebody's name.
    """
    known = {age for age in ages if age}
    for match in _matches(text, is_person, is_name) if known else ():
        if age_in(match["age"].lower()) in known:
            yield Span(start=match.start("age"), end=match.end("age"))


def _matches(
    text: str, is_person: Callable[[str], bool], is_name: Callable[[str], bool]
) -> Iterator[re.Match[str]]:
    def is_somebody(who: str) -> bool:
        word = who.lower()
        return word in _NOUNS or word.startswith("person_") or is_person(word) or is_name(who)

    yield from (one for one in _BESIDE_PERSON.finditer(text) if _is_of_person(one, is_person))
    for pattern in (*_BESIDE_SEX, *_ANSWER):
        yield from pattern.finditer(text)
    yield from (one for one in _WITH_LETTER.finditer(text) if _is_sex(one, is_somebody))
    yield from (one for one in _APART.finditer(text) if _is_apart(one, is_somebody))
    if "age" in text.lower():
        yield from _of_fields(text)


def _is_of_person(match: re.Match[str], is_person: Callable[[str], bool]) -> bool:
    who = match["who"].lower()
    is_noun = not match["short"] and (who in _NOUNS or is_person(who))
    is_lasting = is_noun and not _LASTING.isdisjoint(_words_before(match))
    if who not in _PRONOUNS and (is_lasting or not is_noun):
        return False
    if match["link"] is None:
        return who in _SUBJECTS or begins_clause(_before_person(match))
    is_entry = _ENDS_ENTRY.match(match.string, match.end()) is not None and not _is_for(match)
    return match["of"] is not None or is_entry


def _is_apart(match: re.Match[str], is_somebody: Callable[[str], bool]) -> bool:
    """Of "retiree, 72 years,", "Maria Lopez (72 years)", "M. Lopez (72 years)"."""
    if not (_LASTING | _LENT).isdisjoint(_words_before(match)) or _is_for(match):
        return False
    first = (match["first"] or "").split()
    is_named = match["who"][0].isupper() and bool(first)
    has_name = is_named and (first[-1].endswith(".") or is_somebody(first[0]))
    return has_name or is_somebody(match["who"])


def _before_person(match: re.Match[str]) -> str:
    """What stands before the words for a person, in small letters."""
    before = match.string[max(match.start() - _NEAR, 0) : match.start("who")].lower()
    found = _DETERMINED.search(before)
    return before[: found.start()] if found else before


def _is_for(match: re.Match[str]) -> bool:
    """Of "for this client: 30 years", not of "summary for the patient: 72 years"."""
    before = _before_person(match)
    return bool(_FOR_WHOM.search(before)) and not _OF_RECORD.search(before)


def _is_sex(match: re.Match[str], is_somebody: Callable[[str], bool]) -> bool:
    """Whether "72M" is a man of 72, not a sum of 72 million, nor "72 F" degrees."""
    text, start, end = match.string, match.start("age"), match.end()
    line = text[max(start - _NEAR, 0) : start].split("\n")[-1]
    if _NO_SEX.search(line + text[end : end + _NEAR].split("\n")[0]):
        return False
    if match["who"] and is_somebody(match["who"]):
        return True
    is_first = match["who"] is None or match["who"].lower() in {"a", "an", "this"}
    complaint = _COMPLAINT.match(text, end) if is_first else None
    return complaint is not None and not (match["apart"] and complaint[0].startswith(","))


def _words_before(match: re.Match[str]) -> Sequence[str]:
    """The last words of its sentence before it, in small letters."""
    before = match.string[max(match.start() - _NEAR, 0) : match.start()]
    return _WORD.findall(_BREAK.split(before)[-1].lower())


def _of_fields(text: str) -> Iterator[re.Match[str]]:
    for match in _BESIDE_FIELD.finditer(text):
        unit = text[match.end() : match.end() + _LONGEST_UNIT].lower()
        if _is_field_of_age(match) and not has_other_unit(unit, 0):
            yield match
    yield from _of_columns(text)


def _is_field_of_age(match: re.Match[str]) -> bool:
    """Not of "account age", "score by age", "premium at this age"."""
    before = match.string[max(match.start() - _NEAR, 0) : match.start()].lower()
    is_other = is_of_other(before) or _BY_AGE.search(before) is not None
    return not is_other and names_age(("age", *name_words(match["rest"])))


def _of_columns(text: str) -> Iterator[re.Match[str]]:
    """The cells of tables below a name for ages."""
    mark, columns, cells, start = "", frozenset[int](), 0, 0
    for line in text.split("\n"):
        row = line.split(mark) if mark else []
        if len(row) != cells or not mark or _is_sentence(mark, row):
            mark, row, columns = _header(line)
            cells = len(row)
        elif columns:
            yield from _cells(text, start, row, columns)
        start += len(line) + 1


def _is_sentence(mark: str, row: Sequence[str]) -> bool:
    """Whether a line with as many commas as the rows of a table is rather no row of it."""
    return mark in {",", ";"} and len(row[0].split()) > _MOST_OF_CELL


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
