"""The models there are, what they say about themselves, and whether it is true.

`manifest.json` is read and checked by hand; the files it names are verified by their digests.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
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


_PACKAGE = "guard_models"
_LARGE_PACKAGE = "guard_models_large"
_LARGE = "toxicity-stereotype-mpnet"
_ALIASES = {"bundled": "toxicity-stereotype-minilm", "large": _LARGE}
_INSTALL = "pip install evenguard-models"
_INSTALL_LARGE = (
    "in a checkout `make models-large`, then `pip install dist/evenguard_models_large-*`"
)
_REINSTALL = "pip install --force-reinstall evenguard-models, or import the model again"
_LFS = b"version https://git-lfs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model in a folder, its manifest read, its files not yet verified."""

    folder: Path
    manifest: Manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A folder of a catalogue: the model in it, or what is wrong with it."""

    name: str
    folder: Path
    model: Model | None = None
    problem: str | None = None


class Catalogue:
    """Models by name: the folders in `roots` that hold a `manifest.json`; the first root wins."""

    def __init__(self, *roots: Path) -> None:
        self._roots = roots

    @classmethod
    def installed(cls) -> Catalogue:
        """The models that are installed with `evenguard-models`, and with `evenguard-models-large`
        where there are any; ModelError if the former are not."""
        if not (places := _places(_PACKAGE)):
            raise ModelError(f"the bundled models are not installed (no {_PACKAGE}): {_INSTALL}")
        return cls(*places, *_places(_LARGE_PACKAGE))

    def list(self) -> tuple[Listing, ...]:
        """Every model, by name; broken ones with their problem. Reads manifests only."""
        return tuple(_listing(folder) for folder in self._folders())

    def find(self, name: str) -> Model:
        """The model called `name`: a name, `bundled` or `large` (the shipped ones), or a folder.

        Raises ModelError, naming those there are.
        """
        known_as, path = _ALIASES.get(name, name), Path(name).expanduser()
        is_path = os.sep in name
        places = [path] if is_path else [root / known_as for root in self._roots]
        for folder in places:
            if (folder / "manifest.json").is_file():
                return model_at(folder)
        raise self._missing(name, places[0])

    def _missing(self, name: str, folder: Path) -> ModelError:
        if _ALIASES.get(name, name) == _LARGE:
            return ModelError(f"{name} is not installed (no {_LARGE_PACKAGE}): {_INSTALL_LARGE}")
        known = ", ".join(folder.name for folder in self._folders()) or "none"
        return ModelError(
            f"{folder}: no model there; `model` must be bundled, a folder, or one of: {known}"
        )

    def _folders(self) -> Iterator[Path]:
        found = (sorted(root.glob("*/manifest.json")) for root in self._roots)
        return (path.parent for path in chain.from_iterable(found))


def model_at(folder: Path) -> Model:
    """The model in `folder`. Raises ModelError if it has no good manifest."""
    return Model(folder=folder, manifest=read_manifest(folder / "manifest.json"))


def find_model(name: str) -> Model:
    """`bundled`, an installed model by its name, or the one in a folder. Raises ModelError."""
    in_folder = os.sep in name or (Path(name) / "manifest.json").is_file()
    return model_at(Path(name)) if in_folder else Catalogue.installed().find(name)


def large_classifier() -> Model | None:
    """The classifier of `evenguard-models-large`; None where that is not installed.

    Raises ModelError when its manifest is at fault.
    """
    for listing in Catalogue(*_places(_LARGE_PACKAGE)).list():
        if listing.model is None:
            raise ModelError(str(listing.problem))
        if listing.model.manifest.task is ModelKind.CLASSIFICATION:
            return listing.model
    return None


def read_files(model: Model) -> Mapping[str, bytes]:
    """The files of `model` by name, each verified. Raises ModelError naming file and remedy."""
    return {
        name: _read_verified(model.folder / name, digest)
        for name, digest in model.manifest.files.items()
    }


def _places(package: str) -> list[Path]:
    """Where the folders of an installed package are; nothing is imported."""
    spec = importlib.util.find_spec(package)
    return [Path(place) for place in (spec.submodule_search_locations or ())[:1]] if spec else []


def _listing(folder: Path) -> Listing:
    try:
        return Listing(name=folder.name, folder=folder, model=model_at(folder))
    except ModelError as error:
        return Listing(name=folder.name, folder=folder, problem=str(error))


def _read_verified(path: Path, digest: str) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror}): {_REINSTALL}") from error
    if content.startswith(_LFS):
        raise ModelError(f"{path}: a Git LFS pointer, not the file itself: git lfs pull")
    found = hashlib.sha256(content).hexdigest()
    if found != digest:
        raise ModelError(f"{path}: SHA-256 is {found}, the manifest says {digest}: {_REINSTALL}")
    return content
