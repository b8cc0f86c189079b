"""Sources that cannot be imported: each ends in one clear error and an untouched catalogue."""

import json
import multiprocessing
import os
import pickle
import resource
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
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
from guard.scoring import Catalogue
from tests.models.made_models import COMPARED, edited, saved, tokenizer_of

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
    """As large as sound weights, so that it is not refused for its size."""
    sound = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).unlink()
    loaded = pickle.dumps({"weights": Malicious(), "more": sound})
    (folder / "pytorch_model.bin").write_bytes(loaded)


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


def other_shards(folder: Path) -> None:
    names = dict.fromkeys(load_file(folder / WEIGHTS), "model-00002-of-00002.safetensors")
    (folder / WEIGHTS).unlink()
    index = {"metadata": {}, "weight_map": names}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def linked_elsewhere(folder: Path) -> None:
    moved = shutil.move(folder / "tokenizer.json", folder.parent / "secret.json")
    (folder / "tokenizer.json").symlink_to(moved)


def greedy_tokenizer(folder: Path) -> None:
    """One that gives texts up half-way, in code that is not Python's."""
    split = {"type": "Split", "pattern": {"Regex": r"(\w+\s?)+$"}, "behavior": "Isolated"}
    edited(folder / "tokenizer.json", pre_tokenizer=split | {"invert": False})


def renamed_weights(tensors: dict[str, Any]) -> None:
    for name in list(tensors):
        tensors[name.replace("bert.", "roberta.")] = tensors.pop(name)


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
    "labels that are not numbered": (
        lambda f: edited(f / "config.json", id2label={"a": "toxic", "b": "insult"}),
        "cannot be loaded",
    ),
    "one label for all": (
        lambda f: edited(
            f / "config.json",
            id2label=dict.fromkeys(range(3), "toxic"),
            problem_type="single_label_classification",
        ),
        "would always be 1",
    ),
    "config is no object": (lambda f: (f / "config.json").write_text("[]"), "not a JSON object"),
    "config nested too deep": (
        lambda f: (f / "config.json").write_text("[" * 100_000),
        "not valid JSON",
    ),
    "no weights": (lambda f: (f / WEIGHTS).unlink(), "no weights there"),
    "pickle": (as_pickle, "--trust-pickle"),
    "weights cut off": (cut_off, "its header says"),
    "no bytes": (lambda f: (f / WEIGHTS).write_bytes(b""), "cut off"),
    "a part is missing": (other_shards, "model-00002-of-00002.safetensors"),
    "weights of another architecture": (
        lambda f: weights_changed(f, renamed_weights),
        "weights are missing",
    ),
    "a link out of the folder": (linked_elsewhere, r"tokenizer\.json: a link to .*secret\.json"),
    "a link to nothing": (
        lambda f: (f / "merges.txt").symlink_to(f / "none"),
        r"merges\.txt: a link to .*, which is not there",
    ),
    "weights are a pointer": (lambda f: (f / WEIGHTS).write_bytes(LFS), "git lfs pull"),
    "tokenizer is a pointer": (lambda f: (f / "tokenizer.json").write_bytes(LFS), "git lfs pull"),
    "no tokenizer": (without_tokenizer, "no tokenizer there"),
    "tokenizer cut off": (lambda f: (f / "tokenizer.json").write_text("{"), "tokenizer"),
    "tokenizer of another model": (larger_tokenizer, "do not belong together"),
    "weight not a number": (lambda f: weights_changed(f, not_a_number), "no numbers"),
    "no head": (lambda f: weights_changed(f, without_head), "weights are missing"),
    "wrong shapes": (lambda f: weights_changed(f, narrower), r"is \[3, 31\], .* \[3, 32\]"),
    "no licence": (lambda f: (f / "README.md").unlink(), "--licence"),
    "attention by code of somebody else": (
        lambda f: edited(f / "config.json", _attn_implementation="somebody/kernel"),
        "never run",
    ),
    "layers without end": (
        lambda f: edited(f / "config.json", num_hidden_layers=10**7),
        "from 1 to 1000",
    ),
    "more parameters than bytes": (
        lambda f: edited(f / "config.json", vocab_size=10**8),
        r"makes a model of \d+ parameters",
    ),
    "a tokenizer that panics": (greedy_tokenizer, "retry-limit"),
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
    request = ImportRequest(
        source=parse_source(source), name="made", **({"texts": COMPARED} | options)
    )
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
        texts=COMPARED,
        trust_pickle=True,
    )
    found = import_model(request, ModelStorage(root=tmp_path / "models"))
    assert max(head.largest for head in found.comparison.heads) <= 1e-4


