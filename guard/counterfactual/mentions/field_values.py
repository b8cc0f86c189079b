"""Words that are all a field of a record says of somebody: "Race: Black", `"sex": "female"`.

Around them stands nothing that tells whether people are meant; the field's name does. Lists of
what may be answered ("male|female", "Christian, Muslim or other") are nobody's.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from guard.counterfactual.english.words import word_set
from guard.counterfactual.lexicons.forms import Form, Kind
from guard.counterfactual.lexicons.index import Lexicons
from guard.counterfactual.mentions.letters import is_letter, letter_form
from guard.counterfactual.sex_letters import GENDER
from guard.counterfactual.tokens import first_word

_NAMES: Final = {
    GENDER: ("gender", "sex"),
    "race": ("race", "ethnicity", "ethnic", "racial"),
    "religion": ("religion", "religious", "faith", "denomination"),
    "nationality": ("nationality", "citizenship", "national[ _-]?origin", "national[ _-]?identity"),
    "orientation": ("orientation", "sexuality"),
    "disability": ("disability", "disabilities", "impairment"),
    "age": ("age",),
}
"""What the fields of an attribute are called, besides the attribute's own name."""
_MORE: Final = (
    "group|range|band|bracket|background|origin|identity|status|affiliation|category|class"
    "|orientation|assigned|at birth|ethnicity|race|gender|sex|nationality|citizenship|code"
    "|of[ _](?:the[ _])?(?:applicant|patient|customer|client|person|user|employee|candidate|tenant)"
)
_REST: Final = 100  # characters after a value that may go on with other answers
_BEFORE: Final = 80  # characters before a name that say whose field it is
_COMPARED: Final = word_set("where and or if when elif case on having not filter by")
_NO_PERSON: Final = word_set(
    "voice speaker connector plug socket port thread adapter cable grammatical noun same opposite"
)
_LABEL_AHEAD: Final = (
    r"[\"'*]{0,3}(?:[A-Z][\w '’/()-]{0,30}[\"'*]{0,3}[ \t]?[:=]|[A-Za-z]\w{0,30}[ \t]?=)"
)
_END: Final = (
    rf"(?=[ \t]{{0,8}}(?:\Z|[\n,;|}}\])<&]|\.(?!\w))|(?:[ \t][/&|–—-])?[ \t]{{1,8}}{_LABEL_AHEAD})"
)
_END_IN_PROSE: Final = (
    r"(?=[ \t](?:and|with|who|but|as|since|at)\b|[ \t]\([^\W\d]|[!?](?:\s|\Z)"
    r"|[ \t][/|][ \t]\w{1,30}[ \t]?[:=])"
)
_ESCAPED: Final = r"\\u[0-9a-fA-F]{4}"  # of JSON that is written in ASCII
_VALUE: Final = (
    rf"(?P<value>[^\W\d_](?:(?:[\w'’ +/-]|{_ESCAPED}){{0,38}}?(?:[\w+]|{_ESCAPED}))?"
    r"(?: ?\([\w '-]{1,30}\))?)"
)
_VALUES: Final = (
    *(
        re.compile(pattern + _END)
        for pattern in (
            rf"[\"'“‘*_]{{1,3}}{_VALUE}[\"'”’*_]{{1,3}}",
            rf"\[\s?[\"'“‘]{_VALUE}[\"'”’]\s?\]",
            rf"[(\[]{_VALUE}[)\]]",
            _VALUE,
        )
    ),
    re.compile(_VALUE + _END_IN_PROSE),
)
_SEPARATOR: Final = (
    r"(?: ?\([^()\n]{1,30}\))?[\"'”’*_`\]]{0,3}[ \t]{0,8}"
    r"(?P<mark>:(?![:/])|=>|=(?![=>~])|\||\t|(?<=[ \t])(?:[–—-]|is)(?=[ \t]))"
    r"(?:[ \t]{0,8}[*_]{1,2}(?=[ \t\n]))?(?:(?<=[:*_])\s{1,8}|[ \t]{0,8})(?!\s)"
)
_GOES_ON: Final = re.compile(r"[:=\n{}]|[.!?](?:\s|\Z)")
_OPEN_ENDED: Final = re.compile(
    r"\bor\b|[,;|/][ \t]{0,3}[\"']?(?:others?|none|unknown|undisclosed|unspecified|n/a|etc|diverse"
    r"|prefer not)\b",
    re.IGNORECASE,
)
_LETTER: Final = re.compile(r"\b[fmwdx]\b")
_ALTERNATIVES: Final = re.compile(r" or |/|[()]")
_ESCAPE: Final = re.compile(_ESCAPED)
_WORD: Final = re.compile(r"[^\W_]+")


class FieldValue(NamedTuple):
    """`text[start:end]` is all that is said of somebody, by a field or within a sentence."""

    start: int
    end: int
    form: Form
    in_field: bool = True


