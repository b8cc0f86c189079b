"""From a trained tiny model to files that are close to it."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from tokenizers import Tokenizer

from export import __main__ as command
from export import build
from export.activations import measure
from export.build import bare_tokenizer, export_classifier, export_embedder
from export.compare import Tolerance, TooFarFromOriginalError, cosines
from export.manifest import CLASSIFIER, EMBEDDER, read_readings, sha256
from export.outputs import classifier_graph, embedder_graph
from export.quantise import Range, levels, quantised, smoothing
from export.scorer import Scorer, open_session, outputs, whole
from export.texts import Material, gather
from train.batches import encode, read_tokenizer
from train.heads import KEYS, index_of
from train.loop import steps
from train.model import Classifier, pretrained, save, seeded
from train.recipe import Recipe
from train.sampling import split_rows

TEXTS = ["the river is lovely", "women are awful", "a", "", "you are a stupid tree in the garden"]


@pytest.fixture(scope="module")
def model(data: Path, base: Path, recipe: Recipe) -> Classifier:
    """A tiny model after a few steps."""
    seeded(3)
    fresh = pretrained(base, dropout=0.1)
    rows = split_rows(data, replace(recipe, rates={})).training
    examples = encode(rows, read_tokenizer(base), recipe)
    list(steps(fresh, examples, replace(recipe, epochs=2)))
    return fresh.eval()


@pytest.fixture(scope="module")
def material(data: Path) -> Material:
    """With enough rows that one decision more or less does not matter."""
    rows = split_rows(data, Recipe(validation_share=0.5)).validation
    return replace(gather(data, range_texts=80), validation=rows)


@pytest.fixture(scope="module")
def tokenizer(base: Path) -> Tokenizer:
    return bare_tokenizer(base)


@pytest.fixture(scope="module")
def small(model: Classifier, tokenizer: Tokenizer, material: Material) -> onnx.ModelProto:
    ranges = measure(model.encoder, (tokenizer.encode(text).ids for text in material.ranges))
    return classifier_graph(model, ranges)


def scorer(graph: onnx.ModelProto, tokenizer: Tokenizer) -> Scorer:
    session = open_session(graph.SerializeToString())
    return Scorer(session=session, tokenizer=tokenizer, window_tokens=24, overlap_tokens=8)


def in_torch(model: Classifier, tokenizer: Tokenizer, texts: list[str]) -> np.ndarray:
    lines = []
    for text in texts:
        ids = torch.tensor([tokenizer.encode(text).ids])
        with torch.inference_mode():
            lines.append(model(ids, torch.ones_like(ids))[0].numpy())
    return np.stack(lines)


def test_the_float_graph_equals_torch(model: Classifier, tokenizer: Tokenizer) -> None:
    found = outputs(scorer(classifier_graph(model, None), tokenizer), TEXTS)
    assert np.abs(found - in_torch(model, tokenizer, TEXTS)).max() < 1e-4


def test_the_small_graph_is_close_to_torch(
    model: Classifier, small: onnx.ModelProto, tokenizer: Tokenizer
) -> None:
    expected = in_torch(model, tokenizer, TEXTS)
    found = outputs(scorer(small, tokenizer), TEXTS)
    assert np.abs(found - expected).mean() < 0.1
    assert np.corrcoef(found.ravel(), expected.ravel())[0, 1] > 0.995


def test_a_text_scores_the_same_in_any_batch(small: onnx.ModelProto, tokenizer: Tokenizer) -> None:
    reader = scorer(small, tokenizer)
    alone = np.concatenate([outputs(reader, [text]) for text in TEXTS])
    assert np.abs(outputs(reader, TEXTS) - alone).max() < 1e-4


def test_the_graph_says_what_it_takes_and_gives(small: onnx.ModelProto) -> None:
    session = open_session(small.SerializeToString())
    assert [(i.name, i.type) for i in session.get_inputs()] == [
        ("input_ids", "tensor(int64)"),
        ("attention_mask", "tensor(int64)"),
    ]
    (output,) = session.get_outputs()
    assert (output.name, output.shape, output.type) == (
        "scores",
        ["batch", len(KEYS)],
        "tensor(float)",
    )


def test_the_same_weights_give_the_same_bytes(
    model: Classifier, tokenizer: Tokenizer, small: onnx.ModelProto, material: Material
) -> None:
    ranges = measure(model.encoder, (tokenizer.encode(text).ids for text in material.ranges))
    assert classifier_graph(model, ranges).SerializeToString() == small.SerializeToString()


def test_sentence_vectors_have_length_one(model: Classifier, tokenizer: Tokenizer) -> None:
    vectors = outputs(scorer(embedder_graph(model, None), tokenizer), TEXTS)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)


def test_weights_keep_within_half_a_step() -> None:
    matrix = np.random.default_rng(0).normal(size=(20, 7)).astype(np.float32)
    matrix[:, 3] = 0
    small = quantised(matrix, axis=1)
    assert np.abs(small.values * small.scales - matrix).max() <= small.scales.max() / 2 + 1e-7


def test_levels_hold_zero_exactly() -> None:
    fixed = levels(Range(low=np.array([-1.0, 0.5]), high=np.array([2.0, 3.0])))
    assert float(fixed.scale) == pytest.approx(4 / 255)
    assert int(fixed.zero) == round(1 / (4 / 255))


def test_smoothing_narrows_what_runs_far_out() -> None:
    span = Range(low=np.array([-1.0, -100.0]), high=np.array([1.0, 100.0]))
    factors = smoothing(span, np.ones((2, 4)), share=0.9)
    narrowed = span.divided(factors)
    assert narrowed.high[1] / narrowed.high[0] < 2


def test_ranges_grow_with_every_text(model: Classifier) -> None:
    one = measure(model.encoder, [[2, 5, 3]])
    two = measure(model.encoder, [[2, 5, 3], [2, 9, 10, 3]])
    assert one.keys() == two.keys()
    assert len(one) == 8
    assert all((two[name].high >= one[name].high).all() for name in one)


def test_an_exported_folder_is_complete_and_hashed(
    model: Classifier, base: Path, material: Material, tmp_path: Path
) -> None:
    export_classifier(model, base, material, tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["files"] == {
        name: sha256(tmp_path / name) for name in ("model.onnx", "tokenizer.json")
    }
    assert [head["key"] for head in manifest["heads"]] == list(KEYS)
    assert (manifest["schema"], manifest["task"], manifest["output"]) == (
        1,
        "classification",
        "scores",
    )
    for reading in read_readings(tmp_path):
        assert reading.scale > 0
        assert (reading.threshold is None) == (reading.key == "sentiment")
        assert reading.threshold is None or 0.5 <= reading.threshold < 1


def test_exported_tokenizers_neither_cut_nor_pad(tokenizer: Tokenizer, base: Path) -> None:
    assert Tokenizer.from_file(str(base / "tokenizer.json")).truncation
    assert tokenizer.truncation is None
    assert tokenizer.padding is None
    assert len(tokenizer.encode("tree " * 300).ids) == 302


def test_a_model_that_drifted_is_refused(
    model: Classifier,
    base: Path,
    material: Material,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(build, "Tolerance", lambda: Tolerance(mean=0.0))
    with pytest.raises(TooFarFromOriginalError, match="mean difference"):
        export_classifier(model, base, material, tmp_path)
    assert not list(tmp_path.iterdir())


def test_an_embedder_that_drifted_is_refused(
    base: Path, material: Material, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "Tolerance", lambda: Tolerance(lowest_cosine=1.1))
    with pytest.raises(TooFarFromOriginalError, match="lowest cosine"):
        export_embedder(pretrained(base, 0.0).eval(), base, material, tmp_path)


def test_an_embedder_is_written(base: Path, material: Material, tmp_path: Path) -> None:
    found = export_embedder(pretrained(base, 0.0).eval(), base, material, tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert found.min() > 0.98
    assert (manifest["task"], manifest["dimension"], "heads" in manifest) == (
        "embedding",
        32,
        False,
    )


def test_files_that_are_too_large_are_refused(
    base: Path, material: Material, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "EMBEDDER", replace(EMBEDDER, largest_bytes=99))
    with pytest.raises(ValueError, match="more than 99"):
        export_embedder(pretrained(base, 0.0).eval(), base, material, tmp_path)
    assert not list(tmp_path.iterdir())


def test_windows_cover_every_token_with_overlap(
    small: onnx.ModelProto, tokenizer: Tokenizer
) -> None:
    calm, nasty = "the river is calm " * 20, "stupid awful nasty " * 8
    reader = scorer(small, tokenizer)
    found, first = whole(reader, [calm + nasty]), outputs(reader, [calm + nasty])
    sentiment = index_of("sentiment")
    assert (np.delete(found - first, sentiment) >= -1e-6).all()
    assert found[0, 0] > first[0, 0]
    assert found[0, sentiment] < first[0, sentiment]


def test_cosines_of_parallel_vectors() -> None:
    assert cosines(np.array([[1.0, 2.0]]), np.array([[2.0, 4.0]])) == pytest.approx(1)


@pytest.fixture
def paths(model: Classifier, data: Path, base: Path, tmp_path: Path) -> dict[str, Path]:
    """What the command is told."""
    save(model, tmp_path / "run")
    return {"data": data, "base": base, "out": tmp_path / "out", "weights": tmp_path / "run"}


@pytest.mark.parametrize("what", ["classifier", "sentence"])
def test_the_command_exports(
    what: str, paths: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "Tolerance", lambda: Tolerance(flips=0.1))
    words = [word for name, path in paths.items() for word in (f"--{name}", str(path))]
    monkeypatch.setattr(sys, "argv", ["export", what, *words])
    command.main()
    name = {"classifier": CLASSIFIER.name, "sentence": EMBEDDER.name}[what]
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["name"] == name


def test_a_classifier_needs_weights(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["export", "classifier", "--data", ".", "--out", "."])
    with pytest.raises(SystemExit):
        command.main()
    assert "--weights" in capsys.readouterr().err


def test_sessions_run_on_the_processor_alone(small: onnx.ModelProto) -> None:
    session: onnxruntime.InferenceSession = open_session(small.SerializeToString())
    assert session.get_providers() == ["CPUExecutionProvider"]
