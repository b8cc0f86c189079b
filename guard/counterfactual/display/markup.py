"""What stands in a text and is not shown as it is written, by one pattern that takes linear time.

Line breaks, tags of blocks and within a line, character references, escapes of JSON, marks of
emphasis, runs of blanks, and characters that show nothing.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from guard.text.invisible import UNSEEN

_BLANK = r"[ \u00a0\u2000-\u200a\u202f]|&nbsp;|&\#160;|&\#[xX][aA]0;"
_ESCAPED = r"(?<!\\)(?:\\r)?\\n(?=(?-i:[^\W\d_a-z])|\W|$|(?<=[\w.,;!?\"')\]]\\n))"
_BREAK = rf"(?:<br\s{{0,3}}/?>[ \t]{{0,8}}(?:\r?\n)?|\r?\n|{_ESCAPED})"
_SPECIAL = re.compile(
    rf"(?P<line>(?:(?<![ \t])[ \t]++)?{_BREAK}(?:[ \t>]*+{_BREAK})*+(?:[ \t>]*+))"
    r"|(?P<tag></?(?:b|i|em|strong|u|s|strike|del|ins|mark|small|big|span|font|a|sub|sup|tt|abbr|q)"
    r"(?:\s[^<>]{0,400})?/?>)"
    r"|(?P<block></?(?:p|div|ul|ol|li|dl|dt|dd|table|thead|tbody|t[rdh]|h[1-6r]|blockquote|section)"
    r"(?:\s[^<>]{0,400})?/?>)"
    rf"|(?P<blank>(?:[\u00a0\u2000-\u200a\u202f]|&nbsp;|&\#160;|&\#[xX][aA]0;| (?={_BLANK}))"
    rf"(?:{_BLANK})*+)"
    r"|(?P<reference>&(?:\#\d{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8});)"
    r"|(?P<escape>\\(?=[\"']))"
    r"|(?P<star>\*{1,3}+)"
    r"|(?P<line_below>_{1,3}+)"
    r"|(?P<stroke>~~)"
    rf"|(?P<unseen>[{UNSEEN}]+)",
    re.IGNORECASE,
)
# The characters with which any of these begins; of blanks those before another of them alone.
_BEGINS = re.compile(
    f"[ \t\r\n<&*_~\\\\\u00a0\u2000-\u200a\u202f{UNSEEN}]"
    "(?:(?<! )|(?=[ \t\r\n<&\\\\\u00a0\u2000-\u200a\u202f]))"
)
_COLUMNS = 4  # blanks from which on they divide columns
_CLOSED = {
    "line_below": re.compile(r"_{1,3}(?=[^\s_])[^_]{1,300}(?<=\S)_{1,3}(?!\w)"),
    "stroke": re.compile(r"~~(?=[^\s~])[^~]{1,300}~~"),
}


def has_markup(text: str) -> bool:
    """Whether anything in the text may not be shown as it is written."""
    return _BEGINS.search(text) is not None


def special(text: str) -> Iterator[re.Match[str]]:
    """What may not be shown as it is written, in order; the name of its group is its kind."""
    end = 0
    for begin in _BEGINS.finditer(text):
        match = _SPECIAL.match(text, begin.start()) if begin.start() >= end else None
        if match is not None:
            yield match
            end = match.end()


def shown_as(match: re.Match[str], opened: set[str]) -> str | None:
    """What a match of `special` that is no line break is shown as; None: as it is written.

    opened: the marks of emphasis that are open; one that opens or closes changes it.
    """
    kind = match.lastgroup
    if kind == "block":
        return "\n"
    if kind == "blank":
        wide = len(match[0]) >= _COLUMNS and "&" not in match[0]
        return None if wide else " "
    if kind == "reference":
        character = html.unescape(match[0])
        return None if character == match[0] else character
    if kind in ("star", "line_below", "stroke"):
        return _emphasis(match, opened)
    return ""


def _emphasis(match: re.Match[str], opened: set[str]) -> str | None:
    """Nothing for a mark that opens emphasis, or closes it: "**gold**", "_she_"."""
    text, mark = match.string, match[0]
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    within = mark[0] == "_" and after.isalnum()
    if mark in opened and before and not before.isspace() and not within:
        opened.discard(mark)
        return ""
    if not after or after.isspace() or before.isalnum() or before == mark[0]:
        return None
    closed = _CLOSED.get(match.lastgroup or "")
    if closed is not None and closed.match(text, match.start()) is None:
        return None
    opened.add(mark)
    return ""
