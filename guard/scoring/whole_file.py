"""Whether an ONNX file holds all that it needs, without the library `onnx`.

A tensor may say that its values are in another file, by a path. ONNX Runtime would read that file,
which no digest covers, from wherever the process was started.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from guard.errors import ModelError

PARTS: Final[Mapping[str, Mapping[int, str]]] = {
    "ModelProto": {7: "GraphProto", 20: "TrainingInfoProto", 25: "FunctionProto"},
    "TrainingInfoProto": {1: "GraphProto", 2: "GraphProto"},
    "GraphProto": {1: "NodeProto", 5: "TensorProto", 15: "SparseTensorProto"},
    "FunctionProto": {7: "NodeProto", 11: "AttributeProto"},
    "NodeProto": {5: "AttributeProto"},
    "AttributeProto": {
        5: "TensorProto",
        10: "TensorProto",
        6: "GraphProto",
        11: "GraphProto",
        22: "SparseTensorProto",
        23: "SparseTensorProto",
    },
    "SparseTensorProto": {1: "TensorProto", 2: "TensorProto"},
    "TensorProto": {},
}
"""By message of ONNX, the numbers of the fields that lead to tensors, and what they hold."""
ELSEWHERE: Final = frozenset({13, 14})
"""Fields of a tensor: `external_data` and `data_location`."""
_VARINT, _BYTES_8, _LENGTH, _BYTES_4 = 0, 1, 2, 5
_FIXED: Final = {_BYTES_8: 8, _BYTES_4: 4}
_MOST_TAG: Final = 2**32
_MOST_VARINT_BYTES: Final = 10

Field = tuple[int, memoryview | int]


def require_whole(content: bytes, name: str) -> None:
    """Raises ModelError where the ONNX file `name` keeps values of tensors in other files, also in
    a branch, a function or an attribute, and where it is no such file."""
    try:
        is_whole = not any(_tensors_elsewhere(content))
    except (IndexError, ValueError) as error:
        raise ModelError(
            f"{name}: ONNX Runtime cannot load the model: no ONNX file, or cut off ({error})"
        ) from error
    if not is_whole:
        raise ModelError(f"{name}: keeps weights in other files; save it as one file")


def _tensors_elsewhere(content: bytes) -> Iterator[bool]:
    """For each field that matters, whether it says so."""
    waiting = [("ModelProto", memoryview(content))]
    while waiting:
        kind, message = waiting.pop()
        inner = PARTS[kind]
        for number, value in _fields(message):
            if number in inner and isinstance(value, memoryview):
                waiting.append((inner[number], value))
            yield kind == "TensorProto" and number in ELSEWHERE and value != 0


def _fields(message: memoryview) -> Iterator[Field]:
    """Numbers and values of a protocol buffer; values of fixed width are left out."""
    place = 0
    while place < len(message):
        tag, place = _varint(message, place)
        number, kind = tag >> 3, tag & 7
        if not 0 < tag < _MOST_TAG or not number:
            raise ValueError(f"a field with the tag {tag}")
        if kind == _VARINT:
            value, place = _varint(message, place)
            yield number, value
        elif kind == _LENGTH:
            length, start = _varint(message, place)
            place = start + length
            yield number, message[start:place]
        elif kind in _FIXED:
            place += _FIXED[kind]
        else:
            raise ValueError(f"a field of the kind {kind}")
    if place > len(message):
        raise ValueError("a field that does not end")


def _varint(message: memoryview, place: int) -> tuple[int, int]:
    """The number that begins at `place`, and where it ends."""
    value = 0
    for shift in range(_MOST_VARINT_BYTES):
        byte = message[place + shift]
        value |= (byte & 127) << 7 * shift
        if byte < 128:
            return value, place + shift + 1
    raise ValueError("a number that does not end")