def test_a_model_too_far_from_its_original_is_refused_with_the_figures(
    sound: Path, tmp_path: Path
) -> None:
    tolerance = Tolerance.of(Precision.INT8, 1e-6)
    refused(f"hf:{sound}", tmp_path, "toxicity by .* try --precision fp16", tolerance=tolerance)


def dies(source: Path, root: Path) -> None:
    """Import, and be killed as soon as files of the model have been written."""

    def progress(step: str) -> None:
        if step == "comparison":
            os.kill(os.getpid(), signal.SIGKILL)

    request = ImportRequest(source=parse_source(f"hf:{source}"), name="made")
    import_model(request, ModelStorage(root=root), progress)


def test_a_process_that_is_killed_leaves_no_model_and_is_not_in_the_way(
    sound: Path, tmp_path: Path
) -> None:
    storage = ModelStorage(root=tmp_path / "models")
    process = multiprocessing.get_context("fork").Process(target=dies, args=(sound, storage.root))
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    assert (storage.root / ".partial" / "made" / "model.onnx").exists()
    assert Catalogue(storage.root).list() == ()
    with storage.staged("other"):
        assert [file.name for file in (storage.root / ".partial").iterdir()] == ["other"]


@pytest.mark.parametrize("step", ["files", "weights", "precision", "comparison", "catalogue"])
def test_an_interrupted_import_leaves_the_catalogue_as_it_was(
    step: str, sound: Path, tmp_path: Path
) -> None:
    def progress(begun: str) -> None:
        if begun == step:
            raise KeyboardInterrupt

    storage = ModelStorage(root=tmp_path)
    request = ImportRequest(source=parse_source(f"hf:{sound}"), name="made", texts=COMPARED[:8])
    wide = replace(request, tolerance=Tolerance.of(Precision.INT8, 1.0))
    with pytest.raises(KeyboardInterrupt):
        import_model(wide, storage, progress)
    assert [file.name for file in tmp_path.iterdir()] == [".lock"]


def test_a_second_import_is_refused_before_it_has_done_anything(
    sound: Path, tmp_path: Path
) -> None:
    steps: list[str] = []
    storage = ModelStorage(root=tmp_path)
    request = ImportRequest(source=parse_source(f"hf:{sound}"), name="made")
    with storage.staged("first"), pytest.raises(ModelError, match="another import"):
        import_model(request, storage, steps.append)
    assert steps == []


@contextmanager
def full_disk() -> Iterator[None]:
    """No file may grow beyond a few bytes, which the system says much as it does of a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_is_one_clear_error(sound: Path, tmp_path: Path) -> None:
    with full_disk():
        refused(f"hf:{sound}", tmp_path, r"cannot be written \(.*make room")


@pytest.mark.parametrize("name", ["../up", "a/b", "", ".hidden"])
def test_a_name_is_no_path(name: str, sound: Path, tmp_path: Path) -> None:
    request = ImportRequest(source=parse_source(f"hf:{sound}"), name=name)
    with pytest.raises(ModelError, match="--name"):
        import_model(request, ModelStorage(root=tmp_path / "models"))
    assert not (tmp_path / "models").exists()


def test_a_folder_that_is_not_there_is_not_looked_for_on_the_hub(tmp_path: Path) -> None:
    for kind in ("hf", "detoxify", "onnx"):
        refused(f"{kind}:{tmp_path / 'none'}", tmp_path, "no .*folder")


def test_a_refused_replacement_leaves_the_model_that_was_there(sound: Path, tmp_path: Path) -> None:
    storage = ModelStorage(root=tmp_path / "models")
    request = ImportRequest(
        source=parse_source(f"hf:{sound}"),
        name="made",
        tolerance=Tolerance.of(Precision.FP32),
        texts=COMPARED,
    )
    import_model(request, storage)
    before = {file: file.read_bytes() for file in (storage.root / "made").iterdir()}
    tolerance = Tolerance.of(Precision.INT8, 0.0)
    second = replace(request, tolerance=tolerance, replace=True)
    with pytest.raises(ModelError, match="differs from its original"):
        import_model(second, storage)
    assert {file: file.read_bytes() for file in (storage.root / "made").iterdir()} == before
    assert json.loads((storage.root / "made" / "manifest.json").read_text())["license"] == "mit"
