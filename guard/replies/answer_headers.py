"""Headers of a model's server that are handed on. Nobody judges them, so none may say anything."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from guard.replies.schema import is_prose

_PASSED: Final = frozenset(
    ["content-type", "x-request-id", "x-should-retry", "apim-request-id", "cf-ray"]
)
_FAMILIES: Final = ("openai-", "x-ratelimit-", "anthropic-ratelimit-", "ratelimit")
_SIGN: Final = r"[!-+\--:<-~]"  # without , and ;
_WITHOUT_WORDS: Final = re.compile(
    rf"{_SIGN}{{0,200}}+"
    rf"(?:(?: [,;] ?|[,;] )[\w-]{{1,40}}+={_SIGN}{{0,60}}+|[,;]{_SIGN}{{0,60}}+){{0,60}}+",
    re.ASCII,
)
"""An id, a number, a list of limits: no part of it can be read in two ways, however long it is."""

_WHEN: Final = re.compile(
    r"[0-9]{1,12}(?:\.[0-9]{1,12})?|[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT"
)


def passed_headers(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Of names and values those that a caller gets: none about the connection, the encoding of the
    body, or authentication (cookies), none with words in it, and of each name the first. pairs:
    names in lower case."""
    found = dict(reversed([pair for pair in pairs if _passes(*pair)]))
    return tuple(reversed(found.items()))


def _passes(name: str, value: str) -> bool:
    if _WHEN.fullmatch(value):
        return name in _PASSED or name.startswith((*_FAMILIES, "retry-after"))
    known = name in _PASSED or name.startswith(_FAMILIES)
    return known and _WITHOUT_WORDS.fullmatch(value) is not None and not is_prose(value)
