"""The models there are, what they say about themselves, and whether it is true.

`manifest.json` is read and checked by hand; the files it names are verified by their digests, and
in the packages of models so is the manifest itself.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
from collections import Counter
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
    """What a model makes of a text; NLI: of two texts, whether the first entails the second."""

    CLASSIFICATION = "classification"
    EMBEDDING = "embedding"
    NLI = "nli"


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
    dimension: length of an embedding; 0 for others.
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
    content = _read(path, "is it a model folder?")
    try:
        data = json.loads(content)
    except (RecursionError, ValueError) as error:
        raise ModelError(f"{path}: not valid JSON ({error}); import the model again") from error
    return _manifest(_ManifestFields(path, data))


class _ManifestFields:
    """A JSON object whose keys are taken with a type, or refused with a clear error."""

    def __init__(self, path: Path, data: object, prefix: str = "") -> None:
        self._path = path
        self._prefix = prefix
        if not isinstance(data, dict):
            raise self.error("", "a JSON object")
        self._data: dict[str, Any] = data

    def take(self, key: str, kind: type[_T], allowed: Callable[[_T], bool] = lambda _: True) -> _T:
        value = self._data.get(key)
        if kind is float and type(value) is int and abs(value) <= _MOST_OF_INTEGER:
            value = float(value)
        if type(value) is not kind or not allowed(value):
            raise self.error(key, kind.__name__)
        return value

    def each(self, key: str) -> list[_ManifestFields]:
        entries = self.take(key, list, bool)
        return [
            _ManifestFields(self._path, data, f"{key}[{at}].") for at, data in enumerate(entries)
        ]

    def has(self, key: str) -> bool:
        return self._data.get(key) is not None

    def error(self, key: str, expected: str) -> ModelError:
        found = repr(self._data.get(key)) if key else "something else"
        return self.problem(key, f"expected {expected} in its range, found {found}")

    def problem(self, key: str, what: str) -> ModelError:
        return ModelError(
            f"{self._path}: {self._prefix}{key}: {what};"
            " the model was made by another version of evenguard: import or install it again"
        )


def _manifest(fields: _ManifestFields) -> Manifest:
    fields.take("schema", int, lambda number: number == _SCHEMA)
    task = ModelKind(fields.take("task", str, lambda name: name in set(ModelKind)))
    makes_scores, makes_vectors = task is ModelKind.CLASSIFICATION, task is ModelKind.EMBEDDING
    window = fields.take("window_tokens", int, lambda number: 2 < number <= _MOST_OF_WINDOW)
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
        heads=_heads(fields) if makes_scores else (),
        dimension=fields.take("dimension", int, lambda n: n > 0) if makes_vectors else 0,
    )


def _heads(fields: _ManifestFields) -> tuple[ManifestHead, ...]:
    heads = tuple(_head(each) for each in fields.each("heads"))
    for key, count in Counter(head.key for head in heads).items():
        if count > 1:
            raise fields.problem("heads", f"the key {key!r} stands {count} times")
    return heads


def _head(fields: _ManifestFields) -> ManifestHead:
    harm = fields.take("harm", bool)
    bounded = harm or fields.has("threshold")
    return ManifestHead(
        key=fields.take("key", str, _is_key),
        scale=fields.take("scale", float, lambda scale: 0 < scale <= _MOST_OF_LOGIT),
        bias=fields.take("bias", float, lambda bias: abs(bias) <= _MOST_OF_LOGIT),
        threshold=fields.take("threshold", float, lambda t: 0 < t <= 1) if bounded else None,
        harm=harm,
    )


def _is_key(name: str) -> bool:
    return 0 < len(name) <= _LONGEST_KEY and name.isprintable()


def _all_strings(values: Iterable[object]) -> bool:
    return all(isinstance(value, str) for value in values)


def _names_files(files: Mapping[str, object]) -> bool:
    names = {"model.onnx", "tokenizer.json"}
    inside = all(Path(name).name == name for name in files)
    return inside and names <= files.keys() and _all_strings(files.values())


_MOST_OF_LIST = 2**20
"""Bytes of a manifest, or of a list of digests."""
_MOST_OF_MODEL = 2**31
"""Bytes of a model: ONNX puts no more in one file."""
_MOST_OF_WINDOW = 2**15
_LONGEST_KEY = 100
_MOST_OF_INTEGER = 2**53
_MOST_OF_LOGIT = 100.0
"""Of a scale or bias: with more, a score is 0 or 1 whatever the text."""
_PACKAGE = "guard_models"
_LARGE_PACKAGE = "guard_models_large"
_LARGE = "toxicity-stereotype-mpnet"
_ALIASES = {"bundled": "toxicity-stereotype-minilm", "large": _LARGE}
RESERVED_NAMES = frozenset({*_ALIASES, *_ALIASES.values(), "sentence-minilm", "nli-minilm"})
"""Names of shipped models, which no imported one can have."""
IMPORTED_VARIABLE = "EVENGUARD_MODELS"
"""The environment variable that names the folder of imported models."""
_INSTALL = "pip install evenguard-models"
_INSTALL_LARGE = (
    "in a checkout `make models-large`, then `pip install dist/evenguard_models_large-*`"
)
_REINSTALL = "pip install --force-reinstall evenguard-models, or import the model again"
DIGESTS = "SHA256SUMS"
"""The file in a package of models with the digests of their manifests."""
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
    """Models by name: the folders in `roots` that hold a `manifest.json`; the first root wins.

    released: manifests must have the digests that `SHA256SUMS` of their root says. imported: one
    more root, the last, whose manifests need not.
    """

    def __init__(self, *roots: Path, released: bool = False, imported: Path | None = None) -> None:
        self._roots = roots if imported is None else (*roots, imported)
        self._released = frozenset(roots if released else ())

    @classmethod
    def installed(cls) -> Catalogue:
        """The models of `evenguard-models`, of `evenguard-models-large` where it is installed, and
        those that were imported; ModelError if the first are not there."""
        if not (places := _places(_PACKAGE)):
            raise ModelError(f"the bundled models are not installed (no {_PACKAGE}): {_INSTALL}")
        packages = (*places, *_places(_LARGE_PACKAGE))
        return cls(*packages, released=True, imported=imported_models())

    def list(self) -> tuple[Listing, ...]:
        """Every model, by name; broken ones with their problem. Reads manifests only."""
        return tuple(map(self._listing, self._folders()))

    def find(self, name: str) -> Model:
        """The model called `name`: a name, `bundled` or `large` (the shipped ones), or a folder.

        Raises ModelError, naming those there are.
        """
        known_as, path = _ALIASES.get(name, name), Path(name).expanduser()
        is_path = os.sep in name
        places = [path] if is_path else [root / known_as for root in self._roots]
        for folder in places:
            if (folder / "manifest.json").exists():
                return model_at(folder) if is_path else self._model(folder)
        raise self._missing(name, places[0])

    def _model(self, folder: Path) -> Model:
        read = _released_model_at if folder.parent in self._released else model_at
        return read(folder)

    def _listing(self, folder: Path) -> Listing:
        try:
            return Listing(name=folder.name, folder=folder, model=self._model(folder))
        except ModelError as error:
            return Listing(name=folder.name, folder=folder, problem=str(error))

    def _missing(self, name: str, folder: Path) -> ModelError:
        if _ALIASES.get(name, name) == _LARGE:
            return ModelError(f"{name} is not installed (no {_LARGE_PACKAGE}): {_INSTALL_LARGE}")
        known = ", ".join(folder.name for folder in self._folders()) or "none"
        place = folder if os.sep in name else name
        return ModelError(
            f"{place}: no model there; `model` must be bundled, a folder, or one of: {known};"
            f" imported ones are looked for in {imported_models()} (${IMPORTED_VARIABLE})"
        )

    def _folders(self) -> Iterator[Path]:
        found = (sorted(root.glob("*/manifest.json")) for root in self._roots)
        return (path.parent for path in chain.from_iterable(found))


def imported_models() -> Path:
    """The folder of imported models: $EVENGUARD_MODELS, or one in the user's home."""
    data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    folder = Path(os.environ.get(IMPORTED_VARIABLE) or f"{data}/evenguard/models")
    try:
        return folder.expanduser()
    except RuntimeError:  # a container whose user has no home
        return folder


