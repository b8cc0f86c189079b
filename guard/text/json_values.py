"""Where values of JSON, and of rows of SQL, stand in a text that may hold other things beside
them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

_BEGINS = re.compile(r"""[{\[](?=\s*+["'{\[\w])""")
_ROW_BEGINS = re.compile(
    rf"""{_BEGINS.pattern}|(?:\bVALUES\s*+|(?<=\)),\s*+)\((?=\s*+["'\w])""", re.IGNORECASE
)
"""The bracket is its last character."""
_INSERTS = re.compile(r"\binsert\s++into\b", re.IGNORECASE)
_TOKEN = re.compile(
    r"""(?P<blank>\s++|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z))|(?P<mark>[{}\[\](),:=])"""
    r"""|(?P<quote>["'])(?P<text>(?:(?!(?P=quote))[^\\\n]|\\.)*+)(?P<end>(?P=quote)|\\?\Z)"""
    r"""|(?P<word>[\w.+-]++)"""
)
_CLOSING = {"{": "}", "[": "]", "(": ")"}
_AFTER = frozenset(",}])")


def values_in_brackets(text: str) -> Iterator[tuple[int, int]]:
    """The ranges of strings that are values, in order; those need not have an end. Keys are none,
    and what is quoted in prose is none: strings have signs of JSON on both sides."""
    at, form = 0, _ROW_BEGINS if _INSERTS.search(text) else _BEGINS
    while (begins := form.search(text, at)) is not None:
        reader = _ValueReader()
        at = reader.read(text, begins.end() - 1)
        yield from reader.values


class _ValueReader:
    """Reads from a bracket on, up to the one that closes it or to what JSON does not have.

    values: ranges of the strings that are values.
    """

    def __init__(self) -> None:
        self.values: list[tuple[int, int]] = []
        self._held: tuple[int, int] | None = None
        self._open: list[str] = []
        self._before = ""

    def read(self, text: str, at: int) -> int:
        """Where it ends."""
        goes_on = True
        while goes_on and (token := _TOKEN.match(text, at)):
            at = token.end()
            goes_on = self._take(token)
        if at == len(text) and self._held is not None and self._before == "text":
            self.values.append(self._held)
        return at

    def _take(self, token: re.Match[str]) -> bool:
        """Whether the next one belongs to it."""
        match token.lastgroup:
            case "blank":
                return True
            case "mark":
                return self._mark(token["mark"])
            case "word":
                goes_on = self._before != "word"
                self._held, self._before = None, "word"
            case _:
                goes_on = self._before not in {"word", "text"}
                self._held, self._before = token.span("text") if goes_on else None, "text"
        return goes_on

    def _mark(self, mark: str) -> bool:
        if self._held is not None and mark in _AFTER:
            self.values.append(self._held)
        self._held, self._before = None, mark
        if mark in _CLOSING:
            self._open.append(_CLOSING[mark])
            return True
        if mark not in _AFTER or mark == ",":
            return True
        return self._open.pop() == mark and bool(self._open)
