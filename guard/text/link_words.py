"""Words of addresses, which services draw as pictures: `https://img.example/Have%20a_nice+day.png`."""

from __future__ import annotations

import re
from typing import Final

from guard.text.escapes import NOTHING

_PATH = re.compile(r"(?:https?://)[^\s<>\"'/?]{1,253}+[/?](?P<path>[^\s<>\"']{8,2000}+)")
_ESCAPED = re.compile(r"%(?:25)?([2-7][0-9A-Fa-f])|%(?:C2%A0|0[AaDd]|C3%[89ABab][0-9A-Fa-f])")
_NAME = re.compile(r"(?:(?<=[?&;])|^)[\w.\[\]-]{1,30}=")
_APART = re.compile(r"[+_;|/&?=~^{}()*:$\\\[\]-]")
_FEWEST: Final = 2
"""Signs between words of an address that holds a sentence."""
_SEPARATED = re.compile(r"%[0-9A-Fa-f]{2}|[+_;|]")


def words_of_links(text: str) -> str | None:
    """The words of addresses in which signs stand for blanks, and blanks for all else; same length.
    None where no address has any."""
    pieces, end = list[str](), 0
    for match in _PATH.finditer(text) if "://" in text else ():
        path = match["path"]
        if len(_SEPARATED.findall(path)) >= _FEWEST:
            start = match.start("path")
            pieces += [" " * (start - end), _spelt_out(path)]
            end = match.end("path")
    return "".join((*pieces, " " * (len(text) - end))) if pieces else None


def _spelt_out(path: str) -> str:
    plain = _ESCAPED.sub(_letter, path)
    return _APART.sub(" ", _NAME.sub(lambda name: " " * len(name[0]), plain))


def _letter(escape: re.Match[str]) -> str:
    letter = chr(int(escape[1], 16)) if escape[1] else " "
    return letter + NOTHING * (len(escape[0]) - 1)
