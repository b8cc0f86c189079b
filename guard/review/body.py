"""The body of a case, read with care: what is not as expected is missing, and never an error."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from guard.records import Span

Json = Mapping[str, object]
VERSION = 1


def body_of(text: str) -> Json | None:
    """The body, if it is one that this version can show."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return None
    known = isinstance(body, dict) and body.get("version") == VERSION
    return body if known else None


def part(body: Json, name: str) -> Json:
    """An object in an object."""
    value = body.get(name)
    return value if isinstance(value, dict) else {}


def parts(body: Json, name: str) -> Sequence[Json]:
    """A list of objects in an object."""
    value = body.get(name)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def lists(body: Json, name: str) -> Sequence[Sequence[Json]]:
    """A list of lists of objects."""
    value = body.get(name)
    inner = value if isinstance(value, list) else []
    return [
        [one for one in each if isinstance(one, dict)] for each in inner if isinstance(each, list)
    ]


def text(body: Json, name: str) -> str:
    """A text; empty where there is none."""
    value = body.get(name)
    return value if isinstance(value, str) else ""


def number(body: Json, name: str) -> float | None:
    """A number."""
    value = body.get(name)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number else None  # type: ignore[arg-type]


def numbers(body: Json, name: str) -> dict[str, float | None]:
    """Names to numbers."""
    found = part(body, name)
    return {key: number(found, key) for key in found}


def texts(body: Json, name: str) -> dict[str, str]:
    """Names to texts."""
    found = part(body, name)
    return {key: text(found, key) for key in found}


def span(value: object, within: str) -> Span:
    """A range of the text `within`; an empty one for what is none."""
    match value:
        case [int(start), int(end)] if 0 <= start <= end <= len(within):
            return Span(start=start, end=end)
    return Span(start=0, end=0)


def spans(body: Json, name: str, within: str) -> list[Span]:
    """Ranges of a text."""
    value = body.get(name)
    found = [span(one, within) for one in value] if isinstance(value, list) else []
    return [one for one in found if one.start < one.end]
