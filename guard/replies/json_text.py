"""JSON as a text: parsed and written, and decoded where it stands inside a string.

The arguments of a tool call are JSON inside a string. Clients parse those that are complete, and
many parse those that are cut off as well, leniently (`parse_partial_json`). What either could read
out of a source is a part of what is read here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from guard.text import whole_number

MAX_REPLY_VALUES: Final = 1_000_000
"""JSON values of one reply, or of one event, that are read; each costs about a hundred bytes of
memory, however few were sent. A reply of 4,000 tokens with the log probabilities of 20 alternatives
each has some 600,000."""
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|([^u]))", re.DOTALL)
_BEGUN = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_NEXT_VALUE = re.compile(rb'(?:[^"\[{,]++|"[^"]*+"?){0,100}+(?:[\[{,]|\Z|)')
"""Up to what begins one more value, in JSON without escapes; of no JSON at all, a piece."""
_FEW_MARKS = 500
_OF_OTHERS = frozenset("x01234567")
"""Begin escapes of JSON5 and of languages, which are read with the text (`guard.text`)."""
_MEANT = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


class NotJsonError(ValueError):
    """The text is not JSON, or is nested too deep, or has a whole number of more than 400
    digits, or more than MAX_REPLY_VALUES values."""


class JsonReader:
    """Parses one text after another.

    exact: whether every reader finds the same in the last text as was found here. It is not where
    an object has the same key twice, since a client may take the other value. Control characters
    in strings are accepted, as lenient clients do.
    """

    def __init__(self) -> None:
        self.exact = True
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._object, parse_int=whole_number, strict=False
        )

    def read(self, text: str | bytes) -> Any:
        """The value. Bytes are UTF-8. Raises NotJsonError."""
        self.exact = True
        if not has_few_values(text, MAX_REPLY_VALUES):
            raise NotJsonError(f"it holds more than {MAX_REPLY_VALUES:,} values")
        try:
            return self._decoder.decode(text if isinstance(text, str) else text.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise NotJsonError(str(error)) from error

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            self.exact = False
        return found


def has_few_values(source: str | bytes, most: int) -> bool:
    """Whether JSON has about `most` values or fewer; commas inside of strings do not count.

    It looks no further than it takes to know, and lets other threads run meanwhile.
    """
    return _marks(source) <= most or _count(source, most) <= most


def count_values(source: str | bytes, most: int) -> int:
    """About how many values JSON has; of more than `most` no more are counted. Few are taken to be
    as many as there are signs that begin one, inside of strings too."""
    marks = _marks(source)
    return marks if marks <= _FEW_MARKS else _count(source, most)


def _count(source: str | bytes, most: int) -> int:
    plain = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
    plain = plain.replace(rb"\\", b"").replace(rb"\"", b"")
    found = islice(_NEXT_VALUE.finditer(plain), most + 2)
    return sum(1 for _ in found) - 1


def json_text(value: Any) -> str:
    """`value` on one line of ASCII. Raises NotJsonError where it is nested too deep."""
    try:
        return json.dumps(value, separators=(",", ":"))
    except (ValueError, RecursionError) as error:
        raise NotJsonError(str(error)) from error


def json_bytes(value: Any) -> bytes:
    """The same as bytes."""
    return json_text(value).encode("ascii")


class EscapeDecoder:
    """Decodes every escape of a JSON source that arrives in parts."""

    def __init__(self) -> None:
        self._begun = ""

    def read(self, part: str) -> str:
        """The decoded part; an escape that is incomplete is returned with the part that ends it."""
        source = self._begun + part
        self._begun = ""
        if "\\" not in source:
            return source
        said, end = [], 0
        for found in _ESCAPE.finditer(source):
            said += [source[end : found.start()], _meaning(found)]
            end = found.end()
        if (begun := _BEGUN.search(source, end)) is not None:
            self._begun = begun.group()
        return _join_surrogates("".join([*said, source[end : len(source) - len(self._begun)]]))


def decode_json(source: str) -> str:
    """`source` with escapes decoded; unchanged if it is not JSON."""
    if "\\" not in source or _parse(source) is None:
        return source
    return EscapeDecoder().read(source)


def decode_source(source: str) -> str:
    """`source` with escapes decoded; if it is not JSON, the source itself and then that."""
    said = EscapeDecoder().read(source)
    if said == source or _parse(source) is not None:
        return said
    return f"{source}\n\n{said}"


def argument_texts(arguments: object) -> list[str]:
    """The texts in arguments: keys and values of what was parsed already or can be, keys that stand
    twice with both values; a source that is cut off or no JSON as `decode_source` reads it."""
    if not isinstance(arguments, str):
        return list(texts_in(arguments))
    parsed = _parse(arguments)
    return [decode_source(arguments)] if parsed is None else list(texts_in(parsed[0]))


def _parse(source: str) -> tuple[Any] | None:
    try:
        found = json.loads(source, object_pairs_hook=list, parse_int=whole_number, strict=False)
    except (ValueError, RecursionError):
        return None
    return (found,)


def texts_in(value: object) -> Iterator[str]:
    """Every text in `value`, in order, the keys of objects too."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, Mapping):
            waiting += [one for pair in reversed(list(node.items())) for one in reversed(pair)]
        elif isinstance(node, list | tuple):
            waiting += reversed(node)


def _marks(source: str | bytes) -> int:
    """What begins a value, inside of strings too."""
    if isinstance(source, str):
        return sum(map(source.count, ",[{"))
    return sum(map(source.count, (b",", b"[", b"{")))


def _meaning(escape: re.Match[str]) -> str:
    number, letter = escape.groups()
    if letter in _OF_OTHERS:
        return escape.group()
    return chr(int(number, 16)) if number else _MEANT.get(letter, letter)


def _join_surrogates(text: str) -> str:
    """`text` with each surrogate pair as one character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
