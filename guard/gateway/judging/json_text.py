"""JSON as it comes from a model's server, which may be anything."""

from __future__ import annotations

import json
from typing import Any

from guard.upstream import Broken


class UnreadableError(Broken):
    """It is no JSON, or none that can be read: too deep, or a number of thousands of digits."""


class JsonReader:
    """Reads one text after another.

    exact: whether everybody who reads the last text finds in it what was found here. It is not
    where an object has the same key twice, since a client may take the other one.
    """

    def __init__(self) -> None:
        self.exact = True
        self._decoder = json.JSONDecoder(object_pairs_hook=self._object, strict=False)

    def read(self, text: str) -> Any:
        """The value. Raises UnreadableError."""
        self.exact = True
        try:
            return self._decoder.decode(text)
        except (ValueError, RecursionError) as error:
            raise UnreadableError(str(error)) from error

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            self.exact = False
        return found


def json_bytes(value: Any) -> bytes:
    """`value` on one line of ASCII. Raises UnreadableError where it is nested too deep."""
    try:
        return json.dumps(value, separators=(",", ":")).encode("ascii")
    except (ValueError, RecursionError) as error:
        raise UnreadableError(str(error)) from error
