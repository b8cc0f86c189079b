"""What is spooled, as JSON on one line: {"job": {...}}, {"posting": {...}} or {"case": {...}}."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from guard.records import Case, CaseKind, Job, Posting

Spooled = Job | Posting | Case

_KINDS: Mapping[str, type[Job] | type[Posting] | type[Case]] = {
    "job": Job,
    "posting": Posting,
    "case": Case,
}
_WORDS = {kind: (word, tuple(f.name for f in fields(kind))) for word, kind in _KINDS.items()}


def encoded(record: Spooled) -> bytes:
    """The record in ASCII, lone surrogates and all.

    Raises TypeError, ValueError or RecursionError for a record that JSON cannot hold: sums that
    are no finite numbers, say, which no store must ever add.
    """
    word, names = _WORDS[type(record)]
    values = {name: getattr(record, name) for name in names}
    return json.dumps({word: values}, default=dict, allow_nan=False, separators=(",", ":")).encode(
        "ascii"
    )


def decoded(payload: bytes) -> Spooled:
    """The record that was encoded. Raises ValueError for anything else."""
    try:
        ((word, values),) = json.loads(payload).items()
        return _KINDS[word](**_restored(word, values))
    except (AttributeError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"not a record of this version: {error!r}") from error


def _restored(word: str, values: dict[str, Any]) -> dict[str, Any]:
    if word != "case":
        return values
    lists = {name: tuple(values[name]) for name in ("reasons", "groups")}
    return values | lists | {"kind": CaseKind(values["kind"])}
