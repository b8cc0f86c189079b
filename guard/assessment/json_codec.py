"""The canonical JSON of results: the same records give the same bytes, and the bytes the records.

Fields are those of the records, sorted; ASCII; numbers are finite and shortest. What is read is
checked against the types of the records, so that a wrong or edited file is one clear error.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Hashable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from guard.assessment.results import SCHEMA, AssessmentResults
from guard.errors import AssessmentInputError

R = TypeVar("R")


def encode_results(results: AssessmentResults) -> str:
    """The canonical JSON, one line. Raises ValueError for a number that is not finite."""
    return encode_record(results)


def decode_results(text: str, name: str = "results") -> AssessmentResults:
    """The records of a JSON. Raises AssessmentInputError that names the field. name: the file."""
    try:
        values = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise AssessmentInputError(f"{name}: no JSON of results ({error})") from None
    if not isinstance(values, dict) or values.get("schema") != SCHEMA:
        found = values.get("schema") if isinstance(values, dict) else type(values).__name__
        raise AssessmentInputError(
            f"{name}: schema {SCHEMA} is wanted, found {found!r:.40}; make it again with this"
            " version of evenguard"
        )
    return decode_record(
        AssessmentResults, {k: v for k, v in values.items() if k != "schema"}, name
    )


def encode_record(record: object) -> str:
    """The canonical JSON of any record, one line, with the schema. Raises ValueError as above."""
    values = json_values(record) | {"schema": SCHEMA}
    return json.dumps(values, sort_keys=True, allow_nan=False, separators=(",", ":"))


def json_values(record: object) -> dict[str, Any]:
    """A record as JSON values."""
    return cast("dict[str, Any]", _plain(record))


def decode_record(kind: type[R], values: object, name: str) -> R:
    """A record from JSON values; fields with a default may be missing.

    Raises AssessmentInputError naming the field that is wrong, missing or not known.
    """
    if not isinstance(values, dict):
        raise AssessmentInputError(f"{name}: an object is wanted, found {values!r:.40}")
    hints = _hints(cast("Hashable", kind))
    if unknown := sorted(set(values) - set(hints)):
        raise AssessmentInputError(f"{name}.{unknown[0]}: no such field")
    for one in fields(cast("Any", kind)):
        has_default = one.default is not MISSING or one.default_factory is not MISSING
        if one.name not in values and not has_default:
            raise AssessmentInputError(f"{name}.{one.name}: missing")
    found = {key: _decode(hints[key], value, f"{name}.{key}") for key, value in values.items()}
    return kind(**found)


def _plain(value: object) -> object:
    if is_dataclass(value):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, StrEnum):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    return value


@cache
def _hints(kind: Hashable) -> dict[str, Any]:
    return get_type_hints(kind)


def _decode(kind: Any, value: object, name: str) -> object:
    origin, parts = get_origin(kind), get_args(kind)
    if origin is UnionType:
        return _decode_optional(parts, value, name)
    if origin is tuple:
        items = _checked(list, value, name)
        return tuple(_decode(parts[0], one, f"{name}[{n}]") for n, one in enumerate(items))
    if origin is not None:  # a mapping from text
        found = _checked(dict, value, name)
        return {key: _decode(parts[1], one, f"{name}.{key}") for key, one in found.items()}
    if is_dataclass(kind):
        return decode_record(cast("type[object]", kind), value, name)
    if issubclass(kind, StrEnum):
        return _member(kind, value, name)
    return _number(value, name) if kind is float else _checked(kind, value, name)


def _decode_optional(parts: tuple[Any, ...], value: object, name: str) -> object:
    (kind,) = (one for one in parts if one is not NoneType)
    return None if value is None else _decode(kind, value, name)


def _member(kind: type[StrEnum], value: object, name: str) -> StrEnum:
    if not isinstance(value, str) or value not in set(kind):
        raise AssessmentInputError(f"{name}: {value!r:.40} is none of {', '.join(kind)}")
    return kind(value)


def _checked(kind: type[R], value: object, name: str) -> R:
    if type(value) is not kind:
        raise AssessmentInputError(f"{name}: {kind.__name__} is wanted, found {value!r:.40}")
    return value


def _number(value: object, name: str) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not -sys.float_info.max <= value <= sys.float_info.max:  # type: ignore[operator]
        raise AssessmentInputError(f"{name}: a finite number is wanted, found {value!r:.40}")
    return float(value)  # type: ignore[arg-type]


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")
