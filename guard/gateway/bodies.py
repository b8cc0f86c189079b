"""The body of a request: read up to a limit, and understood in one way only."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, Final, NoReturn

from guard.gateway.errors import RefusedRequest

DEEPEST: Final = 100
"""Levels of lists and objects; no call of the API has more than some ten."""
MOST_VALUES: Final = 200_000
"""Values in a body: each costs a hundred bytes of memory, whatever it took to send it."""
_FEW: Final = 100
_STRING: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
"""Possessive and good without its end, so that nothing is tried twice: it takes linear time."""


class NotPlainError(ValueError):
    """JSON that different readers understand differently."""


def parsed(raw: bytes) -> dict[str, Any]:
    """The object in a body. Raises RefusedRequest, with the reason."""
    if not _bounded(raw):
        raise _bad(f"the body holds more than {MOST_VALUES} values")
    try:
        found = _DECODER.decode(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise _bad(f"the body is not UTF-8: {error.reason} at byte {error.start}") from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise _bad(f"the body is not valid JSON: {error}") from None
    if not isinstance(found, dict):
        raise _bad("the body must be a JSON object")
    if raw.count(b"{") + raw.count(b"[") > DEEPEST and _depth(found) > DEEPEST:
        raise _too_deep()
    return found


def checked_type(content_type: str | None, content_encoding: str | None) -> None:
    """Raises RefusedRequest for what is not sent as plain JSON.

    A web page cannot send this type to a gateway on its visitor's machine without asking first.
    """
    kind, _, parameters = (content_type or "").partition(";")
    charset = re.search(r'charset\s*=\s*"?([^\s;"]+)', parameters, re.IGNORECASE)
    if kind.strip().lower() != "application/json":
        raise RefusedRequest(
            400,
            "bad_content_type",
            "the header content-type must be application/json",
            param="content-type",
        )
    if charset and charset[1].lower() not in {"utf-8", "utf8"}:
        raise RefusedRequest(
            400, "bad_content_type", "the body must be UTF-8", param="content-type"
        )
    if (content_encoding or "identity").strip().lower() != "identity":
        raise RefusedRequest(
            400,
            "bad_content_encoding",
            "a compressed body is not accepted",
            param="content-encoding",
        )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise NotPlainError(f"the key {twice!r:.80} stands twice")
    return made


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise NotPlainError(f"{text:.40} is too large a number")
    return number


def _no_number(text: str) -> NoReturn:
    raise NotPlainError(f"{text} is no number")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_unique, parse_float=_finite, parse_constant=_no_number
)


def _bounded(raw: bytes) -> bool:
    """Whether there are not too many values; commas inside of texts count for nothing."""
    if _values(raw) <= MOST_VALUES:
        return True
    return _values(_STRING.sub(b"", raw)) <= MOST_VALUES


def _values(raw: bytes) -> int:
    return raw.count(b",") + raw.count(b"[") + raw.count(b"{")


def _depth(found: object) -> int:
    """Levels of containers in containers."""
    level, depth = [found], 0
    while level := [inner for one in level for inner in _inside(one)]:
        depth += 1
    return depth


def _inside(one: object) -> Iterator[object]:
    if isinstance(one, dict):
        return iter(one.values())
    return iter(one) if isinstance(one, list) else iter(())


def _too_deep() -> RefusedRequest:
    return _bad(f"the body is nested more than {DEEPEST} levels deep")


def _bad(message: str) -> RefusedRequest:
    return RefusedRequest(400, "bad_body", message)
