"""Models in folders: found, read, verified, or refused with a remedy."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os

import pytest

from guard.errors import ModelError
from guard.scoring import (
    Catalogue,
    EngineOptions,
    ModelKind,
    large_classifier,
    open_engine,
    shipped_pair_classifier,
)
from guard.scoring.catalogue import model_at, read_files

FILES = {"model.onnx": b"onnx", "tokenizer.json": b"{}"}
MANIFEST = {
    "schema": 1,
    "name": "toy",
    "version": "1",
    "task": "classification",
    "license": "Apache-2.0",
    "source": "a test",
    "languages": ["en"],
    "window_tokens": 128,
    "overlap_tokens": 32,
    "files": {name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()},
    "heads": [{"key": "toxicity", "scale": 1, "bias": 0.5, "threshold": 0.5, "harm": True}],
}


@pytest.fixture
def write(tmp_path):
    def make(folder_name="toy", **changes):
        folder = tmp_path / folder_name
        folder.mkdir(parents=True)
        for file, content in FILES.items():
            (folder / file).write_bytes(content)
        (folder / "manifest.json").write_text(json.dumps(MANIFEST | changes))
        return folder

    return make


def note_digests(package) -> None:
    """As `sha256sum */manifest.json` writes them."""
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.parent.name}/{path.name}\n"
        for path in sorted(package.glob("*/manifest.json"))
    ]
    (package / "SHA256SUMS").write_text("".join(lines))


@pytest.fixture
def catalogue(tmp_path):
    return Catalogue(tmp_path)


def test_a_good_model(write, catalogue) -> None:
    folder = write()
    model = catalogue.find("toy")
    assert read_files(model).keys() == model.manifest.files.keys()
    assert model.folder == folder
    assert model.manifest.task is ModelKind.CLASSIFICATION
    assert model.manifest.heads[0].scale == 1.0
    assert model.manifest.languages == ("en",)
    assert catalogue.find(str(folder)) == model_at(folder) == model


def test_several_places_are_one_catalogue(write, tmp_path) -> None:
    first, second = write(), write("more/toy-large", name="toy-large")
    both = Catalogue(tmp_path, tmp_path / "more")
    assert [both.find(name).folder for name in ("toy", "toy-large")] == [first, second]
    assert [listing.name for listing in both.list()] == ["toy", "toy-large"]
    with pytest.raises(ModelError, match="one of: toy, toy-large"):
        both.find("other")


def test_the_large_classifier_is_that_of_its_package(write, tmp_path, monkeypatch) -> None:
    package = "guard_models_elsewhere"
    monkeypatch.setattr("guard.scoring.catalogue._LARGE_PACKAGE", package)
    assert large_classifier() is None
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert large_classifier() is None
    folder = write(f"{package}/toy-large", name="toy-large")
    note_digests(folder.parent)
    found = large_classifier()
    assert found is not None
    assert (found.folder, found.manifest.name) == (folder, "toy-large")
    (folder / "manifest.json").write_text("{}")
    with pytest.raises(ModelError, match="thresholds may not be those of the release"):
        large_classifier()


def test_a_shipped_classifier_of_pairs_is_one_of_the_package(write, tmp_path, monkeypatch) -> None:
    package = "guard_models_elsewhere"
    monkeypatch.setattr("guard.scoring.catalogue._PACKAGE", package)
    assert shipped_pair_classifier() is None
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    note_digests(write(f"{package}/toy", name="toy").parent)
    assert shipped_pair_classifier() is None
    note_digests(write(f"{package}/toy-pairs", name="toy-pairs", task="nli").parent)
    found = shipped_pair_classifier()
    assert found is not None
    assert found.manifest.name == "toy-pairs"


def test_a_released_model_has_the_manifest_of_the_release(write, tmp_path) -> None:
    folder = write()
    released = Catalogue(tmp_path, released=True)
    with pytest.raises(ModelError, match=r"SHA256SUMS: cannot be read .*force-reinstall"):
        released.find("toy")
    note_digests(tmp_path)
    assert released.find("toy") == model_at(folder)
    silenced = MANIFEST["heads"][0] | {"bias": -50}
    (folder / "manifest.json").write_text(json.dumps(MANIFEST | {"heads": [silenced]}))
    with pytest.raises(ModelError, match=r"SHA-256 is .*, .*SHA256SUMS says .*`scoring.model`"):
        released.find("toy")
    assert "SHA256SUMS" in released.list()[0].problem
    assert released.find(str(folder)).manifest.heads[0].bias == -50, "a path of one's own"


def test_a_model_that_the_release_does_not_name_is_refused(write, tmp_path) -> None:
    write()
    (tmp_path / "SHA256SUMS").write_text("")
    with pytest.raises(ModelError, match="says nothing about it"):
        Catalogue(tmp_path, released=True).find("toy")


def test_an_embedder(write, catalogue) -> None:
    write(task="embedding", dimension=384, heads=[])
    assert catalogue.find("toy").manifest.dimension == 384


def test_a_head_that_is_no_harm_needs_no_threshold(write, catalogue) -> None:
    write(heads=[{"key": "sentiment", "scale": 1, "bias": 0, "threshold": None, "harm": False}])
    assert catalogue.find("toy").manifest.heads[0].threshold is None


def test_the_list_has_good_and_broken_models_by_name(write, catalogue) -> None:
    write("b", schema=9)
    write("a")
    first, second = catalogue.list()
    assert (first.name, second.name) == ("a", "b")
    assert first.model is not None
    assert first.problem is None
    assert second.model is None
    assert "schema" in second.problem


def test_an_unknown_model_names_the_known_ones(write, catalogue) -> None:
    write()
    with pytest.raises(ModelError, match="one of: toy"):
        catalogue.find("other")


def test_models_of_several_packages_are_in_one_catalogue(write, tmp_path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for root, names in ((first, ("b", "same")), (second, ("a", "same"))):
        root.mkdir()
        for name in names:
            write(f"{root.name}/{name}", source=root.name)
    catalogue = Catalogue(first, second)
    assert [(one.name, one.folder.parent) for one in catalogue.list()][:3] == [
        ("b", first),
        ("same", first),
        ("a", second),
    ]
    assert catalogue.find("a").manifest.source == "second"
    assert catalogue.find("same").manifest.source == "first"


@pytest.mark.parametrize("name", ["large", "toxicity-stereotype-mpnet"])
def test_the_larger_model_is_found_or_said_to_be_missing(write, catalogue, name) -> None:
    with pytest.raises(ModelError, match=f"{name} is not installed .*make models-large"):
        catalogue.find(name)
    folder = write("toxicity-stereotype-mpnet")
    assert catalogue.find(name).folder == folder


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"schema": 2}, "schema"),
        ({"task": "translation"}, "task"),
        ({"name": ""}, "name"),
        ({"window_tokens": 2}, "window_tokens"),
        ({"window_tokens": "128"}, "window_tokens"),
        ({"overlap_tokens": 64}, "overlap_tokens"),
        ({"languages": ["en", 1]}, "languages"),
        ({"files": {"model.onnx": "x"}}, "files"),
        ({"heads": []}, "heads"),
        ({"heads": [1]}, "heads"),
        ({"heads": [MANIFEST["heads"][0] | {"threshold": 1.5}]}, "threshold"),
        ({"heads": [MANIFEST["heads"][0] | {"threshold": None}]}, "threshold"),
        ({"heads": [MANIFEST["heads"][0] | {"harm": 1}]}, "harm"),
        *(
            ({"heads": [MANIFEST["heads"][0] | {"scale": scale}]}, "scale")
            for scale in (float("nan"), float("inf"), 0, -1.0)
        ),
        ({"heads": [MANIFEST["heads"][0] | {"bias": float("nan")}]}, "bias"),
        ({"heads": [MANIFEST["heads"][0] | {"bias": -1e308}]}, "bias"),
        ({"heads": [MANIFEST["heads"][0] | {"threshold": 0.0}]}, "threshold"),
        *(
            ({"heads": [MANIFEST["heads"][0] | {"key": key}]}, "key")
            for key in ("", "tox\nicity", "t" * 101)
        ),
        ({"window_tokens": 10**9}, "window_tokens"),
        ({"files": MANIFEST["files"] | {"../other.bin": "x"}}, "files"),
        ({"files": MANIFEST["files"] | {"/etc/hostname": "x"}}, "files"),
        ({"heads": MANIFEST["heads"] * 2}, "heads: the key 'toxicity' stands 2 times"),
        ({"task": "embedding"}, "dimension"),
    ],
)
def test_a_wrong_manifest_is_refused_by_key(write, catalogue, changes, named) -> None:
    folder = write(**changes)
    with pytest.raises(ModelError, match=named) as caught:
        catalogue.find("toy")
    assert str(folder / "manifest.json") in str(caught.value)


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff"])
def test_what_is_no_json_object_is_refused(write, catalogue, content) -> None:
    (write() / "manifest.json").write_bytes(content)
    with pytest.raises(ModelError, match="JSON"):
        catalogue.find("toy")


def test_a_manifest_of_any_size_is_not_read(write, catalogue) -> None:
    with (write() / "manifest.json").open("r+b") as file:
        file.truncate(5 * 2**40)
    with pytest.raises(ModelError, match=r"manifest\.json: 5497558138880 bytes, more than"):
        catalogue.find("toy")
    assert [listing.problem is None for listing in catalogue.list()] == [False]


def test_a_manifest_that_is_a_folder_is_said_to_be_one(write, catalogue) -> None:
    path = write() / "manifest.json"
    path.unlink()
    path.mkdir()
    with pytest.raises(ModelError, match=r"manifest\.json: cannot be read"):
        catalogue.find("toy")


def test_a_folder_without_manifest(tmp_path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        model_at(tmp_path)


@pytest.mark.parametrize("file", ["manifest.json", "model.onnx", "tokenizer.json"])
def test_a_pipe_is_no_file_of_a_model(write, file: str) -> None:
    folder = write()
    (folder / file).unlink()
    os.mkfifo(folder / file)
    with pytest.raises(ModelError, match=rf"{file}: no regular file"):
        read_files(model_at(folder))


def test_a_changed_file(write, catalogue) -> None:
    (write() / "model.onnx").write_bytes(b"other")
    with pytest.raises(ModelError, match=r"model\.onnx: SHA-256 is .*reinstall"):
        read_files(catalogue.find("toy"))


def test_a_missing_file(write, catalogue) -> None:
    (write() / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match=r"tokenizer\.json: cannot be read"):
        read_files(catalogue.find("toy"))


def test_a_git_lfs_pointer(write, catalogue) -> None:
    (write() / "model.onnx").write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    with pytest.raises(ModelError, match="git lfs pull"):
        read_files(catalogue.find("toy"))


def test_verified_content_is_what_is_loaded(write) -> None:
    assert read_files(model_at(write())) == FILES


def test_files_that_no_library_can_load(write) -> None:
    folder = write()
    with pytest.raises(ModelError, match=r"tokenizer\.json: not a tokenizer"):
        open_engine(folder)


def test_an_embedder_is_no_classifier(write) -> None:
    folder = write(task="embedding", dimension=3)
    with pytest.raises(ModelError, match="no classifier"):
        open_engine(model_at(folder), EngineOptions())


def test_without_the_package_the_remedy_is_to_install_it(monkeypatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(ModelError, match="pip install evenguard-models"):
        Catalogue.installed()
