"""Models that are fetched: from the Hugging Face hub, and from Detoxify's releases.

What was fetched stays in the libraries' own caches, so that a fetch that broke off goes on where it
was, and nothing is fetched twice.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import torch
from huggingface_hub import snapshot_download

from guard.errors import ModelError
from guard.importing.export.original import clear_errors

_FILES = ("*.json", "*.safetensors", "*.txt", "*.model", "README.md", "*/config.json")
_PICKLES = ("pytorch_model*.bin",)
_RELEASES = "https://github.com/unitaryai/detoxify/releases/download"
_CHECKPOINTS = {
    "original": "v0.1-alpha/toxic_original-c1212f89.ckpt",
    "unbiased": "v0.3-alpha/toxic_debiased-c7548aa0.ckpt",
    "multilingual": "v0.4-alpha/multilingual_debiased-0b549669.ckpt",
}
DETOXIFY_LICENCE = "apache-2.0"


def fetch(name: str, revision: str | None, *, pickles: bool = False) -> tuple[Path, str]:
    """A model of the hub: its folder, and the commit it is of. Raises ModelError."""
    patterns = [*_FILES, *_PICKLES] if pickles else list(_FILES)
    what = f"{name}: no folder, and cannot be fetched from the Hugging Face hub"
    with clear_errors(what):
        folder = Path(snapshot_download(name, revision=revision, allow_patterns=patterns))
    return folder, folder.name


def fetch_checkpoint(release: str) -> tuple[Path, str]:
    """A checkpoint of Detoxify, by the name of its model: its file, and what it was made from.

    Raises ModelError.
    """
    if release not in _CHECKPOINTS:
        known = ", ".join(_CHECKPOINTS)
        raise ModelError(f"detoxify:{release}: no folder, and no release; there are {known}")
    place = _CHECKPOINTS[release]
    file = Path(torch.hub.get_dir()) / "checkpoints" / Path(place).name
    digest = file.stem.rpartition("-")[2]
    if not file.is_file():
        file.parent.mkdir(parents=True, exist_ok=True)
        with clear_errors(f"{_RELEASES}/{place}: cannot be fetched"):
            torch.hub.download_url_to_file(f"{_RELEASES}/{place}", str(file), hash_prefix=digest)
    return file, digest


def revision_of(weights: Path) -> str:
    """Of a folder: the beginning of the SHA-256 of its weights."""
    with weights.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:12]
