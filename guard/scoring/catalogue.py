"""The models there are, and whether they are what their manifests say."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from guard.errors import ModelError
from guard.scoring.manifest import Manifest, read_manifest

_PACKAGE = "guard_models"
_BUNDLED = "toxicity-stereotype-minilm"
_INSTALL = "pip install evenguard-models"
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
    """Models by name: the folders in `root` that hold a `manifest.json`."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @classmethod
    def installed(cls) -> Catalogue:
        """The models that are installed with `evenguard-models`; ModelError if they are not."""
        spec = importlib.util.find_spec(_PACKAGE)
        places = list(spec.submodule_search_locations or ()) if spec else []
        if not places:
            raise ModelError(f"the bundled models are not installed (no {_PACKAGE}): {_INSTALL}")
        return cls(Path(places[0]))

    def list(self) -> tuple[Listing, ...]:
        """Every model, by name; broken ones with their problem. Reads manifests only."""
        return tuple(_listing(folder) for folder in self._folders())

    def find(self, name: str) -> Model:
        """The model called `name`: `bundled` (the shipped classifier), a name, or a folder.

        Raises ModelError, naming those there are.
        """
        folder = self._folder(_BUNDLED if name == "bundled" else name)
        if not (folder / "manifest.json").is_file():
            known = ", ".join(folder.name for folder in self._folders()) or "none"
            raise ModelError(
                f"{folder}: no model there; `model` must be bundled, a folder, or one of: {known}"
            )
        return model_at(folder)

    def check(self, name: str) -> Model:
        """The model called `name` after reading and verifying all its files; or ModelError."""
        model = self.find(name)
        read_files(model)
        return model

    def _folder(self, name: str) -> Path:
        """A plain name is looked up in the catalogue; anything with a slash is a path."""
        return Path(name).expanduser() if os.sep in name else self._root / name

    def _folders(self) -> Iterator[Path]:
        return (path.parent for path in sorted(self._root.glob("*/manifest.json")))


def model_at(folder: Path) -> Model:
    """The model in `folder`. Raises ModelError if it has no good manifest."""
    return Model(folder=folder, manifest=read_manifest(folder / "manifest.json"))


def find_model(name: str) -> Model:
    """`bundled`, an installed model by its name, or the one in a folder. Raises ModelError."""
    in_folder = os.sep in name or (Path(name) / "manifest.json").is_file()
    return model_at(Path(name)) if in_folder else Catalogue.installed().find(name)


def read_files(model: Model) -> Mapping[str, bytes]:
    """The files of `model` by name, each verified. Raises ModelError naming file and remedy."""
    return {
        name: _verified(model.folder / name, digest)
        for name, digest in model.manifest.files.items()
    }


def _listing(folder: Path) -> Listing:
    try:
        return Listing(name=folder.name, folder=folder, model=model_at(folder))
    except ModelError as error:
        return Listing(name=folder.name, folder=folder, problem=str(error))


def _verified(path: Path, digest: str) -> bytes:
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
