"""Ranges in which no word is ever a mention: addresses, code, tags, quoted titles.

Every pattern is bounded, so that the time is linear in the text whatever it holds.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from guard.counterfactual.english.words import word_set
from guard.records import Span

_ADDRESS = re.compile(
    r"(?<![\w@])(?:[a-z][a-z0-9+.]{1,12}://|www\.|mailto:|tel:)[^\s<>\"'`]++"
    r"|(?<![\w.+%-])[\w.+%-]{1,64}+@[\w-]{1,63}+(?:\.[\w-]{1,63}+){1,8}"
    r"|(?<![\w.@-])(?:[\w-]{1,63}\.){1,6}"
    r"(?:com|org|net|edu|gov|io|ai|co|uk|de|info|biz|dev|app|html?|php|py|js|ts|java|c|cpp|h|go|rs"
    r"|rb|sh|css|json|ya?ml|xml|csv|tsv|txt|md|pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|svg|mp[34]|zip)"
    r"(?![\w-])(?:/[^\s<>\"'`]*+)?"
    r"|(?<!\w)[@#][\w][\w.-]{0,63}"
    r"|(?<![\w/.~])(?!\\n(?-i:[A-Z])|(?<=[,;!?)\]])\\n)"
    r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\][\w.-]{1,128}(?:[/\\][\w.-]{0,128}){0,40}",
    re.IGNORECASE,
)
# What an address holds, and hardly any other text.
_ADDRESS_MARKS = ("@", "#", "/", "\\", "www.")
_COLON, _DOT = re.compile(r":\S"), re.compile(r"\.\d*[^\W\d_]")
_QUOTES, _QUOTE = ('"', "“", "«", "*", "_", "‘", "<"), re.compile(r"'(?<!\w')")
_TAG = re.compile(r"<(?:[a-z/!?])[^<>]{0,400}>", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]{0,3}(```+|~~~+)", re.MULTILINE)
_DATA = re.compile(
    r"(?:```+|~~~+)[ \t]*(?:(?:json[c5]?|ya?ml|csv|tsv|te?xt|plaintext)[ \t]*(?=\r?\n)"
    r"|\r?\n\s{0,40}[\[{]\s{0,40}[\[{\"])",
    re.IGNORECASE,
)
_INLINE = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n]{1,300})\1(?!`)")
_CODE_TAG = re.compile(r"<(/?)(code|pre|script|style)\b[^<>]{0,200}>", re.IGNORECASE)

_QUOTED = re.compile(
    r"(?P<open>[\"“«]|(?<![\w*])\*(?=\w)|(?<![\w_])_(?=[^\W_])|(?<!\w)['‘](?=\w)|<(?:i|em|cite)>)"
    r"(?P<title>[^\n\"“”«»<>*]{1,90}?)"
    r"(?P<close>[\"”»]|\*(?!\w)|_(?!\w)|['’](?!\w)|</(?:i|em|cite)>)"
)
_PAIRS = {'"': '"', "“": "”", "«": "»", "*": "*", "_": "_", "'": "'", "‘": "’"}
_SMALL = word_set(
    "a an the of and or in on at to for from by with as but nor is vs into upon over under &"
)
_ADDRESSING = word_set(
    "yes no hello hi hey dear oh ah thank thanks good okay ok please happy sorry well welcome"
    " goodbye bye my your"
)
_TITLED = word_set(
    "novel novels film films movie movies book books song album series show play musical poem"
    " painting titled entitled called magazine band sitcom opera documentary game ballad story"
    " memoir essay episode single podcast read reads reading watched watches watching"
)
_OF_VALUES = ('"', "“", "'", "‘")
_FIELD = re.compile(r"([A-Za-z][\w -]{0,30})[\"'”’]?[ \t]*[:=][ \t]*$")
_FIELD_WORD = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])")
_ROLE = re.compile(r"([A-Za-z]+) $")
_ROLES = word_set(
    "customer client applicant patient employee candidate user tenant borrower student person"
    " contact owner sender recipient caller member guest agent nurse doctor teacher worker seller"
    " buyer named name colleague friend boss manager defendant witness"
)
_TITLES = _TITLED | word_set(
    "title titles product products company brand work works headline bank employer lender insurer"
    " city town country state street address school university airline vendor supplier shop store"
    " restaurant hotel dealer broker"
)
_WORD = re.compile(r"[^\W\d_][\w'’]*")
_LAST_WORDS = re.compile(r"\w+")


def protected(text: str) -> tuple[Span, ...]:
    """The ranges, in order, merged where they overlap."""
    found: list[tuple[int, int]] = []
    if "```" in text or "~~~" in text:
        found += _find_fences(text)
    if any(mark in text for mark in _ADDRESS_MARKS) or _COLON.search(text) or _DOT.search(text):
        found += _spans(_ADDRESS, text)
    if "`" in text:
        found += _spans(_INLINE, text)
    if "<" in text:
        found += [*_code_elements(text), *_spans(_TAG, text)]
    if any(mark in text for mark in _QUOTES) or _QUOTE.search(text):
        found += _titles(text)
    return _merge(sorted(found)) if found else ()


def without_data(text: str, spans: Sequence[Span]) -> tuple[Span, ...]:
    """The ranges without those that are records in a fence: JSON, CSV, plain text."""
    if not any(fence in text for fence in ("```", "~~~")):
        return tuple(spans)
    return tuple(one for one in spans if not _DATA.match(text[one.start : one.end].lstrip()))


def inside(spans: Sequence[Span], starts: list[int], start: int, end: int) -> bool:
    """Whether `start:end` touches one of the ranges; `starts` are their beginnings."""
    before = bisect_right(starts, start) - 1
    if before >= 0 and spans[before].end > start:
        return True
    return before + 1 < len(spans) and starts[before + 1] < end


def _merge(ranges: list[tuple[int, int]]) -> tuple[Span, ...]:
    merged: list[tuple[int, int]] = []
    for start, end in ranges:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(Span(start=start, end=end) for start, end in merged)


def _spans(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    return [match.span() for match in pattern.finditer(text)]


def _find_fences(text: str) -> Iterator[tuple[int, int]]:
    """Blocks between fences; one that is never closed goes to the end."""
    opened: re.Match[str] | None = None
    for match in _FENCE.finditer(text):
        if opened is None:
            opened = match
        elif match[1].startswith(opened[1]):
            yield opened.start(), match.end()
            opened = None
    if opened is not None:
        yield opened.start(), len(text)


def _code_elements(text: str) -> Iterator[tuple[int, int]]:
    opened: re.Match[str] | None = None
    for match in _CODE_TAG.finditer(text):
        if opened is None and not match[1]:
            opened = match
        elif opened is not None and match[1] and match[2].lower() == opened[2].lower():
            yield opened.start(), match.end()
            opened = None


def _titles(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    while match := _QUOTED.search(text, at):
        if _is_pair(match) and _is_title(text, match):
            yield match.span("title")
            at = match.end()
        else:
            at = match.start() + 1


def _is_pair(match: re.Match[str]) -> bool:
    opening = match["open"]
    closing = _PAIRS.get(opening)
    if closing is None:
        return match["close"].startswith("</")
    return match["close"] == closing or (opening, match["close"]) == ("'", "’")


def _is_title(text: str, match: re.Match[str]) -> bool:
    """Whether the words are capitalised as titles are; one word needs "the film" before it."""
    title = match["title"]
    words = _WORD.findall(title)
    if not words or title[-1] in "!?;:" or title[0].isspace():
        return False
    big = [word for word in words if word.lower() not in _SMALL]
    if not big or not all(word[0].isupper() for word in (*big, words[0])):
        return False
    if words[0].lower() in _ADDRESSING and "," in title:
        return False
    if len(words) > 1:
        return not _is_value(text, match)
    return is_announced(text, match.start())


def _is_value(text: str, match: re.Match[str]) -> bool:
    """Whether it is the value of a field, or of a role: `"name": "Sarah Miller"`, `Customer "..."`.

    Not where the field is one of titles: `"film": "Annie Hall"`.
    """
    if match["open"] not in _OF_VALUES:
        return False
    before = text[max(0, match.start() - 40) : match.start()]
    field = _FIELD.search(before)
    role = _ROLE.search(before)
    if field is not None:
        return not _TITLES.intersection(_FIELD_WORD.split(field[1].lower()))
    return role is not None and role[1].lower() in _ROLES


def is_announced(text: str, at: int) -> bool:
    """Whether the words before this place say that a title follows: "the film", "I read"."""
    before = _LAST_WORDS.findall(text[max(0, at - 40) : at].lower())
    return any(word in _TITLED for word in before[-3:])
