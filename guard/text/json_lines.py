"""Lines of input files: raw bytes into lines, text and JSON objects, each fault said in words."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO, Final, NoReturn

LONGEST_LINE_BYTES: Final = 16 * 1024 * 1024
MOST_SKIPPED_BYTES: Final = 16 * LONGEST_LINE_BYTES
"""Of one line: what has none after that is no text."""
_BOM: Final = b"\xef\xbb\xbf"

_KINDS: Final = {
    type(None): "null",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "an object",
}


class LineProblemError(Exception):
    """Why a line cannot be used."""


def raw_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Lines, each cut a little beyond the longest that is allowed, the first without its BOM.

    Raises LineProblemError for one that does not end.
    """
    raw = stream.readline(LONGEST_LINE_BYTES + 1).removeprefix(_BOM)
    while raw:
        yield raw
        skipped = 0
        while len(raw) > LONGEST_LINE_BYTES and not raw.endswith(b"\n"):
            raw = stream.readline(LONGEST_LINE_BYTES + 1)
            if (skipped := skipped + len(raw)) > MOST_SKIPPED_BYTES:
                size = MOST_SKIPPED_BYTES // 1024 // 1024
                raise LineProblemError(f"a line is longer than {size} MiB: this is no text")
        raw = stream.readline(LONGEST_LINE_BYTES + 1)


def decode_line(raw: bytes) -> str:
    """The text of a line without its end. Raises LineProblemError."""
    if len(raw) > LONGEST_LINE_BYTES:
        raise LineProblemError(f"longer than {LONGEST_LINE_BYTES // 1024 // 1024} MiB")
    try:
        return raw.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        found = f"byte 0x{raw[error.start]:02x} at position {error.start + 1}"
        raise LineProblemError(f"not UTF-8 ({found}); convert it, for example with iconv") from None


def json_object(line: str) -> dict[str, object]:
    """The JSON object in a line. Raises LineProblemError."""
    record = json_value(line)
    if not isinstance(record, dict):
        raise LineProblemError(f"expected a JSON object, got {kind_of(record)}")
    return record


def json_value(text: str) -> object:
    """Any JSON value. Raises LineProblemError."""
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise LineProblemError(f"not JSON ({error.msg} at position {error.pos + 1})") from None
    except (RecursionError, ValueError):
        raise LineProblemError(
            "not usable JSON (nested too deeply, or a number too long)"
        ) from None


def kind_of(value: object) -> str:
    """What kind of JSON value it is, in words."""
    return _KINDS[type(value)]


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        [(twice, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise LineProblemError(f"not clear: the key {twice!r:.80} stands twice")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise LineProblemError(f"not JSON ({name} is no JSON number)")
