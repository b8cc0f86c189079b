"""Server-sent events, read from bytes that are cut anywhere, and written."""

from __future__ import annotations

import re
from dataclasses import dataclass

from guard.gateway.judging.known import is_name

_LINE_END = re.compile(rb"\n|\r\n|\r(?=[^\n])")  # a CR at the end may be half of a CRLF
_BOM = b"\xef\xbb\xbf"

KEEP_ALIVE = b":\n\n"


class TooLongError(Exception):
    """An event is larger than allowed."""


@dataclass(frozen=True, slots=True)
class Block:
    """What stands before a blank line.

    raw: the bytes, with that line. data: None where there is none, as in a comment. name: of the
    event. exact: `raw` says nothing but `data` and names, so that it may go out as it is.
    """

    raw: bytes
    data: str | None
    name: str = ""
    exact: bool = True


class Parser:
    """Finds events in chunks of bytes, the same ones however the bytes are cut.

    limit_bytes: the largest event; raises TooLongError above it.
    """

    def __init__(self, limit_bytes: int) -> None:
        self._limit = limit_bytes
        self._buffer = bytearray()
        self._line = self._scanned = 0
        self._lines: list[bytes] = []
        self._at_start = True

    def feed(self, chunk: bytes) -> list[Block]:
        """The events that end in `chunk`."""
        self._buffer += chunk
        if self._at_start and not self._begun():
            return []
        found, begin = [], 0
        for start, end in [
            match.span() for match in _LINE_END.finditer(self._buffer, self._scanned)
        ]:
            line = bytes(self._buffer[self._line : start])
            self._line = end
            if line:
                self._lines.append(line)
                continue
            found += self._block(bytes(self._buffer[begin:end]))
            begin = end
        self._forget(begin)
        return found

    def end(self) -> list[Block]:
        """The event that a last blank line is missing after, if there is one."""
        last = bytes(self._buffer[self._line :]).rstrip(b"\r\n")
        if last:
            self._lines.append(last)
        found = self._block(b"\n".join([*self._lines, b"", b""]))
        self._buffer.clear()
        return found

    def _begun(self) -> bool:
        if len(self._buffer) < len(_BOM) and _BOM.startswith(self._buffer):
            return False
        if self._buffer.startswith(_BOM):
            del self._buffer[: len(_BOM)]
        self._at_start = False
        return True

    def _forget(self, begin: int) -> None:
        del self._buffer[:begin]
        self._line -= begin
        self._scanned = max(self._line, len(self._buffer) - 1)
        if len(self._buffer) > self._limit:
            raise TooLongError

    def _block(self, raw: bytes) -> list[Block]:
        lines, self._lines = self._lines, []
        if len(raw) > self._limit:
            raise TooLongError
        return [_read(raw, lines)] if lines else []


def _read(raw: bytes, lines: list[bytes]) -> Block:
    data, name, exact = [], b"", True
    for line in lines:
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            data.append(value)
        elif field == b"event":
            name = value
        else:
            exact = exact and field in {b"id", b"retry"} and is_name(_text(value))
    if not data:
        return Block(raw, None, exact=False)
    said, called = b"\n".join(data), _text(name)
    exact = exact and (not name or is_name(called)) and _is_utf8(said)
    return Block(raw, _text(said), called if is_name(called) else "", exact)


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _is_utf8(value: bytes) -> bool:
    try:
        value.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def written(data: bytes, name: str = "") -> bytes:
    """An event with this data, which holds no line end."""
    return (f"event: {name}\n".encode() if name else b"") + b"data: " + data + b"\n\n"
