"""JSON inside of a string, as those will read it who parse it: the arguments of a tool."""

from __future__ import annotations

import json
import re

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|([^u]))", re.DOTALL)
_BEGUN = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_MEANT = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def unescaped(source: str) -> str:
    """What `source` says; where it is no JSON, what it would say behind what it says as it is."""
    said = Unescaper().read(source)
    if said == source or _is_json(source):
        return said
    return f"{source}\n\n{said}"


class Unescaper:
    """Reads a source that comes in parts."""

    def __init__(self) -> None:
        self._begun = ""

    def read(self, part: str) -> str:
        """What the next part says; an escape that has only begun is said with its end."""
        source = self._begun + part
        self._begun = ""
        if "\\" not in source:
            return source
        said, end = [], 0
        for found in _ESCAPE.finditer(source):
            said += [source[end : found.start()], _meant(found)]
            end = found.end()
        if (begun := _BEGUN.search(source, end)) is not None:
            self._begun = begun.group()
        return _paired("".join([*said, source[end : len(source) - len(self._begun)]]))


def _meant(escape: re.Match[str]) -> str:
    number, letter = escape.groups()
    return chr(int(number, 16)) if number else _MEANT.get(letter, letter)


def _paired(text: str) -> str:
    """With one character for each pair of surrogates."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _is_json(source: str) -> bool:
    try:
        json.loads(source)
    except (ValueError, RecursionError):
        return False
    return True
