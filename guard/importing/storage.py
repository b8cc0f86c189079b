"""The folder of imported models: each appears in it whole, or not at all."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from guard.errors import ModelError
from guard.scoring import IMPORTED_VARIABLE, RESERVED_NAMES, Model, model_at

_PARTIAL = ".partial"  # a folder below it is none of the catalogue
_LOCK = ".lock"
_REPLACED = ".replaced"
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStorage:
    """The imported models in the folder `root`. One process changes them at a time."""

    root: Path

    def check_name(self, name: str, *, replace: bool) -> None:
        """Raises ModelError where a model cannot be called `name`."""
        if not _NAME.fullmatch(name):
            raise ModelError(
                f"--name {name}: a model is named with 1 to 64 of a-z, 0-9, dot, dash and"
                " underscore, the first one a letter or digit"
            )
        if name in RESERVED_NAMES:
            raise ModelError(f"--name {name}: a model of that name is shipped; choose another")
        if not replace and (self.root / name).exists():
            raise ModelError(f"{self.root / name}: there is one already; --replace replaces it")

    def find(self, name: str) -> Model:
        """The imported model called `name`. Raises ModelError naming those there are."""
        if _NAME.fullmatch(name) and (self.root / name / "manifest.json").is_file():
            return model_at(self.root / name)
        known = ", ".join(sorted(path.parent.name for path in self.root.glob("*/manifest.json")))
        raise ModelError(
            f"{name} is no imported model in {self.root}; there are: {known or 'none'}"
        )

    @contextmanager
    def staged(self, name: str) -> Iterator[Path]:
        """An empty folder that takes its place as `name` when the block ends well.

        Where the block raises, or the process dies, nothing is changed. Raises ModelError while
        another process changes the folder, and where it cannot be written.
        """
        with self._alone() as partial:
            staging = partial / name
            with self.writing():
                staging.mkdir()
            yield staging
            with self.writing():
                self._put(staging, partial)

    def remove(self, name: str) -> Path:
        """Take an imported model out; where it was. Raises ModelError."""
        folder = self.find(name).folder
        with self._alone() as partial, self.writing():
            folder.rename(partial / name)  # gone at once, however long deleting takes
        return folder

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Raises ModelError where the block cannot write, as on a disk that is full."""
        try:
            yield
        except OSError as error:
            raise ModelError(
                f"{error.filename or self.root}: cannot be written ({error.strerror}); make room,"
                f" or name another folder in ${IMPORTED_VARIABLE}"
            ) from error

    @contextmanager
    def _alone(self) -> Iterator[Path]:
        """A folder that is empty at first and gone at the end, while no other process has it."""
        partial = self.root / _PARTIAL
        with self.writing():
            self.root.mkdir(parents=True, exist_ok=True)
            opened = (self.root / _LOCK).open("w")
        with opened as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ModelError(
                    f"{self.root}: another import or removal is under way; wait until it is done"
                ) from None
            with self.writing():
                self._clear(partial)  # of a process that was killed
                partial.mkdir()
            try:
                yield partial
            finally:
                self._clear(partial)

    def _clear(self, partial: Path) -> None:
        """Delete what is half made, and put back what was about to be replaced."""
        for replaced in partial.glob(f"*{_REPLACED}"):
            target = self.root / replaced.name.removesuffix(_REPLACED)
            if not target.exists():
                replaced.rename(target)
        shutil.rmtree(partial, ignore_errors=True)

    def _put(self, staging: Path, partial: Path) -> None:
        for file in staging.iterdir():
            _flush(file)
        target = self.root / staging.name
        if target.exists():
            target.rename(partial / f"{staging.name}{_REPLACED}")
        staging.rename(target)
        _flush(self.root)


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
