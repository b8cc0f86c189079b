"""The records of a spool in its files.

A record is JSON on one line: {"job": {...}}, {"posting": {...}} or {"case": {...}}. Of a call of
which more may come there is {"draft": {...}}, with the records that it would have, and
{"final": {...}} once it is known what is recorded of it. A frame is such a line behind its length
and checksum.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any
from zlib import crc32

from guard.records import Case, CaseKind, Draft, Job, Posting

HEAD_BYTES = 18  # length and CRC-32 of the payload, eight hexadecimal digits and a space each


def to_frame(payload: bytes) -> bytes:
    """`payload` (without line breaks, below 4 GiB) as it stands in a file."""
    return b"%08x %08x %s\n" % (len(payload), crc32(payload), payload)


def frame_length(data: bytes) -> int:
    """How long the frame is that `data` begins with, as its head says; 0 for what is no head."""
    try:
        return HEAD_BYTES + int(data[:8], 16) + 1 if len(data) >= HEAD_BYTES else 0
    except ValueError:
        return 0


def read_frames(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The payloads that `data` begins with, each after the offset at which its frame ends.

    Stops at the first frame that is torn or damaged; `find_frame` finds the next whole one.
    """
    start = 0
    while (length := frame_length(data[start : start + HEAD_BYTES])) and start + length <= len(
        data
    ):
        payload = data[start + HEAD_BYTES : start + length - 1]
        if data[start : start + length] != to_frame(payload):
            return
        start += length
        yield start, payload


def find_frame(data: bytes) -> int | None:
    """Where the first line of `data` begins that is a whole frame; None without any."""
    start = 0
    while end := data.find(b"\n", start) + 1:
        line = data[start:end]
        if frame_length(line) == len(line) and line == to_frame(line[HEAD_BYTES:-1]):
            return start
        start = end
    return None


SpoolRecord = Job | Posting | Case

_KINDS: Mapping[str, type[Job] | type[Posting] | type[Case]] = {
    "job": Job,
    "posting": Posting,
    "case": Case,
}
_NAMES_OF = {kind: (word, tuple(f.name for f in fields(kind))) for word, kind in _KINDS.items()}


_DRAFT, _FINAL = b'{"draft":', b'{"final":'
_DRAFT_FIELDS = ("id", "stream", "marks", "replaces")
_WRONG = (AttributeError, KeyError, TypeError, ValueError, RecursionError)


def encode_record(record: SpoolRecord) -> bytes:
    """The record in ASCII, lone surrogates and all.

    Raises TypeError, ValueError or RecursionError for a record that JSON cannot hold: sums that
    are no finite numbers, say, which no store must ever add.
    """
    return _encode(_members(record))


def decode_record(payload: bytes) -> SpoolRecord:
    """The record that was encoded. Raises ValueError for anything else.

    What its values are is for `check_batch` to say, as for a record that never was in a spool.
    """
    try:
        return _record(json.loads(payload))
    except _WRONG as error:
        raise ValueError(f"not a record of this version: {error!r}") from error


def decode_records(payload: bytes) -> tuple[SpoolRecord, ...]:
    """What the store gets of a line: nothing of a draft. Raises as `decode_record`."""
    if payload.startswith(_DRAFT):
        return ()
    if not payload.startswith(_FINAL):
        return (decode_record(payload),)
    try:
        return _records(json.loads(payload)["final"])
    except _WRONG as error:
        raise ValueError(f"not the end of a draft of this version: {error!r}") from error


def encode_draft(draft: Draft) -> bytes:
    """As `encode_record`."""
    values = {name: getattr(draft, name) for name in _DRAFT_FIELDS}
    return _encode({"draft": values | {"records": [_members(one) for one in draft.records]}})


def encode_final(draft_id: str, records: Iterable[SpoolRecord]) -> bytes:
    """What is recorded of a call that has a draft. Raises as `encode_record`."""
    return _encode({"final": {"id": draft_id, "records": [_members(one) for one in records]}})


def decode_draft(payload: bytes) -> Draft | str | None:
    """The draft, or the id of the one that has its end here; None for any other line.

    Raises as `decode_record`.
    """
    try:
        if payload.startswith(_FINAL):
            return str(json.loads(payload)["final"]["id"])
        return _draft(json.loads(payload)["draft"]) if payload.startswith(_DRAFT) else None
    except _WRONG as error:
        raise ValueError(f"not a draft of this version: {error!r}") from error


def _encode(members: Mapping[str, object]) -> bytes:
    text = json.dumps(members, default=dict, allow_nan=False, separators=(",", ":"))
    return text.encode("ascii")


def _members(record: SpoolRecord) -> dict[str, dict[str, object]]:
    word, names = _NAMES_OF[type(record)]
    return {word: {name: getattr(record, name) for name in names}}


def _record(members: Any) -> SpoolRecord:
    ((word, values),) = members.items()
    return _KINDS[word](**_restore_enums(word, values))


def _records(values: Mapping[str, Any]) -> tuple[SpoolRecord, ...]:
    return tuple(map(_record, values["records"]))


def _draft(values: Mapping[str, Any]) -> Draft:
    use_case, call = values["stream"]
    return Draft(
        id=values["id"],
        stream=(use_case, call),
        marks=tuple((length, checksum) for length, checksum in values["marks"]),
        replaces=values["replaces"],
        records=_records(values),
    )


def _restore_enums(word: str, values: dict[str, Any]) -> dict[str, Any]:
    if word != "case":
        return values
    lists = {name: tuple(values[name]) for name in ("reasons", "groups")}
    if not all(isinstance(values[name], list) for name in lists):
        raise TypeError("the reasons and groups of a case are lists")
    return values | lists | {"kind": CaseKind(values["kind"])}
