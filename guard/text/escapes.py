"""Escapes and character references made plain, one character for one."""

from __future__ import annotations

import re
import sys
import unicodedata
from html import unescape
from typing import Final

from guard.text.tex_numbers import NUMBERED, character

NOTHING: Final = "\u200b"
"""Stands for what has to vanish: a zero-width space, which tokenizers drop."""

# Browsers know these without a semicolon, whatever follows. Others are parts of addresses as well.
_OPEN_NAMES = r"(?:nbsp|shy|[A-Za-z](?:acute|grave|circ|uml|tilde|ring|cedil|slash))(?!\w{0,30}=)"
_ENTITY = re.compile(
    r"&(?:amp;){0,3}(?:(?:#[xX]0*+[0-9A-Fa-f]{0,8}|#0*+[0-9]{0,8});?"
    rf"|[A-Za-z][A-Za-z0-9]{{1,30}};|{_OPEN_NAMES})"
)
_OF_MARKUP = frozenset('<>&"{}[]()\\`')
_FEWEST = 3
"""Escapes in a text that are read together; each is read by itself as well."""
_ZEROS = re.compile(r"(?<=&#)0+|(?<=&#[xX])0+")
_ESCAPED_AGAIN = re.compile(r"(?<=&)(?:amp;)+")

# Escapes of JSON and of most programming languages, as whoever parses the text reads them.
_ESCAPE = re.compile(
    r"\\u([dD][89abAB][0-9A-Fa-f]{2})\\u([dD][c-fC-F][0-9A-Fa-f]{2})"
    r"|\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})|\\x([2-7][0-9A-Fa-f]|0[9aAdD]|[aA]0)|\\u\{([0-9A-Fa-f]{1,6})\}"
    r"|\\(040|1(?:[04][1-7]|[1256][0-7]|[37][0-2]))"  # letters and spaces in octal
)
_NUMBERED = re.compile(NUMBERED)
_OF_SENTENCES = frozenset(" .,!?';:-")
# Of addresses and of mail (RFC 3986, RFC 2045), and of style sheets.
_PERCENT_CODE = "%(?:20|0[9AaDd]|[46][1-9A-Fa-f]|[57][0-9Aa])"
_PERCENT_RUN = re.compile(
    rf"(?:{_PERCENT_CODE}){{3,}}"
    rf"|%(?<=[A-Za-z0-9.,!?;:]%){_PERCENT_CODE[1:]}(?:{_PERCENT_CODE})?(?=[A-Za-z])"
)
_PERCENT = re.compile("%(..)")
_HEX_RUN = re.compile(
    r"(?:=[2-7][0-9A-F]){4,}|(?:\\[2-7][0-9a-fA-F] ){4,}|(?:\\'[2-7][0-9a-fA-F]){4,}"
    r"|(?:\\0000[2-7][0-9a-fA-F] ?)+"
)
_HEX = re.compile(r"[=\\]'?(?:0000)?([0-9a-fA-F]{2}) ?")
# Commands of TeX that begin like an escape, and are no word behind one.
_COMMAND = (
    r"(?:text(?:bf|it|rm|sf|tt|up|md|sc|sl|normal|color|tip|style)?|tiny|tag|tau|theta|times|tilde"
    r"|tfrac|toggle|newline|neq|nabla|nobreak(?:space)?|normalsize|nonumber|notag"
    r"|r(?:ule|aise(?:box)?|equire|ef|ight|m|lap|oot|ho|esizebox|otatebox|owcolor|elax))(?![A-Za-z])"
)
_ESCAPED_SPACE = re.compile(rf"\\(?!{_COMMAND})[nrtN](?<=[\w.,!?;:]..)(?=[^\W\d_])")
# Of diagrams in Mermaid.
_NUMBER_SIGN = re.compile(r"#(?<!&#)(?:(?<=[A-Za-z;\[(\"]#)\d{2,4};|\d{2,4};(?=[A-Za-z#]))")
DIRECTIONS: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Marks that turn the direction of a text, or end that."""


def decoded(text: str) -> str:
    """`text` with escapes and character references as what they stand for; same length."""
    if "\\" in text:
        text = _ESCAPE.sub(_meant, _ESCAPED_SPACE.sub(" " + NOTHING, text))
        text = _NUMBERED.sub(_numbered, text)
    if "%" in text:
        text = _PERCENT_RUN.sub(lambda run: _PERCENT.sub(_hex_meant, run[0]), text)
    if "=" in text or "\\" in text:
        text = _HEX_RUN.sub(lambda run: _HEX.sub(_hex_meant, run[0]), text)
    if "&" in text:
        text = _ENTITY.sub(_decode, text)
    return _NUMBER_SIGN.sub(_numbered_sign, text) if "#" in text and ";" in text else text


def _numbered_sign(match: re.Match[str]) -> str:
    found = chr(int(match[0][1:-1]))
    is_read = found.isalnum() or found in " .,!?'"
    return found + NOTHING * (len(match[0]) - 1) if is_read else match[0]


def escapes_shown(text: str) -> str | None:
    """`text` with escapes and character references as they are shown, those of signs of markup too;
    same length. None where there are fewer than three, those of blanks and `&` left out."""
    if "&" not in text and "\\" not in text:
        return None
    shown = decoded(text)
    shown = _ENTITY.sub(_shown, shown) if "&" in shown else shown
    blank = f" &{NOTHING}"
    told = (new != old and new not in blank for old, new in zip(text, shown, strict=True))
    return shown if shown != text and sum(told) >= _FEWEST else None


def _meant(match: re.Match[str]) -> str:
    """The character that an escape stands for; one that nobody can print stays as it is."""
    high, low, *codes, octal = match.groups()
    if high:
        code = (((int(high, 16) & 0x3FF) << 10) | (int(low, 16) & 0x3FF)) + 0x10000
    else:
        code = int(octal, 8) if octal else int(next(filter(None, codes)), 16)
    found = chr(code) if code <= sys.maxunicode else "\0"
    if unicodedata.category(found) in {"Cs", "Cc"}:
        return " " + NOTHING * (len(match[0]) - 1) if found.isspace() else match[0]
    return found + NOTHING * (len(match[0]) - 1)


def _numbered(match: re.Match[str]) -> str:
    """The letter of this number, or sign of a sentence; others stay as they are written."""
    found = character(match) or NOTHING
    is_read = found.isalnum() or found in _OF_SENTENCES
    return found + NOTHING * (len(match[0]) - 1) if is_read else match[0]


def _hex_meant(match: re.Match[str]) -> str:
    found = chr(int(match[1], 16))
    return (" " if found.isspace() else found) + NOTHING * (len(match[0]) - 1)


def _decode(match: re.Match[str]) -> str:
    """What a character reference of HTML stands for, or nothing for a sign that nobody sees. Signs
    of markup stay as they are: `&lt;` is how code is shown.
    """
    shown = _shown(match)
    return shown if _OF_MARKUP.isdisjoint(shown) else match[0]


def _shown(match: re.Match[str]) -> str:
    found = unescape(_ZEROS.sub("", _ESCAPED_AGAIN.sub("", match[0])))
    if len(found) > 2 or len(match[0]) == 1:
        return match[0]
    found = "".join(map(_read, found))
    return found + NOTHING * (len(match[0]) - len(found))


def _read(sign: str) -> str:
    if unicodedata.category(sign) == "Cf" and sign not in DIRECTIONS:
        return NOTHING
    return " " if sign.isspace() else sign
