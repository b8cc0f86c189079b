"""Where in a JSON document a text stands, and the document with another text there. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from guard.records import Unread

Steps = tuple[str, ...]
Place = tuple[str | int, ...]


class Unreadable(Exception):  # noqa: N818 - named for what happened
    """There is no text where one was expected."""

    def __init__(self, why: Unread) -> None:
        super().__init__(why)
        self.why = why


def steps_of(path: str) -> Steps:
    """`choices.*.text` in steps; an empty path is the whole document."""
    return tuple(path.split(".")) if path else ()


def parsed(body: bytes | str) -> Any:
    """The document. Raises Unreadable for what is no JSON, or has one key twice in an object."""
    try:
        return json.loads(body, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise Unreadable(Unread.NOT_JSON) from error


def written(document: object) -> str:
    """The document as JSON of ASCII characters, so that no text in it can fail to be encoded."""
    return json.dumps(document, ensure_ascii=True, separators=(",", ":"))


def places(document: Any, steps: Steps) -> list[Place]:
    """Every place that `steps` lead to: keys, numbers of list entries, `*` for each entry.

    Raises Unreadable where a step leads nowhere.
    """
    found: list[Place] = [()]
    for step in steps:
        found = [(*place, key) for place in found for key in _keys(at(document, place), step)]
    return found


def texts(document: Any, steps: Steps) -> list[tuple[Place, str]]:
    """The text at each place; null is an empty one. Raises Unreadable for anything else."""
    return [(place, _text(at(document, place))) for place in places(document, steps)]


def at(document: Any, place: Place) -> Any:
    """What stands at `place`."""
    for key in place:
        document = document[key]
    return document


def replaced(document: Any, place: Place, value: object) -> Any:
    """A document with `value` at `place`; the given one stays as it is."""
    if not place:
        return value
    copy: Any = list(document) if isinstance(document, list) else dict(document)
    copy[place[0]] = replaced(document[place[0]], place[1:], value)
    return copy


def blanked(document: Any, fields: Iterable[Steps]) -> Any:
    """A document with null at every place of these fields that it has."""
    for steps in fields:
        try:
            found = places(document, steps)
        except Unreadable:
            continue
        for place in found:
            document = replaced(document, place, None)
    return document


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of a key that stands twice one reader takes the first value and another the last."""
    if len(made := dict(pairs)) < len(pairs):
        raise ValueError("a key stands twice")
    return made


def _keys(value: object, step: str) -> list[str | int]:
    if isinstance(value, dict) and step in value:
        return [step]
    if isinstance(value, list):
        if step == "*":
            return list(range(len(value)))
        if step.isdecimal() and int(step) < len(value):
            return [int(step)]
    raise Unreadable(Unread.NO_FIELD)


def _text(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Unreadable(Unread.NOT_TEXT)
    return value
