"""Weights to train on from, out of an exported model."""

import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch

from export.activations import measure
from export.outputs import classifier_graph, embedder_graph
from train import restored as command
from train.model import Classifier, load, pretrained, seeded
from train.restored import evenly, restored

TEXTS = [[2, *range(start, start + 9), 3] for start in range(4, 30)]


@pytest.fixture
def model(base: Path) -> Classifier:
    seeded(5)
    fresh = pretrained(base, dropout=0.1).eval()
    with torch.no_grad():
        for weight in fresh.parameters():
            weight.add_(0.02 * torch.randn_like(weight))
    return fresh


@pytest.fixture
def shipped(model: Classifier, tmp_path: Path) -> Path:
    path = tmp_path / "model.onnx"
    onnx.save(classifier_graph(model, measure(model.encoder, TEXTS)), path)
    return path


def logits(model: Classifier) -> np.ndarray:
    ids = torch.tensor(TEXTS)
    with torch.inference_mode():
        return model(ids, torch.ones_like(ids)).numpy()


def test_a_restored_model_says_what_its_original_said(model: Classifier, shipped: Path) -> None:
    back = restored(shipped, dropout=0.1)
    assert np.abs(logits(back) - logits(model)).max() < 0.05 * logits(model).std() + 0.02
    assert np.corrcoef(logits(back).ravel(), logits(model).ravel())[0, 1] > 0.999


def test_weights_come_back_but_for_rounding(model: Classifier, shipped: Path) -> None:
    left, right = model.state_dict(), restored(shipped, dropout=0.1).state_dict()
    assert left.keys() == right.keys()
    moved = ("token_type", "position", "attention.self.value", "attention.output.dense.weight")
    for name, weight in left.items():
        if not any(part in name for part in moved):
            assert torch.allclose(weight, right[name], atol=float(weight.abs().max()) / 60), name


def test_what_was_moved_between_two_products_is_evened_out() -> None:
    values, narrow = np.array([[3.0, 0.0], [4.0, 1.0]]), np.array([[0.2, 0.0], [0.0, 4.0]])
    ratio = evenly(values, narrow)
    left = np.linalg.norm(values / ratio, axis=0)
    right = np.linalg.norm(narrow * ratio[:, None], axis=1)
    assert left == pytest.approx(right)


def test_dropout_is_what_training_asks_for(shipped: Path) -> None:
    assert restored(shipped, dropout=0.3).dropout.p == 0.3


def test_the_command_writes_a_run(
    shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["restored", str(shipped), str(tmp_path / "run")])
    command.main()
    assert np.array_equal(logits(load(tmp_path / "run")), logits(restored(shipped, 0.1)))


def test_other_models_are_refused(model: Classifier, tmp_path: Path) -> None:
    floats, embedder = tmp_path / "float.onnx", tmp_path / "embedder.onnx"
    onnx.save(classifier_graph(model, None), floats)
    onnx.save(embedder_graph(model, measure(model.encoder, TEXTS)), embedder)
    for path in (floats, embedder):
        with pytest.raises(ValueError, match=f"{path.name} is not an 8-bit classifier"):
            restored(path, dropout=0.1)
