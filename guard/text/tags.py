"""Tags of HTML: which ones part sentences, and which stand at the ends of a passage."""

from __future__ import annotations

import re

from guard.records import Span

BLOCKS = (
    "address|article|aside|blockquote|body|br|button|caption|d[dlt]|div|figcaption|footer|form"
    "|h[1-6r]|head|header|html|legend|li|main|nav|ol|option|p|pre|section|summary"
    "|t(?:able|body|d|foot|h|head|itle|r)|ul"
)
"""Elements that stand on lines of their own, as a regular expression."""
PARTING = (
    "br|p|div|li|[uod]l|d[dt]|t[dhr]|table|thead|tbody|h[1-6r]|section|article|header|footer|nav"
    "|aside|main|blockquote|pre|option|button"
)
"""Those of them that part a word in a browser; it ignores the others there."""
QUOTED = r"\"[^\"]{0,200}+\"|'[^']{0,200}+'"
"""The value of an attribute."""
_NAME = r"([A-Za-z][A-Za-z0-9]{0,15})"
_OPENING = re.compile(rf"<{_NAME}\s{{0,4}}+/?>\s*+")
_CLOSING = re.compile(rf"\s*+</{_NAME}\s{{0,4}}+>\Z")
_COMMENT, _COMMENT_END = "<!--", "-->"
_REACH = 38
"""Characters at the end of a passage in which a closing tag is looked for."""


def within_tags(text: str, span: Span) -> Span:
    """`span` without the tags at its ends that surround it or belong to what is outside, and
    without one end of a comment, so that what is left can go and what is outside still matches.

    Tags that say more than their name are part of what they stand in. A passage of nothing but tags
    stays as it is.
    """
    start, end = _within_comment(text, span)
    while start < end:
        opening = _OPENING.match(text, start, end)
        closing = _CLOSING.search(text, max(start, end - _REACH), end)
        if opening and closing and opening[1].lower() == closing[1].lower():
            start, end = opening.end(), closing.start()
        elif closing and not _has(text, rf"<{closing[1]}\b", start, end):
            end = closing.start()
        elif opening and not _has(text, rf"</{opening[1]}\s*+>", start, end):
            start = opening.end()
        else:
            break
    return Span(start=start, end=end) if start < end else span


def _within_comment(text: str, span: Span) -> tuple[int, int]:
    """Start and end without the sign by which a comment begins or ends, if the other is outside."""
    said = text[span.start : span.end]
    starts = said.startswith(_COMMENT) and _COMMENT_END not in said
    ends = said.endswith(_COMMENT_END) and _COMMENT not in said
    start = span.start + (len(_COMMENT) if starts else 0)
    return start, span.end - (len(_COMMENT_END) if ends else 0)


def _has(text: str, tag: str, start: int, end: int) -> bool:
    return re.compile(tag, re.IGNORECASE).search(text, start, end) is not None
