"""What displays of Markdown show nothing of: definitions, comments, cells beyond those of the head
of a table, and what stands behind the language of a block of code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from guard.records import Span

_TITLE = r"(?:\"[^\"\n]*+\"|'[^'\n]*+'|\([^()\n]*+\))"
# Of a link; people write comments so: [//]: # (a comment), and choices: [a|b]: [c|d].
_DEFINITION = re.compile(
    r"(?<![^\n]) {0,3}\[(?!\^|[^\[\]|\n]{1,80}+\|[^\[\]\n]{1,200}+\]: \[)[^\[\]\n]{1,200}+\]:"
    r"[ \t]*+(?:\n[ \t]*+)?(?:<[^<>\n]*+>|[^\s<]\S*+)"
    rf"(?:[ \t]*+(?:(?<=[ \t])|\n[ \t]*+){_TITLE})?[ \t]*+(?![^\n])"
)
_FOOTNOTE = re.compile(r"(?<![^\n]) {0,3}\[\^[^\[\]\s]{1,60}+\]:[^\n]*+")
"""Shown at the end of a page, and not at all where nothing refers to it."""
_ATTRIBUTES = re.compile(  # of kramdown: {: title="..."}
    r"\{: ?(?:(?:[.#][A-Za-z][\w-]*+|[\w-]++=(?:\"[^\"\n]*+\"|[^\s\"{}]++)) ?)++\}"
)
_INFO = re.compile(
    r"(?<![^\n])[ \t>]{0,8}+(?:`{3,}+|~{3,}+)[ \t]*+(?=[^\s`]++[ \t])(?P<info>[^\n`]++)"
)
_COMMENTS = (("%%", "%%"), ("{#", "#}"), ("{/*", "*/}"), ("{::comment}", "{:/comment}"))
_SPOILER = re.compile(r"\|\|(?=[^\s|])[^|\n]++(?<=\S)\|\|(?!\|)|>!(?:[^!>\n]|!(?!<)|>(?!!))++!<")
_INDEX_TERM = re.compile(r"(?<!\()\(\(\((?!\()[^()\n]{1,200}+\)\)\)(?!\))")
"""Of AsciiDoc."""
_SUBTITLE_TAG = re.compile(  # of Advanced SubStation Alpha
    r"\{(?:\\(?:k[fot]?\d{1,4}|K\d{1,4}|[bius]\d|an?\d{1,2}|fs\d{1,3}"
    r"|(?:[1-4]?c|alpha)&H[0-9A-Fa-f]{2,8}&|(?:pos|fade?|move)\([\d.,-]{1,60}+\)))++\}"
)
_RULE = re.compile(
    r"(?<=\n)(?=[^\n]*\|)(?=[^\n]*-)[ \t>]{0,8}+\|?(?:[ \t]*+:?-++:?[ \t]*+\|)*+"
    r"(?:[ \t]*+:?-++:?[ \t]*+)?(?=\n)"
)
_DASHES = re.compile("-+")
_ROW = re.compile(r"\n(?=[ \t]*[^\s])(?P<indent>[ \t>]*+\|?)[^\n]*+")
_CELL = re.compile(r"(?:[^|\\\n]++|\\.|\\$)*+\|", re.MULTILINE)


def unseen_in_markdown(text: str) -> Iterator[Span]:
    """The ranges of `text` that such displays leave out."""
    if "]:" in text:
        yield from _matches(_DEFINITION, text)
        yield from _matches(_FOOTNOTE, text)
    if "{:" in text:
        yield from _matches(_ATTRIBUTES, text)
    if "```" in text or "~~~" in text:
        yield from _matches(_INFO, text, "info")
    if "||" in text or ">!" in text:
        yield from _matches(_SPOILER, text)
    if "(((" in text:
        yield from _matches(_INDEX_TERM, text)
    if "{\\" in text:
        yield from _matches(_SUBTITLE_TAG, text)
    if "|" in text:
        yield from _excess_cells(text)
    for opening, closing in _COMMENTS:
        at = text.find(opening)
        while at >= 0 and (end := text.find(closing, at + len(opening))) >= 0:
            end += len(closing)
            yield Span(start=at, end=end)
            at = text.find(opening, end)


def _excess_cells(text: str) -> Iterator[Span]:
    """Cells of tables beyond the number of those in the head."""
    rule = _RULE.search(text)
    while rule is not None:
        most, end = len(_DASHES.findall(rule[0])), rule.end()
        while (row := _ROW.match(text, end)) is not None:
            end = row.end()
            yield from _excess(row, most)
        rule = _RULE.search(text, end)


def _excess(row: re.Match[str], most: int) -> Iterator[Span]:
    at = row.end("indent")
    for _ in range(most):
        cell = _CELL.match(row.string, at, row.end())
        if cell is None:
            return
        at = cell.end()
    if row.string[at : row.end()].strip():
        yield Span(start=at, end=row.end())


def _matches(pattern: re.Pattern[str], text: str, group: str | int = 0) -> Iterator[Span]:
    for one in pattern.finditer(text):
        yield Span(start=one.start(group), end=one.end(group))
