"""The files of someone else's model, looked at before any of them is loaded."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from guard.errors import ModelError

ARCHITECTURES = frozenset(
    [
        "albert",
        "bert",
        "deberta",
        "deberta-v2",
        "distilbert",
        "electra",
        "modernbert",
        "mpnet",
        "roberta",
        "xlm-roberta",
    ]
)
"""Values of `model_type` in config.json."""

LEAST_WINDOW: Final = 8
"""Tokens that a model has to read at once at least."""
_PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl")
_LFS = b"version https://git-lfs"
_LICENCE = re.compile(r"^license:[ \t]*['\"]?([^\s'\"#]+)", re.MULTILINE)
_FRONT_MATTER = re.compile(r"\A---\s*\n(.*?)\n---", re.DOTALL)
_LARGEST_HEADER_BYTES = 100_000_000
_ATTENTION = ("_attn_implementation", "_attn_implementation_internal")
_KNOWN_ATTENTION = ("eager", "sdpa")
_LAYERS = ("num_hidden_layers", "n_layers", "num_hidden_groups", "inner_group_num")
_MOST_LAYERS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFolder:
    """A folder in a library's own format that has been looked through.

    config: what is in its config.json. weights: the file with the weights, the index of several, or
    a pickle.
    """

    path: Path
    config: Mapping[str, Any]
    weights: Path

    @property
    def is_pickle(self) -> bool:
        """Whether the weights could run code when they are loaded carelessly."""
        return self.weights.suffix in _PICKLES or self.weights.name.endswith(".bin.index.json")


def look_through(path: Path, *, trust_pickle: bool) -> ModelFolder:
    """The folder at `path`. Raises ModelError for whatever would make its model unusable or unsafe.

    trust_pickle: weights may be in a pickle where there are no safetensors; of a pickle nothing but
    tensors is ever loaded.
    """
    check_files(path)
    config = read_config(path)
    weights = find_weights(path)
    for part in parts_of(weights):
        if part.suffix == ".safetensors":
            check_safetensors(part)
    found = ModelFolder(path=path, config=config, weights=weights)
    if found.is_pickle:
        refuse_pickle(weights, trust_pickle=trust_pickle)
    return found


def read_config(path: Path) -> Mapping[str, Any]:
    """config.json, with an architecture we know and no code of its own. Raises ModelError."""
    file = path / "config.json"
    config = read_json(file, "is it the folder of a model?")
    if "auto_map" in config or "custom_pipelines" in config:
        raise ModelError(
            f"{file}: the model needs code of its own (auto_map), and that is never run; export it"
            " to ONNX where you trust the code, and import it as onnx:FOLDER"
        )
    if (kind := config.get("model_type")) not in ARCHITECTURES:
        known = ", ".join(sorted(ARCHITECTURES))
        raise ModelError(
            f"{file}: model_type is {kind!r}, and known are {known}; a model of another"
            " architecture can be imported as onnx:FOLDER"
        )
    _refuse_kernels(config, file)
    _check_layers(config, file)
    positions_of(config, file)
    return config


def _refuse_kernels(config: Mapping[str, Any], file: Path) -> None:
    """Raises ModelError where attention would be computed by code that transformers fetches."""
    for key in _ATTENTION:
        if (named := config.get(key)) is not None and named not in _KNOWN_ATTENTION:
            raise ModelError(
                f"{file}: {key} is {named!r:.80}, which can be code from somewhere else, and that"
                " is never run; take it out of the file to import the model"
            )


def _check_layers(config: Mapping[str, Any], file: Path) -> None:
    for key in _LAYERS:
        layers = config.get(key, 1)
        if type(layers) is not int or not 0 < layers <= _MOST_LAYERS:
            raise ModelError(
                f"{file}: {key} is {layers!r:.80}, and must be a whole number from 1 to"
                f" {_MOST_LAYERS}"
            )


def positions_of(config: Mapping[str, Any], file: Path) -> int | None:
    """Tokens that the model has places for; None where nothing says so. Raises ModelError."""
    positions = config.get("max_position_embeddings")
    if positions is not None and (type(positions) is not int or positions < LEAST_WINDOW):
        raise ModelError(
            f"{file}: max_position_embeddings is {positions!r:.80}, and must be a whole number from"
            f" {LEAST_WINDOW} on"
        )
    return positions


def read_json(file: Path, hint: str) -> dict[str, Any]:
    """The object in a JSON file. Raises ModelError. hint: what to do where it is missing."""
    refuse_pointer(file)
    try:
        data = json.loads(file.read_bytes())
    except OSError as error:
        raise ModelError(f"{file}: cannot be read ({error.strerror}); {hint}") from error
    except (RecursionError, ValueError) as error:
        raise ModelError(f"{file}: not valid JSON ({error}); fetch the file again") from error
    if not isinstance(data, dict):
        raise ModelError(f"{file}: not a JSON object; fetch the file again")
    return data


def find_weights(path: Path) -> Path:
    """Safetensors if there are any, else a pickle. Raises ModelError."""
    names = ("model.safetensors", "model.safetensors.index.json")
    pickles = ("pytorch_model.bin", "pytorch_model.bin.index.json")
    for name in (*names, *pickles):
        if (path / name).is_file():
            return path / name
    raise ModelError(f"{path}: no weights there; expected model.safetensors, or pytorch_model.bin")


def bytes_of(weights: Path) -> int:
    """The size of a file of weights, or of all the parts that an index names. Raises ModelError."""
    return sum(part.stat().st_size for part in parts_of(weights))


def parts_of(weights: Path) -> Sequence[Path]:
    """The file itself, or the files that an index names. Raises ModelError where one is missing."""
    if weights.suffix != ".json":
        return (weights,)
    named = read_json(weights, "is it the index of the weights?").get("weight_map")
    if not isinstance(named, dict) or not all(isinstance(name, str) for name in named.values()):
        raise ModelError(f"{weights}: no weight_map that names files; fetch it again")
    parts = [weights.with_name(Path(name).name) for name in sorted(set(named.values()))]
    for part in parts:
        if not part.is_file():
            raise ModelError(f"{part}: not there, and {weights.name} names it; fetch it again")
    return parts


def check_files(folder: Path) -> None:
    """Raises ModelError where a file is a Git LFS pointer, a link that leads out of the folder, or
    nothing that ends, such as a pipe.

    A folder of the cache of the Hugging Face hub is made of links to its `blobs`.
    """
    blobs = folder.resolve().parent.parent / "blobs"
    for file in sorted(folder.glob("*")):
        target = file.resolve()
        if not (target.is_relative_to(folder.resolve()) or target.parent == blobs):
            raise ModelError(f"{file}: a link to {target}, out of its folder; copy the file itself")
        if not target.exists():
            raise ModelError(f"{file}: a link to {target}, which is not there; fetch it again")
        refuse_pointer(file)


def refuse_pointer(file: Path) -> None:
    """Raises ModelError where Git LFS has left a pointer instead of the file, and for what is there
    and no file, such as a pipe or a device: to read it may never end."""
    if file.exists() and not (file.is_file() or file.is_dir()):
        raise ModelError(f"{file}: a pipe, a socket or a device; expected a file")
    if file.is_file() and file.stat().st_size < 1024 and file.read_bytes().startswith(_LFS):
        raise ModelError(f"{file}: a Git LFS pointer, not the file itself: git lfs pull")


def refuse_pickle(file: Path, *, trust_pickle: bool) -> None:
    """Raises ModelError unless pickles are trusted."""
    if not trust_pickle:
        raise ModelError(
            f"{file}: a pickle, which can run code when it is loaded; ask for model.safetensors, or"
            " say --trust-pickle to load the tensors in it and nothing else"
        )


def check_safetensors(file: Path) -> None:
    """Raises ModelError where the file is cut off or is none."""
    size = file.stat().st_size
    with file.open("rb") as stream:
        length = struct.unpack("<Q", stream.read(8))[0] if size >= 8 else 0
        header = stream.read(min(length, _LARGEST_HEADER_BYTES))
    try:
        tensors = json.loads(header)
        ends = (one["data_offsets"][1] for key, one in tensors.items() if key != "__metadata__")
        expected = 8 + length + max(ends, default=0)
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise ModelError(f"{file}: not a safetensors file, or cut off; fetch it again") from error
    if size != expected:
        raise ModelError(f"{file}: has {size} bytes, its header says {expected}; fetch it again")


def licence_of(path: Path, given: str | None) -> str:
    """The licence given, or that in the model card. Raises ModelError where neither says."""
    if given:
        return given
    card = path / "README.md"
    text = card.read_text(encoding="utf-8", errors="replace") if card.is_file() else ""
    matter = _FRONT_MATTER.match(text)
    if matter and (found := _LICENCE.search(matter[1])):
        return found[1]
    raise ModelError(
        f"{path}: no licence in README.md; find out whether you may use the model, and say"
        " --licence, as in --licence apache-2.0"
    )
