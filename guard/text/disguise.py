"""Words that are spelt to evade filters, made plain one character for one.

What has to vanish becomes a zero-width space, which tokenizers drop.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from itertools import pairwise

from guard.text.bidi import in_visual_order, may_turn
from guard.text.escapes import NOTHING, decoded
from guard.text.leet import plain_leet
from guard.text.lookalikes import beyond_ascii, has_lookalikes, plain_letters
from guard.text.omissions import vanish
from guard.text.ranges import PUNCTUATION

_FLAG = "\U0001f3f4"
_TAG, _TAG_END = 0xE0000, 0xE007F
_TAGS = re.compile(f"(?:{_FLAG})?[\U000e0020-\U000e007f]+")
_TAGS_BESIDE = re.compile(
    "(?<=[^\\W\\d_])[\U000e0020-\U000e007f]+"
    f"|(?<![{_FLAG}\U000e0020-\U000e007f])[\U000e0020-\U000e007f]++(?=[^\\W\\d_])"
)
_UNTAGGED = re.compile(f"{_FLAG}[\U000e0020-\U000e007f]+|[^\\W\\d_]")
_INDICATOR = 0x1F1E6  # regional indicator A; two of them are a flag
_INDICATORS = re.compile("[\U0001f1e6-\U0001f1ff]+")
_FLAG_LETTERS = 2
_ENCLOSED = re.compile("(?<=[A-Za-z])[\u20dd-\u20e4]+")

_RARE = frozenset(
    map(chr, [*range(0x20DD, 0x20E5), *range(0x1F1E6, 0x1F200), *range(0xE0020, 0xE0080)])
)

_TAG_NAMES = (
    "[abiqsu]|em|strong|span|font|mark|small|big|su[bp]|ins|del|code|tt|wbr|strike|kbd|samp|var|cite"
    "|dfn|abbr|acronym|label|bdi|bdo|ruby|r[bpt]|rtc|time|data|tspan|blink|script|style"
)
# In a plain text all of it is shown, so that words in tags and comments are judged.
_VALUE = r"[^\s<>]{0,24}|[\"'][\w-]{1,16}:\s?[\w#.%-]{1,12};?[\"']"
_HTML_TAG = rf"</?(?:{_TAG_NAMES})(?:\s[\w-]{{1,12}}=(?:{_VALUE}))?\s?/?>"
_TAGGED = rf"<!--\W{{0,8}}\w{{0,2}}\W{{0,8}}-->|{_HTML_TAG}"
# What terminals take for commands (ECMA-48, and links of OSC 8).
_TERMINAL = re.compile(
    r"\x1b\[[0-9:;<=>?]{0,16}[ !-/]{0,2}[@-~]"
    r"|\x9b(?:[0-9:;<=>?]{1,16}[ !-/]{0,2}[@-~]|m)?"  # by itself it is a sign that nobody sees
    r"|\x1b[ -/]{1,2}[0-~]|\x1b[0-9=>@-OQ-WYZ\\`-~]"  # character sets, modes, the cursor
    r"|\x1b\]8;[^\s\x07\x1b]{0,200}(?:\x07|\x1b\\)"
)
_WRITTEN_STYLES = re.compile(  # colours of terminals, fonts of manual pages
    r"\\(?:(?:[eE]|0?33|x1[bB]|[xu]\{0{0,6}1[bB]\}|u001[bB]|U0000001[bB]|N\{ESC\})"
    r"\[[0-9;:?]{0,16}[mCGHJKhl]|f(?:[BIRP]|\[[A-Z]{1,2}\]))"
)
_FORWARD = re.compile(r"\x1b\[\d{0,3}C")  # moves the cursor over blanks
_MARKUP_INSIDE = re.compile(
    r"[~*_|`<·](?<=[^\W\d_].)(?:(?<=([~*_|`]))\1++(?:[^\W\d_]|[~*_|`<·])|(?<=<)[!/A-Za-z]|(?<=·))"
)
_MARKUP = re.compile(
    rf"(?<=[^\W\d_])(?:~~++|\*\*++|__++|\|\|++|``++|·|{_TAGGED}){{1,8}}(?=[^\W\d_])", re.IGNORECASE
)

# Emphasis and code of Markdown on a part of a word.
_EMPHASIS = re.compile(
    r"(?<![*`])([*`])(?:(?<=[^\W\d_]{2}.)([^\W\d_]{1,20})|([^\W\d_]{1,20})(?=.[^\W\d_]{2}))\1(?![*`])"
)
_LONE = r"[^A-Za-z0-9]{1,5}[A-Za-z]"
_SPELT_INSIDE = re.compile(rf"[^A-Za-z0-9][A-Za-z]{_LONE}{_LONE}")
_BETWEEN = r"(?:_|[^\w\n'’\"“”]){1,5}|[\"“”'’\u02bc]{1,2}|\n"
# No more than 40 letters: tokenizers give longer words up as unknown.
_SPELT = re.compile(rf"(?<![\w'’])[^\W\d_]({_BETWEEN})[^\W\d_](?:\1[^\W\d_]){{2,38}}(?![\w'’])")
_SPELT_SHORT = re.compile(  # and no part of one that has been joined
    rf"(?<![\w'’{NOTHING}])[^\W\d_]({_BETWEEN})[^\W\d_](?:\1[^\W\d_])?(?![\w'’{NOTHING}])"
)
_ROW_OF_SIGNS = re.compile(r"(?<=[^\W\d_])(_|[^\w\s])\1{1,3}+(?=[^\W\d_])")
_FEWEST_SPELT = 3
"""Words with the same between their letters from which on short ones are read so too: `I/O`."""

_MARK = re.compile(rf"(?!['’])[{PUNCTUATION}]")
_MARKS_INSIDE = re.compile(rf"[{PUNCTUATION}](?<=[^\W\d_].)[^\W\d_][{PUNCTUATION}][^\W\d_]")
_SPELT_IN_MARKS = re.compile(rf"(?<![\w'’])[^\W\d_](?:{_MARK.pattern}[^\W\d_]){{3,38}}(?![\w'’])")

_PADDING = re.compile(rf"([{PUNCTUATION}]\s?(?:[{PUNCTUATION}]\s?){{15}})((?:[{PUNCTUATION}]\s?)+)")
_SURPLUS = re.compile(rf"[{PUNCTUATION}]")


def undisguise(text: str) -> str:
    """`text` with words spelt out letter by letter, backwards, in look-alike letters, digits,
    escapes or character references made plain, without markup inside of words, and of a long run of
    marks of punctuation without all but the first.

    Same length. Letters of another alphabet are changed only in words that are all of look-alikes;
    digits and signs only where letters stand on both sides, and not in addresses. A list of letters
    in the order of the alphabet is no word.
    """
    if "\\" in text:
        text = _WRITTEN_STYLES.sub(vanish, text)
    text = decoded(text)
    if not text.isascii():
        text = _read_marks(in_visual_order(text)[0] if may_turn(text) else text)
    if "\x1b" in text or "\x9b" in text:
        text = _TERMINAL.sub(vanish, _FORWARD.sub(_blank, text))
    if _MARKUP_INSIDE.search(text):
        text = _MARKUP.sub(vanish, text)
    if "*" in text or "`" in text:
        text = _EMPHASIS.sub(_take_off, text)
    if _SPELT_INSIDE.search(text):
        text = _join_spelt(text)
        if _MARKS_INSIDE.search(text):
            text = _SPELT_IN_MARKS.sub(_join_marked, text)
    return _PADDING.sub(_drop_surplus, plain_leet(text))


def _blank(match: re.Match[str]) -> str:
    return " " + NOTHING * (len(match[0]) - 1)


def _take_off(match: re.Match[str]) -> str:
    return NOTHING + (match[2] or match[3]) + NOTHING


def _read_marks(text: str) -> str:
    marks = beyond_ascii(text)
    if not _RARE.isdisjoint(marks):
        text = _without_marks(text)
    return plain_letters(text) if has_lookalikes(marks) else text


def _without_marks(text: str) -> str:
    """Letters written as flags or invisible tags made plain; circles around letters taken off."""
    text = _TAGS_BESIDE.sub(vanish, text)  # nobody sees those beside letters
    text = _INDICATORS.sub(_unflag, _TAGS.sub(_untag, text))
    return _ENCLOSED.sub(vanish, text)


def without_hidden_letters(text: str) -> str:
    """`text` without invisible letters (tag characters), those of flags left; same length."""
    if text.isascii() or not _TAGS.search(text):
        return text
    return _TAGS.sub(lambda tags: tags[0] if tags[0][0] == _FLAG else vanish(tags), text)


def hidden_letters(text: str) -> str:
    """`text` with its invisible letters alone, made plain; same length."""
    return _TAGS.sub(_untag, _UNTAGGED.sub(vanish, text))


def revealed_letters(text: str) -> str:
    """`text` with its invisible letters made plain where they stand; same length."""
    return _TAGS.sub(_untag, text)


def _untag(match: re.Match[str]) -> str:
    if match[0].startswith(_FLAG):
        return match[0]
    return "".join(NOTHING if ord(tag) == _TAG_END else chr(ord(tag) - _TAG) for tag in match[0])


def _unflag(match: re.Match[str]) -> str:
    if len(match[0]) == _FLAG_LETTERS:
        return match[0]
    return "".join(chr(ord("a") + ord(mark) - _INDICATOR) for mark in match[0])


def _join_spelt(text: str) -> str:
    """Words of four letters and more, and shorter ones among several that are spelt alike."""
    spelt = Counter(_SPELT.findall(text))
    if not spelt:
        return text
    alike = spelt + Counter(_SPELT_SHORT.findall(text))
    often = {one for one in spelt if alike[one] >= _FEWEST_SPELT and not one.isspace()}
    text = _SPELT.sub(_join, text)
    text = _SPELT_SHORT.sub(lambda one: _join(one) if one[1] in often else one[0], text)
    return _part_joined(text, often)


def _part_joined(text: str, separators: Collection[str]) -> str:
    """A blank for some of the same sign in a row, which part words where one parts letters."""
    signs = {one.strip() for one in separators}
    return _ROW_OF_SIGNS.sub(lambda row: _blank(row) if row[1] in signs else row[0], text)


def _join(match: re.Match[str]) -> str:
    between = match[1]
    letters = match[0].lower().split(between)
    if len(letters) > 2 and _is_list(letters):
        return match[0]
    return match[0].replace(between, NOTHING * len(between))


def _join_marked(match: re.Match[str]) -> str:
    letters = match[0][::2].lower()
    return match[0] if _is_list(letters) else _MARK.sub(NOTHING, match[0])


def _is_list(letters: Iterable[str]) -> bool:
    """Whether letters stand in the order of the alphabet."""
    return all(first < second for first, second in pairwise(letters))


def _drop_surplus(match: re.Match[str]) -> str:
    """Each mark would be a token: thousands of them would fill windows, and the time that callers
    wait, with nothing."""
    return match[1] + _SURPLUS.sub(NOTHING, match[2])
