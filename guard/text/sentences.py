"""Where sentences end, in whole texts and in texts that are still being written."""

from __future__ import annotations

import re
from collections.abc import Iterator

from guard.records import Span
from guard.text.shown_length import open_markup, shown_end
from guard.text.tags import BLOCKS

_LONGEST = 600  # characters; longer sentences are cut, so that a stream never waits for ever

_STOPS = ".!?\u2026\u061f\u06d4\u0964"
_WIDE_STOPS = "\u3002\uff01\uff1f\uff61"  # Chinese and Japanese: no space follows them
_QUOTES = "\"'\u2019\u201d\u00bb\u300d\u300f"
_EMOJI = "\u200d\ufe0f\u2600-\u27bf\U0001f000-\U0001faff"
_ZERO_WIDTH = "\u200b\u2060\ufeff"
_CLOSERS = rf"{_QUOTES})\]}}\uff09\u3011*_{_EMOJI}{_ZERO_WIDTH}"

_OPENING = rf"<(?i:{BLOCKS})(?:[ \t/][^<>\n]{{0,160}}+)?>"
_CLOSING = rf"</(?i:{BLOCKS})[ \t]{{0,4}}+>"
_CLOSING_INLINE = rf"</(?!(?i:{BLOCKS})[ \t>])[A-Za-z][A-Za-z0-9]{{0,15}}+[ \t]{{0,4}}+>"
_CANDIDATE = re.compile(
    rf"(?<![{_STOPS}])(?P<stop>[{_STOPS}]{{1,32}}+)(?P<closers>[{_CLOSERS}]{{0,32}}+)"
    rf"(?:(?=\s|\Z)|(?:[ \t]{{0,4}}+{_CLOSING_INLINE}){{1,4}}+(?=\s(?!\s{{0,8}}+</)))"
    rf"|(?P<wide>[{_WIDE_STOPS}]{{1,32}}+)[{_CLOSERS}]{{0,32}}+"
    r"|\n"
    rf"|(?P<opening>{_OPENING})"
    rf"|(?P<closing>{_CLOSING}(?:\s{{0,8}}+{_CLOSING}){{0,8}}+)"
)
_LONGEST_CANDIDATE = 400
_MARKUP = re.compile(r"(?:\s|</?(?!!--)[A-Za-z!][^<>]{0,160}+>)*+")
_OPEN_END = re.compile(r"<(?:/[^<>]{0,24})?\Z")
_END = re.compile(rf"[{_STOPS}{_WIDE_STOPS}][{_CLOSERS}]{{0,32}}\Z")
_NOT_BLANK = re.compile(r"\S")
_LAST_WORD = re.compile(r"[^\s(\[{\"\u201c\u2018\u00ab]*\Z")

_ABBREVIATIONS = re.compile(
    r"mrs?|ms|dr|prof|rev|fr|sr|jr|st|mt|messrs|hon|gen|col|maj|capt|lt|sgt|gov|sen|rep|pres"
    r"|vs|etc|cf|al|approx|dept|est|ext|inc|ltd|co|corp|bros|assn|univ|ave|blvd|rd"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|ph\.d|m\.sc|b\.sc|ie|eg|viz|resp"
    r"|(?:[a-z]\.)+[a-z]",
    re.IGNORECASE | re.ASCII,
)
_BEFORE_NUMBERS = re.compile(
    r"no|nos|nr|figs?|vol|pp?|art|sec|ch|eq|par|ref|tab", re.IGNORECASE | re.ASCII
)


def ends_sentence(text: str) -> bool:
    """Whether the last sign of the text, but for what closes behind it, is one that ends
    sentences."""
    return _END.search(text[-_LONGEST_CANDIDATE:]) is not None


def sentences(text: str) -> list[Span]:
    """The sentences of `text`, in order, without the white space around them.

    A block of HTML is not of the sentence before it, and its tags are of what stands in it. Every
    character that is not white space lies in exactly one of them.
    """
    return list(_spans(text, 0))


def settled_end(text: str, start: int) -> int:
    """The end of the last sentence that no further text can change, `start` if there is none.

    start: 0, or what an earlier call returned for a prefix of `text`. The sentences up to the
    returned offset are those `sentences` finds there in the finished text.
    """
    ends = [span.end for span in _spans(text, start)]
    if ends and not _follows(text, ends[-1]):
        ends.pop()
    if ends and _may_belong(text, ends[-1]):
        ends.pop()
    return ends[-1] if ends else start


def _spans(text: str, start: int) -> Iterator[Span]:
    begin = _skip_blank(text, start)
    while begin < len(text):
        end = _sentence_end(text, begin)
        yield Span(start=begin, end=end)
        begin = _skip_blank(text, end)


def _skip_blank(text: str, start: int) -> int:
    found = _NOT_BLANK.search(text, start)
    return found.start() if found else len(text)


def _follows(text: str, end: int) -> bool:
    return _skip_blank(text, end) < len(text)


def _may_belong(text: str, end: int) -> bool:
    """Whether what stands there may become one more tag that closes what has ended."""
    return _OPEN_END.match(text, _skip_blank(text, end)) is not None


def _sentence_end(text: str, begin: int) -> int:
    limit = shown_end(text, begin, _LONGEST)
    goes_on = open_markup(text, begin, limit)
    for candidate in _CANDIDATE.finditer(text, begin, limit + _LONGEST_CANDIDATE):
        if candidate.start() >= (limit if goes_on is None else goes_on):
            break
        if _ends_sentence(text, begin, candidate):
            before = candidate[0] == "\n" or candidate["opening"]
            return _trim(text, candidate.start()) if before else candidate.end()
    unfinished = len(text) <= limit or goes_on is not None
    return len(text.rstrip()) if unfinished else _forced_end(text, begin, limit)


def _trim(text: str, end: int) -> int:
    while text[end - 1].isspace():
        end -= 1
    return end


def _forced_end(text: str, begin: int, limit: int) -> int:
    blank = text.rfind(" ", begin, limit)
    return _trim(text, blank if blank > begin else limit)


def _ends_sentence(text: str, begin: int, candidate: re.Match[str]) -> bool:
    follow = _skip_blank(text, candidate.end())
    after = text[follow : follow + 1]
    if candidate[0] == "\n":
        return not after.islower() or text.count("\n", candidate.start(), follow) > 1
    if candidate["opening"] or candidate["closing"]:
        return not _MARKUP.fullmatch(text, begin, candidate.start())
    if candidate["wide"] or not after:
        return True
    if after.islower() and _runs_on(candidate):
        return False
    return candidate["stop"] != "." or not _is_abbreviation(text, begin, candidate.start(), after)


def _runs_on(candidate: re.Match[str]) -> bool:
    """An ellipsis, or the end of a quotation: with a small letter after it the sentence goes on."""
    trails_off = candidate["stop"].endswith(("..", "\u2026"))
    return trails_off or any(mark in _QUOTES for mark in candidate["closers"])


def _is_abbreviation(text: str, begin: int, dot: int, after: str) -> bool:
    found = _LAST_WORD.search(text, max(begin, dot - 20), dot)
    word = found[0].lstrip("'") if found else ""
    if word.isdigit():
        return dot - len(word) == begin  # the number of a list item
    if len(word) == 1:
        return word.isascii() and word.isalpha() and word not in "Ii"
    if _BEFORE_NUMBERS.fullmatch(word):
        return after.isdigit()
    return bool(_ABBREVIATIONS.fullmatch(word))
