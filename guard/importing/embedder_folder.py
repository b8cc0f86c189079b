"""The folder of an embedder as sentence-transformers saves it, looked at before it is loaded."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from guard.errors import ModelError
from guard.importing.folder import (
    ModelFolder,
    check_files,
    check_safetensors,
    look_through,
    read_json,
    refuse_pickle,
    refuse_pointer,
)

MODULES = "modules.json"
PROMPTS = "config_sentence_transformers.json"
_THEIRS = "sentence_transformers."
_ENCODER, _POOLING = "Transformer", "Pooling"
_AFTER_POOLING = ("Dense", "LayerNorm", "Normalize", "Dropout")
_PLACES = r"sentence_transformers\.(models|base\.modules|sentence_transformer\.modules)"
_KNOWN = re.compile(
    rf"{_PLACES}(\.\w+)?\.(?P<kind>{'|'.join([_ENCODER, _POOLING, *_AFTER_POOLING])})"
)
_ACTIVATION = re.compile(r"torch\.nn\.modules\.(activation|linear)\.[A-Z]\w*")


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderModule:
    """One step from a text to its vector. kind: the class of sentence-transformers."""

    kind: str
    folder: Path


def look_through_embedder(path: Path, *, trust_pickle: bool) -> ModelFolder:
    """The folder of the encoder in that of an embedder. Raises ModelError for whatever is not known
    to be an encoder, a pooling and layers after it."""
    encoder, *others = _modules(path)
    _refuse_prompt(path)
    for module in others:
        _look_through_module(module, trust_pickle=trust_pickle)
    return look_through(encoder.folder, trust_pickle=trust_pickle)


def _modules(path: Path) -> list[EmbedderModule]:
    file = path / MODULES
    refuse_pointer(file)
    try:
        listed = [(str(one["type"]), str(one["path"])) for one in json.loads(file.read_bytes())]
    except OSError as error:
        raise ModelError(f"{file}: cannot be read; is it one of sentence-transformers?") from error
    except (KeyError, RecursionError, TypeError, ValueError) as error:
        raise ModelError(f"{file}: does not name modules ({error})") from error
    found = [
        EmbedderModule(kind=_kind(name, file), folder=_inside(path, place, file))
        for name, place in listed
    ]
    kinds = [module.kind for module in found]
    if kinds[:2] != [_ENCODER, _POOLING] or not set(kinds[2:]) <= set(_AFTER_POOLING):
        raise ModelError(
            f"{file}: its modules are {', '.join(kinds) or 'none'}; expected {_ENCODER},"
            f" {_POOLING}, and then any of {', '.join(_AFTER_POOLING)}"
        )
    return found


def _kind(name: str, file: Path) -> str:
    if not name.startswith(_THEIRS):
        raise ModelError(f"{file}: needs code of its own ({name}), and that is never run")
    if (known := _KNOWN.fullmatch(name)) is None:
        raise ModelError(
            f"{file}: the module {name} is not supported; those that are:"
            f" {', '.join([_ENCODER, _POOLING, *_AFTER_POOLING])}"
        )
    return known["kind"]


def _inside(path: Path, place: str, file: Path) -> Path:
    """The folder of a module. Raises ModelError where it is not in that of the embedder."""
    if Path(place).is_absolute() or ".." in Path(place).parts:
        raise ModelError(f"{file}: names a folder outside its own: {place}")
    return path / place


def _refuse_prompt(path: Path) -> None:
    """Raises ModelError where the library would put words before each text."""
    file = path / PROMPTS
    settings = read_json(file, "") if file.is_file() else {}
    name, prompts = settings.get("default_prompt_name"), settings.get("prompts")
    if name and isinstance(prompts, dict) and prompts.get(name):
        raise ModelError(
            f"{file}: puts {prompts[name]!r} before each text (default_prompt_name), which is not"
            " done here; set it to null to import the embedder for texts as they are"
        )


def _look_through_module(module: EmbedderModule, *, trust_pickle: bool) -> None:
    check_files(module.folder)
    for file in sorted(module.folder.glob("*.safetensors")):
        check_safetensors(file)
    pickle = module.folder / "pytorch_model.bin"
    if pickle.is_file() and not (module.folder / "model.safetensors").is_file():
        refuse_pickle(pickle, trust_pickle=trust_pickle)
    if module.kind == "Dense":
        _check_activation(module.folder / "config.json")


def _check_activation(file: Path) -> None:
    """The library calls what is named there."""
    name = read_json(file, "the layer cannot be loaded without it").get("activation_function")
    if name is not None and not (isinstance(name, str) and _ACTIVATION.fullmatch(name)):
        raise ModelError(
            f"{file}: activation_function is {name!r}, and that is never run; known are those of"
            " torch.nn.modules.activation"
        )