def field_values(
    text: str, lexicons: Lexicons, attributes: Collection[str]
) -> Iterator[FieldValue]:
    """The values of the fields of these attributes, in time linear in the text."""
    for attribute in attributes:
        for match in _named(attribute).field.finditer(text):
            found = _value(text, match, lexicons, attribute)
            if found is not None:
                yield found


def with_fields(text: str, attributes: Collection[str]) -> list[str]:
    """Those of the attributes that a field of the text may be called by."""
    small = text.lower()
    return [one for one in attributes if any(map(small.__contains__, _named(one).hints))]


def names_field(attribute: str, words: str) -> bool:
    """Whether the words are the name of a field of the attribute, or end with one."""
    match = _named(attribute).name.search(words)
    return match is not None and not words[match.end() :].strip(" \"'*_)]")


def answer(written: str, lexicons: Lexicons, attribute: str) -> Form | None:
    """The form that the words are, as a whole; of several an adjective.

    Of two words for one group ("Black or African American") the first.
    """
    if attribute == GENDER and len(written) == 1:
        return letter_form(written)
    plain = (
        _ESCAPE.sub(lambda one: chr(int(one[0][2:], 16)), written) if "\\" in written else written
    )
    parts = _ALTERNATIVES.split(plain.lower().replace("’", "'"))
    forms = [_form(part.strip(), lexicons, attribute) for part in parts if part.strip()]
    groups = {form.group if form else "" for form in forms}
    return forms[0] if len(groups) == 1 else None


def _form(text: str, lexicons: Lexicons, attribute: str) -> Form | None:
    same = [
        form
        for form in lexicons.forms(first_word(text))
        if form.attribute == attribute and form.text.lower() == text and _is_of_one(form)
    ]
    return next((one for one in same if one.kind is Kind.ADJECTIVE), same[0] if same else None)


def _is_of_one(form: Form) -> bool:
    return form.kind in (Kind.ADJECTIVE, Kind.NOUN) and form.slot != "pl" and not form.generic


class _FieldNames(NamedTuple):
    """The fields of one attribute: one of the hints is in every text that has one."""

    hints: tuple[str, ...]
    field: re.Pattern[str]
    name: re.Pattern[str]


@lru_cache(maxsize=64)
def _named(attribute: str) -> _FieldNames:
    own = re.escape(attribute.lower()).replace("_", "[ _-]?")
    names = dict.fromkeys((*_NAMES.get(attribute, ()), own))
    edge = r"(?:(?<![^\W_])|(?<=[a-z])(?=[A-Z]))"
    name = rf"{edge}(?i:{'|'.join(names)})(?:[ _/&-]{{0,3}}(?i:{_MORE})){{0,3}}(?![^\W_])"
    hints = tuple(re.split(r"\W", one)[0] for one in names)
    return _FieldNames(hints, re.compile(name + _SEPARATOR), re.compile(name))


def _value(
    text: str, field: re.Match[str], lexicons: Lexicons, attribute: str
) -> FieldValue | None:
    if _is_of_nobody(text, field):
        return None
    for pattern in _VALUES:
        match = pattern.match(text, field.end())
        form = answer(match["value"], lexicons, attribute) if match else None
        if match and form is not None:
            several = one_of_several(_rest(text, field, match), form, lexicons)
            return None if several else FieldValue(*match.span("value"), form)
    return None


def _is_of_nobody(text: str, field: re.Match[str]) -> bool:
    """Whether it is a condition ("WHERE sex = 'male'") or of no person ("voice gender: male").

    Nor is the argument of a call: `partner("Mary", gender="female")`.
    """
    line = text[max(0, field.start() - _BEFORE) : field.start()].rpartition("\n")[2]
    before = _WORD.findall(line.lower())[-1:]
    if field["mark"] == "=":
        quoted = text.startswith(('"', "'"), field.end())
        called = quoted and line.count("(") > line.count(")")
        if called or line.endswith(".") or not _COMPARED.isdisjoint(before):
            return True
    begins = line.rstrip()[-1:] in ("", *";|*•>-")
    dash = field["mark"] in "-–—" and not begins
    return dash or not _NO_PERSON.isdisjoint(before)


def _rest(text: str, field: re.Match[str], value: re.Match[str]) -> str:
    """What follows the value."""
    rest = text[value.end() : value.end() + _REST]
    lines = "\n" in text[field.end("mark") : field.end()]
    return rest.replace("\n", ",", 1) if lines else rest  # answers may stand line by line


def one_of_several(rest: str, form: Form, lexicons: Lexicons) -> bool:
    """Whether other answers follow: it is one of those that may be given, or one of many."""
    rest = _GOES_ON.split(rest, maxsplit=1)[0].lower()
    if _OPEN_ENDED.search(rest) or (is_letter(form) and _LETTER.search(rest)):
        return True
    return any(
        (other.attribute, other.sense) == (form.attribute, form.sense)
        and other.group != form.group
        and not other.generic
        and other.text.lower() in rest
        for word in _WORD.findall(rest)
        for other in lexicons.forms(word)
    )
