"""Sources that cannot be imported: each ends in one clear error and an untouched catalogue."""

import json
import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from guard.errors import ModelError
from guard.importing import (
    ImportRequest,
    ModelStorage,
    Precision,
    Tolerance,
    import_model,
    parse_source,
)
from tests.models.made_models import edited, saved, tokenizer_of

WEIGHTS = "model.safetensors"
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"


class Malicious:
    """Runs a command when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {Path(__file__).parent / 'ran'}",)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(tmp_path_factory.mktemp("sound"))


def weights_changed(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    tensors = load_file(folder / WEIGHTS)
    change(tensors)
    save_file(tensors, folder / WEIGHTS, metadata={"format": "pt"})


def as_pickle(folder: Path) -> None:
    torch.save(load_file(folder / WEIGHTS), folder / "pytorch_model.bin")
    (folder / WEIGHTS).unlink()


def as_malicious_pickle(folder: Path) -> None:
    (folder / WEIGHTS).unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps({"weights": Malicious()}))


def cut_off(folder: Path) -> None:
    content = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes(content[: len(content) // 2])


def without_tokenizer(folder: Path) -> None:
    for file in folder.glob("token*"):
        file.unlink()


def larger_tokenizer(folder: Path) -> None:
    tokenizer = tokenizer_of("bert")
    tokenizer.add_tokens([f"word{n}" for n in range(200)])
    tokenizer.save_pretrained(folder)


def not_a_number(tensors: dict[str, Any]) -> None:
    tensors["classifier.bias"][0] = float("nan")


def without_head(tensors: dict[str, Any]) -> None:
    del tensors["classifier.weight"], tensors["classifier.bias"]


def narrower(tensors: dict[str, Any]) -> None:
    tensors["classifier.weight"] = torch.zeros(3, 31)


BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "no config": (lambda f: (f / "config.json").unlink(), "config.json"),
    "config cut off": (lambda f: (f / "config.json").write_text("{"), "not valid JSON"),
    "other architecture": (lambda f: edited(f / "config.json", model_type="gpt2"), "known are"),
    "remote code": (
        lambda f: edited(f / "config.json", auto_map={"AutoModel": "x.Y"}),
        "code of its own",
    ),
    "regression": (lambda f: edited(f / "config.json", problem_type="regression"), "a regression"),
    "labels that say nothing": (
        lambda f: edited(f / "config.json", id2label={0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"}),
        "'LABEL_0' says nothing",
    ),
    "unknown label": (
        lambda f: edited(f / "config.json", id2label={0: "toxic", 1: "spam", 2: "insult"}),
        "'spam' is no name of ours",
    ),
    "more labels than outputs": (
        lambda f: edited(f / "config.json", id2label={n: f"insult{n}" for n in range(5)}),
        r"classifier\.bias is \[3\], and by config\.json \[5\]",
    ),
    "no weights": (lambda f: (f / WEIGHTS).unlink(), "no weights there"),
    "pickle": (as_pickle, "--trust-pickle"),
    "weights cut off": (cut_off, "its header says"),
    "weights are a pointer": (lambda f: (f / WEIGHTS).write_bytes(LFS), "git lfs pull"),
    "tokenizer is a pointer": (lambda f: (f / "tokenizer.json").write_bytes(LFS), "git lfs pull"),
    "no tokenizer": (without_tokenizer, "no tokenizer there"),
    "tokenizer cut off": (lambda f: (f / "tokenizer.json").write_text("{"), "tokenizer"),
    "tokenizer of another model": (larger_tokenizer, "do not belong together"),
    "weight not a number": (lambda f: weights_changed(f, not_a_number), "no numbers"),
    "no head": (lambda f: weights_changed(f, without_head), "weights are missing"),
    "wrong shapes": (lambda f: weights_changed(f, narrower), r"is \[3, 31\], .* \[3, 32\]"),
    "no licence": (lambda f: (f / "README.md").unlink(), "--licence"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_source_is_refused_with_one_clear_error(
    name: str, sound: Path, tmp_path: Path
) -> None:
    change, message = BROKEN[name]
    folder = shutil.copytree(sound, tmp_path / "source")
    change(folder)
    refused(f"hf:{folder}", tmp_path, message)


def refused(source: str, tmp_path: Path, message: str, **options: Any) -> None:
    root = tmp_path / "models"
    request = ImportRequest(source=parse_source(source), name="made", **options)
    with pytest.raises(ModelError, match=message) as raised:
        import_model(request, ModelStorage(root=root))
    assert "\n" not in str(raised.value)
    assert [file for file in root.rglob("*") if file.name != ".lock"] == []


def test_code_in_a_pickle_is_not_run_where_pickles_are_trusted(sound: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(sound, tmp_path / "source")
    as_malicious_pickle(folder)
    refused(f"hf:{folder}", tmp_path, "cannot be loaded", trust_pickle=True)
    assert not (Path(__file__).parent / "ran").exists()


def test_the_tensors_of_a_trusted_pickle_are_taken(sound: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(sound, tmp_path / "source")
    as_pickle(folder)
    request = ImportRequest(
        source=parse_source(f"hf:{folder}"),
        name="made",
        tolerance=Tolerance.of(Precision.FP32),
        trust_pickle=True,
    )
    found = import_model(request, ModelStorage(root=tmp_path / "models"))
    assert max(head.largest for head in found.comparison.heads) <= 1e-4


def test_a_model_too_far_from_its_original_is_refused_with_the_figures(
    sound: Path, tmp_path: Path
) -> None:
    tolerance = Tolerance.of(Precision.INT8, 1e-6)
    refused(f"hf:{sound}", tmp_path, "toxicity by .* try --precision fp16", tolerance=tolerance)


def test_a_folder_that_is_not_there_is_not_looked_for_on_the_hub(tmp_path: Path) -> None:
    for kind in ("hf", "detoxify", "onnx"):
        refused(f"{kind}:{tmp_path / 'none'}", tmp_path, "no .*folder")


def test_a_refused_replacement_leaves_the_model_that_was_there(sound: Path, tmp_path: Path) -> None:
    storage = ModelStorage(root=tmp_path / "models")
    request = ImportRequest(
        source=parse_source(f"hf:{sound}"), name="made", tolerance=Tolerance.of(Precision.FP32)
    )
    import_model(request, storage)
    before = {file: file.read_bytes() for file in (storage.root / "made").iterdir()}
    tolerance = Tolerance.of(Precision.INT8, 0.0)
    second = ImportRequest(source=request.source, name="made", tolerance=tolerance, replace=True)
    with pytest.raises(ModelError, match="differs from its original"):
        import_model(second, storage)
    assert {file: file.read_bytes() for file in (storage.root / "made").iterdir()} == before
    assert json.loads((storage.root / "made" / "manifest.json").read_text())["license"] == "mit"
