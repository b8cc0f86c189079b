"""The graph of a tiny MPNet against torch, in float32 and in 8 bits."""

from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from transformers import MPNetConfig

from export.activations import measure
from export.outputs import classifier_graph
from export.quantise import Floats
from export.scorer import open_session
from train.model import Classifier, adapted, load, pretrained, save, seeded

BEGIN, PADDING, END, FIRST_WORD, WORDS = 0, 1, 2, 5, 40  # as the fixture `teacher` has them


def text(length: int) -> list[int]:
    return [BEGIN, *(FIRST_WORD + length * n % WORDS for n in range(length - 2)), END]


TEXTS = [text(length) for length in (2, 3, 5, 9, 16, 30, 38)]


def with_large_weights(model: Classifier) -> Classifier:
    """Untrained weights hardly let attention and distances matter; those of a trained model do."""
    for name, weight in model.named_parameters():
        if name.endswith("weight") and weight.ndim == 2:
            torch.nn.init.normal_(weight, std=2.0 if "relative" in name else 0.3)
    return model.eval()


@pytest.fixture(scope="module")
def model(teacher: Path) -> Classifier:
    seeded(7)
    return with_large_weights(pretrained(teacher, dropout=0.0))


def in_torch(model: Classifier, texts: list[list[int]]) -> Floats:
    """Each text alone."""
    with torch.inference_mode():
        lines = [model(torch.tensor([ids]), torch.ones(1, len(ids)))[0] for ids in texts]
    return torch.stack(lines).numpy()


def in_onnx(graph: onnx.ModelProto, texts: list[list[int]], padding: int = 0) -> Floats:
    """All texts in one batch."""
    width = max(map(len, texts))
    ids = np.array([[*each, *[padding] * (width - len(each))] for each in texts])
    mask = np.array([[1] * len(each) + [0] * (width - len(each)) for each in texts])
    session = open_session(graph.SerializeToString())
    found: Floats = session.run(None, {"input_ids": ids, "attention_mask": mask})[0]
    return found


def test_the_float_graph_equals_torch(model: Classifier) -> None:
    expected, graph = in_torch(model, TEXTS), classifier_graph(model, None)
    assert expected.std(axis=0).max() > 0.1
    for padding in (0, PADDING):
        assert np.abs(in_onnx(graph, TEXTS, padding) - expected).max() < 1e-4


def test_far_distances_share_their_bucket_as_in_torch() -> None:
    seeded(3)
    shape = {"hidden_size": 16, "num_hidden_layers": 1, "intermediate_size": 16}
    config = MPNetConfig(vocab_size=45, num_attention_heads=2, max_position_embeddings=302, **shape)
    model = with_large_weights(Classifier(config))
    texts = [text(300), text(140), text(20)]
    found = in_onnx(classifier_graph(model, None), texts)
    assert np.abs(found - in_torch(model, texts)).max() < 1e-4


def test_the_small_graph_is_close_to_torch(model: Classifier) -> None:
    small = classifier_graph(model, measure(model.encoder, TEXTS))
    expected = in_torch(model, TEXTS)
    found = in_onnx(small, TEXTS)
    assert np.abs(found - expected).mean() < 0.05 * expected.std()
    assert np.corrcoef(found.ravel(), expected.ravel())[0, 1] > 0.995
    alone = np.concatenate([in_onnx(small, [each]) for each in TEXTS])
    assert np.abs(found - alone).max() < 1e-4


def test_the_same_weights_give_the_same_bytes(model: Classifier) -> None:
    one, two = (classifier_graph(model, measure(model.encoder, TEXTS)) for _ in range(2))
    assert one.SerializeToString() == two.SerializeToString()


def test_ranges_have_the_names_of_the_graph(model: Classifier) -> None:
    parts = ("attention.self.query", "attention.output.dense", "intermediate.dense", "output.dense")
    assert measure(model.encoder, TEXTS).keys() == {
        f"encoder.layer.{layer}.{part}" for layer in range(3) for part in parts
    }


def test_adapters_are_part_of_the_graph(teacher: Path, tmp_path: Path) -> None:
    seeded(2)
    fresh = adapted(teacher, 0.0, rank=4, layers=2)
    with torch.no_grad():
        for name, weight in fresh.named_parameters():
            if name.endswith(".up"):
                torch.nn.init.normal_(weight, std=0.2)
    save(fresh, tmp_path)
    merged = load(tmp_path, teacher)
    found = in_onnx(classifier_graph(merged, None), TEXTS)
    assert np.abs(found - in_torch(merged, TEXTS)).max() < 1e-4
    with torch.inference_mode():
        ids = torch.tensor([TEXTS[-1]])
        unmerged = fresh.eval()(ids, torch.ones_like(ids)).numpy()
    assert np.abs(found[-1] - unmerged).max() < 5e-3  # adapters are kept in half precision