def model_at(folder: Path) -> Model:
    """The model in `folder`. Raises ModelError if it has no good manifest.

    Nothing says whether the manifest is the one that was made with the model.
    """
    return Model(folder=folder, manifest=read_manifest(folder / "manifest.json"))


def _released_model_at(folder: Path) -> Model:
    """The same in a package of models, if the manifest is the one of the release.

    Scales, biases and thresholds stand in it, so that another one could silence a score.
    """
    manifest, sums = folder / "manifest.json", folder.parent / DIGESTS
    known = _read_digests(sums).get(f"{folder.name}/{manifest.name}")
    found = hashlib.sha256(_read(manifest)).hexdigest()
    if found != known:
        raise ModelError(
            f"{manifest}: SHA-256 is {found}, {sums} says {known or 'nothing about it'}, so its"
            f" thresholds may not be those of the release: {_REINSTALL}; to use it as it is, copy"
            " the folder and give its path as `scoring.model`"
        )
    return model_at(folder)


def _read_digests(path: Path) -> Mapping[str, str]:
    """By file, what a list in the format of `sha256sum` says."""
    lines = _read(path).decode("utf-8", "replace").splitlines()
    pairs = (line.partition("  ") for line in lines)
    return {file: digest for digest, _, file in pairs}


def _read(path: Path, remedy: str = "", most: int = _MOST_OF_LIST) -> bytes:
    """The content. Raises ModelError for what is no regular file, since a pipe or a device would be
    read without an end, and for one of more than `most` bytes."""
    try:
        if not (path.is_file() or path.is_dir()) and path.exists():
            raise ModelError(f"{path}: no regular file: {remedy or _REINSTALL}")
        if (size := path.stat().st_size) > most:
            raise ModelError(
                f"{path}: {size} bytes, more than the {most} that are read: {remedy or _REINSTALL}"
            )
        return path.read_bytes()
    except OSError as error:
        raise ModelError(
            f"{path}: cannot be read ({error.strerror}): {remedy or _REINSTALL}"
        ) from error


