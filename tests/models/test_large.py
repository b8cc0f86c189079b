"""The larger model, in small: calibrated, built without data, packed, found and used."""

import shutil
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from subprocess import CalledProcessError

import numpy as np
import pytest
import torch

from export import __main__ as command
from export import build
from export.build import build_classifier, calibrate
from export.calibration import Calibration, read_calibration, write_calibration
from export.compare import Tolerance
from export.manifest import LARGE, read_readings
from export.texts import ODD, Material, gather, sampled
from export.wheel import build_wheel
from guard.scoring import open_engine
from guard.scoring.catalogue import Catalogue
from train.heads import KEYS
from train.model import Classifier, adapted, load, save, seeded
from train.recipe import Recipe
from train.sampling import split_rows

ROOT = Path(__file__).resolve().parents[2]
TEXTS = ["the river is lovely", "women are awful", "a", "you are a stupid tree in the garden"]


@pytest.fixture(scope="module")
def weights(large_base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of adapters that change something."""
    folder = tmp_path_factory.mktemp("adapters")
    seeded(4)
    model = adapted(large_base, 0.0, rank=4, layers=3)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if name.endswith(".up") or name == "heads.weight":
                torch.nn.init.normal_(weight, std=0.3)
    save(model, folder)
    return folder


@pytest.fixture(scope="module")
def model(weights: Path, large_base: Path) -> Classifier:
    return load(weights, large_base)


@pytest.fixture(scope="module")
def material(data: Path) -> Material:
    rows = split_rows(data, Recipe(validation_share=0.5)).validation
    return replace(gather(data, range_texts=80), validation=rows)


@pytest.fixture(scope="module")
def calibration(model: Classifier, large_base: Path, material: Material) -> Calibration:
    return calibrate(model, large_base, material, LARGE)


@pytest.fixture(scope="module")
def folder(
    model: Classifier,
    large_base: Path,
    calibration: Calibration,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """The model as it is packed."""
    made = tmp_path_factory.mktemp("models") / LARGE.name
    texts = [*TEXTS, *ODD]
    build_classifier(model, large_base, calibration, LARGE, texts=texts, folder=made)
    return made


def test_what_the_data_say_is_kept_beside_the_weights(
    calibration: Calibration, weights: Path, tmp_path: Path
) -> None:
    shutil.copytree(weights, tmp_path, dirs_exist_ok=True)
    with pytest.raises(ValueError, match=r"readings\.json is missing: python -m export calib"):
        read_calibration(tmp_path)
    write_calibration(calibration, tmp_path)
    back = read_calibration(tmp_path)
    assert back.readings == calibration.readings
    assert back.ranges.keys() == calibration.ranges.keys()
    for name, span in calibration.ranges.items():
        assert np.array_equal(span.low, back.ranges[name].low)
        assert np.array_equal(span.high, back.ranges[name].high)
    adapters = tmp_path / "adapter.safetensors"
    adapters.write_bytes(adapters.read_bytes()[:-1] + b"x")
    with pytest.raises(ValueError, match="other weights"):
        read_calibration(tmp_path)


def test_thresholds_rise_where_fewer_rough_texts_may_reach_them(
    model: Classifier, large_base: Path, material: Material
) -> None:
    strict, lenient = (
        calibrate(model, large_base, material, replace(LARGE, rough_rate=rate)).readings
        for rate in (0.0, 0.5)
    )
    pairs = [(one.threshold, two.threshold) for one, two in zip(strict, lenient, strict=True)]
    risen = [(high, low) for high, low in pairs if high is not None and low is not None]
    assert all(high >= low for high, low in risen)
    assert any(high > low for high, low in risen)


def test_the_guard_finds_it_and_scores_as_torch_does(
    folder: Path, model: Classifier, large_base: Path
) -> None:
    shutil.copy(ROOT / "models" / "large" / "guard_models_large" / LARGE.name / "CARD.md", folder)
    (listing,) = Catalogue(folder.parent).list()
    assert listing.name == LARGE.name
    assert listing.model is not None
    readings = read_readings(folder)
    tokenizer = build.bare_tokenizer(large_base)
    with open_engine(listing.model) as engine:
        for text in TEXTS:
            assessment = engine.submit(text).result()
            assert assessment.reason is None
            ids = torch.tensor([tokenizer.encode(text).ids])
            with torch.inference_mode():
                logits = model(ids, torch.ones_like(ids))[0].numpy()
            for logit, reading in zip(logits, readings, strict=True):
                found = assessment.value(reading.key)
                assert found == pytest.approx(float(reading.line()(logit)), abs=0.05)


def test_a_part_of_the_rows_is_the_same_whatever_their_order(material: Material) -> None:
    part = sampled(material, 40)
    assert (len(part.validation), len(part.benign)) == (40, 40)
    turned = replace(material, validation=material.validation[::-1], benign=material.benign[::-1])
    assert sampled(turned, 40) == part
    assert sampled(material, 20).validation == part.validation[:20]
    assert part.ranges == material.ranges
    assert sampled(material, None) is material


def test_the_command_calibrates_and_builds(
    weights: Path, large_base: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "Tolerance", lambda: Tolerance(flips=0.1))
    shutil.copytree(weights, tmp_path / "weights")
    told = ["--weights", str(tmp_path / "weights"), "--base", str(large_base)]
    for what in (["calibration", "--data", str(data)], ["large", "--out", str(tmp_path / "out")]):
        monkeypatch.setattr(sys, "argv", ["export", *what, *told])
        command.main()
    assert [reading.key for reading in read_readings(tmp_path / "out")] == list(KEYS)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The project as it lies in the repository, whose git leaves built files out."""
    shutil.copy(ROOT / ".gitignore", tmp_path)
    ignored = shutil.ignore_patterns("model.onnx", "tokenizer.json", "manifest.json")
    copied = tmp_path / "models" / "large"
    shutil.copytree(ROOT / "models" / "large", copied, ignore=ignored)
    return copied


def test_a_wheel_holds_the_built_model(project: Path, folder: Path, tmp_path: Path) -> None:
    place = project / "guard_models_large" / LARGE.name
    shutil.copytree(folder, place, dirs_exist_ok=True)
    wheel = build_wheel(project, tmp_path / "dist")
    names = set(zipfile.ZipFile(wheel).namelist())
    files = ("model.onnx", "tokenizer.json", "manifest.json", "CARD.md")
    expected = {f"guard_models_large/{LARGE.name}/{name}" for name in files}
    packages = {"guard_models_large/__init__.py", "guard_models_large/py.typed"}
    assert {name for name in names if ".dist-info/" not in name} == expected | packages
    with pytest.raises(ValueError, match="more than 1000"):
        build_wheel(project, tmp_path / "other", largest_bytes=1000)
    assert not (tmp_path / "other").exists()


def test_no_wheel_is_made_without_the_model(
    project: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CalledProcessError):
        build_wheel(project, tmp_path / "dist")
    assert "make models-large" in capfd.readouterr().err
