"""What a model says about itself: `manifest.json`, read and checked by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from guard.errors import ModelError

_SCHEMA = 1
_T = TypeVar("_T")


class ModelKind(StrEnum):
    """What a model makes of a text."""

    CLASSIFICATION = "classification"
    EMBEDDING = "embedding"


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestHead:
    """One output of a classifier: its value is `sigmoid(scale * logit + bias)`, in [0, 1]."""

    key: str
    scale: float
    bias: float
    threshold: float | None
    harm: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A checked manifest.

    window_tokens: length of the model's window, its two special tokens included.
    files: file name to SHA-256, in hexadecimal. heads: in the order of the outputs.
    dimension: length of an embedding; 0 for classifiers.
    """

    name: str
    version: str
    task: ModelKind
    license: str
    source: str
    languages: tuple[str, ...]
    window_tokens: int
    overlap_tokens: int
    files: Mapping[str, str]
    heads: tuple[ManifestHead, ...] = ()
    dimension: int = 0


def read_manifest(path: Path) -> Manifest:
    """The manifest at `path`. Raises ModelError naming the file, the key and what is allowed."""
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise ModelError(
            f"{path}: cannot be read ({error.strerror}); is it a model folder?"
        ) from error
    except (RecursionError, ValueError) as error:
        raise ModelError(f"{path}: not valid JSON ({error}); import the model again") from error
    return _manifest(_ManifestFields(path, data))


class _ManifestFields:
    """A JSON object whose keys are taken with a type, or refused with a clear error."""

    def __init__(self, path: Path, data: object, prefix: str = "") -> None:
        self._path = path
        self._prefix = prefix
        if not isinstance(data, dict):
            raise self._error("", "a JSON object")
        self._data: dict[str, Any] = data

    def take(self, key: str, kind: type[_T], allowed: Callable[[_T], bool] = lambda _: True) -> _T:
        value = self._data.get(key)
        if kind is float and type(value) is int:
            value = float(value)
        if type(value) is not kind or not allowed(value):
            raise self._error(key, kind.__name__)
        return value

    def each(self, key: str) -> list[_ManifestFields]:
        entries = self.take(key, list, bool)
        return [
            _ManifestFields(self._path, data, f"{key}[{at}].") for at, data in enumerate(entries)
        ]

    def has(self, key: str) -> bool:
        return self._data.get(key) is not None

    def _error(self, key: str, expected: str) -> ModelError:
        found = repr(self._data.get(key)) if key else "something else"
        return ModelError(
            f"{self._path}: {self._prefix}{key}: expected {expected} in its range, found {found};"
            " the model was made by another version of evenguard: import or install it again"
        )


def _manifest(fields: _ManifestFields) -> Manifest:
    fields.take("schema", int, lambda number: number == _SCHEMA)
    task = ModelKind(fields.take("task", str, lambda name: name in set(ModelKind)))
    classifier = task is ModelKind.CLASSIFICATION
    window = fields.take("window_tokens", int, lambda number: number > 2)
    return Manifest(
        name=fields.take("name", str, bool),
        version=fields.take("version", str, bool),
        task=task,
        license=fields.take("license", str),
        source=fields.take("source", str),
        languages=tuple(fields.take("languages", list, _all_strings)),
        window_tokens=window,
        overlap_tokens=fields.take("overlap_tokens", int, lambda n: 0 <= n <= (window - 2) // 2),
        files=fields.take("files", dict, _names_files),
        heads=tuple(_head(each) for each in fields.each("heads")) if classifier else (),
        dimension=0 if classifier else fields.take("dimension", int, lambda number: number > 0),
    )


def _head(fields: _ManifestFields) -> ManifestHead:
    harm = fields.take("harm", bool)
    bounded = harm or fields.has("threshold")
    return ManifestHead(
        key=fields.take("key", str, bool),
        scale=fields.take("scale", float),
        bias=fields.take("bias", float),
        threshold=fields.take("threshold", float, lambda t: 0 <= t <= 1) if bounded else None,
        harm=harm,
    )


def _all_strings(values: Iterable[object]) -> bool:
    return all(isinstance(value, str) for value in values)


def _names_files(files: Mapping[str, object]) -> bool:
    names = {"model.onnx", "tokenizer.json"}
    return names <= files.keys() and _all_strings([*files.keys(), *files.values()])