def find_model(name: str) -> Model:
    """`bundled`, an installed model by its name, or the one in a folder. Raises ModelError."""
    if os.sep not in name and not (Path(name) / "manifest.json").is_file():
        return Catalogue.installed().find(name)
    try:
        return model_at(Path(name).expanduser())
    except RuntimeError as error:  # nobody has that home
        raise ModelError(f"{name}: {error}") from error


def large_classifier() -> Model | None:
    """The classifier of `evenguard-models-large`; None where that is not installed.

    Raises ModelError when its manifest is at fault.
    """
    for listing in Catalogue(*_places(_LARGE_PACKAGE), released=True).list():
        if listing.model is None:
            raise ModelError(str(listing.problem))
        if listing.model.manifest.task is ModelKind.CLASSIFICATION:
            return listing.model
    return None


def shipped_pair_classifier() -> Model | None:
    """The classifier of pairs of `evenguard-models`; None where none is among them."""
    listed = (listing.model for listing in Catalogue(*_places(_PACKAGE), released=True).list())
    return next((one for one in listed if one and one.manifest.task is ModelKind.NLI), None)


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


def _read_verified(path: Path, digest: str) -> bytes:
    content = _read(path, most=_MOST_OF_MODEL)
    if content.startswith(_LFS):
        raise ModelError(f"{path}: a Git LFS pointer, not the file itself: git lfs pull")
    found = hashlib.sha256(content).hexdigest()
    if found != digest:
        raise ModelError(f"{path}: SHA-256 is {found}, the manifest says {digest}: {_REINSTALL}")
    return content
