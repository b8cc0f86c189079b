"""Where sentences stand in code of Markdown that is no code. Pure.

Displays show such a block as a text of its own. Code within a sentence, between one backtick, is
quoted as what stands in quotation marks is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_FENCE = re.compile(r"^[ \t>]{0,8}(?P<fence>`{3,}+|~{3,}+)[^`\n]*+$", re.MULTILINE)
_INLINE = re.compile(r"(?<!`)(?P<ticks>`{2,3}+)(?P<value>[^`\n]++)(?P=ticks)(?!`)")
_LINE = re.compile(
    r"^[ \t>]{0,8}(?:(?:[-*+]|\d{1,3}[.)])[ \t]{1,4})?+`(?P<value>[^`\n]++)`[.!?]?[ \t]*+\r?$",
    re.MULTILINE,
)
_VISIBLE = re.compile(r"\S")
_CODE = re.compile(r"[={}<>$\\|@_]|\w\(|\)\.|;[ \t]*+\r?$|//|^[ \t]*+(?:#|--|/\*)|::", re.MULTILINE)
# Commands and jargon (`kill all children`) are no sentences.
_SENTENCE = re.compile(
    r"^[ \t>]*+[\"'(\u201c\u2018*-]{0,3}+ ?[A-Z][^\n]*[.!?]"
    r"|\b(?i:you|your|they|them|s?he|we|us|my)\b",
    re.MULTILINE,
)


def sentences_in_code(text: str) -> Iterator[tuple[int, int]]:
    """The ranges of blocks and pieces of code that hold a sentence and no sign of a programming
    language."""
    if "`" not in text and "~~~" not in text:
        return
    inline = (one.span("value") for form in (_INLINE, _LINE) for one in form.finditer(text))
    for start, end in (*_blocks(text), *inline):
        if start < end and _is_said(text[start:end]):
            yield start, end


def prose_alone(text: str) -> str:
    """`text` with blanks for blocks of code between fences, same length; `text` without any.

    Displays set them apart: what stands between two of them is no part of a program.
    """
    if "```" not in text and "~~~" not in text:
        return text
    parts, done = list[str](), 0
    for start, end in _blocks(text):
        if end > start and not _is_said(text[start:end]):
            parts += [text[done:start], _VISIBLE.sub(" ", text[start:end])]
            done = end
    rest = "".join([*parts, text[done:]])
    return _FENCE.sub(lambda fence: " " * len(fence[0]), rest) if done else text


def _is_said(code: str) -> bool:
    return _SENTENCE.search(code) is not None and _CODE.search(code) is None


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """What stands between two fences of a kind, or behind one that nothing closes yet."""
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
        elif fence["fence"].startswith(opened["fence"]):
            yield opened.end() + 1, fence.start() - 1
            opened = None
    if opened is not None:
        yield min(opened.end() + 1, len(text)), len(text)
