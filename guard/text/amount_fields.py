"""Amounts in fields: numbers of JSON, and those that stand alone after their name in a line.

The name of a field says what its number is; the currency may stand in another field beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from guard.text.age_names import is_whole_age
from guard.text.amount_kinds import Amount, AmountKind, What
from guard.text.amount_names import FieldName, field_name, name_words, named_amount
from guard.text.amount_words import known, with_digits
from guard.text.decisions import decision
from guard.text.quantities import QUANTITY, is_amount, is_year, middle, money_value, read_quantity
from guard.text.ratings import ratings

_LONGEST_NOTE = 80  # characters of a text beside a number that tell what it is of
_MOST_WORDS = 40  # of such texts
_DEEPEST = 8  # brackets from a number out to its currency
_MOST_OF_TITLE = 5  # words of the name in a line
_LONGEST_TEXT = 40  # characters of a text that is one number

_NUMBER = r"\d{1,18}(?:\.\d{1,18})?(?:[eE][+-]?\d{1,3})?"
_TOKEN = re.compile(
    r"""(?P<quote>["'])(?P<name>[^"'\\\n]{1,80}+)(?P=quote)\s{0,8}:\s{0,8}(?:"""
    rf"""(?P<number>{_NUMBER})(?=\s{{0,8}}(?:[,}}\]\n]|\Z))"""
    r"""|"(?P<text>(?:[^"\\\n]|\\.){0,400}+)"|'(?P<single>(?:[^'\\\n]|\\.){0,400}+)'"""
    rf"""|\[\s{{0,8}}(?P<low>{_NUMBER})\s{{0,8}},\s{{0,8}}(?P<high>{_NUMBER})\s{{0,8}}\]"""
    r"""|(?P<truth>true|false)\b|(?P<begins>[{\[]))?"""
    r"""|"(?:[^"\\\n]|\\.){0,400}+"|(?P<opens>[{\[])|(?P<closes>[}\]])"""
)
_HAS_FIELD = re.compile(r"""["']\s{0,8}:""")
_IS_DATA = re.compile(r"\A\s*(?:```\w*\s*)?[{\[]|```json\b")
_LINE = re.compile(
    r"^[ \t|>*•#-]{0,8}+(?:\d{1,3}[.)]\s)?[*_`\"]{0,3}(?P<name>[a-z][\w ()/-]{1,40}?)[*_`\"]{0,3}"
    r"[ \t]?[:|][ \t]{0,4}[*_`\"\[(]{0,3}[ \t]{0,4}(?:[✅❌☑✔✖✗✘👍👎🟢🔴]\ufe0f?\s?)?"
    r"(?P<text>[\da-z][^\n|*_`\[\]()]{0,30}?)"
    r"[*_`\"\])]{0,3}[ \t]{0,3}(?:\([^\n()]{0,60}\)[*_]{0,3})?"
    r"[|,.]?[ \t]{0,3}$",
    re.MULTILINE | re.IGNORECASE,
)
_ELEMENT = re.compile(
    r"<(?P<name>[a-z]\w{1,40}+)>\s{0,3}(?P<text>[\da-z][^<\n]{0,30})</(?P=name)>", re.IGNORECASE
)
_WORD = re.compile(r"[a-z]+")
_RATE = re.compile(
    r"\s?(?:(?:/|per\s|an?\s)\s?(?:year|yr|annum|month|mo|week|day|hour|hr)\.?|p\.?a\.?"
    r"|(?:annually|yearly|monthly|weekly|hourly)|(?:gross|net))?\s*"
)


_Found: TypeAlias = tuple[Amount | None, tuple[int, int]]
"""An amount, or an age, which is none, with its place."""


class _Scope:
    """An object or list of JSON: its name, where it is, and what its texts say."""

    def __init__(self, name: str = "", outer: _Scope | None = None) -> None:
        self.name: str = name or (outer.name if outer else "")
        self.words: set[str] = set()
        self._outer = outer
        self._currency = ""

    def take_text(self, name: str, said: str) -> None:
        """A text beside its numbers."""
        plain = said.lower()
        if "currency" in name.lower():
            self._currency = known().currencies.get(plain.strip(), "")
        elif len(said) <= _LONGEST_NOTE and len(self.words) < _MOST_WORDS:
            self.words.update(_WORD.findall(plain))

    def currency(self) -> str:
        """Its own, or that of what it is in."""
        scope: _Scope | None = self
        for _ in range(_DEEPEST):
            if scope is None or scope._currency:
                break
            scope = scope._outer
        return scope._currency if scope else ""

    def outside(self) -> _Scope:
        """What it is in; itself where nothing is around it."""
        return self._outer or self


@dataclass(frozen=True, slots=True, kw_only=True)
class _Field:
    """said: the number, or the text that may be one; value: None of a text."""

    name: str
    said: str
    value: float | None
    scope: _Scope
    span: tuple[int, int]


def field_amounts(text: str) -> tuple[tuple[Amount, ...], str]:
    """The amounts of fields, and the text with blanks in their places and in those of ages."""
    found = list(_of_data(text)) if _HAS_FIELD.search(text) else []
    rest = _without(text, [span for _, span in found])
    lines = list(_of_lines(rest))
    told = tuple(one for one, _ in (*found, *lines) if one is not None)
    return told, _without(rest, [span for _, span in lines])


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    pieces, at = [], 0
    for start, end in spans:
        pieces += [text[at:start], " " * (end - start)]
        at = end
    return "".join((*pieces, text[at:]))


def _of_data(text: str) -> Iterator[_Found]:
    is_data = _IS_DATA.search(text) is not None
    for one in list(_fields(text)):  # a currency may come after its sum
        name = field_name(one.name, outer=one.scope.name)
        what = _what(one, name)
        is_told = is_data or (what is not None and name.is_known)
        if is_told and what is not None and is_amount(what):
            yield _amount(name, what, one.scope), one.span
        elif name.is_age and _is_age(one.said):
            yield None, one.span


def _fields(text: str) -> Iterator[_Field]:
    scope = _Scope()
    for token in _TOKEN.finditer(text):
        if token["closes"]:
            scope = scope.outside()
        elif token["opens"] or token["begins"]:
            scope = _Scope(token["name"] or "", scope)
        elif token["number"] or token["low"]:
            yield _of_numbers(token, scope)
        elif token["name"] and (said := token["text"] or token["single"] or token["truth"]):
            yield _Field(name=token["name"], said=said, value=None, scope=scope, span=token.span())
            if not token["truth"]:
                scope.take_text(token["name"], said)


def _of_numbers(token: re.Match[str], scope: _Scope) -> _Field:
    """Of a number, or of a list of two, which is a range."""
    low, high = token["number"] or token["low"], token["number"] or token["high"]
    value = (float(low) + float(high)) / 2
    return _Field(name=token["name"], said=low, value=value, scope=scope, span=token.span())


def _amount(name: FieldName, what: What, scope: _Scope) -> Amount:
    kind, value, unit = what
    clause = frozenset(name.words)
    context = clause.union(name_words(scope.name), scope.words - known().no_content)
    return Amount(kind=kind, value=value, unit=unit, clause=clause, context=context)


def _what(one: _Field, name: FieldName) -> What | None:
    if one.value is not None:
        value = one.value
        return named_amount(name, value, one.scope.currency(), is_year=is_year(one.said))
    return _of_text(one.said, name, one.scope.currency())


def _of_text(said: str, name: FieldName, currency: str) -> What | None:
    """Of a text that is one number: by its unit, or by the name of its field; or a decision."""
    if decided := decision(name.words, said):
        return decided
    if len(said) > _LONGEST_TEXT or (name.is_identifier and not name.is_age_of_thing):
        return None
    title = f"score {' '.join(name.words)}: "  # in a field "4/5" is one
    text = title + with_digits(said.lower()).strip()
    for match, what in ratings(text):
        return what if match.start() == len(title) else None
    found = list(QUANTITY.finditer(text, len(title)))
    if len(found) != 1 or found[0].start() != len(title):
        return None
    return read_quantity(text, found[0]) or _of_bare(text, found[0], name, currency)


def _of_bare(text: str, match: re.Match[str], name: FieldName, currency: str) -> What | None:
    """Of a number without a unit: what its name says."""
    if not _RATE.fullmatch(text, match.end()):
        return None
    what = named_amount(name, middle(match), currency, is_year=is_year(match["low"]))
    if what is None or what[0] is not AmountKind.MONEY:
        return what
    return AmountKind.MONEY, money_value(text, match, what[2]), what[2]


def _is_title(name: FieldName) -> bool:
    is_named = name.is_known or name.role == "own_numbers" or name.words[-1:] == ("rate",)
    return is_named and len(name.words) <= _MOST_OF_TITLE


def _of_lines(text: str) -> Iterator[_Found]:
    """Of lines that are a name and a number or a decision alone, and of elements."""
    found = (*_LINE.finditer(text), *(_ELEMENT.finditer(text) if "</" in text else ()))
    for line in sorted(found, key=lambda one: one.start()):
        name = field_name(line["name"])
        what = decision(name.words, line["text"]) or _of_line(name, line["text"])
        if what is not None and is_amount(what):
            yield _amount(name, what, _Scope()), line.span()
        elif name.is_age and _is_age(line["text"]):
            yield None, (line.start(), line.end("text"))  # a note behind it may name a sum


def _is_age(said: str) -> bool:
    """Whether the value of a field for ages is one, and neither money nor a rating."""
    return len(said) <= _LONGEST_TEXT and is_whole_age(with_digits(said.lower()))


def _of_line(name: FieldName, text: str) -> What | None:
    said = with_digits(text.lower()).strip()
    match = QUANTITY.match(said)
    if match is None or not _is_title(name) or read_quantity(said, match) is not None:
        return None
    return _of_bare(said, match, name, "")
