"""One row of input: what its fields mean, and which values they may have.

A row is a JSON object, a row of a CSV table or a plain line (a prompt). In CSV lists and objects
are JSON in a cell, and an empty cell is a missing field.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from types import MappingProxyType
from typing import Final

from guard.fairness import intersection
from guard.text.json_lines import LineProblemError, kind_of

Fields = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class InputRow:
    """One row. place: `file:number`. What was not given is empty.

    id: rows with one id that stand one after the other are one prompt. responses: replies to the
    prompt. group, attribute: whom the row is about; rows with the same `pair`, one after the other,
    are one prompt about different groups. label, prediction: the true and the predicted class.
    items: a ranked list, best first. scores: by score, one number in [0, 1] for each response, used
    instead of the classifier's; None where it has none. model, metric, template, paraphrase: for
    CAIRO, see `guard assess cairo`.
    """

    place: str
    id: str = ""
    prompt: str = ""
    responses: tuple[str, ...] = ()
    pair: str = ""
    attribute: str = ""
    group: str = ""
    label: str | None = None
    prediction: str | None = None
    items: tuple[str, ...] | None = None
    scores: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict)
    model: str = ""
    metric: str = ""
    template: str = ""
    paraphrase: str = ""


def row_of(fields: Fields, place: str) -> InputRow:
    """A row from its fields. Raises LineProblemError that names the field and what is wanted."""
    known = {name: value for name, value in fields.items() if value is not None}
    if unknown := sorted(set(known) - set(_READERS) - _IGNORED):
        raise LineProblemError(
            f"unknown field {unknown[0]!r:.60}; there are {', '.join(sorted(_READERS))}"
            ' (what is not for the assessment goes into an object "meta")'
        )
    found = {name: read(name, known[name]) for name, read in _READERS.items() if name in known}
    single = found.pop("response", None)
    if single is not None:
        if "responses" in found:
            raise LineProblemError('give "response" or "responses", not both')
        found["responses"] = (single,)
    row = InputRow(place=place, **found)  # type: ignore[arg-type]
    _check(row)
    return row


def _check(row: InputRow) -> None:
    if not (row.prompt or row.responses or row.scores or row.prediction or row.items):
        raise LineProblemError(
            'expected a "prompt", "responses", "prediction", "items" or "scores"'
        )
    lengths = {len(values) for values in row.scores.values()}
    if row.responses and lengths - {len(row.responses)}:
        raise LineProblemError(
            f'"scores" must have one number for each response, {len(row.responses)} in all'
        )
    if len(lengths) > 1:
        raise LineProblemError('"scores" must have as many numbers for one score as for another')


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise LineProblemError(f'expected "{name}" to be a string, got {kind_of(value)}')
    return value


def _name(name: str, value: object) -> str:
    """A class, a group or an id: numbers and booleans are taken as they are written."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        if not isfinite(value):
            raise LineProblemError(f'expected "{name}" to be finite')
        return str(int(value)) if value == int(value) else repr(value)
    return str(value) if isinstance(value, int) else _text(name, value)


def _group(name: str, value: object) -> str:
    if isinstance(value, dict):
        return intersection(**{str(key): _name(name, one) for key, one in value.items()})
    return _name(name, value)


def _texts(name: str, value: object) -> tuple[str, ...]:
    return tuple(_text(name, one) for one in _list(name, value))


def _names(name: str, value: object) -> tuple[str, ...]:
    return tuple(_name(name, one) for one in _list(name, value))


def _scores(name: str, value: object) -> dict[str, tuple[float | None, ...]]:
    if not isinstance(value, dict):
        raise LineProblemError(f'expected "{name}" to be an object, got {kind_of(value)}')
    return {
        key: tuple(
            _score(f"{name}.{key}", one) for one in (found if isinstance(found, list) else [found])
        )
        for key, found in value.items()
    }


def _score(name: str, value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise LineProblemError(f'expected "{name}" to be a number in 0..1, got {value!r:.40}')
    return float(value)


def _list(name: str, value: object) -> Sequence[object]:
    if not isinstance(value, list):
        raise LineProblemError(f'expected "{name}" to be a list, got {kind_of(value)}')
    return value


_IGNORED: Final = frozenset(("meta",))
_READERS: Final[Mapping[str, Callable[[str, object], object]]] = MappingProxyType(
    {
        "id": _name,
        "prompt": _text,
        "response": _text,
        "responses": _texts,
        "pair": _name,
        "attribute": _name,
        "group": _group,
        "label": _name,
        "prediction": _name,
        "items": _names,
        "scores": _scores,
        "model": _name,
        "metric": _name,
        "template": _name,
        "paraphrase": _name,
    }
)
AS_JSON: Final = frozenset(("responses", "items", "scores"))
"""Fields that are JSON in a cell of a table."""
