"""Parses untrusted JSON, and writes JSON as ASCII."""

from __future__ import annotations

import json
from typing import Any


class NotJsonError(ValueError):
    """The text is not JSON, or is nested too deep, or has a number with thousands of digits."""


class JsonReader:
    """Parses one text after another.

    exact: whether every reader finds the same in the last text as was found here. It is not where
    an object has the same key twice, since a client may take the other value. Control characters
    in strings are accepted, as lenient clients do.
    """

    def __init__(self) -> None:
        self.exact = True
        self._decoder = json.JSONDecoder(object_pairs_hook=self._object, strict=False)

    def read(self, text: str | bytes) -> Any:
        """The value. Bytes are UTF-8. Raises NotJsonError."""
        self.exact = True
        try:
            return self._decoder.decode(text if isinstance(text, str) else text.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise NotJsonError(str(error)) from error

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            self.exact = False
        return found


def json_text(value: Any) -> str:
    """`value` on one line of ASCII. Raises NotJsonError where it is nested too deep."""
    try:
        return json.dumps(value, separators=(",", ":"))
    except (ValueError, RecursionError) as error:
        raise NotJsonError(str(error)) from error


def json_bytes(value: Any) -> bytes:
    """The same as bytes."""
    return json_text(value).encode("ascii")
